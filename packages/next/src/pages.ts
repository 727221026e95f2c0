/** The gateway as an API route of Next.js' pages router. */
import {
  type GatewayConfig,
  type HostRequest,
  type HostResponse,
  type NodeHandler,
  nodeHandler,
  notFound,
  type Providers,
  type ShutdownOptions,
} from '@streamglot/node';
import { type Late, once } from './once.ts';
import { type Params, placeOf } from './place.ts';

export * from '@streamglot/node';

/** An API route, as Next.js calls it. */
export interface ApiRoute extends Pick<NodeHandler, 'shutdown'> {
  /** Settles when the client has taken everything or is gone. */
  (request: HostRequest & { readonly query: Params }, response: HostResponse): Promise<void>;
}

/**
 * An API route that answers LLM clients, for a catch-all such as `pages/api/[[...llm]].ts`:
 * `export default llmGateway(config)`. It takes the body parsed, within that parser's 1 MB, or reads it itself under
 * `export const config = { api: { bodyParser: false } }`. Throws `ConfigError`; where `config` is a function, which is called
 * by the first request, that is how the request fails.
 */
export function llmGateway<const P extends Providers, Principal = unknown>(
  config: Late<GatewayConfig<P, Principal>>,
): ApiRoute {
  const gateway = once(config, nodeHandler<P, Principal>);
  const route = async (request: HostRequest & { readonly query: Params }, response: HostResponse): Promise<void> => {
    const [path = ''] = (request.url ?? '').split('?');
    await (gateway().answer(request, response, placeOf(path, request.query)) ?? notFound(response));
  };
  return Object.assign(route, { shutdown: (options?: ShutdownOptions) => gateway().shutdown(options) });
}
