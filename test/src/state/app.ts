/** An Express app with one upstream of each dialect behind it, and a principal for each key. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { KnownDialect } from '@streamglot/core';
import { type GatewayConfig, llmGateway } from '@streamglot/express';
import { compatible } from '@streamglot/providers';
import express from 'express';
import OpenAI from 'openai';
import { Upstream } from '../support/upstream.ts';

/** The dialects of the upstreams; a model is named by its dialect and its scene, such as `chat/text`. */
export const ids: readonly KnownDialect[] = ['chat', 'messages', 'responses'];

/** A running app. */
export interface App {
  readonly url: string;
  readonly upstream: Upstream;
  /** OpenAI's own client, with a key that is also the principal. */
  openai(key?: string): OpenAI;
  stop(): Promise<void>;
}

/** Starts one; every scene of the list is a model of each upstream. */
export async function start(scenes: readonly string[], more: Partial<GatewayConfig> = {}): Promise<App> {
  const upstream = await Upstream.start();
  const baseURL = `${upstream.url}/v1`;
  const providers = Object.fromEntries(
    ids.map((dialect) => [dialect, compatible({ name: dialect, baseURL, dialect, apiKey: 'key-of-the-upstream' })]),
  );
  const names = ids.flatMap((dialect) => scenes.map((scene) => `${dialect}/${scene}`));
  const models = Object.fromEntries(names.map((name) => [name, name]));
  const config = { providers, models, authorize: ({ key }: { key?: string }) => key, ...more } as GatewayConfig;
  const server = express().use(llmGateway(config)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    upstream,
    openai: (apiKey = 'key-of-one') => new OpenAI({ apiKey, baseURL: `${url}/v1`, maxRetries: 0 }),
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await Promise.all([once(server, 'close'), upstream.stop()]);
    },
  };
}
