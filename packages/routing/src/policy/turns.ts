/** Policies that give each deployment its share of turns: exact over any stretch, and never in bursts. */
import type { Candidate, Policy } from './policy.ts';

/**
 * Smooth weighted round-robin, as nginx has it: all gain their weight, the richest is picked and pays what all have gained.
 * One that is out for a while gains nothing, so its return is no burst.
 */
export function turns(weightOf: (candidate: Candidate) => number): Policy {
  const credit = new Map<string, number>();
  return (candidates) => {
    let best: Candidate | undefined;
    let most = Number.NEGATIVE_INFINITY;
    let total = 0;
    for (const candidate of candidates) {
      const weight = weightOf(candidate);
      const has = (credit.get(candidate.id) ?? 0) + weight;
      credit.set(candidate.id, has);
      total += weight;
      if (has > most) {
        most = has;
        best = candidate;
      }
    }
    if (best !== undefined) credit.set(best.id, most - total);
    return best;
  };
}
