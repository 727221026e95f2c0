/** The same clients in front of other hosts: Express 4, and an app that compresses all it sends. */
import compression from 'compression';
import express from 'express';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { express4 } from '../express/serve.ts';
import { clients } from '../support/clients/index.ts';
import { GatewayApp, type Hosting } from '../support/gateway.ts';
import { scenes } from '../support/scenes.ts';
import { Upstream } from '../support/upstream.ts';
import { canPlay, expectAnswer, expectFailure, play } from './cell.ts';

const hosts: readonly (readonly [name: string, hosting: () => Hosting])[] = [
  ['Express 4', () => ({ app: express4() })],
  [
    'compression() that takes everything',
    () => ({ app: express(), before: [compression({ filter: () => true, threshold: 0 })] }),
  ],
];

let upstream: Upstream;

beforeAll(async () => {
  upstream = await Upstream.start();
});

afterAll(() => upstream.stop());

describe.each(hosts)('behind %s', (_, hosting) => {
  let app: GatewayApp;

  beforeAll(async () => {
    app = await GatewayApp.start(upstream, 'chat', hosting());
  });

  afterAll(() => app.stop());

  const route = () => ({ base: app.url, upstream, from: 'chat' });

  test.concurrent.each(clients)('$name reads a text, runs a tool and sees a failure', async (client) => {
    const looped = scenes['two-turn tool loop'];
    for (const scene of [scenes.text, ...(canPlay(client, looped) ? [looped] : [])])
      expectAnswer(client, scene, route(), await play(client, scene, route()));
    const torn = scenes['upstream cut'];
    expectFailure(client, torn, (await play(client, torn, route())).seen);
  });
});
