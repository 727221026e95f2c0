/** Koa 3 and 2, with the parsers, the compression and the mounts that their users have. */
import http from 'node:http';
import { createRequire } from 'node:module';
import { buffer } from 'node:stream/consumers';
import { llmGateway } from '@streamglot/koa';
import Koa3, { type Context, type Middleware } from 'koa';
import { koaBody } from 'koa-body';
import bodyParser from 'koa-bodyparser';
import compress from 'koa-compress';
import mounted from 'koa-mount';
import { configOf } from '../config.ts';
import type { Parsed, Setup, Start } from '../host.ts';
import { cors, own, parsedFrom } from '../own.mjs';
import { listen } from './listen.ts';

type Framework = typeof Koa3;

/** Koa 2 under a name of its own; it has the shape of Koa 3 as far as this goes. */
const Koa2: Framework = createRequire(import.meta.url)('koa2');

const parsers: Readonly<Record<Parsed, () => Middleware>> = {
  object: () => koaBody({ jsonStrict: false, jsonLimit: '10mb' }),
  string: () => bodyParser({ enableTypes: ['text'], extendTypes: { text: ['*/json'] }, textLimit: '10mb' }),
  buffer: () => async (context, next) => {
    Object.assign(context.request, { body: await buffer(context.req) });
    return next();
  },
};

function startOf(Koa: Framework): Start {
  return async ({ upstream, mount, parsed, compressed }: Setup) => {
    const endings: string[] = [];
    const gateway = llmGateway(configOf(upstream, endings));
    const app = new Koa();
    app.use((context, next) => {
      context.set({ ...cors });
      return next();
    });
    if (compressed) app.use(compress({ threshold: 0, filter: () => true }));
    if (parsed !== undefined) app.use(parsers[parsed]());
    app.use(mount === undefined ? gateway : mounted(mount, gateway));
    app.use((context) => answer(context, endings));
    return listen(http.createServer(app.callback()), { shutdown: (drainMs) => gateway.shutdown({ drainMs }) });
  };
}

async function answer(context: Context, endings: readonly string[]): Promise<void> {
  const body = context.req.readableDidRead ? context.request.body : await buffer(context.req);
  const said = own(context.method, context.path, parsedFrom(body), endings);
  context.status = said.status;
  context.set({ ...said.headers });
  context.body = said.body;
}

/** On Koa 3. */
export const startKoa3: Start = startOf(Koa3);

/** On Koa 2. */
export const startKoa2: Start = startOf(Koa2);
