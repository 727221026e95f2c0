/** How payloads stand in a stream: as server-sent events, or as the elements of one array. */
import { ArrayWriter, dataEvent, type Framing } from '../../dialect.ts';

/** Writes the payloads of one stream. */
export interface Frames {
  /** Whether a payload may have several lines. */
  readonly takesLines: boolean;
  payload(json: string): string;
  /** The end of the stream. */
  end(): string;
  /** The end behind an error. */
  fail(): string;
}

/** The frames of a framing; server-sent events unless told. */
export function framesOf(framing: Framing | undefined): Frames {
  return framing === 'json-array' ? new Elements() : events;
}

/**
 * A client library in wide use reads over a payload that is an error, and takes what came before for the whole answer.
 * It does fail at a comment, which to all others is none of the stream (seen 2026-11-30).
 */
const FAILED = ': the answer has failed\n\n';

const events: Frames = {
  takesLines: false,
  payload: (json) => dataEvent(onOneLine(json)),
  end: () => '',
  fail: () => FAILED,
};

/** The same library ends a line where JavaScript does, and so at two characters that JSON need not escape. */
function onOneLine(json: string): string {
  const isOne = !json.includes('\u2028') && !json.includes('\u2029');
  return isOne ? json : json.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
}

class Elements implements Frames {
  readonly takesLines = true;
  readonly #array = new ArrayWriter();

  payload(json: string): string {
    return this.#array.element(json);
  }

  end(): string {
    return this.#array.end();
  }

  fail(): string {
    return this.#array.end();
  }
}
