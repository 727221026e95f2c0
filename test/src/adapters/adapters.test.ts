/** The same scenarios on every host that there is an adapter for, and the table of what holds. */
import { afterAll, expect, test } from 'vitest';
import { conformance, marks, table } from './conformance.ts';
import { gaps } from './gaps.ts';
import type { Start } from './host.ts';
import { startExpress4, startExpress5 } from './hosts/express.ts';
import { startFastify } from './hosts/fastify.ts';
import { startKoa2, startKoa3 } from './hosts/koa.ts';
import { startApp, startPages } from './hosts/next.ts';
import { startHttp, startHttp2 } from './hosts/node.ts';
import { startBare, startHono } from './hosts/web.ts';
import { scenarios } from './scenarios/index.ts';

const hosts: Readonly<Record<string, Start>> = {
  'Express 5': startExpress5,
  'Express 4': startExpress4,
  'node:http': startHttp,
  'node:http2': startHttp2,
  Fastify: startFastify,
  'Koa 3': startKoa3,
  'Koa 2': startKoa2,
  Hono: startHono,
  'bare fetch': startBare,
  'Next.js app router': startApp,
  'Next.js pages router': startPages,
};

/** So many there are; a host or a scenario that gets lost is missed here. */
const expected = { hosts: 11, scenarios: 50 };

for (const [name, start] of Object.entries(hosts)) conformance(name, start);

/** The marks of all cells. */
const all = (): readonly string[] => [...marks.values()].flatMap((of) => [...of.values()]);
const counted = (mark: string): number => all().filter((one) => one === mark).length;
const known = Object.entries(gaps).flatMap(([host, of]) => Object.keys(of).map((scenario) => ({ host, scenario })));

test('every scenario was played on every host, and only known gaps are left', () => {
  expect(known.filter(({ host }) => !(host in hosts))).toEqual([]);
  expect(known.filter(({ scenario }) => scenarios.every(({ name }) => name !== scenario))).toEqual([]);
  expect({ hosts: marks.size, scenarios: new Set(scenarios.map(({ name }) => name)).size }).toEqual(expected);
  expect(counted('holds')).toBe(expected.hosts * expected.scenarios - known.length);
  expect(counted('gap')).toBe(known.length);
});

afterAll(() => {
  console.log(table(Object.keys(hosts)));
  console.log(
    `adapters: ${marks.size} hosts, ${scenarios.length} scenarios, ${counted('holds')} cells hold, ${counted('gap')} gaps`,
  );
});
