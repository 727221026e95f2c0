/** How long the random laws run: the same seed each time, more runs if asked. */
import fc from 'fast-check';

/** Times the usual number of runs; `STREAMGLOT_RUNS=20` looks twenty times as long. */
const factor: number = Number(process.env.STREAMGLOT_RUNS ?? 1);

/** Checks a property: `runs` times, from a fixed seed unless `STREAMGLOT_SEED` names another. */
export function holds<T>(runs: number, arbitrary: fc.Arbitrary<T>, law: (value: T) => void): void {
  const seed = Number(process.env.STREAMGLOT_SEED ?? 20261129);
  fc.assert(
    fc.property(arbitrary, (value) => void law(value)),
    { seed, numRuns: Math.ceil(runs * factor), endOnFailure: false },
  );
}
