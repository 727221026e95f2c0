/** The gateway as a fetch handler, for Hono, h3, Bun, Deno, workers and whatever else speaks Request and Response. */
import {
  createGateway as createHostless,
  type Gateway,
  type GatewayConfig,
  type Providers,
  type ShutdownOptions,
  within,
} from '@streamglot/gateway';
import { bodyOf } from './body.ts';
import { WebClient } from './client.ts';

/** A gateway that answers a Request with a Response. Its functions may be taken off it. */
export interface WebGateway {
  /** Answers every request; those that are not the gateway's with 404. Never rejects. */
  fetch(request: Request): Promise<Response>;
  /** Answers a request of the gateway's, and returns nothing for all others, which are the host's. Never rejects. */
  answer(request: Request, given?: Given): Promise<Response> | undefined;
  /** Turns new requests away with 503, lets streams finish, and ends those truthfully that do not within `drainMs`. */
  shutdown(options?: ShutdownOptions): Promise<void>;
}

/** What a host knows of a request and the request itself does not show. */
export interface Given {
  /** What the host made of the body, where it has read it. */
  readonly body?: unknown;
  /** The prefix at which the gateway is served, where no router has taken it off the URL. */
  readonly mount?: string;
  /** The path below `mount`, where a router has found it by other means than the start of the URL. */
  readonly path?: string;
}

/** Makes a gateway of a configuration. Throws `ConfigError` that names the path and the fix. */
export function createGateway<const P extends Providers, Principal = unknown>(
  config: GatewayConfig<P, Principal>,
): WebGateway {
  const gateway = createHostless(config);
  const answer: WebGateway['answer'] = (request, given = {}) => answered(gateway, request, given);
  return {
    answer,
    fetch: async (request) => answer(request) ?? notFound(),
    shutdown: (options) => gateway.shutdown(options),
  };
}

function answered(gateway: Gateway, request: Request, given: Given): Promise<Response> | undefined {
  const { pathname, searchParams } = new URL(request.url);
  const { body, mount = '', path = within(pathname, mount) } = given;
  if (path === undefined) return undefined;
  const { method } = request;
  const headers = Object.fromEntries(request.headers);
  const route = gateway.route(method, path, mount, headers);
  if (route === undefined) return undefined;
  const client = new WebClient(request.signal, gateway.writeStallMs);
  const asked = {
    method,
    path,
    query: Object.fromEntries(searchParams),
    headers,
    host: request,
    body: async (maxBytes: number) => (body === undefined ? bodyOf(request, maxBytes) : body),
  };
  void gateway.handle(route, asked, client).then(() => client.over());
  return client.response;
}

/** The answer to a request that is nobody's. */
export function notFound(): Response {
  return Response.json({ error: { message: 'Nothing is served at this path.', type: 'not_found' } }, { status: 404 });
}
