/** Policies judged by simulation: how near they come to whoever knows everything, and how calm they stay. */
import { afterAll, expect, test } from 'vitest';
import { type Course, meanOf, type Outage, sharesOf, simulate, type World } from './simulation.ts';

const seeds = [1, 2, 3, 4, 5];
const halfLifeMs = 10_000;

/** What was found, printed when all is done. */
const table: string[] = [];
afterAll(() => process.stdout.write(`\n${table.join('\n')}\n`));

const drifting: Omit<World, 'seed' | 'policy'> = {
  requests: 100_000,
  everyMs: 10,
  bases: [300, 350, 400, 450, 500, 600, 700, 800, 1_000, 1_200],
  drift: 0.4,
  outages: [
    { deployment: 0, from: 100_000, until: 160_000, kind: 'refuses' },
    { deployment: 1, from: 300_000, until: 340_000, kind: 'is overloaded' },
    { deployment: 0, from: 500_000, until: 560_000, kind: 'hangs' },
    { deployment: 2, from: 700_000, until: 760_000, kind: 'refuses' },
  ],
  options: { halfLifeMs, firstOutputMs: 3_000 },
};

/** Every slot was given back, and every try was told of once. */
function expectExact({ router, clock, calls, ends }: Course): void {
  const ended = router.deployments
    .flatMap(({ outcomes }) => Object.values(outcomes))
    .reduce((sum, one) => sum + one, 0);
  expect([calls, ended]).toEqual([ends, ends]);
  expect(router.deployments.map(({ inFlight }) => inFlight)).toEqual(router.deployments.map(() => 0));
  expect([router.waiting, clock.pending]).toEqual([0, 0]);
}

test.each(seeds)('latency comes within 10 % of an oracle, seed %i', async (seed) => {
  const course = await simulate({ ...drifting, seed, policy: 'latency' });
  const ours = meanOf(course.fates.map(({ firstOutputMs }) => firstOutputMs));
  const oracle = meanOf(course.fates.map(({ oracleMs }) => oracleMs));
  const lost = course.fates.filter(({ by }) => by < 0).length;
  const excess = ((ours / oracle - 1) * 100).toFixed(1);
  table.push(
    `latency, seed ${seed}: ${ours.toFixed(1)} ms, oracle ${oracle.toFixed(1)} ms, ${excess} % over, ${lost} lost`,
  );
  expectExact(course);
  expect(ours).toBeLessThan(oracle * 1.1);
  expect(lost).toBe(0);
});

/** Alike, so that each has a tenth; or so different that the first has nearly all. */
const worlds: Readonly<Record<string, readonly number[]>> = {
  alike: Array.from({ length: 10 }, () => 300),
  unlike: drifting.bases,
};

const outages: readonly Outage[] = [
  { deployment: 0, from: 15_000, until: 25_000, kind: 'refuses' },
  { deployment: 0, from: 45_000, until: 55_000, kind: 'is overloaded' },
];

test.each([
  ['latency', 'alike'],
  ['latency', 'unlike'],
  ['least-in-flight', 'alike'],
  ['least-in-flight', 'unlike'],
  ['weighted', 'unlike'],
  ['priority', 'unlike'],
] as const)('after an outage, %s among deployments that are %s goes back to steady shares', async (policy, world) => {
  const plain = { bases: worlds[world] as readonly number[], drift: 0, requests: 4_000, everyMs: 20, policy };
  let worst = 0;
  for (const seed of seeds) {
    const options = { halfLifeMs, firstOutputMs: 3_000 };
    const steady = await simulate({ ...plain, seed, requests: 2_000, outages: [], options });
    const shaken = await simulate({ ...plain, seed, outages, options });
    expectExact(shaken);
    for (const { until } of outages) {
      const probe = shaken.fates.find(({ at, by }) => at >= until && by === 0);
      const back = (probe?.at ?? until) + (probe?.firstOutputMs ?? 0);
      const shares = sharesOf(shaken, back, back + halfLifeMs);
      const before = sharesOf(steady, halfLifeMs, Number.POSITIVE_INFINITY);
      // A share of a few requests says little: what is explored comes and goes.
      worst = Math.max(worst, ...shares.map((share, at) => share / Math.max(before[at] as number, 0.02)));
    }
  }
  table.push(`${policy}, ${world}: at most ${worst.toFixed(2)} times the steady share within a half-life`);
  expect(worst).toBeLessThan(2);
});

const weights = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

test.each(seeds)('weights hold within 1 %, seed %i', async (seed) => {
  const course = await simulate({ ...drifting, seed, policy: 'weighted', weights, requests: 20_000, outages: [] });
  const shares = sharesOf(course, 0, Number.POSITIVE_INFINITY);
  const off = Math.max(...shares.map((share, at) => Math.abs(share / ((weights[at] as number) / 55) - 1)));
  table.push(`weighted, seed ${seed}: at most ${(off * 100).toFixed(2)} % off its weight`);
  expect(off).toBeLessThan(0.01);
  expectExact(course);
});
