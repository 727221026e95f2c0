/** Express 5 and 4, with the parsers and the compression that their users have. */
import http from 'node:http';
import { createRequire } from 'node:module';
import { llmGateway } from '@streamglot/express';
import compression from 'compression';
import express5, { type RequestHandler } from 'express';
import { configOf } from '../config.ts';
import type { Parsed, Setup, Start } from '../host.ts';
import { cors } from '../own.mjs';
import { listen, ownStep } from './listen.ts';

type Framework = typeof express5;

/** Express 4 under a name of its own; it has the shape of Express 5 as far as this goes. */
const express4: Framework = createRequire(import.meta.url)('express4');

const parsers: Readonly<Record<Parsed, (express: Framework) => RequestHandler>> = {
  object: (express) => express.json({ strict: false }),
  string: (express) => express.text({ type: '*/*' }),
  buffer: (express) => express.raw({ type: '*/*' }),
};

function startOf(express: Framework): Start {
  return async ({ upstream, mount = '/', parsed, compressed }: Setup) => {
    const endings: string[] = [];
    const handler = llmGateway(configOf(upstream, endings));
    const app = express();
    app.use((_request, response, next) => {
      response.set(cors);
      next();
    });
    if (compressed) app.use(compression({ filter: () => true, threshold: 0 }));
    if (parsed !== undefined) app.use(parsers[parsed](express));
    app.use(mount, handler);
    app.use(ownStep(endings));
    return listen(http.createServer(app), { shutdown: (drainMs) => handler.shutdown({ drainMs }) });
  };
}

/** On Express 5. */
export const startExpress5: Start = startOf(express5);

/** On Express 4. */
export const startExpress4: Start = startOf(express4);
