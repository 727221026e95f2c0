/** Rendezvous hashing: what belongs together goes to one deployment, and only its own requests move when that is away. */
import type { Policy } from './policy.ts';

/** Picks by the key alone; each deployment's share of the keys follows its weight. */
export const sticky: Policy = (candidates, { key }) => {
  let best = candidates[0];
  let highest = Number.NEGATIVE_INFINITY;
  for (const candidate of candidates) {
    const score = -candidate.weight / Math.log(unit(`${key}\n${candidate.id}`));
    if (score > highest) [best, highest] = [candidate, score];
  }
  return best;
};

/** A number between 0 and 1, the same for the same text: FNV-1a, then the finish of MurmurHash3 to spread it. */
function unit(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (((hash ^ (hash >>> 16)) >>> 0) + 0.5) / 2 ** 32;
}
