/** Answers that their upstream keeps while it generates them: one that is cut is asked for from where it was. */
import type { DialectId, EncodedRequest } from '@streamglot/core';
import type { Body, Part, TransportReply } from './transport/transport.ts';

/** How a dialect goes on with an answer. */
interface Resumption {
  /** Whether the upstream keeps the answer to this request. */
  kept(body: Readonly<Record<string, unknown>>): boolean;
  /** Finds what the upstream calls an event. */
  readonly mark: RegExp;
  /** The parameter that names the last event that came. */
  readonly after: string;
  /** The member of the first event that holds the answer, and its id. */
  readonly holder: string;
}

/**
 * Responses in the background go on by GET with `starting_after` (platform.openai.com, background mode), stored
 * interactions with `last_event_id` (ai.google.dev, Interactions; both seen 2026-11-29). A quote inside a text is escaped,
 * so no text of an answer looks like a mark.
 */
const resumptions: Readonly<Partial<Record<DialectId, Resumption>>> = {
  responses: {
    kept: ({ background }) => background === true,
    mark: /"sequence_number"\s*:\s*(\d+)/g,
    after: 'starting_after',
    holder: 'response',
  },
  interactions: {
    kept: ({ store }) => store === true,
    mark: /"event_id"\s*:\s*"([^"\\]+)"/g,
    after: 'last_event_id',
    holder: 'interaction',
  },
};

/** Events behind which nothing comes. */
const last =
  /"(?:event_)?type"\s*:\s*"(?:response\.(?:completed|failed|incomplete)|interaction\.completed|error)"|^data: ?\[DONE\]/m;

/** How often one answer may be taken up again. */
const most = 3;

/** Asks for the rest of an answer: its path and its query. Rejects like the transport. */
export type Again = (path: string, query: Readonly<Record<string, string>>) => Promise<TransportReply>;

/** The body of a reply, which goes on by itself where its dialect can. */
export function resumable(reply: TransportReply, dialect: DialectId, encoded: EncodedRequest, again: Again): Body {
  const way = resumptions[dialect];
  const streams = reply.headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (way === undefined || !streams || !way.kept(encoded.body)) return reply.body;
  return new Resumable(reply.body, way, encoded.path, again);
}

/** Gives whole events only, so that one which was cut can come again. */
class Resumable implements Body {
  #body: Body;
  readonly #way: Resumption;
  readonly #path: string;
  readonly #again: Again;
  readonly #utf8 = new TextDecoder();
  /** The beginning of an event. */
  #tail: Uint8Array = new Uint8Array();
  #close: Part | undefined;
  #id: string | undefined;
  #mark: string | undefined;
  #tries = 0;
  #isOver = false;

  constructor(body: Body, way: Resumption, path: string, again: Again) {
    this.#body = body;
    this.#way = way;
    this.#path = path;
    this.#again = again;
  }

  async read(): Promise<Part> {
    if (this.#close !== undefined) return this.#close;
    const part = await this.#body.read();
    if ('bytes' in part) return { ...part, bytes: this.#whole(part.bytes) };
    if ((part.cause === 'closed' || part.cause === 'reset') && (await this.#resumes())) return this.read();
    this.#close = part;
    return this.#tail.length === 0 ? part : { bytes: this.#tail, receivedAt: part.receivedAt };
  }

  release(): void {
    this.#isOver = true;
    this.#body.release();
  }

  /** The events that are whole by now. */
  #whole(bytes: Uint8Array): Uint8Array {
    const all = new Uint8Array(this.#tail.length + bytes.length);
    all.set(this.#tail);
    all.set(bytes, this.#tail.length);
    const end = endOf(all);
    this.#tail = all.subarray(end);
    const whole = all.subarray(0, end);
    if (end > 0) this.#note(this.#utf8.decode(whole));
    return whole;
  }

  #note(text: string): void {
    this.#isOver ||= last.test(text);
    this.#mark = [...text.matchAll(this.#way.mark)].at(-1)?.[1] ?? this.#mark;
    this.#id ??= idOf(text, this.#way.holder);
  }

  async #resumes(): Promise<boolean> {
    const id = this.#id;
    const mark = this.#mark;
    if (this.#isOver || id === undefined || mark === undefined || this.#tries++ >= most) return false;
    try {
      const reply = await this.#again(`${this.#path}/${encodeURIComponent(id)}`, {
        stream: 'true',
        [this.#way.after]: mark,
      });
      this.#tail = new Uint8Array();
      this.#body = reply.body;
      return true;
    } catch {
      return false;
    }
  }
}

const LF = 10;
const CR = 13;

/** Behind the last blank line; 0 where there is none. */
function endOf(bytes: Uint8Array): number {
  for (let at = bytes.length; at > 1; at--) {
    if (bytes[at - 1] !== LF) continue;
    if (bytes[at - 2] === LF || (bytes[at - 2] === CR && bytes[at - 3] === LF)) return at;
  }
  return 0;
}

/** The id in the first event that has one. */
function idOf(text: string, holder: string): string | undefined {
  for (const [, data = ''] of text.matchAll(/^data: ?(.*)$/gm))
    try {
      const { [holder]: held } = JSON.parse(data) as Readonly<Record<string, { readonly id?: unknown } | undefined>>;
      if (typeof held?.id === 'string') return held.id;
    } catch {}
  return undefined;
}
