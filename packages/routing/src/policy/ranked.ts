/** Policies that measure: of those nearly as good as the best, two are drawn, and the one with less to do is picked. */
import type { Ask, Candidate, Policy } from './policy.ts';

/** What a policy goes by. */
export interface Measure {
  /** The lower, the better; absent while it is not known. */
  score(candidate: Candidate, ask: Ask): number | undefined;
  /** How well the score is known; absent where it is no estimate, so that nothing is to be explored. */
  known?(candidate: Candidate, now: number): number;
}

/** How much worse than the best still counts as nearly as good. */
const near = 1.05;

/** Requests that may be under way at a deployment of which nothing is known. */
const mostUnknown = 2;

/** A policy of a measure. */
export function ranked({ score, known }: Measure): Policy {
  return (candidates, ask) => {
    if (known !== undefined && candidates.length > 1 && ask.random() < ask.explore)
      return least(candidates, (candidate) => known(candidate, ask.now));
    const scores = candidates.map((candidate) => score(candidate, ask));
    const unknown = candidates.filter(({ inFlight }, at) => scores[at] === undefined && inFlight < mostUnknown);
    if (unknown.length > 0) return drawn(unknown, ask);
    const most = near * Math.min(...scores.map((one) => one ?? Number.POSITIVE_INFINITY));
    const good = candidates.filter((_, at) => (scores[at] ?? Number.POSITIVE_INFINITY) <= most);
    const [one, other] = [drawn(good.length > 0 ? good : candidates, ask), drawn(good, ask)];
    return other !== undefined && one !== undefined && load(other) < load(one) ? other : one;
  };
}

function load({ inFlight, weight }: Candidate): number {
  return inFlight / weight;
}

function drawn(candidates: readonly Candidate[], { random }: Ask): Candidate | undefined {
  return candidates[Math.floor(random() * candidates.length)];
}

function least(candidates: readonly Candidate[], by: (candidate: Candidate) => number): Candidate | undefined {
  let best: Candidate | undefined;
  let lowest = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const value = by(candidate);
    if (value < lowest) [best, lowest] = [candidate, value];
  }
  return best;
}

/** Time to the first output; a deployment that fails often costs that time more than once. */
export const latency: Measure = {
  score: ({ firstOutputMs, successRate }) =>
    firstOutputMs === undefined ? undefined : firstOutputMs / Math.max(successRate, 0.01),
  known: ({ firstOutput }, now) => firstOutput.weight(now),
};

/** Seconds for an output token. */
export const throughput: Measure = {
  score: ({ tokensPerSecond, successRate }) =>
    tokensPerSecond === undefined ? undefined : 1 / (tokensPerSecond * Math.max(successRate, 0.01)),
  known: ({ speed }, now) => speed.weight(now),
};

/** Requests under way, against the weight. */
export const leastInFlight: Measure = { score: load };

/** Tokens of an answer for each token of its request, where prices weigh both. */
const outputShare = 0.25;

/** What tokens cost; a deployment without a price costs nothing, as one's own does. */
export const cost: Measure = {
  score: ({ price }) => (price === undefined ? 0 : price.input + price.output * outputShare),
};
