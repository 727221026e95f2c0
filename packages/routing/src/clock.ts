/** Time as a router sees it, so that tests can have their own. */

/** A monotonic clock. */
export interface Clock {
  /** Milliseconds; the clock of the batches' `receivedAt`. */
  now(): number;
  /** Runs a function once, after so many milliseconds; never for `Infinity`. Returns what calls it off. */
  after(ms: number, run: () => void): () => void;
}

/** The longest delay that a timer can take; a longer one would fire at once. */
const longest = 2 ** 31 - 1;

/** The clock of the process. */
export const systemClock: Clock = {
  now: () => performance.now(),
  after(ms, run) {
    if (ms > longest) return () => {};
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};
