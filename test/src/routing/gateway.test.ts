/** Models of a gateway that are in several places, and what becomes of answers whose clients leave. */

import type { Attempt } from '@streamglot/core';
import { defineConfig, type GatewayEvent } from '@streamglot/gateway';
import { route } from '@streamglot/routing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { closing, delta, failing, opening, Play } from '../gateway/play.ts';
import { scene, settled } from '../gateway/scene.ts';
import { by, Player, talk } from '../gateway/talk.ts';

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => vi.useRealTimers());

const body = { model: 'both', input: 'Hi.' };

/** Two providers and a model in both. */
function both(first: () => Play, more: object = {}, model: object = {}) {
  const one = new Player(first);
  const two = new Player(() => new Play().tell('Two.'));
  const models = { both: { targets: ['one/a', 'two/b'], ...model } };
  return { one, two, ...talk({ one, two }, { models, ...more }) };
}

function attemptsOf(events: readonly GatewayEvent[]): readonly Attempt[] {
  return events.flatMap((event) => (event.type === 'attempt' ? event : []));
}

test('the next place answers, with no trace of the first, and each try is told', async () => {
  const { one, two, events, ask } = both(() =>
    new Play()
      .say({ type: 'response-start', id: 'resp_of_the_first', model: 'm', role: 'assistant' })
      .say({ type: 'status', status: 'in_progress' })
      .say(failing({ type: 'overloaded', message: 'Busy.' })),
  );
  const client = await ask('/v1/responses', { ...body, stream: true });
  expect(client.text).toContain('Two.');
  expect(client.text).not.toContain('Busy.');
  expect(client.text).not.toContain('resp_of_the_first');
  expect(client.text.match(/event: response.created/g)).toHaveLength(1);
  expect([one.plays.length, two.plays.length]).toEqual([1, 1]);
  expect(attemptsOf(events)).toMatchObject([
    { type: 'attempt', model: 'both', upstream: 'player', outcome: 'failed', error: { message: 'Busy.' } },
    { type: 'attempt', model: 'both', upstream: 'player#2', outcome: 'completed' },
  ]);
  expect(events.at(-1)).toMatchObject({ type: 'ending', ending: 'completed' });
});

test('signs of life go out while places are tried, and the next one may still answer', async () => {
  const silent = new Play();
  const { ask } = both(() => silent, { keepAliveMs: 1_000 }, { route: { firstOutputMs: 5_000 } });
  const asking = ask('/v1/responses', { ...body, stream: true });
  await vi.advanceTimersByTimeAsync(6_000);
  const client = await asking;
  expect(client.status).toBe(200);
  expect(client.text).toMatch(/^: /);
  expect(client.text).toContain('Two.');
});

test('what no place can do is told as the last one says it', async () => {
  const failed = (): Play => new Play(Promise.reject(new Error('no')));
  const { one, events, respond } = both(failed, { models: { both: { targets: ['one/a', 'one/b'] } } });
  const { status, json } = await respond(body);
  expect(status).toBe(500);
  expect(json.error.code).toBe('internal');
  expect(one.plays).toHaveLength(2);
  expect(attemptsOf(events).map(({ outcome }) => outcome)).toEqual(['failed', 'failed']);
});

test('a route of one`s own is a model', async () => {
  const router = route([new Player(() => new Play().tell('Mine.'))]);
  const { respond } = talk({}, { models: { mine: router }, authorize: 'host' });
  const { json } = await respond({ model: 'mine', input: 'Hi.' });
  expect(JSON.stringify(json.output)).toContain('Mine.');
});

test('a model has timeouts of its own', async () => {
  const { done, ending } = scene('chat', {
    models: { m: { target: 'play/upstream-model', timeouts: { firstOutputMs: 100 } } },
  });
  await vi.advanceTimersByTimeAsync(100);
  await done;
  expect(ending()).toMatchObject({ ending: 'deadline', error: { code: 'first_output_timeout' } });
});

test('an upstream that falls silent is what its deployment is blamed for', async () => {
  const { play, done, events } = scene('chat', {
    models: { m: { targets: ['play/x'], timeouts: { silenceMs: 100 } } },
  });
  play.say(...opening, delta('Hel'));
  await vi.advanceTimersByTimeAsync(100);
  await done;
  expect(attemptsOf(events)).toMatchObject([{ outcome: 'stalled', error: { code: 'stream_stalled' } }]);
});

test('principals have their share, over all models', async () => {
  const { one, ask, respond } = both(() => new Play(), {
    authorize: ({ headers }: { headers: Record<string, string> }) => headers.authorization,
    perPrincipal: { maxInFlight: 1 },
  });
  const first = ask('/v1/responses', body, by('ann'));
  await settled();
  const second = await respond(body, by('ann'));
  expect([second.status, second.json.error.code]).toEqual([429, 'concurrency_exceeded']);
  const other = ask('/v1/responses', body, by('ben'));
  await settled();
  for (const play of one.plays) play.tell('One.');
  expect((await first).text).toContain('One.');
  expect((await other).text).toContain('One.');
});

const draining = { m: { targets: ['play/upstream-model'], onDisconnect: 'drain' } };

test('an answer is read on whose client has left, so that its usage is known', async () => {
  const { play, client, done, events, ending } = scene('chat', { models: draining as never });
  play.say(...opening, delta('Hel'));
  await settled();
  client.leave();
  await settled();
  expect(play.calls[0]?.signal.aborted).toBe(false);
  play.say(delta('lo')).say(...closing);
  await done;
  expect(ending()).toMatchObject({ ending: 'client-closed', usage: { outputTokens: 2 } });
  expect(attemptsOf(events)).toMatchObject([{ outcome: 'completed' }]);
  expect(vi.getTimerCount()).toBe(0);
});

test('an answer that has waited for its reader is read on too, and nothing is made of it', async () => {
  const { play, client, done, ending } = scene('chat', { models: draining as never, bufferBytes: 10 });
  client.slow = true;
  play
    .say(...opening, delta('Hel'))
    .say(delta('lo'))
    .say(...closing);
  await settled();
  expect(ending()).toBeUndefined();
  const { length } = client.writes;
  client.leave();
  await done;
  expect(ending()).toMatchObject({ ending: 'client-closed', usage: { outputTokens: 2 } });
  expect(client.writes).toHaveLength(length);
});

test('it is not read on for ever', async () => {
  const timeouts = { drainMs: 1_000 };
  const { play, client, done, events, ending } = scene('chat', {
    models: draining as never,
    timeouts,
  });
  play.say(...opening, delta('Hel'));
  await settled();
  client.leave();
  await vi.advanceTimersByTimeAsync(999);
  expect(play.calls[0]?.signal.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await done;
  expect(play.calls[0]?.signal.aborted).toBe(true);
  expect(ending().ending).toBe('client-closed');
  expect(attemptsOf(events)).toMatchObject([{ outcome: 'abandoned' }]);
  expect(vi.getTimerCount()).toBe(0);
});

test('a shutdown waits for what is read on, as long as it waits for anything', async () => {
  const { play, client, done, events, gateway, ending } = scene('chat', { models: draining as never });
  play.say(...opening, delta('Hel'));
  await settled();
  client.leave();
  const closed = gateway.shutdown({ drainMs: 1_000 });
  await vi.advanceTimersByTimeAsync(999);
  expect(ending()).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1);
  await Promise.all([done, closed]);
  expect(ending().ending).toBe('client-closed');
  expect(attemptsOf(events)).toMatchObject([{ outcome: 'abandoned' }]);
  expect(vi.getTimerCount()).toBe(0);
});

test('rate limits of the place that answers go out with the answer', async () => {
  const limits = new Map([
    ['x-ratelimit-remaining-requests', '7'],
    ['retry-after', '3'],
  ]);
  const one = new Player(() => new Play(Promise.reject(new Error('no'))));
  const two = new Player(() => new Play({ headers: limits }).tell('Two.'));
  const { ask } = talk({ one, two }, { models: { both: { targets: ['one/a', 'two/b'] } } });
  const client = await ask('/v1/responses', { ...body, stream: true });
  expect(client.headers).toMatchObject({ 'x-ratelimit-remaining-requests': '7' });
});

test('an answer that has not begun is waited for too, and one that fails is no fault of anyone', async () => {
  const { play, client, done, events, ending } = scene('chat', {
    body: { stream: false },
    models: draining as never,
  });
  await settled();
  client.leave();
  await settled();
  play.say(failing({ type: 'overloaded', message: 'Busy.' }));
  await done;
  expect(ending().ending).toBe('client-closed');
  expect(attemptsOf(events)).toMatchObject([{ outcome: 'failed' }]);
  expect(events.filter(({ type }) => type === 'fault')).toEqual([]);
});

test('unless told, the upstream is let go at once', async () => {
  const { play, client, done, ending } = scene('chat', {
    models: { m: { targets: ['play/x'] } },
  });
  play.say(...opening, delta('Hel'));
  await settled();
  client.leave();
  await done;
  expect(play.calls[0]?.signal.aborted).toBe(true);
  expect(ending().ending).toBe('client-closed');
});

test('the types of routed models hold', () => {
  const { provider } = new Player();
  const config = defineConfig({
    providers: { one: provider },
    models: {
      fast: {
        targets: ['one/a', { target: 'one/b', weight: 2, maxInFlight: 5, price: { input: 1, output: 4 } }],
        policy: 'latency',
        route: { attempts: 2, rules: [{ when: { status: 404 }, do: 'stop' }], cooldown: { failures: 1 } },
        timeouts: { totalMs: 60_000 },
        onDisconnect: 'drain',
      },
      own: { targets: ['one/a'], policy: (candidates) => candidates.at(-1) },
    },
  });
  expect(Object.keys(config.models)).toEqual(['fast', 'own']);
});
