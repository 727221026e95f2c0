/** Fastify: the gateway on its raw request and reply, which Fastify is told to leave alone. */
import { type NodeHandler, nodeHandler } from '@streamglot/node';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { configOf } from '../config.ts';
import type { Parsed, Setup, Start } from '../host.ts';
import { cors, own, parsedFrom } from '../own.mjs';
import { compressStep, listen } from './listen.ts';

/** On Fastify 5. */
export const startFastify: Start = async ({ upstream, mount, parsed, compressed }: Setup) => {
  const endings: string[] = [];
  const handler = nodeHandler(configOf(upstream, endings));
  const app = fastify();
  app.addHook('onRequest', async (_, reply) => void reply.headers(cors));
  if (compressed) app.addHook('onRequest', ({ raw }, reply, done) => void compressStep(raw, reply.raw, done));
  if (parsed === undefined) app.addHook('onRequest', hook(handler, mount));
  else parse(app, parsed, handler);
  app.setNotFoundHandler((request, reply) => answer(request, reply, endings));
  app.all('/own/*', (request, reply) => answer(request, reply, endings));
  await app.ready();
  return listen(app.server, { shutdown: (drainMs) => handler.shutdown({ drainMs }) });
};

/** Before Fastify reads the body; what is not the gateway's goes on to Fastify's own routes. */
function hook(handler: NodeHandler, mount = '') {
  return ({ raw }: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const url = raw.url ?? '';
    if (!url.startsWith(`${mount}/`)) return done();
    for (const [name, value] of Object.entries(reply.getHeaders())) reply.raw.setHeader(name, String(value));
    let passed = false;
    const next = (): void => {
      passed = true;
      raw.url = url;
      done();
    };
    Object.assign(raw, { originalUrl: url, url: url.slice(mount.length) });
    handler(raw, reply.raw, next);
    if (!passed) reply.hijack();
  };
}

const forms: Readonly<Record<Parsed, (app: FastifyInstance) => void>> = {
  object: (app) => {
    app.removeContentTypeParser('application/json');
    app.addContentTypeParser('application/json', { parseAs: 'string' }, async (_: unknown, body: string) =>
      body === '' ? {} : JSON.parse(body),
    );
  },
  string: (app) => keep(app, 'string'),
  buffer: (app) => keep(app, 'buffer'),
};

function keep(app: FastifyInstance, parseAs: 'string' | 'buffer'): void {
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', { parseAs }, async (_: unknown, body: unknown) => body);
}

/** In a route of Fastify's, behind its parser. */
function parse(app: FastifyInstance, parsed: Parsed, handler: NodeHandler): void {
  forms[parsed](app);
  app.all('/v1/*', (request, reply) => {
    reply.hijack();
    for (const [name, value] of Object.entries(reply.getHeaders())) reply.raw.setHeader(name, String(value));
    handler(Object.assign(request.raw, { body: request.body }), reply.raw);
  });
}

function answer(request: FastifyRequest, reply: FastifyReply, endings: readonly string[]): FastifyReply {
  const path = request.url.split('?')[0] ?? '';
  const { status, headers, body } = own(request.method, path, parsedFrom(request.body), endings);
  return reply.status(status).headers(headers).send(body);
}
