/** The gateway as Koa middleware, for Koa 3 and 2. */
import type { GatewayConfig, Providers, ShutdownOptions } from '@streamglot/gateway';
import { type HostRequest, type HostResponse, nodeHandler, prefixOf } from '@streamglot/node';

export * from '@streamglot/node';

/** What is asked of Koa's context. */
export interface KoaContext {
  readonly req: HostRequest;
  readonly res: HostResponse;
  /** Koa's request, with what a body parser made of the body. */
  readonly request: { readonly path: string; readonly body?: unknown };
  /** The path below what koa-mount has taken off. */
  readonly path: string;
  /** Path and query as they came. */
  readonly originalUrl: string;
  respond?: boolean | undefined;
}

/** Koa middleware that answers LLM clients. */
export interface KoaMiddleware {
  /** Settles when the client has taken everything or is gone, so that nothing in front works on an answer in flight. */
  (context: KoaContext, next: () => Promise<unknown>): Promise<unknown>;
  /** Turns new requests away with 503, lets streams finish, and ends those truthfully that do not within `drainMs`. */
  shutdown(options?: ShutdownOptions): Promise<void>;
}

/**
 * Middleware that answers LLM clients: `app.use(llmGateway(config))`, below a prefix by koa-mount. All other requests go
 * on to the next middleware. It writes to the socket itself, behind a body parser or before one. Throws `ConfigError`.
 */
export function llmGateway<const P extends Providers, Principal = unknown>(
  config: GatewayConfig<P, Principal>,
): KoaMiddleware {
  const { answer, shutdown } = nodeHandler(config);
  const middleware = async (context: KoaContext, next: () => Promise<unknown>): Promise<unknown> => {
    const { req, res, request, path, originalUrl } = context;
    const answered = answer(req, res, { body: request.body, path, mount: prefixOf(originalUrl, path) });
    if (answered === undefined) return next();
    context.respond = false;
    return answered;
  };
  return Object.assign(middleware, { shutdown });
}
