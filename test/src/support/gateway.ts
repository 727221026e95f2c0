/** The product as a host mounts it: an Express app with the gateway, on a real socket, in front of one upstream. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { KnownDialect } from '@streamglot/core';
import { llmGateway } from '@streamglot/express';
import { compatible } from '@streamglot/providers';
import express from 'express';
import { scenes } from './scenes.ts';
import type { Upstream } from './upstream.ts';

/** A model whose name at the gateway is not its name at the upstream; it plays `text`. */
export const ALIAS = 'a-name-of-our-own';

/** A running app. */
export class GatewayApp {
  /** The root of every path, without a version. */
  readonly url: string;
  readonly #server: Server;

  /** Over a server that listens; `start` makes one. */
  constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** Starts an app whose upstream speaks a dialect; every scene is a model of it. */
  static async start(upstream: Upstream, dialect: KnownDialect): Promise<GatewayApp> {
    const names = Object.keys(scenes).map((name) => [name, `up/${name}` as const]);
    const gateway = llmGateway({
      providers: { up: compatible({ baseURL: `${upstream.url}/v1`, dialect, apiKey: 'key-of-the-upstream' }) },
      models: { ...Object.fromEntries(names), [ALIAS]: 'up/text' },
      authorize: 'host',
    });
    const server = express().use(gateway).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new GatewayApp(server);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
