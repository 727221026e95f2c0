/** The gateway's configuration in every host: data, and an ear for its endings. */
import type { GatewayConfig } from '@streamglot/gateway';
import { compatible } from '@streamglot/providers';
import { scenes } from '../support/scenes.ts';

/** The largest body that is taken. */
export const MAX_BODY_BYTES = 1_000_000;

/** How long a client hears nothing until it gets a sign of life. */
const KEEP_ALIVE_MS = 300;

/** A model whose provider cannot be reached. */
export const NOWHERE = 'nowhere';

/** The part of the configuration that is data, over the stand-in at `upstream`. */
export function settingsOf(upstream: string) {
  const names = Object.keys(scenes).map((name) => [name, `up/${name}` as const]);
  return {
    up: { baseURL: `${upstream}/v1`, dialect: 'chat', apiKey: 'key-of-the-upstream' },
    down: { baseURL: 'http://127.0.0.1:1/v1', dialect: 'chat' },
    models: { ...Object.fromEntries(names), [NOWHERE]: 'down/one' },
    limits: { maxBodyBytes: MAX_BODY_BYTES },
    keepAliveMs: KEEP_ALIVE_MS,
  } as const;
}

/** The whole configuration; each ending is kept in `endings`. */
export function configOf(upstream: string, endings: string[]): GatewayConfig {
  const { up, down, ...settings } = settingsOf(upstream);
  return {
    ...settings,
    providers: { up: compatible(up), down: compatible(down) },
    authorize: 'host',
    observe: (event) => {
      if (event.type === 'ending') endings.push(event.ending);
    },
  };
}
