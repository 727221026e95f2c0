/** Every fault of an upstream, for every client, streamed and whole, with and without another deployment to go to. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Dialect, dialects, type ErrorType } from '@streamglot/core';
import { llmGateway } from '@streamglot/express';
import type { ModelConfig } from '@streamglot/gateway';
import { compatible } from '@streamglot/providers';
import { type DeploymentState, type Router, route, systemClock } from '@streamglot/routing';
import express from 'express';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../express/serve.ts';
import { type Client, clientsOf, type Seen } from '../support/clients/index.ts';
import { freePort } from '../support/program.ts';
import { type Expected, emptyButWell, expectations, type Fate, type Sight, statusIn } from './wall/expected.ts';
import { faults, Misbehaving } from './wall/faults.ts';

interface Cell {
  readonly client: Client;
  readonly isWhole: boolean;
  readonly deployments: 1 | 2;
}

/** For each dialect its official client of either kind, the plainest first. */
const cells: readonly Cell[] = Object.values(dialects).flatMap(({ id }: Dialect) =>
  [false, true].flatMap((isWhole) => {
    const client = clientsOf(id).find(
      ({ whole = false, family }) => whole === isWhole && family !== 'vercel',
    ) as Client;
    return ([1, 2] as const).map((deployments) => ({ client, isWhole, deployments }));
  }),
);

const names = ['refuse', ...Object.keys(faults).filter((name) => name !== 'the fall-back')];

let upstream: Misbehaving;
let server: Server;
let base: string;
let closed: number;
const routers = new Map<string, Router>();

function modelOf(fault: string, { client, deployments }: Cell): string {
  return `${fault}, ${client.name}, ${deployments}`;
}

/** Rests are measured where time does not pass; what is called later still is. */
const still = { ...systemClock, now: () => 0 };

/** Time is short only where a fault takes it all; a machine that is busy must not look like one. */
function limitOf(fault: string, ms: number): number {
  return fault.startsWith('a hang') ? ms : 60_000;
}

function routerOf(fault: string, { deployments }: Cell): Router {
  const bad = fault === 'refuse' ? `http://127.0.0.1:${closed}/v1` : upstream.base(fault);
  const upstreams = [
    compatible({ baseURL: bad, dialect: 'chat', timeouts: { headMs: limitOf(fault, 500) } }),
    compatible({ baseURL: upstream.base('the fall-back'), dialect: 'chat' }),
  ].map((provider) => provider.upstream('m'));
  const options = { firstOutputMs: limitOf(fault, 1_500), random: () => 0.5, clock: still };
  return route(upstreams.slice(0, deployments), 'priority', options);
}

beforeAll(async () => {
  upstream = await Misbehaving.start();
  closed = await freePort();
  for (const fault of names) for (const cell of cells) routers.set(modelOf(fault, cell), routerOf(fault, cell));
  const models = [...routers].map(([name, target]) => [name, { target, timeouts: { silenceMs: limitOf(name, 800) } }]);
  const gateway = llmGateway({ models: Object.fromEntries(models) as Record<string, ModelConfig>, authorize: 'host' });
  server = express().use(gateway).listen(0, '127.0.0.1');
  await once(server, 'listening');
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await upstream[Symbol.asyncDispose]();
  const head = ['streamed, one', 'streamed, two', 'whole, one', 'whole, two'].map((name) => name.padEnd(16)).join(' ');
  const sum = `${names.length} faults x ${cells.length / 4} dialects x streamed or whole x one or two: ${held} cells hold`;
  process.stdout.write(`\n${['fault'.padEnd(26)]} ${head}\n${lines.join('\n')}\n${sum}\n`);
});

/** What a client has seen, in the words of the table. */
function shown({ text, error }: Seen): string {
  if (error === undefined) return text;
  return `${error.status ?? 'in-band'}${text === '' ? '' : ` after ${text}`}`;
}

/** The same as it must be. */
function wanted(sight: Sight, dialect: string): string {
  if (sight === 'answer') return 'Hello.';
  if (sight === 'fall-back') return 'Fall-back.';
  if (sight === 'nothing') return '';
  const [how = '', late] = sight.split(' ');
  const shownAs = statusIn(dialect, (late ?? how) as ErrorType, late !== undefined);
  return how === 'torn' ? `${shownAs} after Hel` : shownAs;
}

function expectedOf(fault: string, { isWhole, deployments }: Cell): { sight: Sight; fate: Fate; tries: number } {
  const [streamed, whole = streamed] = expectations[fault] as readonly [Expected, Expected?];
  const { sights, fate, again } = isWhole ? whole : streamed;
  const sight = sights[deployments - 1] as Sight;
  if (deployments === 2) return { sight, fate, tries: 1 };
  return { sight, tries: again?.tries ?? 1, fate: sight === 'nothing' ? emptyButWell : (again?.fate ?? fate) };
}

/** What has become of the deployment that fails, in the words of what is expected. */
function fateOf(router: Router): { fate: Fate; tries: number } {
  const { standing, failures, restMs, outcomes } = router.deployments[0] as DeploymentState;
  const [[outcome, tries] = [], ...others] = Object.entries(outcomes).filter(([, count]) => count > 0);
  expect(others).toEqual([]);
  return {
    fate: { outcome: outcome as Fate['outcome'], standing, failures, restMs: Math.round(restMs) },
    tries: tries ?? 0,
  };
}

/** One line for each fault, printed when all is done. */
const lines: string[] = [];
let held = 0;

test.each(names)('%s', async (fault) => {
  const answers = await Promise.all(
    cells.map((cell) => cell.client.run({ base, model: modelOf(fault, cell), prompt: 'Hi.' })),
  );
  for (const [at, cell] of cells.entries()) {
    const router = routers.get(modelOf(fault, cell)) as Router;
    const { sight, fate, tries } = expectedOf(fault, cell);
    const about = modelOf(fault, cell);
    await eventually(() => router.deployments.every(({ inFlight }) => inFlight === 0));
    expect([about, shown(answers[at] as Seen)]).toEqual([about, wanted(sight, cell.client.dialect)]);
    expect({ about, ...fateOf(router) }).toEqual({ about, fate, tries });
    held++;
  }
  await eventually(() => upstream.open === 0);
  const [streamed, whole = streamed] = expectations[fault] as readonly [Expected, Expected?];
  const { standing, failures } = streamed.fate;
  const seen = [...streamed.sights, ...whole.sights].map((sight) => sight.padEnd(16)).join(' ');
  lines.push(`${fault.padEnd(26)} ${seen} ${streamed.fate.outcome}, ${standing}, ${failures} counted`);
});
