/** Hosts that speak Request and Response: Hono on a Node server, and a bare function without any socket. */
import http from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { createGateway, type WebGateway } from '@streamglot/web';
import { type Context, Hono } from 'hono';
import { compress } from 'hono/compress';
import { configOf } from '../config.ts';
import { Lacking, type Parsed, type Setup, type Start } from '../host.ts';
import { LocalLine } from '../lines/local.ts';
import { cors, own, parsedFrom } from '../own.mjs';
import { listen } from './listen.ts';

const forms: Readonly<Record<Parsed, (request: Request) => Promise<unknown>>> = {
  object: async (request) => parsedFrom((await request.text()) || '{}'),
  string: (request) => request.text(),
  buffer: async (request) => new Uint8Array(await request.arrayBuffer()),
};

/** The gateway's answer, or the host's own. */
async function answered(
  gateway: WebGateway,
  request: Request,
  { mount, parsed }: Setup,
  endings: readonly string[],
): Promise<Response> {
  const body = parsed === undefined ? undefined : await forms[parsed](request);
  const given = { ...(mount !== undefined && { mount }), ...(body !== undefined && { body }) };
  return (await gateway.answer(request, given)) ?? ownAnswer(request, body, endings);
}

async function ownAnswer(request: Request, given: unknown, endings: readonly string[]): Promise<Response> {
  const body = request.bodyUsed ? given : await request.text();
  const { pathname } = new URL(request.url);
  const answer = own(request.method, pathname, parsedFrom(body), endings);
  return new Response(answer.body || null, { status: answer.status, headers: answer.headers });
}

/** On Hono. */
export const startHono: Start = async (setup) => {
  const endings: string[] = [];
  const gateway = createGateway(configOf(setup.upstream, endings));
  const app = new Hono();
  app.use(async (context, next) => {
    await next();
    for (const [name, value] of Object.entries(cors)) context.res.headers.set(name, value);
  });
  if (setup.compressed) app.use(compress({ threshold: 0 }));
  app.all('*', ({ req }: Context) => answered(gateway, req.raw, setup, endings));
  const server = http.createServer(getRequestListener(app.fetch));
  return listen(server, { shutdown: (drainMs) => gateway.shutdown({ drainMs }) });
};

/** On nothing. */
export const startBare: Start = async (setup) => {
  if (setup.compressed) throw new Lacking('no middleware');
  const endings: string[] = [];
  const gateway = createGateway(configOf(setup.upstream, endings));
  const handler = async (request: Request): Promise<Response> => {
    const answer = await answered(gateway, request, setup, endings);
    for (const [name, value] of Object.entries(cors)) answer.headers.set(name, value);
    return answer;
  };
  return {
    url: 'http://bare.example',
    line: () => new LocalLine(handler),
    shutdown: (drainMs) => gateway.shutdown({ drainMs }),
    stop: async () => {},
  };
};
