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

/** Requests without output that may be under way at a deployment of which little is known, so that nobody is flooded to find out. */
const mostPending = 2;

/** A policy of a measure. */
export function ranked(measure: Measure): Policy {
  return (candidates, ask) => {
    const scores = candidates.map((candidate) => measure.score(candidate, ask));
    const best = Math.min(...scores.map((score) => score ?? Number.POSITIVE_INFINITY));
    const good = candidates.filter((candidate, at) => hopeful(measure, candidate, ask, scores[at]) <= near * best);
    const [one, other] = [drawn(good.length > 0 ? good : candidates, ask), drawn(good, ask)];
    return other !== undefined && one !== undefined && load(other) < load(one) ? other : one;
  };
}

/** The score that a deployment may have in truth: the fewer fresh samples there are, the better it may be. */
function hopeful({ known }: Measure, candidate: Candidate, { now, explore }: Ask, score: number | undefined): number {
  const isBusy = candidate.pending.size >= mostPending;
  if (score === undefined) return isBusy ? Number.POSITIVE_INFINITY : 0;
  if (known === undefined || isBusy) return score;
  return score * Math.max(1 - explore / Math.sqrt(known(candidate, now)), 0);
}

function load({ inFlight, weight }: Candidate): number {
  return inFlight / weight;
}

function drawn(candidates: readonly Candidate[], { random }: Ask): Candidate | undefined {
  return candidates[Math.floor(random() * candidates.length)];
}

/** How many times its mean a deployment may keep somebody waiting before that says more than the mean. */
const patience = 4;

/** Time to the first output; a deployment that fails often costs that time more than once. */
export const latency: Measure = {
  score: (candidate, { now }) => {
    const { firstOutputMs, successRate } = candidate;
    if (firstOutputMs === undefined) return undefined;
    return Math.max(firstOutputMs, candidate.longestWaitMs(now) / patience) / Math.max(successRate, 0.01);
  },
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
