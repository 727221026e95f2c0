/** The gateway as route handlers of Next.js' app router. */
import { createGateway, type GatewayConfig, notFound, type Providers, type WebGateway } from '@streamglot/web';
import { type Late, once } from './once.ts';
import { type Params, placeOf } from './place.ts';

export * from '@streamglot/web';

/** A route handler, as Next.js calls it; a route without dynamic segments has no params. */
export type RouteHandler = (
  request: Request,
  context: { readonly params: Promise<Params | undefined> },
) => Promise<Response>;

/** What a `route.ts` exports. */
export interface RouteHandlers extends Pick<WebGateway, 'shutdown'> {
  readonly GET: RouteHandler;
  readonly POST: RouteHandler;
  readonly DELETE: RouteHandler;
}

/**
 * Handlers that answer LLM clients, for a catch-all route such as `app/api/[[...llm]]/route.ts`:
 * `export const { GET, POST, DELETE } = llmGateway(config)`. What is not the gateway's there is answered with 404. Runs on
 * Node and on the edge. Throws `ConfigError`; where `config` is a function, which is called by the first request, that is
 * how the request fails.
 */
export function llmGateway<const P extends Providers, Principal = unknown>(
  config: Late<GatewayConfig<P, Principal>>,
): RouteHandlers {
  const gateway = once(config, createGateway<P, Principal>);
  const handler: RouteHandler = async (request, { params }) => {
    const { pathname } = new URL(request.url);
    return gateway().answer(request, placeOf(pathname, await params)) ?? notFound();
  };
  return { GET: handler, POST: handler, DELETE: handler, shutdown: (options) => gateway().shutdown(options) };
}
