/** How long the random laws run: the same seed each time, more runs if asked. */
import fc from 'fast-check';

/** Times the usual number of runs; `STREAMGLOT_RUNS=20` looks twenty times as long. */
const factor: number = Number(process.env.STREAMGLOT_RUNS ?? 1);
const seed: number = Number(process.env.STREAMGLOT_SEED ?? 20261129);

/** So many runs, from a fixed seed unless `STREAMGLOT_SEED` names another. */
export function runsOf(runs: number): { seed: number; numRuns: number } {
  return { seed, numRuns: Math.ceil(runs * factor) };
}

/** Checks a property in so many runs. */
export function holds<T>(runs: number, arbitrary: fc.Arbitrary<T>, law: (value: T) => void): void {
  fc.assert(
    fc.property(arbitrary, (value) => void law(value)),
    runsOf(runs),
  );
}
