/** The contract of a policy: which of the deployments that could take a request gets it. */
import type { CanonicalRequest, RequestContext } from '@streamglot/core';
import type { Estimate } from '../estimate.ts';

/** What tokens cost, in any one unit, such as dollars for a million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
}

/** A deployment that could take the request now, as policies see it. */
export interface Candidate {
  readonly id: string;
  /** Its place in the list of deployments, from 0. */
  readonly position: number;
  readonly weight: number;
  readonly inFlight: number;
  readonly maxInFlight: number;
  /** Milliseconds from sending to the first generated event, a decaying mean; absent until it is known. */
  readonly firstOutputMs: number | undefined;
  /** Output tokens a second, a decaying mean; absent until it is known. */
  readonly tokensPerSecond: number | undefined;
  /** The share of answers that did not fail, of late. */
  readonly successRate: number;
  /** Requests under way that have no output yet. */
  readonly pending: Pick<ReadonlySet<unknown>, 'size'>;
  /** Milliseconds that a request has waited there for its first generated event and waits still; of those, the longest. */
  longestWaitMs(now: number): number;
  readonly price: Price | undefined;
  readonly firstOutput: Pick<Estimate, 'weight'>;
  readonly speed: Pick<Estimate, 'weight'>;
}

/** What is asked, and what a policy may go by beside the candidates. */
export interface Ask {
  readonly request: CanonicalRequest;
  readonly context: RequestContext;
  /** Who asks, where that is known. */
  readonly principal: string | undefined;
  /** What requests that should meet the same cache have in common. */
  readonly key: string;
  /** Milliseconds on the router's clock. */
  readonly now: number;
  /** A number from 0 up to 1. */
  random(): number;
  /** How much better than its estimate a deployment may be of which there is one fresh sample, as a share of the estimate. */
  readonly explore: number;
}

/** Picks one of the candidates, at least one and in the order of the configuration; nothing where none is fit. */
export type Policy = (candidates: readonly Candidate[], ask: Ask) => Candidate | undefined;
