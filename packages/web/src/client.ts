/** A Response as the gateway's client: a body that is pulled, backpressure, departures and stalls. */
import { toBytes } from '@streamglot/core';
import type { Client } from '@streamglot/gateway';

/** Talks to one client. A host says that it has left by the request's signal, by cancelling the body, or by both. */
export class WebClient implements Client {
  /** Settles with the head and the first text; a whole answer comes with its body at once. */
  readonly response: Promise<Response>;
  readonly #signal: AbortSignal;
  readonly #stallMs: number;
  readonly #closed: Promise<void>;
  #settleResponse: (response: Response) => void = nothing;
  #settle = nothing;
  #responded = false;
  #init: { status: number; headers: Record<string, string> } = { status: 200, headers: {} };
  #body: ReadableStreamDefaultController<Uint8Array> | undefined;
  #written = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #state: 'open' | 'ended' | 'over' = 'open';
  #gone = false;
  #drained = nothing;
  #left: (cause?: 'client-closed' | 'write-stalled') => void = nothing;

  constructor(signal: AbortSignal, stallMs: number) {
    this.#signal = signal;
    this.#stallMs = Math.min(stallMs, 2 ** 31 - 1);
    this.response = new Promise((settle) => {
      this.#settleResponse = settle;
    });
    this.#closed = new Promise((settle) => {
      this.#settle = settle;
    });
    if (signal.aborted) this.#leave();
    else signal.addEventListener('abort', this.#aborted);
  }

  /** The connection is the host's: what HTTP/1 says about it is an error in HTTP/2. */
  head(status: number, { connection: _, ...headers }: Readonly<Record<string, string>>): void {
    this.#init = { status, headers };
  }

  write(text: string): number {
    if (this.#state !== 'open') return 0;
    if (this.#body === undefined) this.#begin();
    return this.#put(text);
  }

  end(text: string): Promise<void> {
    if (this.#state !== 'open') return this.#closed;
    this.#state = 'ended';
    if (this.#body === undefined) {
      this.#respond(new Response(text, this.#init));
      this.#finish();
    } else if (this.#put(text) === 0) this.#close();
    return this.#closed;
  }

  destroy(): void {
    this.#break(new Error('The answer was broken off.'));
  }

  onDrain(listener: () => void): void {
    this.#drained = listener;
  }

  onGone(listener: (cause?: 'client-closed' | 'write-stalled') => void): void {
    this.#left = listener;
    if (this.#gone) listener();
  }

  /** Nothing more will come. A host that still waits for a head gets one, though nobody may be there to read it. */
  over(): void {
    if (!this.#responded) this.#respond(new Response(null, { status: this.#gone ? 499 : 500 }));
    this.#finish();
  }

  #begin(): void {
    const start = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
      this.#body = controller;
    };
    const source = { start, pull: () => this.#pulled(), cancel: () => this.#leave() };
    const stream = new ReadableStream<Uint8Array>(source, { highWaterMark: 0, size: ({ byteLength }) => byteLength });
    this.#respond(new Response(stream, this.#init));
  }

  #respond(response: Response): void {
    this.#responded = true;
    this.#settleResponse(response);
  }

  #put(text: string): number {
    const body = this.#body;
    if (body === undefined) return 0;
    const bytes = toBytes(text);
    this.#written += bytes.length;
    if (bytes.length > 0) body.enqueue(bytes);
    const unread = unreadOf(body);
    if (unread > 0) this.#arm(this.#written - unread);
    return unread;
  }

  /** The reader has taken all there was and asks for more. */
  #pulled(): void {
    this.#disarm();
    if (this.#state === 'ended') this.#close();
    else this.#drained();
  }

  /** While bytes wait, somebody has to take some; a stream does not say when, so that is looked up. */
  #arm(taken: number): void {
    if (this.#state === 'over') return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const unread = this.#body === undefined ? 0 : unreadOf(this.#body);
      if (this.#written - unread > taken) this.#arm(this.#written - unread);
      else this.#break(new Error('The client reads nothing.'), 'write-stalled');
    }, this.#stallMs);
  }

  #disarm(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  readonly #aborted = (): void => this.#break(this.#signal.reason);

  /** The host may still read, so that it is told too; it knows a signal's own reason. */
  #break(reason: unknown, cause?: 'write-stalled'): void {
    if (this.#state !== 'over') this.#body?.error(reason);
    this.#leave(cause);
  }

  #close(): void {
    if (this.#state === 'over') return;
    this.#body?.close();
    this.#finish();
  }

  #leave(cause?: 'write-stalled'): void {
    if (this.#state === 'over') return;
    this.#gone = true;
    this.#finish();
    this.#left(cause);
  }

  #finish(): void {
    this.#state = 'over';
    this.#disarm();
    this.#signal.removeEventListener('abort', this.#aborted);
    this.#settle();
  }
}

/** With nothing wanted in advance, the stream's desire is the less the more of it waits. */
function unreadOf({ desiredSize }: ReadableStreamDefaultController<Uint8Array>): number {
  return Math.max(0, -(desiredSize ?? 0));
}

function nothing(): void {}
