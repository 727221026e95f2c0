/** Slots: taken at once, given back exactly once, on every way out; and requests that wait for one. */
import { type Attempt, GatewayError, interruption } from '@streamglot/core';
import { type RouteOptions, type Router, route } from '@streamglot/routing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { closing, delta, opening } from '../gateway/play.ts';
import { VirtualClock } from './clock.ts';
import { callOf, erring, lifecycle, read, refusing, Scripted, type Step, telling } from './script.ts';

function one(
  clock: VirtualClock,
  script: readonly Step[],
  maxInFlight: number,
  options: RouteOptions = {},
): [Router, Scripted] {
  const upstream = new Scripted('a', clock, script);
  return [route([{ upstream, maxInFlight }], 'priority', { clock, ...options }), upstream];
}

/** A client that leaves at a point of an answer: milliseconds after it asked. */
const leavings: readonly (readonly [string, number, number])[] = [
  ['before the head', 50, 0],
  ['before the first output', 150, 0],
  ['in the middle', 250, 1],
];

const slow: readonly Step[] = [
  { wait: 100 },
  lifecycle,
  { wait: 100 },
  { say: [...opening.slice(1), delta('A')] },
  { wait: 100 },
  ...telling('').slice(3),
];

test.each(leavings)(
  'a client that leaves %s frees the slot at once, and no failure is counted',
  async (_, at, outputs) => {
    const clock = new VirtualClock();
    const [router, upstream] = one(clock, slow, 1, { cooldown: { failures: 1 } });
    const client = new AbortController();
    const attempts: Attempt[] = [];
    const reading = read(router, callOf({ signal: client.signal, attempted: (attempt) => attempts.push(attempt) }));
    await clock.run(at);
    expect(router.deployments[0]?.inFlight).toBe(1);
    client.abort(new GatewayError(interruption('client-closed')));
    expect(router.deployments[0]).toMatchObject({
      inFlight: 0,
      failures: 0,
      standing: 'healthy',
      outcomes: { abandoned: 1 },
    });
    await clock.run(at);
    await reading;
    expect(upstream.running).toBe(0);
    expect(clock.pending).toBe(0);
    expect(attempts).toMatchObject([{ outcome: 'abandoned', durationMs: at }]);
    expect(attempts.filter(({ firstOutputMs }) => firstOutputMs !== undefined)).toHaveLength(outputs);
  },
);

test('whoever leaves after the terminal event has completed', async () => {
  const clock = new VirtualClock();
  const [router] = one(clock, [{ say: [...opening, delta('A')] }, { say: closing }], 1);
  const client = new AbortController();
  const { batches } = await router.open(callOf({ signal: client.signal }));
  const iterator = batches[Symbol.asyncIterator]();
  await iterator.next();
  expect(router.deployments[0]?.inFlight).toBe(1);
  await iterator.next();
  expect(router.deployments[0]?.inFlight).toBe(0);
  client.abort();
  await iterator.return?.();
  expect(router.deployments[0]?.outcomes).toMatchObject({ completed: 1, abandoned: 0 });
});

test.each([
  ['stalled', 'stalled', 1],
  ['deadline', 'abandoned', 0],
  ['shutdown', 'abandoned', 0],
] as const)('an answer that is ended because of %s is %s', async (cause, outcome, failures) => {
  const clock = new VirtualClock();
  const [router] = one(clock, slow, 1);
  const caller = new AbortController();
  const reading = read(router, callOf({ signal: caller.signal }));
  await clock.run(250);
  caller.abort(new GatewayError(interruption(cause)));
  await clock.run();
  await reading;
  expect(router.deployments[0]).toMatchObject({ inFlight: 0, failures, outcomes: { [outcome]: 1 } });
});

test('no way out leaves a listener on the caller`s signal', async () => {
  const scripts = [slow, refusing({}), [lifecycle, erring({})], [lifecycle, 'cut' as const], telling('A')];
  for (const script of scripts) {
    const clock = new VirtualClock();
    const router = route([new Scripted('a', clock, script), new Scripted('b', clock, script)], 'priority', { clock });
    const { signal } = new AbortController();
    let listeners = 0;
    const { addEventListener, removeEventListener } = signal;
    signal.addEventListener = (...given: unknown[]) => {
      listeners++;
      Reflect.apply(addEventListener, signal, given);
    };
    signal.removeEventListener = (...given: unknown[]) => {
      listeners--;
      Reflect.apply(removeEventListener, signal, given);
    };
    const reading = read(router, callOf({ signal }));
    await clock.run();
    await reading;
    expect(listeners).toBe(0);
  }
});

test('requests wait in order for a slot', async () => {
  const clock = new VirtualClock();
  const [router, upstream] = one(clock, telling('A', 50, 50), 1);
  const all = [1, 2, 3].map(() => read(router));
  await clock.run(0);
  expect([upstream.calls.length, router.waiting, router.deployments[0]?.inFlight]).toEqual([1, 2, 1]);
  await clock.run();
  expect((await Promise.all(all)).map(({ text }) => text)).toEqual(['A', 'A', 'A']);
  expect(clock.now()).toBe(300);
});

test('a wait has an end, and a queue has bounds', async () => {
  const clock = new VirtualClock();
  const [router, upstream] = one(clock, telling('A', 5_000, 0), 1, { waitMs: 2_000, maxWaiting: 1 });
  const [first, second, third] = [read(router), read(router), read(router)];
  await clock.run(0);
  const refusal = { type: 'rate_limit', code: 'deployments_full', retryAfterMs: 2_000 };
  expect((await third).error).toMatchObject(refusal);
  await clock.run(2_000);
  expect((await second).error).toMatchObject(refusal);
  await clock.run();
  expect((await first).text).toBe('A');
  expect([upstream.calls.length, router.waiting]).toEqual([1, 0]);
});

test('a client that leaves the queue is not served', async () => {
  const clock = new VirtualClock();
  const [router, upstream] = one(clock, telling('A', 50, 50), 1);
  const client = new AbortController();
  const [first, second, third] = [read(router), read(router, callOf({ signal: client.signal })), read(router)];
  await clock.run(10);
  client.abort();
  expect(router.waiting).toBe(1);
  await clock.run();
  expect((await first).text).toBe('A');
  expect((await second).begun).toBe(false);
  expect((await third).text).toBe('A');
  expect(upstream.calls).toHaveLength(2);
});

/** What one request of a random history does. */
interface Act {
  readonly at: number;
  readonly script: number;
  readonly leaves: number | undefined;
}

const acts = fc.array(
  fc.record<Act>({
    at: fc.integer({ min: 0, max: 500 }),
    script: fc.nat(),
    leaves: fc.option(fc.integer({ min: 0, max: 700 }), { nil: undefined }),
  }),
  { minLength: 1, maxLength: 40 },
);

/** Answers of every kind, in an order that the requests do not know. */
const kinds: readonly (readonly Step[])[] = [
  slow,
  telling('A', 0, 0),
  telling('A', 80, 80),
  refusing({ status: 500 }),
  [{ wait: 30 }, ...refusing({ type: 'rate_limit', retryAfterMs: 40 })],
  refusing({ type: 'invalid_request', status: 400 }),
  refusing({ type: 'conflict', status: 409 }),
  [lifecycle, erring({})],
  [lifecycle, 'cut'],
  [...slow.slice(0, 4), 'cut'],
  [...slow.slice(0, 4), { crash: 'broken' }],
  [{ crash: 'broken' }],
  [{ wait: 5_000 }],
  [lifecycle, { wait: 5_000 }],
];

test('whatever happens, every slot that was taken is given back once, and no deployment has more than it may', async () => {
  await fc.assert(
    fc.asyncProperty(acts, fc.integer({ min: 1, max: 3 }), fc.nat(), async (history, maxInFlight, offset) => {
      const clock = new VirtualClock();
      const upstreams = ['a', 'b', 'c'].map(
        (id, at) =>
          new Scripted(
            id,
            clock,
            ...history.map(({ script }) => kinds[(script + at + offset) % kinds.length] as readonly Step[]),
          ),
      );
      let most = 0;
      const options: RouteOptions = { clock, random: () => 0.3, waitMs: 300, maxWaiting: 5, firstOutputMs: 400 };
      const router = route(
        upstreams.map((upstream) => ({ upstream, maxInFlight })),
        (candidates) => {
          most = Math.max(most, ...router.deployments.map(({ inFlight }) => inFlight));
          return candidates[0];
        },
        options,
      );
      const attempts: Attempt[] = [];
      const reading = history.map(async ({ at, leaves }) => {
        await clock.sleep(at);
        const client = new AbortController();
        if (leaves !== undefined)
          clock.after(leaves, () => client.abort(new GatewayError(interruption('client-closed'))));
        await read(router, callOf({ signal: client.signal, attempted: (attempt) => attempts.push(attempt) }));
      });
      await clock.run();
      await Promise.all(reading);
      const calls = upstreams.reduce((sum, upstream) => sum + upstream.calls.length, 0);
      const ended = router.deployments
        .flatMap(({ outcomes }) => Object.values(outcomes))
        .reduce((sum, count) => sum + count, 0);
      expect(router.deployments.map(({ inFlight }) => inFlight)).toEqual([0, 0, 0]);
      expect(upstreams.map(({ running }) => running)).toEqual([0, 0, 0]);
      expect([attempts.length, ended]).toEqual([ended, ended]);
      expect(calls).toBeLessThanOrEqual(ended);
      expect(most).toBeLessThanOrEqual(maxInFlight);
      expect([router.waiting, clock.pending]).toEqual([0, 0]);
    }),
    { numRuns: 150 },
  );
});
