/** What each policy picks. */
import {
  type Candidate,
  type Policy,
  type PolicyName,
  policyNames,
  type RouteOptions,
  route,
} from '@streamglot/routing';
import { expect, test } from 'vitest';
import { closing, delta, opening } from '../gateway/play.ts';
import { randomOf, VirtualClock } from './clock.ts';
import { callOf, read, refusing, Scripted, type Step, telling } from './script.ts';

/** How many of some requests each deployment got. */
async function counts(
  policy: PolicyName | Policy,
  given: readonly { script?: readonly Step[]; weight?: number; price?: Candidate['price'] & object }[],
  { requests = 1_000, keys = 1, ...options }: RouteOptions & { requests?: number; keys?: number } = {},
): Promise<number[]> {
  const clock = new VirtualClock();
  const deployments = given.map(({ script = telling('A', 5, 5), ...more }, at) => ({
    upstream: new Scripted(`${at}`, clock, script),
    ...more,
  }));
  const router = route(deployments, policy, { clock, random: randomOf(7), ...options });
  for (let at = 0; at < requests; at++) {
    const reading = read(router, callOf({}, { cacheKey: `key ${at % keys}` }));
    await clock.run();
    await reading;
  }
  return deployments.map(({ upstream }) => upstream.calls.length);
}

test('every policy answers', async () => {
  for (const policy of policyNames) expect(await counts(policy, [{}, {}], { requests: 10 })).toHaveLength(2);
});

test('priority asks the first', async () => {
  expect(await counts('priority', [{}, {}])).toEqual([1_000, 0]);
});

test('weights are exact, and every stretch is fair', async () => {
  expect(await counts('weighted', [{ weight: 5 }, { weight: 3 }, { weight: 2 }])).toEqual([500, 300, 200]);
  expect(await counts('weighted', [{ weight: 5 }, { weight: 3 }, { weight: 2 }], { requests: 10 })).toEqual([5, 3, 2]);
});

test('round-robin gives turns, whatever the weights', async () => {
  expect(await counts('round-robin', [{ weight: 5 }, {}, {}], { requests: 9 })).toEqual([3, 3, 3]);
});

test('latency prefers what begins sooner, and explores the other', async () => {
  const pair = [{ script: telling('A', 10) }, { script: telling('B', 30) }];
  const [fast = 0, slow = 0] = await counts('latency', pair, { halfLifeMs: 1_000 });
  expect(fast).toBeGreaterThan(900);
  expect(slow).toBeGreaterThan(2);
  expect(await counts('latency', pair, { halfLifeMs: 1_000, explore: 0 })).toEqual([999, 1]);
});

test('throughput prefers what generates faster, however late it begins', async () => {
  const pieces = (ms: number): readonly Step[] => [
    { say: [...opening, delta('A')] },
    { wait: ms },
    { say: [delta('B')] },
    { say: closing },
  ];
  const [slow = 0, fast = 0] = await counts('throughput', [
    { script: pieces(400) },
    { script: [{ wait: 1_000 }, ...pieces(100)] },
  ]);
  expect(fast).toBeGreaterThan(950);
  expect(slow).toBeGreaterThan(2);
});

test('cost takes the cheapest, and what is one`s own before that', async () => {
  const prices = [{ price: { input: 2, output: 2 } }, { price: { input: 1, output: 5 } }];
  expect(await counts('cost', prices, { requests: 100 })).toEqual([0, 100]);
  expect(await counts('cost', [...prices, {}], { requests: 100 })).toEqual([0, 0, 100]);
});

test('least-in-flight evens out what is under way, against the weights', async () => {
  const clock = new VirtualClock();
  const upstreams = [1, 2].map((at) => new Scripted(`${at}`, clock, telling('A', 1_000)));
  const deployments = upstreams.map((upstream, at) => ({ upstream, weight: at === 0 ? 1 : 3 }));
  const router = route(deployments, 'least-in-flight', { clock, random: randomOf(7) });
  const all = Array.from({ length: 40 }, () => read(router));
  await clock.run(500);
  expect(router.deployments.map(({ inFlight }) => inFlight)).toEqual([10, 30]);
  await clock.run();
  await Promise.all(all);
});

test('what has the same key goes to the same deployment', async () => {
  const got = await counts('sticky', [{}, {}, {}, {}], { requests: 50, keys: 1 });
  expect(got.toSorted((one, other) => one - other)).toEqual([0, 0, 0, 50]);
});

test('keys spread by weight', async () => {
  const got = await counts('sticky', [{ weight: 1 }, { weight: 3 }], { requests: 4_000, keys: 4_000 });
  expect((got[1] as number) / 4_000).toBeCloseTo(0.75, 1);
  expect(Math.abs((got[1] as number) / 4_000 - 0.75)).toBeLessThan(0.02);
});

test('when a deployment is away only its own keys move', async () => {
  const clock = new VirtualClock();
  const placed = async (scripts: readonly (readonly Step[])[]): Promise<(string | undefined)[]> => {
    const router = route(
      scripts.map((script, at) => new Scripted(`${at}`, clock, script)),
      'sticky',
      { clock, key: ({ request }) => request.userId },
    );
    const found: (string | undefined)[] = [];
    for (let at = 0; at < 200; at++) {
      const reading = read(router, callOf({}, { userId: `user ${at}` }));
      await clock.run();
      found.push((await reading).text);
    }
    return found;
  };
  const texts = ['A', 'B', 'C', 'D'].map((text) => telling(text, 0, 0));
  const all = await placed(texts);
  const without = await placed([refusing({ type: 'authentication' }), ...texts.slice(1)]);
  expect(all.filter((text) => text === 'A').length).toBeGreaterThan(20);
  expect(without.filter((text, at) => text !== all[at] && all[at] !== 'A')).toEqual([]);
  expect(without.filter((text, at) => all[at] === 'A' && text === 'A')).toEqual([]);
});

test('without a key, conversations that begin alike stay together', async () => {
  const clock = new VirtualClock();
  const upstreams = [1, 2, 3, 4].map((at) => new Scripted(`${at}`, clock, telling('A', 0, 0)));
  const router = route(upstreams, 'sticky', { clock });
  const turn = (text: string) => ({ role: 'user' as const, parts: [{ type: 'text' as const, text }] });
  for (const turns of [[turn('Hi.')], [turn('Hi.'), turn('And?')], [turn('Hi.'), turn('So?'), turn('No.')]]) {
    const reading = read(router, callOf({}, { turns }));
    await clock.run();
    await reading;
  }
  expect(upstreams.filter(({ calls }) => calls.length === 3)).toHaveLength(1);
});

test('a function of one`s own picks, and may take none', async () => {
  const last: Policy = (candidates) => candidates.at(-1);
  expect(await counts(last, [{}, {}], { requests: 5 })).toEqual([0, 5]);
  const refused = await read(route([new Scripted('a', new VirtualClock(), telling('A'))], () => undefined));
  expect(refused.error?.code).toBe('no_deployment_fits');
});

test('mistakes are told at once', () => {
  expect(() => route([])).toThrow('at least one deployment');
  expect(() => route([new Scripted('a', new VirtualClock())], 'fastest' as never)).toThrow('"fastest" is not a policy');
});

test('deployments of the same upstream have names of their own', () => {
  const upstream = new Scripted('a', new VirtualClock());
  expect(route([upstream, upstream, { upstream, id: 'b' }]).deployments.map(({ id }) => id)).toEqual(['a', 'a#2', 'b']);
});
