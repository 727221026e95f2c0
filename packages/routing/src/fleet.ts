/** The deployments of a router: who could take a request, and who gets it. */
import { type Attempt, type CanonicalError, GatewayError } from '@streamglot/core';
import type { Clock } from './clock.ts';
import type { Deployment } from './deployment.ts';
import { Lease, type LeaseOptions } from './lease.ts';
import type { Ask, Candidate, Policy } from './policy/policy.ts';
import { Queue, type QueueOptions } from './queue.ts';
import type { Rule } from './rules.ts';

/** What a fleet goes by. */
export interface FleetOptions extends Pick<QueueOptions, 'waitMs' | 'maxWaiting'> {
  readonly clock: Clock;
  readonly random: () => number;
  readonly policy: Policy;
  readonly rules: readonly Rule[];
}

/** A request that looks for a deployment. */
export interface Seeker {
  readonly ask: Ask;
  /** Where it has been already. */
  readonly tried: ReadonlySet<Deployment>;
  readonly signal: AbortSignal;
  readonly attempted: ((attempt: Attempt) => void) | undefined;
}

/** All deployments of one router. */
export class Fleet {
  readonly deployments: readonly Deployment[];
  readonly #options: FleetOptions;
  readonly #lease: LeaseOptions;
  readonly #queue: Queue;

  constructor(deployments: readonly Deployment[], options: FleetOptions) {
    this.deployments = deployments;
    this.#options = options;
    this.#queue = new Queue(options);
    this.#lease = { clock: options.clock, rules: options.rules, released: () => this.#queue.serve() };
  }

  /** How many requests wait for a slot. */
  get waiting(): number {
    return this.#queue.length;
  }

  /** Whether a request could still go to a deployment where it has not been. */
  hasOther(tried: ReadonlySet<Deployment>, but: Deployment): boolean {
    const now = this.#options.clock.now();
    return this.deployments.some((one) => one !== but && !tried.has(one) && one.health.admits(now));
  }

  /** A slot for a request. Rejects with `GatewayError`: 429 where all are full for too long, 503 where none can be asked. */
  async acquire(seeker: Seeker): Promise<Lease> {
    seeker.signal.throwIfAborted();
    const lease = this.#take(seeker);
    if (lease !== undefined) return lease;
    if (this.#open(seeker).length === 0) throw this.#unavailable(seeker);
    return this.#queue.wait(() => this.#take(seeker), seeker.signal);
  }

  #open({ tried }: Seeker): Deployment[] {
    const now = this.#options.clock.now();
    return this.deployments.filter((one) => !tried.has(one) && one.health.admits(now));
  }

  #take(seeker: Seeker): Lease | undefined {
    const free = this.#open(seeker).filter(({ isFree }) => isFree);
    if (free.length === 0) return undefined;
    const now = this.#options.clock.now();
    const rested =
      seeker.tried.size === 0 ? free.find(({ health }) => health.standing(now) === 'half-open') : undefined;
    const picked = rested ?? this.#picked(this.#thinned(free, now), seeker);
    return new Lease(picked, this.#lease, seeker.attempted);
  }

  /** Each stays in with the chance that its rate limits leave it; where none does, the one with the most left. */
  #thinned(free: readonly Deployment[], now: number): readonly Deployment[] {
    const { random } = this.#options;
    const shares = free.map((one) => one.share(now));
    if (shares.every((share) => share === 1)) return free;
    const kept = free.filter((_, at) => random() < (shares[at] as number));
    if (kept.length > 0) return kept;
    const most = Math.max(...shares);
    return free.filter((_, at) => shares[at] === most);
  }

  #picked(free: readonly Deployment[], { ask }: Seeker): Deployment {
    const { policy } = this.#options;
    const candidate: Candidate | undefined = policy(free, ask);
    const picked = free.find((one) => one === candidate);
    if (picked === undefined) throw new GatewayError(unfit);
    return picked;
  }

  #unavailable({ tried }: Seeker): GatewayError {
    const now = this.#options.clock.now();
    const rests = this.deployments.filter((one) => !tried.has(one)).map(({ health }) => health.restMs(now));
    const message = 'No deployment of this model can be asked at the moment.';
    const error: CanonicalError = { type: 'overloaded', code: 'no_deployment_available', message };
    return new GatewayError({ ...error, retryAfterMs: Math.max(Math.min(...rests), 100) });
  }
}

const unfit: CanonicalError = {
  type: 'overloaded',
  code: 'no_deployment_fits',
  message: 'No deployment of this model takes this request.',
};
