/** Next.js, built and started: the gateway in its app router and in its pages router. */
import { type NextApp, startNext } from '../../next/app.ts';
import { sites } from '../../next/site.ts';
import { settingsOf } from '../config.ts';
import { type Host, Lacking, type Setup, type Start } from '../host.ts';

/** One process serves all set-ups over one upstream; whoever is to be shut down has one to itself. */
const running = new Map<string, Promise<NextApp>>();

async function hosted({ upstream, alone }: Setup, base: string): Promise<Host> {
  const key = alone ? `${upstream} alone` : upstream;
  const starting = running.get(key) ?? startNext(settingsOf(upstream));
  running.set(key, starting);
  const app = await starting;
  const url = app.url + base;
  const shutdown = async (drainMs: number): Promise<void> => {
    await (await fetch(`${url}/own/shutdown/${drainMs}`, { method: 'POST' })).text();
  };
  return { url, shutdown, stop: () => app.stop() };
}

/** On the app router, which has no parser. */
export const startApp: Start = async (setup) => {
  if (setup.parsed !== undefined) throw new Lacking('no parser');
  return hosted(setup, setup.mount === undefined ? sites.app.default : sites.app.mounted);
};

/** On the pages router, whose parser makes a value of JSON. */
export const startPages: Start = async (setup) => {
  if (setup.parsed === 'string' || setup.parsed === 'buffer')
    throw new Lacking(`no parser that leaves a ${setup.parsed}`);
  if (setup.parsed !== undefined) return hosted(setup, sites.pages.parsed);
  return hosted(setup, setup.mount === undefined ? sites.pages.default : sites.pages.mounted);
};
