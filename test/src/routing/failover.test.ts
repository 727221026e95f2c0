/** From one deployment to the next: until there is output, within a budget, and never after it. */
import type { Attempt, CanonicalError, UpstreamCall } from '@streamglot/core';
import { type RouteOptions, type Router, route } from '@streamglot/routing';
import { expect, test } from 'vitest';
import { closing, delta, opening } from '../gateway/play.ts';
import { VirtualClock } from './clock.ts';
import { type Came, callOf, erring, lifecycle, read, refusing, Scripted, type Step, telling } from './script.ts';

interface Played {
  readonly router: Router;
  readonly came: Came;
  readonly attempts: readonly Attempt[];
  readonly upstreams: readonly Scripted[];
  readonly clock: VirtualClock;
}

/** Asks a route of deployments named a, b, ... once. */
async function play(
  scripts: readonly (readonly Step[])[],
  options: RouteOptions = {},
  call: Partial<UpstreamCall> = {},
): Promise<Played> {
  const clock = new VirtualClock();
  const upstreams = scripts.map((script, at) => new Scripted('abc'[at] as string, clock, script));
  const router = route(upstreams, 'priority', { clock, random: () => 0.5, ...options });
  const attempts: Attempt[] = [];
  const reading = read(router, { ...callOf(), attempted: (attempt) => attempts.push(attempt), ...call });
  await clock.run(3_600_000);
  return { router, came: await reading, attempts, upstreams, clock };
}

const good = telling('B');

/** Failures before output, with what the first deployment is recorded to have done. */
const before: readonly [string, readonly Step[], Attempt['outcome'], string | undefined][] = [
  ['a connection that is refused', refusing({ type: 'upstream', code: 'connect_failed' }), 'failed', 'connect_failed'],
  ['a status', refusing({ status: 500 }), 'failed', undefined],
  ['an upstream that throws', [{ crash: 'broken' }], 'failed', 'internal'],
  ['an in-band error at once', [erring({ code: 'overloaded' })], 'failed', 'overloaded'],
  ['an in-band error after lifecycle events', [lifecycle, { wait: 5 }, erring({})], 'failed', undefined],
  [
    'an in-band error after a block without content',
    [{ say: opening }, { say: [{ type: 'ping' }] }, erring({})],
    'failed',
    undefined,
  ],
  ['a cut after lifecycle events', [lifecycle, 'cut'], 'truncated', 'stream_truncated'],
  ['nothing at all', ['cut'], 'truncated', 'stream_truncated'],
  ['an empty answer', [lifecycle, { say: closing.slice(2) }], 'failed', 'empty_answer'],
  ['no head in time', [{ wait: 60_000 }, ...good], 'stalled', 'first_output_timeout'],
  ['no output in time', [lifecycle, { wait: 60_000 }, ...good], 'stalled', 'first_output_timeout'],
];

test.each(before)('%s is the next deployment`s turn', async (_, script, outcome, code) => {
  const { router, came, attempts, upstreams } = await play([script, good], { firstOutputMs: 1_000 });
  expect(came).toMatchObject({ text: 'B', error: undefined });
  expect(came.types.filter((type) => type === 'response-start')).toHaveLength(1);
  expect(attempts.map(({ upstream, outcome }) => [upstream, outcome])).toEqual([
    ['a', outcome],
    ['b', 'completed'],
  ]);
  expect(attempts[0]?.error?.code).toBe(code);
  expect(router.deployments.map(({ inFlight }) => inFlight)).toEqual([0, 0]);
  expect(upstreams.map(({ running }) => running)).toEqual([0, 0]);
});

test.each(before)('%s of the only deployment is told as it is', async (_, script, outcome, code) => {
  const { came, attempts, upstreams } = await play([script], { firstOutputMs: 1_000 });
  if (code !== 'empty_answer' && code !== 'stream_truncated') expect(came.error).toBeDefined();
  if (code !== 'empty_answer' && code !== 'stream_truncated' && code !== undefined && code !== 'internal')
    expect(came.error?.code).toBe(code);
  expect(attempts.map((attempt) => attempt.outcome)).toEqual([code === 'empty_answer' ? 'completed' : outcome]);
  expect(upstreams[0]?.calls).toHaveLength(1);
  expect(upstreams[0]?.running).toBe(0);
});

/** Failures after output: no other deployment may be asked. */
const after: readonly [string, Step, Attempt['outcome']][] = [
  ['an in-band error', erring({}), 'failed'],
  ['a cut', 'cut', 'truncated'],
  ['an upstream that throws', { crash: 'broken' }, 'failed'],
];

test.each(after)('%s after output is not restarted', async (_, step, outcome) => {
  const { came, attempts, upstreams } = await play([[{ say: [...opening, delta('A')] }, { wait: 1 }, step], good]);
  expect(came.text).toBe('A');
  expect(attempts.map((attempt) => attempt.outcome)).toEqual([outcome]);
  expect(upstreams[1]?.calls).toEqual([]);
});

test('a try is measured from its own sending', async () => {
  const { attempts } = await play([[{ wait: 300 }, ...refusing({})], telling('B', 40, 60)]);
  expect(attempts[0]).toMatchObject({ durationMs: 300 });
  expect(attempts[1]).toMatchObject({ firstOutputMs: 40, durationMs: 100 });
});

test('what is wrong with the request is told at once', async () => {
  const error: CanonicalError = { type: 'invalid_request', status: 400, message: 'No such field.' };
  const { came, upstreams } = await play([refusing(error), good]);
  expect(came.error).toMatchObject(error);
  expect(upstreams[1]?.calls).toEqual([]);
});

test('a budget of tries holds, and the last error is told', async () => {
  const scripts = ['one', 'two', 'three'].map((code) => refusing({ code }));
  const { came, attempts } = await play(scripts, { attempts: 2 });
  expect(attempts.map(({ upstream }) => upstream)).toEqual(['a', 'b']);
  expect(came.error?.code).toBe('two');
});

test('a budget of time holds', async () => {
  const slow: readonly Step[] = [{ wait: 2_000 }, ...refusing({ code: 'slow' })];
  const { came, attempts } = await play([slow, good], { budgetMs: 1_000 });
  expect(attempts).toHaveLength(1);
  expect(came.error?.code).toBe('slow');
});

test('what may be retried goes to the only deployment again, after a pause', async () => {
  const clock = new VirtualClock();
  const upstream = new Scripted('a', clock, refusing({ type: 'conflict', status: 409 }), good);
  const router = route([upstream], 'priority', { clock });
  const reading = read(router);
  await clock.run();
  expect(await reading).toMatchObject({ text: 'B' });
  expect(upstream.calls).toHaveLength(2);
  expect(clock.now()).toBe(220);
});

test.each([
  ['true', 400, 'invalid_request', 2],
  ['false', 409, 'conflict', 1],
] as const)('x-should-retry: %s is honoured', async (header, status, type, calls) => {
  const clock = new VirtualClock();
  const upstream = new Scripted('a', clock, refusing({ type, status }, { 'x-should-retry': header }), good);
  const reading = read(route([upstream], 'priority', { clock }));
  await clock.run();
  await reading;
  expect(upstream.calls).toHaveLength(calls);
});

test('lifecycle events go out at once where nobody else could be tried', async () => {
  const script: readonly Step[] = [lifecycle, { wait: 1_000 }, ...good];
  for (const [others, request, expected] of [
    [[good], {}, 1_010],
    [[], {}, 0],
    [[good], { store: true }, 0],
    [[good], { native: { dialect: 'responses', body: { background: true } } }, 0],
  ] as const) {
    const clock = new VirtualClock();
    const upstreams = [script, ...others].map((one, at) => new Scripted('ab'[at] as string, clock, one));
    let begunAt: number | undefined;
    const opening = route(upstreams, 'priority', { clock })
      .open(callOf({}, request))
      .then(async ({ batches }) => {
        begunAt = clock.now();
        for await (const _ of batches) await Promise.resolve();
      });
    await clock.run();
    await opening;
    expect(begunAt).toBe(expected);
  }
});

test('routes stand in routes', async () => {
  const clock = new VirtualClock();
  const [a, b, c] = [refusing({}), refusing({}), telling('C')].map(
    (one, at) => new Scripted('abc'[at] as string, clock, one),
  );
  const inner = route([a as Scripted, b as Scripted], 'weighted', { clock, id: 'inner' });
  const outer = route([inner, c as Scripted], 'priority', { clock });
  const reading = read(outer);
  await clock.run();
  expect(await reading).toMatchObject({ text: 'C' });
  expect(outer.deployments.map(({ id, outcomes }) => [id, outcomes.failed])).toEqual([
    ['inner', 1],
    ['c', 0],
  ]);
});

test('rules of one`s own come first', async () => {
  const error: Partial<CanonicalError> = { type: 'invalid_request', status: 400, code: 'context_length_exceeded' };
  const { came } = await play([refusing(error), good], {
    rules: [{ when: { code: 'context_length_exceeded' }, do: 'fail-over', cooldown: 'none' }],
  });
  expect(came.text).toBe('B');
});
