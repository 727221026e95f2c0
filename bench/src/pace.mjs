/** Paired sampling: two pieces of work alternate in slices of CPU time of one process, and only ratios are kept. */

/** The middle of some ratios, and the range of their middle half. */
/** @typedef {{ median: number, low: number, high: number, slices: number }} Spread */

/** The CPU time of this process, all threads, in milliseconds. */
function cpu() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * Runs something for a slice of CPU time; returns the milliseconds of one run.
 * @param {() => unknown} work
 * @param {number} milliseconds
 */
function slice(work, milliseconds) {
  const start = cpu();
  let used = 0;
  let runs = 0;
  do {
    work();
    runs++;
    used = cpu() - start;
  } while (used < milliseconds);
  return used / runs;
}

/**
 * How many times as long `work` takes as `reference`.
 * @param {() => unknown} work
 * @param {() => unknown} reference
 * @param {{ warm: number, measure: number, each: number }} times CPU milliseconds of each side, and of a slice
 * @returns {Spread}
 */
export function compare(work, reference, { warm, measure, each }) {
  slice(work, warm);
  slice(reference, warm);
  /** @type {number[]} */
  const ratios = [];
  for (const start = cpu(); cpu() - start < 2 * measure || ratios.length < 5; ) {
    const forward = slice(work, each) / slice(reference, each);
    // The other order beside it: whoever runs second pays for the first one's garbage.
    const backward = slice(reference, each) / slice(work, each);
    ratios.push(forward, 1 / backward);
  }
  return spread(ratios);
}

/**
 * @param {readonly number[]} values
 * @returns {Spread}
 */
export function spread(values) {
  const sorted = values.toSorted((a, b) => a - b);
  /** @param {number} part */
  const at = (part) => sorted[Math.floor(part * (sorted.length - 1))] ?? Number.NaN;
  return { median: at(0.5), low: at(0.25), high: at(0.75), slices: values.length };
}
