/** One request on its way through a gateway, with everything that can be seen of it. */
import { createGateway, type GatewayConfig, type GatewayEvent, type GatewayRequest } from '@streamglot/gateway';
import { vi } from 'vitest';
import { asked, Listener, requestOf } from './client.ts';
import { Play, providerOf } from './play.ts';

export type Name = keyof typeof asked;
export const names = Object.keys(asked) as Name[];

export interface Scene {
  play: Play;
  client: Listener;
  events: GatewayEvent[];
  done: Promise<void>;
  gateway: ReturnType<typeof createGateway>;
  ending(): GatewayEvent & { type: 'ending' };
}

export function scene(
  name: Name,
  more: Partial<GatewayConfig> & { play?: Play; body?: object; request?: Partial<GatewayRequest> } = {},
): Scene {
  const { play = new Play(), body, request, ...config } = more;
  const events: GatewayEvent[] = [];
  const client = new Listener();
  const gateway = createGateway({
    providers: { play: providerOf(play) },
    models: { m: 'play/upstream-model' },
    observe: (event) => events.push(event),
    ...config,
  } as GatewayConfig);
  const wire = requestOf(asked[name].path, { ...asked[name].body, ...body }, request);
  const route = gateway.route(wire.method, wire.path, '', wire.headers);
  if (route === undefined) throw new Error('no route');
  const done = gateway.handle(route, wire, client);
  const ending = () => events.find((event) => event.type === 'ending') as GatewayEvent & { type: 'ending' };
  return { play, client, events, done, gateway, ending };
}

/** Lets everything happen that waits for no timer. */
export async function settled(): Promise<void> {
  await vi.advanceTimersByTimeAsync(0);
}
