/** The product as a host mounts it: an Express app with the gateway, on a real socket, in front of one upstream. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dialects, type KnownDialect } from '@streamglot/core';
import { type GatewayConfig, llmGateway } from '@streamglot/express';
import { compatible } from '@streamglot/providers';
import express, { type Express, type RequestHandler } from 'express';
import { scenes } from './scenes.ts';
import type { Upstream } from './upstream.ts';

/** A model whose name at the gateway is not its name at the upstream; it plays `text`. */
export const ALIAS = 'a-name-of-our-own';

/** A stream that went out whole. */
export interface Spoken {
  dialect: string;
  text: string;
}

/** What is around the gateway. */
export interface Hosting {
  app?: Express;
  before?: readonly RequestHandler[];
  settings?: Partial<GatewayConfig>;
}

/** A running app. */
export class GatewayApp {
  /** The root of every path, without a version. */
  readonly url: string;
  /** All streams that it has written to their end. */
  readonly spoken: readonly Spoken[];
  readonly #server: Server;

  /** Over a server that listens; `start` makes one. */
  constructor(server: Server, spoken: readonly Spoken[]) {
    this.#server = server;
    this.spoken = spoken;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** Starts an app whose upstream speaks a dialect; every scene is a model of it. */
  static async start(upstream: Upstream, dialect: KnownDialect, hosting: Hosting = {}): Promise<GatewayApp> {
    const { app = express(), before = [], settings = {} } = hosting;
    const names = Object.keys(scenes).map((name) => [name, `up/${name}` as const]);
    const gateway = llmGateway({
      providers: { up: compatible({ baseURL: baseOf(upstream, dialect), dialect, apiKey: 'key-of-the-upstream' }) },
      models: { ...Object.fromEntries(names), [ALIAS]: 'up/text' },
      authorize: 'host',
      reasoningSummary: 'auto',
      ...settings,
    });
    const spoken: Spoken[] = [];
    const server = app.use(...before, listening(spoken), gateway).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new GatewayApp(server, spoken);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

/** Where the API is; its dialect adds the version where that is always the same. */
function baseOf({ url }: Upstream, dialect: KnownDialect): string {
  return dialect === 'gemini' || dialect === 'interactions' ? url : `${url}/v1`;
}

/** Whether a path is one of a dialect's. */
function isRoute(path: string): (route: string) => boolean {
  return (route) => new RegExp(`^${route.replace('{model}', '.+')}$`).test(path);
}

/** Keeps what the gateway writes, as it writes it. */
function listening(spoken: Spoken[]): RequestHandler {
  return (request, response, next) => {
    const dialect = Object.values(dialects).find(({ routes }) => routes.some(isRoute(request.path)))?.id;
    const { write, end } = response;
    const pieces: string[] = [];
    response.write = (piece: unknown, ...rest: unknown[]) => {
      pieces.push(String(piece));
      return Reflect.apply(write, response, [piece, ...rest]);
    };
    response.end = (piece?: unknown, ...rest: unknown[]) => {
      if (typeof piece === 'string') pieces.push(piece);
      return Reflect.apply(end, response, [piece, ...rest]);
    };
    response.on('finish', () => {
      const streamed = String(response.getHeader('content-type')).startsWith('text/event-stream');
      if (streamed && dialect !== undefined) spoken.push({ dialect, text: pieces.join('') });
    });
    next();
  };
}
