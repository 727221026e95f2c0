/** Servers for tests, and a client that sees each piece as it comes. */
import { once } from 'node:events';
import http from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import type { Batch, Upstream, UpstreamCall } from '@streamglot/core';
import type { GatewayConfig, GatewayEvent } from '@streamglot/express';
import type express5 from 'express';
import { Play, providerOf } from '../gateway/play.ts';

/** Express 4 under a name of its own; it has the shape of Express 5 as far as these tests go. */
export const express4: typeof express5 = createRequire(import.meta.url)('express4');

/** Plays a new answer for each call. */
export class Stage implements Upstream {
  readonly id = 'stage';
  readonly plays: Play[] = [];
  readonly #make: () => Play;

  constructor(make: () => Play = () => new Play()) {
    this.#make = make;
  }

  open(call: UpstreamCall): ReturnType<Upstream['open']> {
    const play = this.#make();
    this.plays.push(play);
    return play.open(call);
  }

  /** The newest answer. */
  get play(): Play {
    const play = this.plays.at(-1);
    if (play === undefined) throw new Error('nobody has asked yet');
    return play;
  }
}

/** A configuration over one upstream, and what it tells its observer. */
export function configOf(
  stage: Upstream,
  more: Partial<GatewayConfig> = {},
): { config: GatewayConfig; events: GatewayEvent[] } {
  const events: GatewayEvent[] = [];
  const config: GatewayConfig = {
    providers: { play: providerOf(stage) },
    models: { m: 'play/one' },
    observe: (event) => events.push(event),
    ...more,
  };
  return { config, events };
}

/** A server for as long as a test runs. */
export interface Serving {
  server: http.Server;
  port: number;
  url: string;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Listens on a free port. */
export async function serve(listener: http.RequestListener): Promise<Serving> {
  const server = http.createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
  };
  return { server, port, url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: close };
}

/** An answer that is still arriving. */
export interface Arriving {
  status: number;
  headers: http.IncomingHttpHeaders;
  /** Settles once all that has come holds `words`. */
  until(words: string): Promise<void>;
  /** All that has come. */
  text(): string;
  /** Settles with everything when the answer is over; rejects if the connection broke. */
  all(): Promise<string>;
  abort(): void;
}

/** Asks and settles with the head; the body is seen as it comes. */
export async function ask(url: string, body: unknown, options: http.RequestOptions = {}): Promise<Arriving> {
  const headers = { 'content-type': 'application/json', ...options.headers };
  const request = http.request(url, { method: 'POST', ...options, headers });
  request.on('error', () => {});
  request.end(typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body));
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  return arriving(request, response);
}

function arriving(request: http.ClientRequest, response: http.IncomingMessage): Arriving {
  let text = '';
  let look = (): void => {};
  response.setEncoding('utf8');
  response.on('data', (piece: string) => {
    text += piece;
    look();
  });
  const over = new Promise<string>((settle, reject) => {
    response.on('end', () => settle(text));
    response.on('error', reject);
  });
  over.catch(() => {});
  const until = (words: string): Promise<void> =>
    new Promise((settle) => {
      look = () => {
        if (text.includes(words)) settle();
      };
      look();
    });
  const { statusCode = 0, headers } = response;
  return { status: statusCode, headers, until, text: () => text, all: () => over, abort: () => request.destroy() };
}

/** Settles once `holds` does; looks after each turn of the event loop. */
export async function eventually(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((settle) => setImmediate(settle));
}

/** A batch of `size` characters of text. */
export function bulk(size: number): Batch['frames'] {
  return [[{ type: 'block-delta', block: 0, delta: { type: 'text', text: 'x'.repeat(size) } }]];
}
