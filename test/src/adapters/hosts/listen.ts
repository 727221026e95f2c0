/** What hosts on Node's servers share: a port, middleware of the `(req, res, next)` kind, and the host's own answers. */
import { once } from 'node:events';
import http from 'node:http';
import type http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import compression from 'compression';
import type { Host, Parsed } from '../host.ts';
import { cors, own, parsedFrom } from '../own.mjs';

/** A request that middleware has worked on. */
export type Incoming = http.IncomingMessage & { body?: unknown; originalUrl?: string };

/** Middleware as Connect has it. */
export type Middleware = (request: Incoming, response: http.ServerResponse, next: () => void) => void;

/** Runs middleware in order; the last one answers. */
export function chain(steps: readonly Middleware[]): http.RequestListener {
  return (request, response) => {
    const run = (at: number): void => steps[at]?.(request, response, () => run(at + 1));
    run(0);
  };
}

/** Puts the host's headers on every answer. */
export const corsStep: Middleware = (_, response, next) => {
  for (const [name, value] of Object.entries(cors)) response.setHeader(name, value);
  next();
};

/** Compresses all that it can. */
export const compressStep: Middleware = compression({ filter: () => true, threshold: 0 }) as unknown as Middleware;

const forms: Readonly<Record<Parsed, (bytes: Buffer) => unknown>> = {
  object: (bytes) => (bytes.length === 0 ? {} : JSON.parse(bytes.toString())),
  string: (bytes) => bytes.toString(),
  buffer: (bytes) => bytes,
};

/** Reads every body, as body parsers do, into `request.body`. */
export function parserStep(parsed: Parsed): Middleware {
  return (request, _, next) => {
    void buffer(request).then((bytes) => {
      Object.assign(request, { body: forms[parsed](bytes) });
      next();
    });
  };
}

/** Answers what is the host's own; reads the body where nobody has. */
export function ownStep(endings: readonly string[]): Middleware {
  return (request, response) => {
    void (async () => {
      const body = request.readableDidRead ? request.body : await buffer(request);
      const path = (request.originalUrl ?? request.url ?? '').split('?')[0] ?? '';
      const answer = own(request.method ?? '', path, parsedFrom(body), endings);
      response.writeHead(answer.status, { ...answer.headers });
      response.end(answer.body);
    })();
  };
}

/** Shows a step only what is under a prefix, without it, as Connect does. */
export function mounted(mount: string | undefined, step: Middleware): Middleware {
  if (mount === undefined) return step;
  return (request, response, next) => {
    const { url = '' } = request;
    if (!url.startsWith(`${mount}/`)) return next();
    request.originalUrl = url;
    request.url = url.slice(mount.length);
    step(request, response, () => {
      request.url = url;
      next();
    });
  };
}

/** Listens on a free port until it is stopped. */
export async function listen(
  server: http.Server | http2.Http2Server,
  more: Pick<Host, 'shutdown'> & Partial<Host>,
): Promise<Host> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const stop = async (): Promise<void> => {
    if (server instanceof http.Server) server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}`, stop, ...more };
}
