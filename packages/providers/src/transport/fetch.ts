/** Transport of runtimes that have no sockets of their own: the global fetch, or one that the user gives. */
import { causeOf, failure } from './fault.ts';
import {
  type Body,
  lingerBytes,
  lingerMs,
  type Part,
  type Transport,
  type TransportOptions,
  type TransportReply,
  type TransportRequest,
} from './transport.ts';

/** The function that sends, as the Fetch standard has it. */
export type Fetch = typeof globalThis.fetch;

/** A transport over the global fetch. Connecting has no limit of its own there. */
export function createTransport(_options: TransportOptions): Transport {
  return fetchTransport((url, init) => globalThis.fetch(url, init));
}

/** A transport over a given fetch. */
export function fetchTransport(fetch: Fetch): Transport {
  return { send: (request) => send(fetch, request) };
}

async function send(fetch: Fetch, request: TransportRequest): Promise<TransportReply> {
  const { url, headers, method = 'POST', signal } = request;
  const body = method === 'GET' ? null : request.body;
  signal.throwIfAborted();
  try {
    const reply = await fetch(url.href, { method, headers, body, signal, redirect: 'manual' });
    return { status: statusOf(reply), headers: headersOf(reply.headers), body: new FetchBody(reply.body, signal) };
  } catch (error) {
    throw signal.aborted ? signal.reason : failure(error);
  }
}

/** A browser hides what a redirect said; its status reads 0. */
function statusOf(reply: Response): number {
  return reply.type === 'opaqueredirect' ? 302 : reply.status;
}

function headersOf(headers: Headers): ReadonlyMap<string, string> {
  return new Map([...headers].filter(([name]) => name !== 'set-cookie'));
}

class FetchBody implements Body {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  readonly #signal: AbortSignal;
  #released = false;

  constructor(stream: ReadableStream<Uint8Array> | null, signal: AbortSignal) {
    this.#reader = stream?.getReader();
    this.#signal = signal;
  }

  async read(): Promise<Part> {
    const part = await this.#next();
    return this.#signal.aborted ? { cause: 'client-closed', receivedAt: performance.now() } : part;
  }

  release(): void {
    if (this.#released) return;
    this.#released = true;
    void this.#drain();
  }

  async #next(): Promise<Part> {
    try {
      const next = await this.#reader?.read();
      const receivedAt = performance.now();
      return next?.value === undefined ? { cause: 'closed', receivedAt } : { bytes: next.value, receivedAt };
    } catch (error) {
      return { cause: causeOf(error), receivedAt: performance.now() };
    }
  }

  async #drain(): Promise<void> {
    const timer = setTimeout(() => this.#cancel(), lingerMs);
    let late = 0;
    for (let part = await this.read(); 'bytes' in part && late <= lingerBytes; part = await this.read())
      late += part.bytes.length;
    clearTimeout(timer);
    this.#cancel();
  }

  #cancel(): void {
    this.#reader?.cancel().catch(() => undefined);
  }
}
