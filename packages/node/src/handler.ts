/** The gateway as `(req, res, next)`, for node:http, node:http2 and everything that is built like them. */
import {
  createGateway,
  type Gateway,
  type GatewayConfig,
  type GatewayRequest,
  type Providers,
  type ShutdownOptions,
} from '@streamglot/gateway';
import { bodyOf } from './body.ts';
import { NodeClient } from './client.ts';
import type { HostRequest, HostResponse } from './host.ts';

/** A gateway that a Node server can call. */
export interface NodeHandler {
  /** Answers a request of the gateway's; calls `next`, or answers 404 where there is none, for all others. */
  (request: HostRequest, response: HostResponse, next?: (error?: unknown) => void): void;
  /** Turns new requests away with 503, lets streams finish, and ends those truthfully that do not within `drainMs`. */
  shutdown(options?: ShutdownOptions): Promise<void>;
}

/** Makes a handler of a configuration. Throws `ConfigError` that names the path and the fix. */
export function nodeHandler<const P extends Providers, Principal = unknown>(
  config: GatewayConfig<P, Principal>,
): NodeHandler {
  const gateway = createGateway(config);
  const handler: NodeHandler = (request, response, next) => {
    if (!answered(gateway, request, response)) (next ?? (() => notFound(response)))();
  };
  handler.shutdown = (options) => gateway.shutdown(options);
  return handler;
}

function answered(gateway: Gateway, request: HostRequest, response: HostResponse): boolean {
  const { method = 'GET', url = '/', httpVersionMajor } = request;
  const [path, query] = parted(url);
  const headers = headersOf(request);
  const route = gateway.route(method, path, mountOf(request, url), headers);
  if (route === undefined || response.headersSent) return false;
  const client = new NodeClient(response, httpVersionMajor, gateway.writeStallMs);
  void gateway.handle(route, new NodeRequest(request, { method, path, query, headers }), client);
  return true;
}

class NodeRequest implements GatewayRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: GatewayRequest['headers'];
  readonly host: HostRequest;

  constructor(
    host: HostRequest,
    { method, path, query, headers }: Pick<GatewayRequest, 'method' | 'path' | 'headers'> & { query: string },
  ) {
    this.host = host;
    this.method = method;
    this.path = path;
    this.query = query === '' ? {} : Object.fromEntries(new URLSearchParams(query));
    this.headers = headers;
  }

  body(maxBytes: number): Promise<unknown> {
    return bodyOf(this.host, maxBytes);
  }
}

function parted(url: string): [path: string, query: string] {
  const at = url.indexOf('?');
  return at < 0 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)];
}

/** Repeated headers are joined, as HTTP has it. */
function headersOf({ headers }: HostRequest): Record<string, string | undefined> {
  const joined: Record<string, string | undefined> = {};
  for (const name in headers) {
    const value = headers[name];
    joined[name] = typeof value === 'object' ? value.join(', ') : value;
  }
  return joined;
}

/** What stands before `url` in the path that came: Express says it, Connect and its kin leave it to be found. */
function mountOf({ baseUrl, originalUrl }: HostRequest, url: string): string {
  if (typeof baseUrl === 'string') return baseUrl;
  return originalUrl?.endsWith(url) === true ? originalUrl.slice(0, -url.length) : '';
}

function notFound(response: HostResponse): void {
  if (response.headersSent) return;
  response.statusCode = 404;
  response.setHeader('content-type', 'application/json; charset=utf-8');
  response.end('{"error":{"message":"Nothing is served at this path.","type":"not_found"}}');
}
