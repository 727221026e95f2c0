/** An upstream that a test writes by hand: a server on a port of its own, and what one call to it gives. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import type { Batch, CanonicalError, CanonicalEvent, Provider, UpstreamCall, UpstreamReply } from '@streamglot/core';
import { GatewayError } from '@streamglot/core';
import { type CompatibleOptions, compatible } from '@streamglot/providers';
import { onTestFinished } from 'vitest';
import { plain } from './plain.ts';

/** The transports that must behave alike. */
export const transports: Readonly<Record<string, Partial<CompatibleOptions>>> = {
  sockets: {},
  fetch: { fetch: globalThis.fetch },
};

/** A running server. */
export interface Peer {
  url: string;
  /** Every connection that it ever had. */
  sockets: Socket[];
  /** The connection of every request; undici opens another one as soon as one is aborted. */
  asked: Socket[];
}

/** Starts a server whose answers are written through Node's HTTP; it ends with the test. */
export function serve(
  answer: (request: IncomingMessage, response: ServerResponse, body: string) => void,
): Promise<Peer> {
  return listen(
    createServer((request, response) => {
      response.on('error', () => undefined);
      let body = '';
      request.setEncoding('utf8').on('data', (text: string) => {
        body += text;
      });
      request.on('end', () => answer(request, response, body));
    }),
  );
}

/** Starts a server whose answers are written as raw bytes, once the request has been read. */
export function serveRaw(answer: (socket: Socket, request: string) => void): Promise<Peer> {
  return listen(
    createTcpServer((socket) => {
      let request = '';
      socket.on('data', (bytes: Buffer) => {
        request += bytes.toString('latin1');
        if (!isWhole(request)) return;
        answer(socket, request);
        request = '';
      });
    }),
  );
}

function isWhole(request: string): boolean {
  const [head = '', body] = request.split('\r\n\r\n');
  const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
  return body !== undefined && body.length >= length;
}

async function listen(server: Server): Promise<Peer> {
  const sockets: Socket[] = [];
  const asked: Socket[] = [];
  server.on('connection', (socket: Socket) => {
    socket.on('error', () => undefined);
    sockets.push(socket);
  });
  server.on('request', ({ socket }: IncomingMessage) => asked.push(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets, asked };
}

/** The head of a raw answer that streams in chunks. */
export const chunkedHead: string =
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';

/** Bytes in the chunked coding. */
export function chunk(text: string): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
}

/** A provider of the plain dialect. */
export function providerOf(baseURL: string, options: Partial<CompatibleOptions> = {}): Provider {
  return compatible({ baseURL, dialect: plain(), ...options });
}

/** Sends one request. */
export function open(provider: Provider, call: Partial<UpstreamCall> = {}): Promise<UpstreamReply> {
  return provider.upstream('small').open({
    request: { model: 'fast', system: [], turns: [], tools: [] },
    context: { dialect: 'chat', stream: true, seed: 'test' },
    stream: true,
    signal: new AbortController().signal,
    ...call,
  });
}

/** All batches of an answer. */
export async function batchesOf(reply: UpstreamReply): Promise<Batch[]> {
  const batches: Batch[] = [];
  for await (const batch of reply.batches) batches.push(batch);
  return batches;
}

/** All events of batches. */
export function eventsOf(batches: readonly Batch[]): CanonicalEvent[] {
  return batches.flatMap(({ frames }) => frames.flat());
}

/** All text of batches. */
export function textOf(batches: readonly Batch[]): string {
  return eventsOf(batches)
    .map((event) => (event.type === 'block-delta' && event.delta.type === 'text' ? event.delta.text : ''))
    .join('');
}

/** What an answer ends with: `response-end`, or the code of its error. */
export function endingOf(batches: readonly Batch[]): string | undefined {
  const last = eventsOf(batches).at(-1);
  return last?.type === 'error' ? last.error.code : last?.type;
}

/** The error that a call is refused with. Throws where it is not refused, or not with a `GatewayError`. */
export async function refusalOf(reply: Promise<UpstreamReply>): Promise<CanonicalError> {
  const thrown = await reply.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (thrown instanceof GatewayError) return thrown.error;
  throw new Error('expected a GatewayError', { cause: thrown });
}

/** Resolves when a condition holds; rejects after a time in milliseconds. */
export async function until(condition: () => boolean, withinMs: number): Promise<number> {
  const start = performance.now();
  while (!condition()) {
    if (performance.now() - start > withinMs) throw new Error(`not so within ${withinMs} ms`);
    await pause(1);
  }
  return performance.now() - start;
}

/** Waits a time in milliseconds. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** The quickest of three tries, in milliseconds: a busy machine adds to a time and never takes from it. */
export async function quickest(measure: () => Promise<number>): Promise<number> {
  const times = [await measure(), await measure(), await measure()];
  return Math.min(...times);
}
