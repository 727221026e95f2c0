/** Official clients of every dialect over upstreams of every dialect, through Express, over sockets. */
import { setTimeout } from 'node:timers/promises';
import { dialects, type KnownDialect } from '@streamglot/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, clients, clientsOf } from '../support/clients/index.ts';
import { ALIAS, GatewayApp } from '../support/gateway.ts';
import { grammarOf } from '../support/grammar/index.ts';
import { type Scene, scenes } from '../support/scenes.ts';
import { Upstream } from '../support/upstream.ts';
import { canPlay, expectAnswer, expectFailure, play, type Route, scenesThat } from './cell.ts';

const ids = Object.keys(dialects) as KnownDialect[];
const pairs = ids.flatMap((from) => ids.map((to) => ({ from, to })));

const answers = scenesThat(({ ending, refused }) => ending === 'whole' && refused === undefined);
const failures = scenesThat(({ ending }) => !['whole', 'hang'].includes(ending));
const refusals = scenesThat(({ refused }) => refused !== undefined);

/** Cells that hold, by pair, client and scenario. */
const held = new Set<string>();
const scenarios = new Set<string>();
let streams = 0;

let upstream: Upstream;
const apps = new Map<KnownDialect, GatewayApp>();

beforeAll(async () => {
  upstream = await Upstream.start();
  for (const id of ids) apps.set(id, await GatewayApp.start(upstream, id));
});

afterAll(async () => {
  console.log(
    `conformance: ${pairs.length} pairs, ${clients.length} clients, ${scenarios.size} scenarios, ${held.size} cells hold, ${streams} streams obey`,
  );
  await Promise.all([...apps.values()].map((app) => app.stop()));
  await upstream.stop();
});

function routeTo(from: KnownDialect): Route {
  return { base: apps.get(from)?.url ?? '', upstream, from };
}

/** One row of the table as a test. */
function cell(from: string, client: Client, scenario: string, sentence: string, run: () => Promise<void>): void {
  scenarios.add(scenario);
  test.concurrent(`${client.name} ${sentence}`, async () => {
    await run();
    held.add(`${from} ${client.name} ${scenario}`);
  });
}

describe.each(pairs)('a $to client of a $from upstream', ({ from, to }) => {
  for (const client of clientsOf(to)) {
    for (const [name, scene] of answers.filter(([, scene]) => canPlay(client, scene)))
      cell(from, client, name, `understands ${name}`, async () => {
        expectAnswer(client, scene, routeTo(from), await play(client, scene, routeTo(from)));
      });

    for (const [name, scene] of failures)
      cell(from, client, name, `sees the failure: ${name}`, async () => {
        expectFailure(client, scene, (await play(client, scene, routeTo(from))).seen);
      });

    for (const [name, scene] of refusals)
      cell(from, client, name, `gets the upstream's refusal: ${name}`, async () => {
        const { seen } = await play(client, scene, routeTo(from));
        const { status, retryAfter } = scene.refused as NonNullable<Scene['refused']>;
        expect(seen.error).toMatchObject({
          status,
          ...(retryAfter && client.family !== 'google' && { retryAfter: String(retryAfter) }),
        });
      });

    cell(from, client, 'renamed model', 'sees the model under the name that it asked for', async () => {
      const { seen, received } = await play(client, { ...scenes.text, name: ALIAS }, routeTo(from));
      expect(seen).toMatchObject({
        ...(!client.namesNoModel && { model: ALIAS }),
        text: 'Hello, wörld and "quotes"\nend.',
      });
      expect(received.map(({ look }) => look.model)).toEqual(['text']);
    });
  }
});

describe.each(pairs)('a $to client that leaves a $from upstream', ({ from, to }) => {
  const delays: number[] = [];

  test.each(
    clientsOf(to)
      .filter(({ whole }) => !whole)
      .flatMap((client) => [1, 2, 3].map((run) => ({ client, name: client.name, run }))),
  )('$name gives up mid-stream, and the upstream is left too ($run)', async ({ client }) => {
    const delay = await leave(client, routeTo(from));
    expect(delay).toBeLessThan(LONG_MS);
    delays.push(delay);
    scenarios.add('abort');
    held.add(`${from} ${client.name} abort`);
  });

  test('the upstream sees its socket close within 50 ms in the median', () => {
    const median = delays.toSorted((a, b) => a - b)[delays.length >> 1];
    expect(median).toBeLessThan(50);
  });
});

describe('all that went out', () => {
  test.each(ids)('obeys the grammar of its dialect, over a %s upstream', (from) => {
    const spoken = apps.get(from)?.spoken ?? [];
    for (const id of ids) {
      const streaming = clientsOf(id).filter(({ whole }) => !whole).length;
      expect(spoken.filter(({ dialect }) => dialect === id).length).toBeGreaterThan(10 * streaming);
    }
    expect(spoken.flatMap(({ dialect, text }) => grammarOf(dialect).violations(text))).toEqual([]);
    streams += spoken.length;
  });
});

/** A client takes the first words and goes; returns the milliseconds until the upstream's socket closed. */
async function leave(client: Client, route: Route): Promise<number> {
  const controller = new AbortController();
  let left = 0;
  const go = () => {
    left ||= performance.now();
    controller.abort();
  };
  const { seen, received } = await play(client, scenes.hang, route, { signal: controller.signal, onText: go });
  // A raw stream that its user aborts just ends; what no client may do is to take it for a whole answer.
  expect(seen.finish ?? null).toBeNull();
  expect(received).toHaveLength(1);
  const closed = await Promise.race([received[0]?.abandoned, setTimeout(LONG_MS, Number.POSITIVE_INFINITY)]);
  return (closed ?? Number.POSITIVE_INFINITY) - left;
}

/** An upstream that has not been left by then has been forgotten. */
const LONG_MS = 1000;
