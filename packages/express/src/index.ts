/** The gateway as Express middleware, for Express 5 and 4. */
import type { GatewayConfig, Providers } from '@streamglot/gateway';
import { type NodeHandler, nodeHandler } from '@streamglot/node';

export * from '@streamglot/node';

/**
 * Middleware that answers LLM clients: `app.use(llmGateway(config))`, at any prefix. All other requests go on to the
 * next handler. It reads the body itself; behind `express.json()` it takes `req.body`, and that parser's limit of
 * 100 kB is then the one that holds. Throws `ConfigError`.
 */
export function llmGateway<const P extends Providers, Principal = unknown>(
  config: GatewayConfig<P, Principal>,
): NodeHandler {
  return nodeHandler(config);
}
