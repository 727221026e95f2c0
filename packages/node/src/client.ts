/** A Node response as the gateway's client: backpressure, departures and stalls. */
import type { Client } from '@streamglot/gateway';
import type { HostResponse } from './host.ts';

/** Talks to one client. The listeners live and die with the response; none is put on its socket. */
export class NodeClient implements Client {
  readonly #response: HostResponse;
  readonly #http1: boolean;
  readonly #stallMs: number;
  readonly #flush: (() => void) | undefined;
  readonly #closed: Promise<void>;
  /** Bytes that wait since the response last said that it is full. */
  #unread = 0;
  #timeout: number | undefined;
  #gone = false;
  #drained = nothing;
  #isStalled = false;
  #left: (cause?: 'client-closed' | 'write-stalled') => void = nothing;

  constructor(response: HostResponse, httpVersionMajor: number, stallMs: number) {
    this.#response = response;
    this.#http1 = httpVersionMajor < 2;
    this.#stallMs = Math.min(stallMs, 2 ** 31 - 1);
    this.#flush = flushOf(response);
    response.on('error', nothing);
    response.on('drain', () => this.#caughtUp());
    this.#closed = new Promise((settle) => {
      response.on('finish', () => settle());
      response.on('close', () => {
        this.#close();
        settle();
      });
      if (response.destroyed === true) settle();
    });
    this.#gone = response.destroyed === true;
  }

  head(status: number, headers: Readonly<Record<string, string>>): void {
    const response = this.#response;
    if (this.#gone || response.headersSent) return;
    response.statusCode = status;
    for (const [name, value] of Object.entries(headers))
      if (this.#http1 || name !== 'connection') response.setHeader(name, value);
  }

  write(text: string): number {
    if (this.#gone || this.#response.writableEnded) return 0;
    const room = this.#response.write(text);
    this.#flush?.();
    if (room && this.#unread === 0) return 0;
    this.#arm();
    this.#unread += Buffer.byteLength(text);
    return this.#unread;
  }

  end(text: string): Promise<void> {
    if (this.#gone || this.#response.writableEnded) return this.#gone ? Promise.resolve() : this.#closed;
    this.#arm();
    this.#response.end(text);
    return this.#closed;
  }

  destroy(): void {
    this.#response.destroy();
  }

  onDrain(listener: () => void): void {
    this.#drained = listener;
  }

  onGone(listener: (cause?: 'client-closed' | 'write-stalled') => void): void {
    this.#left = listener;
    if (this.#gone) listener();
  }

  #caughtUp(): void {
    this.#unread = 0;
    if (!this.#response.writableEnded) this.#disarm();
    this.#drained();
  }

  /** The socket's own timeout fires only where no byte has gone out for that long, however much waits. */
  #arm(): void {
    if (this.#timeout !== undefined) return;
    this.#timeout = (this.#http1 ? this.#response.socket?.timeout : undefined) ?? 0;
    this.#response.on('timeout', this.#stalled);
    this.#response.setTimeout(this.#stallMs);
  }

  /** A timeout of the host's holds again: while anyone listens for one, Node does not end the connection itself. */
  #disarm(): void {
    if (this.#timeout === undefined) return;
    this.#response.off('timeout', this.#stalled);
    this.#response.setTimeout(this.#timeout);
    this.#timeout = undefined;
  }

  readonly #stalled = (): void => {
    this.#isStalled = true;
    this.#response.destroy();
  };

  /** HTTP/2 calls a response finished that was only aborted. */
  #close(): void {
    if (this.#gone) return;
    this.#gone = true;
    const { writableEnded, writableFinished } = this.#response;
    if (!writableEnded || !writableFinished) this.#left(this.#isStalled ? 'write-stalled' : 'client-closed');
  }
}

/**
 * The flush of compression(), which holds small writes back. Node 20's own method of that name on the prototype is
 * deprecated and does something else.
 */
function flushOf(response: HostResponse): (() => void) | undefined {
  const flush: unknown = Object.hasOwn(response, 'flush') ? Reflect.get(response, 'flush') : undefined;
  return typeof flush === 'function' ? () => flush.call(response) : undefined;
}

function nothing(): void {}
