/** When deployments rest, how long, how they come back, and what of it the rules say. */
import type { CanonicalError } from '@streamglot/core';
import { type Router, route, type Standing } from '@streamglot/routing';
import { expect, test } from 'vitest';
import { VirtualClock } from './clock.ts';
import { callOf, erring, lifecycle, read, refusing, Scripted, type Step, telling } from './script.ts';

/** What becomes of a request and of its deployment. */
interface Row {
  readonly error: Partial<CanonicalError>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the other deployment is asked. */
  readonly moved: boolean;
  readonly standing: Standing;
  /** Milliseconds of rest, without the random part. */
  readonly rest?: number;
  /** Failures that count toward a rest. */
  readonly failures?: number;
}

const rows: Readonly<Record<string, Row>> = {
  '400': { error: { status: 400, type: 'invalid_request' }, moved: false, standing: 'healthy' },
  '401': { error: { status: 401, type: 'authentication' }, moved: true, standing: 'cooling', rest: 60_000 },
  '402': { error: { status: 402, type: 'billing' }, moved: true, standing: 'cooling', rest: 60_000 },
  '403': { error: { status: 403, type: 'permission' }, moved: true, standing: 'healthy', failures: 1 },
  '404': { error: { status: 404, type: 'not_found' }, moved: true, standing: 'healthy' },
  '408': { error: { status: 408, type: 'timeout' }, moved: true, standing: 'healthy', failures: 1 },
  '409': { error: { status: 409, type: 'conflict' }, moved: true, standing: 'healthy' },
  '413': { error: { status: 413, type: 'too_large' }, moved: false, standing: 'healthy' },
  '422': { error: { status: 422, type: 'invalid_request' }, moved: false, standing: 'healthy' },
  '429': { error: { status: 429, type: 'rate_limit' }, moved: true, standing: 'cooling', rest: 1_050 },
  '429 with retry-after': {
    error: { status: 429, type: 'rate_limit', retryAfterMs: 7_000 },
    moved: true,
    standing: 'cooling',
    rest: 7_000,
  },
  '429 with retry-after beyond reason': {
    error: { status: 429, type: 'rate_limit', retryAfterMs: 1e12 },
    moved: true,
    standing: 'cooling',
    rest: 3_600_000,
  },
  'a spend limit': {
    error: { status: 429, type: 'billing', code: 'organization_spend_limit_reached' },
    moved: true,
    standing: 'cooling',
    rest: 60_000,
  },
  'a spend limit that only the body tells': {
    error: {
      status: 400,
      type: 'invalid_request',
      native: { error: { details: { error_code: 'workspace_spend_limit_reached' } } },
    },
    moved: true,
    standing: 'cooling',
    rest: 60_000,
  },
  'an exhausted quota': {
    error: { status: 429, type: 'rate_limit', code: 'insufficient_quota' },
    moved: true,
    standing: 'cooling',
    rest: 60_000,
  },
  '500': { error: { status: 500, type: 'api_error' }, moved: true, standing: 'healthy', failures: 1 },
  '501': { error: { status: 501, type: 'unimplemented' }, moved: true, standing: 'healthy' },
  '502': { error: { status: 502, type: 'upstream' }, moved: true, standing: 'healthy', failures: 1 },
  '503': { error: { status: 503, type: 'overloaded' }, moved: true, standing: 'healthy', failures: 1 },
  '503 with retry-after': {
    error: { status: 503, type: 'overloaded', retryAfterMs: 2_000 },
    moved: true,
    standing: 'cooling',
    rest: 2_000,
  },
  '504': { error: { status: 504, type: 'timeout' }, moved: true, standing: 'healthy', failures: 1 },
  '529': { error: { status: 529, type: 'overloaded' }, moved: true, standing: 'healthy', failures: 1 },
  'a redirect': {
    error: { status: 302, type: 'upstream', code: 'redirect_refused' },
    moved: true,
    standing: 'healthy',
    failures: 1,
  },
  'no connection': {
    error: { type: 'upstream', code: 'connect_failed' },
    moved: true,
    standing: 'cooling',
    rest: 1_050,
  },
  'a field that cannot be said': {
    error: { type: 'invalid_request', code: 'unsupported_field' },
    moved: true,
    standing: 'healthy',
  },
};

async function asked(upstreams: readonly Scripted[], clock: VirtualClock, router: Router): Promise<void> {
  const reading = read(router);
  await clock.run(clock.now());
  expect(upstreams.length).toBeGreaterThan(0);
  await clock.run(clock.now() + 100);
  await reading;
}

test.each(Object.entries(rows))('%s', async (_, { error, headers, moved, standing, rest = 0, failures = 0 }) => {
  const clock = new VirtualClock();
  const a = new Scripted('a', clock, refusing(error, headers));
  const b = new Scripted('b', clock, telling('B', 0, 0));
  const router = route([a, b], 'priority', { clock, random: () => 0.5 });
  const reading = read(router);
  await clock.run(0);
  await reading;
  expect(b.calls).toHaveLength(moved ? 1 : 0);
  expect(router.deployments[0]).toMatchObject({ standing, restMs: rest, failures, inFlight: 0 });
  expect(router.deployments[1]).toMatchObject({ standing: 'healthy', failures: 0, inFlight: 0 });
});

test('failures in a row cool a deployment down, and an answer between them starts the count anew', async () => {
  const clock = new VirtualClock();
  const bad = refusing({ status: 500 });
  const a = new Scripted('a', clock, bad, bad, telling('A'), bad, bad, bad);
  const router = route([a, new Scripted('b', clock, telling('B'))], 'priority', { clock, random: () => 0 });
  const standings: (readonly [Standing, number])[] = [];
  for (let at = 0; at < 6; at++) {
    await asked([a], clock, router);
    const [state] = router.deployments;
    standings.push([state?.standing as Standing, state?.failures as number]);
  }
  expect(standings).toEqual([
    ['healthy', 1],
    ['healthy', 2],
    ['healthy', 0],
    ['healthy', 1],
    ['healthy', 2],
    ['cooling', 0],
  ]);
});

test('answers that break off after output count too', async () => {
  const clock = new VirtualClock();
  const torn: readonly Step[] = [...telling('A').slice(0, 2), 'cut'];
  const a = new Scripted('a', clock, torn);
  const router = route([a, new Scripted('b', clock, telling('B'))], 'priority', { clock });
  for (let at = 0; at < 3; at++) await asked([a], clock, router);
  expect(router.deployments[0]).toMatchObject({ standing: 'cooling', outcomes: { truncated: 3 } });
});

test('each rest is twice as long, up to a bound, until an answer is whole', async () => {
  const clock = new VirtualClock();
  const bad = refusing({ type: 'upstream', code: 'connect_failed' });
  const a = new Scripted('a', clock, bad, bad, bad, bad, telling('A', 0, 0), bad);
  const options = { clock, random: () => 0, cooldown: { maxMs: 4_000 } };
  const router = route([a, new Scripted('b', clock, telling('B', 0, 0))], 'priority', options);
  const rests: number[] = [];
  for (let at = 0; at < 6; at++) {
    const reading = read(router);
    await clock.run(clock.now());
    await reading;
    rests.push(router.deployments[0]?.restMs as number);
    await clock.run(clock.now() + (rests.at(-1) as number));
  }
  expect(rests).toEqual([1_000, 2_000, 4_000, 4_000, 0, 1_000]);
});

test('one request at a time finds out whether a rest has helped', async () => {
  const clock = new VirtualClock();
  const a = new Scripted('a', clock, refusing({ type: 'rate_limit', retryAfterMs: 1_000 }), telling('A', 500, 500));
  const b = new Scripted('b', clock, telling('B', 10, 10));
  const router = route([a, b], 'priority', { clock });
  const first = read(router);
  await clock.run(1_000);
  expect(router.deployments[0]?.standing).toBe('half-open');
  const later = [read(router), read(router), read(router)];
  await clock.run(1_400);
  expect([a.calls.length, b.calls.length]).toEqual([2, 3]);
  await clock.run(1_600);
  expect(router.deployments[0]?.standing).toBe('healthy');
  const last = read(router);
  await clock.run(5_000);
  const texts = (await Promise.all([first, ...later, last])).map(({ text }) => text);
  expect(texts).toEqual(['B', 'A', 'B', 'B', 'A']);
});

test('a probe whose client leaves leaves the question open', async () => {
  const clock = new VirtualClock();
  const a = new Scripted('a', clock, refusing({ type: 'rate_limit', retryAfterMs: 1_000 }), telling('A', 500, 500));
  const router = route([a, new Scripted('b', clock, telling('B'))], 'priority', { clock });
  await asked([a], clock, router);
  await clock.run(1_000);
  const client = new AbortController();
  const leaving = read(router, callOf({ signal: client.signal }));
  await clock.run(1_100);
  client.abort();
  expect(router.deployments[0]).toMatchObject({ standing: 'half-open', inFlight: 0, outcomes: { abandoned: 1 } });
  const next = read(router);
  await clock.run(3_000);
  await leaving;
  expect((await next).text).toBe('A');
  expect(router.deployments[0]?.standing).toBe('healthy');
});

test('what was sent before a rest began neither ends it nor makes it longer', async () => {
  const clock = new VirtualClock();
  const a = new Scripted(
    'a',
    clock,
    telling('slow', 10, 300),
    [{ wait: 200 }, ...refusing({ type: 'upstream', code: 'connect_failed' })],
    refusing({ type: 'upstream', code: 'connect_failed' }),
  );
  const router = route([a, new Scripted('b', clock, telling('B'))], 'priority', { clock, random: () => 0 });
  const all = [read(router), read(router)];
  await clock.run(100);
  all.push(read(router));
  await clock.run(100);
  expect(router.deployments[0]).toMatchObject({ standing: 'cooling', restMs: 1_000 });
  await clock.run(400);
  expect(router.deployments[0]).toMatchObject({
    standing: 'cooling',
    restMs: 700,
    outcomes: { completed: 1, failed: 2 },
  });
  await Promise.all(all);
});

test('where all rest, clients are told when to come back', async () => {
  const clock = new VirtualClock();
  const a = new Scripted('a', clock, refusing({ type: 'rate_limit', retryAfterMs: 5_000 }));
  const router = route([a], 'priority', { clock });
  await asked([a], clock, router);
  const refused = await read(router);
  expect(refused.error).toMatchObject({ type: 'overloaded', code: 'no_deployment_available', retryAfterMs: 4_900 });
  expect(a.calls).toHaveLength(1);
});

const date = 'Mon, 30 Nov 2026 04:00:00 GMT';

test.each([
  ['requests that are left', { 'x-ratelimit-limit-requests': '100', 'x-ratelimit-remaining-requests': '10' }, 0.5],
  ['plenty', { 'x-ratelimit-limit-requests': '100', 'x-ratelimit-remaining-requests': '40' }, 1],
  [
    'the tightest of two',
    {
      'x-ratelimit-limit-requests': '100',
      'x-ratelimit-remaining-requests': '90',
      'x-ratelimit-limit-tokens': '1000',
      'x-ratelimit-remaining-tokens': '20',
    },
    0.1,
  ],
  ['no kind', { 'x-ratelimit-limit': '10', 'x-ratelimit-remaining': '1' }, 0.5],
  [
    'the other way to name them',
    { 'anthropic-ratelimit-input-tokens-limit': '100', 'anthropic-ratelimit-input-tokens-remaining': '10' },
    0.5,
  ],
  [
    'a reset that has passed',
    {
      'x-ratelimit-limit-requests': '100',
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-reset-requests': '1m0.5s',
    },
    [0, 60_500],
  ],
  [
    'a reset as a date',
    {
      date,
      'anthropic-ratelimit-requests-limit': '100',
      'anthropic-ratelimit-requests-remaining': '0',
      'anthropic-ratelimit-requests-reset': '2026-11-30T04:00:20Z',
    },
    [0, 20_000],
  ],
  ['nonsense', { 'x-ratelimit-limit-requests': 'many', 'x-ratelimit-remaining-requests': '-' }, 1],
] as const)('rate-limit headers of answers that went well: %s', async (_, headers, expected) => {
  const [share, until] = typeof expected === 'number' ? [expected, undefined] : expected;
  const clock = new VirtualClock();
  const head: Step = { head: headers as Readonly<Record<string, string>> };
  const a = new Scripted('a', clock, [head, ...telling('A', 0, 0)], telling('A', 0, 0));
  const b = new Scripted('b', clock, telling('B', 0, 0));
  let at = 0;
  const router = route([a, b], 'priority', { clock, random: () => (at++ % 100) / 100 });
  const ask = async (times: number): Promise<number> => {
    const before = a.calls.length;
    for (let asked = 0; asked < times; asked++) {
      const reading = read(router);
      await clock.run(clock.now());
      await reading;
    }
    return (a.calls.length - before) / times;
  };
  expect(await ask(1)).toBe(1);
  at = 0;
  const part = until === undefined ? share : 0;
  expect(await ask(50)).toBeCloseTo(part, 1);
  if (until === undefined) return;
  await clock.run(until);
  expect(await ask(50)).toBe(1);
});

test('in-band errors are judged as statuses are', async () => {
  const clock = new VirtualClock();
  const a = new Scripted('a', clock, [lifecycle, erring({ type: 'rate_limit' })]);
  const router = route([a, new Scripted('b', clock, telling('B'))], 'priority', { clock });
  await asked([a], clock, router);
  expect(router.deployments[0]?.standing).toBe('cooling');
});
