/** The gateway: which requests are its own, one exchange for each of them, and an orderly end of all. */
import type { Client, GatewayRequest } from './client.ts';
import type { GatewayConfig, Providers } from './config.ts';
import { shuttingDown, wrongMethod } from './error.ts';
import { Exchange } from './exchange.ts';
import { type Route, routeOf } from './routes.ts';
import { type Settings, settingsOf } from './schema.ts';

/** How long a client has for the ending of its stream, in milliseconds, until its connection is broken off. */
const graceMs = 1000;

/** How to come to an end. */
export interface ShutdownOptions {
  /** How long streams may go on, in milliseconds, until they are ended; 10,000 unless told. */
  drainMs?: number;
}

/** A gateway, for an adapter to a host. */
export interface Gateway {
  /** Milliseconds after which a client that takes nothing counts as gone; adapters keep that time. */
  readonly writeStallMs: number;
  /** The route of a request, or nothing where it is the host's; `mount` is the prefix that `path` does not show. */
  route(method: string, path: string, mount: string, headers: GatewayRequest['headers']): Route | undefined;
  /** Answers a request. Settles when the client has taken everything or is gone; never rejects. */
  handle(route: Route, request: GatewayRequest, client: Client): Promise<void>;
  /** Turns new requests away with 503, lets streams finish, and ends those truthfully that do not. Never rejects. */
  shutdown(options?: ShutdownOptions): Promise<void>;
}

/** Makes a gateway of a configuration. Throws `ConfigError`. */
export function createGateway<const P extends Providers, Principal = unknown>(
  config: GatewayConfig<P, Principal>,
): Gateway {
  return new OpenGateway(settingsOf(config));
}

class OpenGateway implements Gateway {
  readonly #settings: Settings;
  readonly #exchanges = new Map<Exchange, Promise<void>>();
  #closing: Promise<void> | undefined;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  get writeStallMs(): number {
    return this.#settings.timeouts.writeStallMs;
  }

  route(method: string, path: string, mount: string, headers: GatewayRequest['headers']): Route | undefined {
    return method === 'HEAD' || method === 'OPTIONS' ? undefined : routeOf(path, mount, headers);
  }

  async handle(route: Route, request: GatewayRequest, client: Client): Promise<void> {
    const exchange = new Exchange(this.#settings, route, request, client);
    const running = exchange.run(this.#refusal(route, request.method));
    this.#exchanges.set(exchange, running);
    await running;
    this.#exchanges.delete(exchange);
  }

  shutdown({ drainMs = 10_000 }: ShutdownOptions = {}): Promise<void> {
    this.#closing ??= this.#close(drainMs);
    return this.#closing;
  }

  #refusal(route: Route, method: string): ReturnType<typeof shuttingDown> | undefined {
    if (!route.allow.includes(method)) return wrongMethod(method, route.allow.join(', '));
    return this.#closing === undefined ? undefined : shuttingDown();
  }

  async #close(drainMs: number): Promise<void> {
    const each = (act: (exchange: Exchange) => void): void => [...this.#exchanges.keys()].forEach(act);
    const most = Math.min(drainMs, 2 ** 31 - 1 - graceMs);
    const end = setTimeout(() => each((exchange) => exchange.abort('shutdown')), most);
    const drop = setTimeout(() => each((exchange) => exchange.drop()), most + graceMs);
    await Promise.all(this.#exchanges.values());
    clearTimeout(end);
    clearTimeout(drop);
  }
}
