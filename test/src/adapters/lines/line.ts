/** How a client reaches a host: one question, and an answer that is read piece by piece, at the reader's pace. */
import { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

/** A way to a host. */
export interface Line {
  /** Asks, and settles with the head. Rejects where the host breaks off before it. */
  ask(url: string, question: Question): Promise<Reply>;
  close(): void;
}

/** A request. */
export interface Question {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** More of the body is awaited, and never comes. */
  readonly half?: true;
  readonly signal?: AbortSignal;
}

/** The head of an answer, and where its body comes from. */
export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Whether the connection had served before. */
  readonly reused: boolean;
  readonly body: AsyncIterable<Uint8Array>;
  /** Goes away. */
  leave(): void;
}

const unpackers = { gzip: createGunzip, deflate: createInflate, br: createBrotliDecompress };

/** An answer that is read as it comes; nothing is taken from its connection that nobody has asked for. */
export class Reply {
  readonly status: number;
  readonly headers: Answered['headers'];
  readonly reused: boolean;
  readonly pieces: AsyncIterator<Uint8Array>;
  readonly #leave: () => void;
  readonly #decoder = new TextDecoder();
  #text = '';
  #over = false;

  constructor({ status, headers, reused, body, leave }: Answered) {
    this.status = status;
    this.headers = headers;
    this.reused = reused;
    this.pieces = unpacked(body, headers['content-encoding'])[Symbol.asyncIterator]();
    this.#leave = leave;
  }

  /** What has been read. */
  get text(): string {
    return this.#text;
  }

  /** Reads on until `words` have come. Throws where the answer ends without them. */
  async until(words: string): Promise<void> {
    while (!this.#text.includes(words))
      if (!(await this.#more())) throw new Error(`the answer ended without "${words}": ${this.#text.slice(-500)}`);
  }

  /** Reads all. Throws where the connection breaks. */
  async all(): Promise<string> {
    while (await this.#more());
    return this.#text;
  }

  /** Reads all as JSON. */
  async json(): Promise<unknown> {
    return JSON.parse(await this.all());
  }

  leave(): void {
    this.#leave();
  }

  async #more(): Promise<boolean> {
    if (this.#over) return false;
    const { done, value } = await this.pieces.next();
    this.#over = done === true;
    if (value !== undefined) this.#text += this.#decoder.decode(value, { stream: true });
    return !this.#over;
  }
}

function unpacked(body: AsyncIterable<Uint8Array>, coding: string | undefined): AsyncIterable<Uint8Array> {
  const unpacker = unpackers[coding as keyof typeof unpackers];
  if (unpacker === undefined) return body;
  return Readable.from(body).pipe(unpacker());
}

/** A line as `fetch`, for SDKs. */
export function fetchOver(line: Line): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const { method, url, signal } = request;
    const body = new Uint8Array(await request.arrayBuffer());
    const headers = Object.fromEntries(request.headers);
    const reply = await line.ask(url, { method, headers, signal, ...(body.length > 0 && { body }) });
    return new Response(streamOf(reply), { status: reply.status, headers: headersOf(reply) });
  };
}

function streamOf(reply: Reply): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reply.pieces.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: () => reply.leave(),
  });
}

function headersOf({ headers }: Reply): Headers {
  const known = new Headers();
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && name !== 'content-encoding' && name !== 'content-length') known.set(name, value);
  return known;
}
