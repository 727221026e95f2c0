/** Transport of Node: undici's dispatcher, without the streams above it. */
import type { IncomingHttpHeaders } from 'node:http';
import { GatewayError } from '@streamglot/core';
import { Agent, type Dispatcher } from 'undici';
import { causeOf, failure } from './fault.ts';
import { Inbox } from './inbox.ts';
import { canInflate, Inflated } from './inflate.ts';
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

/** A pool of kept-alive connections. undici's dispatch costs 10 to 40 % less CPU a chunk than node:http, fetch twice as much. */
export function createTransport(options: TransportOptions): Transport {
  const agent = new Agent({
    connections: null,
    connect: { timeout: options.connectMs },
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return { send: (request) => send(agent, request) };
}

async function send(agent: Agent, request: TransportRequest): Promise<TransportReply> {
  const { url, headers, method = 'POST', signal } = request;
  const body = method === 'GET' ? null : request.body;
  signal.throwIfAborted();
  const exchange = new Exchange(signal);
  agent.dispatch({ origin: url.origin, path: url.pathname + url.search, method, headers, body }, exchange);
  return inflated(await exchange.head);
}

function inflated(reply: TransportReply): TransportReply {
  const coding = reply.headers.get('content-encoding')?.trim().toLowerCase() ?? '';
  if (coding === '' || coding === 'identity') return reply;
  if (canInflate(coding)) return { ...reply, body: new Inflated(reply.body, coding) };
  reply.body.release();
  const message = 'The upstream answered in a content coding that was not asked for.';
  throw new GatewayError({ type: 'upstream', code: 'unsupported_encoding', message });
}

/** One request and its answer. */
class Exchange implements Dispatcher.DispatchHandler, Body {
  readonly head: Promise<TransportReply>;
  readonly #inbox = new Inbox();
  readonly #signal: AbortSignal;
  #controller: Dispatcher.DispatchController | undefined;
  #answer!: (reply: TransportReply) => void;
  #refuse!: (reason: unknown) => void;
  #linger: ReturnType<typeof setTimeout> | undefined;
  #late = 0;
  #released = false;
  #closed = false;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    this.head = new Promise((resolve, reject) => {
      this.#answer = resolve;
      this.#refuse = reject;
    });
    signal.addEventListener('abort', () => this.#abort(), { once: true });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#signal.aborted) this.#abort();
  }

  /** Informational heads (103) come before the one that counts. */
  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    // These are slices of the network chunk that the head came in: it would live as long as the answer.
    controller.rawHeaders = null;
    if (status >= 200) this.#answer({ status, headers: headersOf(headers), body: this });
  }

  onResponseData(controller: Dispatcher.DispatchController, bytes: Uint8Array): void {
    if (this.#released) this.#discard(bytes);
    else if (!this.#inbox.push(bytes)) controller.pause();
  }

  onResponseEnd(): void {
    clearTimeout(this.#linger);
    this.#closed = true;
    this.#inbox.close('closed');
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    clearTimeout(this.#linger);
    this.#closed = true;
    this.#refuse(failure(error));
    this.#inbox.close(causeOf(error));
  }

  read(): Promise<Part> {
    const part = this.#inbox.read();
    if (this.#inbox.empty && this.#controller?.paused === true) this.#controller.resume();
    return part;
  }

  release(): void {
    if (this.#released || this.#closed) return;
    this.#released = true;
    this.#linger = setTimeout(() => this.#destroy(), lingerMs);
    this.#controller?.resume();
  }

  #discard(bytes: Uint8Array): void {
    this.#late += bytes.length;
    if (this.#late > lingerBytes) this.#destroy();
  }

  #abort(): void {
    this.#refuse(this.#signal.reason);
    this.#inbox.close('client-closed');
    this.#destroy();
  }

  #destroy(): void {
    if (!this.#closed) this.#controller?.abort(new Error('The answer is not wanted any more.'));
  }
}

function headersOf(headers: IncomingHttpHeaders): ReadonlyMap<string, string> {
  const map = new Map<string, string>();
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && name !== 'set-cookie') map.set(name, Array.isArray(value) ? value.join(', ') : value);
  return map;
}
