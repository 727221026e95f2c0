/** Whatever an upstream answers, as canonical events: a stream, a whole answer, an error, or something else. */
import type { AnswerDecoders } from './answers.ts';
import type { DecoderOptions } from './codec/decoder.ts';
import { interruption, tooLarge } from './codec/fault.ts';
import { Ids } from './codec/ids.ts';
import { isDeeper, parseJson } from './codec/json.ts';
import type { CanonicalError } from './model/error.ts';
import type { FrameEvents } from './model/event.ts';
import { defaultLimits, type Limits } from './model/limits.ts';
import { type CloseCause, pipe, type Stage } from './stage.ts';
import { Utf8Reader } from './wire/bytes.ts';
import type { Frame } from './wire/frame.ts';
import { SseReader } from './wire/sse.ts';

/** What is known of an answer before its first byte. */
export interface ReaderOptions extends Partial<Omit<DecoderOptions, 'limits'>> {
  limits?: Partial<Limits>;
  /** How a stream is framed; `auto` (the default) sees it from the first byte. */
  fromFraming?: 'auto' | 'sse' | 'json-array';
  /** The answer's `content-type`. */
  contentType?: string;
  /** The answer's HTTP status. */
  status?: number;
  /** The answer's headers, names in lower case. */
  headers?: ReadonlyMap<string, string>;
}

/** Reads an upstream's answer in a dialect: bytes in, one list of events for each frame out. */
export function createReader(
  dialect: AnswerDecoders,
  options: ReaderOptions = {},
): Stage<Uint8Array | string, FrameEvents> {
  return new AnswerReader(dialect, options);
}

class AnswerReader implements Stage<Uint8Array | string, FrameEvents> {
  readonly #dialect: AnswerDecoders;
  readonly #options: ReaderOptions;
  readonly #decoding: DecoderOptions;
  readonly #utf8 = new Utf8Reader();
  #body: Stage<string, FrameEvents> | undefined;

  constructor(dialect: AnswerDecoders, options: ReaderOptions) {
    this.#dialect = dialect;
    this.#options = options;
    this.#decoding = { ...options, ids: options.ids ?? new Ids(), limits: { ...defaultLimits, ...options.limits } };
  }

  push(chunk: Uint8Array | string): readonly FrameEvents[] {
    const text = typeof chunk === 'string' ? chunk : this.#utf8.read(chunk);
    if (this.#body !== undefined) return this.#body.push(text);
    const first = text.trimStart()[0];
    if (first === undefined) return [];
    this.#body = this.#choose(first);
    return this.#body.push(text);
  }

  end(cause?: CloseCause): readonly FrameEvents[] {
    this.#body ??= this.#choose('');
    return [...this.#body.push(this.#utf8.end()), ...this.#body.end(cause)];
  }

  get settled(): boolean {
    return this.#body?.settled === true;
  }

  /** The first character tells an event stream from JSON and HTML more surely than the content type does. */
  #choose(first: string): Stage<string, FrameEvents> {
    const { status = 200, contentType = '' } = this.#options;
    const array = this.#isArray(first) ? this.#dialect.arrayReader?.(this.#decoding.limits.maxFrameBytes) : undefined;
    if (array !== undefined) return this.#decoded(array);
    const whole = status >= 400 || first === '{' || first === '[' || first === '<' || /\bhtml\b/i.test(contentType);
    if (whole) return new WholeAnswer(this.#dialect, this.#options, this.#decoding);
    return this.#decoded(new SseReader(this.#decoding.limits.maxFrameBytes));
  }

  #isArray(first: string): boolean {
    const { status = 200, fromFraming = 'auto' } = this.#options;
    return status < 400 && (fromFraming === 'json-array' || (fromFraming === 'auto' && first === '['));
  }

  #decoded(frames: Stage<string, Frame>): Stage<string, FrameEvents> {
    return pipe(frames, this.#dialect.decoder(this.#decoding));
  }
}

/** A body that means something only once it is all there. */
class WholeAnswer implements Stage<string, FrameEvents> {
  readonly #dialect: AnswerDecoders;
  readonly #options: ReaderOptions;
  readonly #decoding: DecoderOptions;
  #pieces: string[] = [];
  #length = 0;
  #over = false;

  constructor(dialect: AnswerDecoders, options: ReaderOptions, decoding: DecoderOptions) {
    this.#dialect = dialect;
    this.#options = options;
    this.#decoding = decoding;
  }

  push(text: string): readonly FrameEvents[] {
    if (this.#over) return [];
    this.#length += text.length;
    this.#pieces.push(text);
    return this.#length > this.#decoding.limits.maxAccumulatedBytes ? this.#end(failure(oversize)) : [];
  }

  end(cause: CloseCause = 'closed'): readonly FrameEvents[] {
    if (this.#over || cause === 'client-closed') return [];
    return this.#end(this.#read(this.#pieces.join(''), cause));
  }

  #end(events: FrameEvents): readonly FrameEvents[] {
    this.#over = true;
    this.#pieces = [];
    return [events];
  }

  #read(text: string, cause: CloseCause): FrameEvents {
    const { limits, ids } = this.#decoding;
    const { status = 200, headers = new Map() } = this.#options;
    if (isDeeper(text, limits.maxDepth)) return failure(oversize);
    const body = parseJson(text);
    if (status >= 400) return failure(this.#dialect.decodeError({ status, headers, body: body ?? text }));
    if (body === undefined)
      return failure(cause === 'closed' && !isCutJson(text) ? notAnAnswer(text) : interruption(cause));
    ids.seedFrom(text);
    return this.#dialect.decodeResponse(body, this.#decoding);
  }
}

const oversize = tooLarge('answer_too_large', 'The answer of the upstream is too large.');

function failure(error: CanonicalError): FrameEvents {
  return [{ type: 'error', error }];
}

function isCutJson(text: string): boolean {
  const first = text.trimStart()[0];
  return first === '{' || first === '[';
}

function notAnAnswer(text: string): CanonicalError {
  const message = 'The upstream answered with something that is neither an event stream nor JSON.';
  return { type: 'upstream', code: 'unexpected_body', message, native: text.slice(0, 200) };
}
