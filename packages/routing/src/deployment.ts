/** One of several upstreams, and all that is known of it. */
import type { Outcome, Upstream } from '@streamglot/core';
import { Estimate } from './estimate.ts';
import type { Headroom } from './headroom.ts';
import { type CooldownOptions, Health, type Standing, type Trial } from './health.ts';
import type { Candidate, Price } from './policy/policy.ts';

/** An upstream with its share and its bounds. */
export interface DeploymentConfig {
  readonly upstream: Upstream;
  /** Its name among the others; the upstream's id unless told. */
  readonly id?: string;
  /** Its share of requests relative to the others; 1 unless told. */
  readonly weight?: number;
  /** Requests that it may have at the same time; no limit unless told. */
  readonly maxInFlight?: number;
  /** What its tokens cost, for the policy `cost`. */
  readonly price?: Price;
}

/** How a deployment stands, for observers. */
export interface DeploymentState {
  readonly id: string;
  readonly standing: Standing;
  readonly inFlight: number;
  /** Failures in a row. */
  readonly failures: number;
  /** How many requests ended how. */
  readonly outcomes: Readonly<Record<Outcome, number>>;
  /** Milliseconds until it can be asked again. */
  readonly restMs: number;
  readonly firstOutputMs?: number;
  readonly tokensPerSecond?: number;
}

/** What all deployments of a router share. */
export interface DeploymentOptions {
  readonly halfLifeMs: number;
  readonly cooldown: CooldownOptions;
  readonly random: () => number;
}

/** A deployment at work. */
export class Deployment implements Candidate {
  readonly id: string;
  readonly upstream: Upstream;
  readonly position: number;
  readonly weight: number;
  readonly maxInFlight: number;
  readonly price: Price | undefined;
  readonly health: Health;
  readonly firstOutput: Estimate;
  readonly speed: Estimate;
  /** 1 for each answer, 0 for each failure that is the deployment's own. */
  readonly success: Estimate;
  readonly outcomes: Record<Outcome, number> = { completed: 0, failed: 0, truncated: 0, stalled: 0, abandoned: 0 };
  inFlight = 0;
  /** Requests that have no output yet, in the order in which they were sent. */
  readonly pending: Set<Pick<Trial, 'startedAt'>> = new Set();
  #headroom: Headroom | undefined;

  constructor(config: DeploymentConfig, id: string, position: number, options: DeploymentOptions) {
    this.id = id;
    this.upstream = config.upstream;
    this.position = position;
    this.weight = config.weight ?? 1;
    this.maxInFlight = config.maxInFlight ?? Number.POSITIVE_INFINITY;
    this.price = config.price;
    this.health = new Health(options.cooldown, options.random);
    this.firstOutput = new Estimate(options.halfLifeMs);
    this.speed = new Estimate(options.halfLifeMs);
    this.success = new Estimate(options.halfLifeMs);
  }

  get firstOutputMs(): number | undefined {
    return this.firstOutput.mean;
  }

  get tokensPerSecond(): number | undefined {
    return this.speed.mean;
  }

  get successRate(): number {
    return this.success.mean ?? 1;
  }

  longestWaitMs(now: number): number {
    for (const { startedAt } of this.pending) return now - startedAt;
    return 0;
  }

  /** Whether it has a slot. */
  get isFree(): boolean {
    return this.inFlight < this.maxInFlight;
  }

  /** How much of what it would get it should get, as its rate limits stand. */
  share(now: number): number {
    return this.#headroom === undefined || now >= this.#headroom.until ? 1 : this.#headroom.share;
  }

  /** Its rate limits stand so; the latest word counts. */
  limit(headroom: Headroom | undefined): void {
    if (headroom !== undefined) this.#headroom = headroom;
  }

  /** How it stands. */
  state(now: number): DeploymentState {
    const { id, inFlight, firstOutputMs, tokensPerSecond, health } = this;
    return {
      id,
      standing: health.standing(now),
      inFlight,
      failures: health.failures,
      outcomes: { ...this.outcomes },
      restMs: health.restMs(now),
      ...(firstOutputMs !== undefined && { firstOutputMs }),
      ...(tokensPerSecond !== undefined && { tokensPerSecond }),
    };
  }
}
