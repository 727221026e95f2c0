/** A gateway without a socket, asked for more than one thing, and what its upstreams are told. */
import type { CanonicalRequest, DialectId, Provider, Upstream } from '@streamglot/core';
import { createGateway, type GatewayConfig, type GatewayEvent, type GatewayRequest } from '@streamglot/gateway';
import { Listener, requestOf } from './client.ts';
import { Play } from './play.ts';

/** An upstream that plays an answer for each call; `dialect` is what it says to speak. */
export class Player implements Upstream {
  readonly id = 'player';
  readonly dialect?: DialectId;
  readonly requests: CanonicalRequest[] = [];
  readonly plays: Play[] = [];
  readonly #make: () => Play;

  constructor(make: () => Play = () => new Play().tell('Hello.'), dialect?: DialectId) {
    this.#make = make;
    if (dialect !== undefined) this.dialect = dialect;
  }

  open(call: Parameters<Upstream['open']>[0]): ReturnType<Upstream['open']> {
    this.requests.push(call.request);
    const play = this.#make();
    this.plays.push(play);
    return play.open(call);
  }

  /** A provider of this upstream alone. */
  get provider(): Provider {
    return { name: 'player', keyed: false, upstream: () => this };
  }
}

/** A conversation with a gateway. */
export interface Talk {
  readonly events: GatewayEvent[];
  /** Asks, and settles when all has been said. */
  ask(path: string, body?: object, more?: Partial<GatewayRequest>): Promise<Listener>;
  /** Asks for a response. */
  respond(body: object, more?: Partial<GatewayRequest>): Promise<{ status: number | undefined; json: Body }>;
}

/** A body of the Responses dialect. */
export interface Body {
  readonly id: string;
  readonly output: readonly { readonly id: string }[];
  readonly error: { readonly code: string; readonly param: string; readonly message: string };
  readonly [member: string]: unknown;
}

/** A gateway over upstreams by the name of their provider; its one model of each is named like it. */
export function talk(upstreams: Readonly<Record<string, Player>>, more: object = {}): Talk {
  const events: GatewayEvent[] = [];
  const names = Object.entries(upstreams);
  const gateway = createGateway({
    providers: Object.fromEntries(names.map(([name, player]) => [name, player.provider])),
    models: Object.fromEntries(names.map(([name]) => [name, `${name}/it`])),
    observe: (event: GatewayEvent) => events.push(event),
    ...more,
  } as GatewayConfig);
  const ask: Talk['ask'] = async (path, body, request = {}) => {
    const client = new Listener();
    const [plain = '', query = ''] = path.split('?');
    const method = body === undefined ? 'GET' : 'POST';
    const wire = requestOf(plain, body, { method, query: Object.fromEntries(new URLSearchParams(query)), ...request });
    const route = gateway.route(wire.method, wire.path, '', wire.headers);
    if (route === undefined) throw new Error(`no route for ${path}`);
    await gateway.handle(route, wire, client);
    return client;
  };
  const respond: Talk['respond'] = async (body, request) => {
    const client = await ask('/v1/responses', { model: Object.keys(upstreams)[0], ...body }, request);
    return { status: client.status, json: client.json as Body };
  };
  return { events, ask, respond };
}

/** A request of a principal that its key names. */
export function by(key: string): Partial<GatewayRequest> {
  return { headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` } };
}
