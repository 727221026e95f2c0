/** The node handler in front of plain servers: node:http, and node:http2 without TLS. */
import http from 'node:http';
import http2 from 'node:http2';
import { type NodeHandler, nodeHandler } from '@streamglot/node';
import { configOf } from '../config.ts';
import type { Setup, Start } from '../host.ts';
import { Http2Line } from '../lines/http2.ts';
import { chain, compressStep, corsStep, listen, mounted, ownStep, parserStep } from './listen.ts';

/** An app as one listener. */
function app({ upstream, parsed, compressed, mount }: Setup): { handler: NodeHandler; listener: http.RequestListener } {
  const endings: string[] = [];
  const handler = nodeHandler(configOf(upstream, endings));
  const before = [
    corsStep,
    ...(compressed ? [compressStep] : []),
    ...(parsed === undefined ? [] : [parserStep(parsed)]),
  ];
  return { handler, listener: chain([...before, mounted(mount, handler), ownStep(endings)]) };
}

/** On node:http. */
export const startHttp: Start = async (setup) => {
  const { handler, listener } = app(setup);
  return listen(http.createServer(listener), { shutdown: (drainMs) => handler.shutdown({ drainMs }) });
};

/** On node:http2. */
export const startHttp2: Start = async (setup) => {
  const { handler, listener } = app(setup);
  const server = http2.createServer(listener as unknown as Parameters<typeof http2.createServer>[1]);
  return listen(server, { shutdown: (drainMs) => handler.shutdown({ drainMs }), line: () => new Http2Line() });
};
