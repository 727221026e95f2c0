/** The gateway as `(req, res, next)`, for node:http, node:http2 and everything that is built like them. */
import {
  createGateway,
  type Gateway,
  type GatewayConfig,
  type GatewayRequest,
  type Providers,
  type ShutdownOptions,
  within,
} from '@streamglot/gateway';
import { bodyOf } from './body.ts';
import { NodeClient } from './client.ts';
import type { HostRequest, HostResponse } from './host.ts';

/** A gateway that a Node server can call. */
export interface NodeHandler {
  /** Answers a request of the gateway's; calls `next`, or answers 404 where there is none, for all others. */
  (request: HostRequest, response: HostResponse, next?: (error?: unknown) => void): void;
  /**
   * Answers a request of the gateway's; for any other it does nothing and returns nothing. The promise settles when the
   * client has taken everything or is gone, and never rejects.
   */
  answer(request: HostRequest, response: HostResponse, given?: Given): Promise<void> | undefined;
  /** Turns new requests away with 503, lets streams finish, and ends those truthfully that do not within `drainMs`. */
  shutdown(options?: ShutdownOptions): Promise<void>;
}

/** What a host knows of a request and the request itself does not show. */
export interface Given {
  /** What a body parser made of the body and left elsewhere than in `request.body`. */
  readonly body?: unknown;
  /** The prefix at which the gateway is served, where no router has taken it off `request.url`. */
  readonly mount?: string;
  /** The path below `mount`, where a router has found it by other means than the start of `request.url`. */
  readonly path?: string;
}

/** Makes a handler of a configuration. Throws `ConfigError` that names the path and the fix. */
export function nodeHandler<const P extends Providers, Principal = unknown>(
  config: GatewayConfig<P, Principal>,
): NodeHandler {
  const gateway = createGateway(config);
  const answer: NodeHandler['answer'] = (request, response, given = {}) => answered(gateway, request, response, given);
  const handler = (request: HostRequest, response: HostResponse, next?: (error?: unknown) => void): void => {
    if (answer(request, response) === undefined) (next ?? (() => notFound(response)))();
  };
  return Object.assign(handler, { answer, shutdown: (options?: ShutdownOptions) => gateway.shutdown(options) });
}

function answered(
  gateway: Gateway,
  request: HostRequest,
  response: HostResponse,
  given: Given,
): Promise<void> | undefined {
  const { method = 'GET', url = '/', httpVersionMajor } = request;
  const [whole, query] = parted(url);
  const { mount = '', path = within(whole, mount) } = given;
  if (path === undefined || response.headersSent) return undefined;
  const headers = headersOf(request);
  const hidden = given.path === undefined ? hiddenMount(request, whole) : '';
  const route = gateway.route(method, path, hidden + mount, headers);
  if (route === undefined) return undefined;
  const client = new NodeClient(response, httpVersionMajor, gateway.writeStallMs);
  return gateway.handle(route, new NodeRequest(request, { method, path, query, headers, given }), client);
}

class NodeRequest implements GatewayRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: GatewayRequest['headers'];
  readonly host: HostRequest;
  readonly #given: Given;

  constructor(
    host: HostRequest,
    {
      method,
      path,
      query,
      headers,
      given,
    }: Pick<GatewayRequest, 'method' | 'path' | 'headers'> & { query: string; given: Given },
  ) {
    this.host = host;
    this.#given = given;
    this.method = method;
    this.path = path;
    this.query = query === '' ? {} : Object.fromEntries(new URLSearchParams(query));
    this.headers = headers;
  }

  body(maxBytes: number): Promise<unknown> {
    return bodyOf(this.host, maxBytes, this.#given.body);
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

/** Express says what its routers have taken off a path; others leave it to be found. */
function hiddenMount({ baseUrl, originalUrl }: HostRequest, path: string): string {
  return baseUrl ?? prefixOf(originalUrl ?? path, path);
}

/** What a router has taken off a URL to leave `path`. */
export function prefixOf(originalUrl: string, path: string): string {
  const [came] = parted(originalUrl);
  const inside = path === '/' ? '' : path;
  return came.endsWith(inside) ? came.slice(0, came.length - inside.length) : '';
}

/** Answers a request that is nobody's. */
export function notFound(response: HostResponse): void {
  if (response.headersSent) return;
  response.statusCode = 404;
  response.setHeader('content-type', 'application/json; charset=utf-8');
  response.end('{"error":{"message":"Nothing is served at this path.","type":"not_found"}}');
}
