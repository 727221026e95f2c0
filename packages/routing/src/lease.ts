/** A slot of a deployment, from the moment that a request goes there until it ends, which it does exactly once. */
import type { Attempt, CanonicalError, Outcome } from '@streamglot/core';
import type { Clock } from './clock.ts';
import type { Deployment } from './deployment.ts';
import { headroomOf } from './headroom.ts';
import type { Trial } from './health.ts';
import { judge, type Rule, type Verdict } from './rules.ts';

/** What every lease of a router needs. */
export interface LeaseOptions {
  readonly clock: Clock;
  readonly rules: readonly Rule[];
  /** Is told when the slot is free again. */
  readonly released: () => void;
}

/** One request at one deployment. */
export class Lease {
  readonly deployment: Deployment;
  readonly #options: LeaseOptions;
  readonly #trial: Trial;
  readonly #attempted: ((attempt: Attempt) => void) | undefined;
  #firstOutputMs: number | undefined;
  #isOver = false;

  /** Takes the slot at once. `attempted` is told of the end. */
  constructor(deployment: Deployment, options: LeaseOptions, attempted: ((attempt: Attempt) => void) | undefined) {
    this.deployment = deployment;
    this.#options = options;
    this.#attempted = attempted;
    this.#trial = deployment.health.begin(options.clock.now());
    deployment.inFlight++;
    deployment.pending.add(this.#trial);
  }

  /** Whether it has ended. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** When the request was sent, on the router's clock. */
  get startedAt(): number {
    return this.#trial.startedAt;
  }

  /** The upstream has answered with these headers, whatever the status. */
  heard(headers: ReadonlyMap<string, string> | undefined): void {
    if (headers !== undefined) this.deployment.limit(headroomOf(headers, this.#options.clock.now()));
  }

  /** The first generated event came at this time. */
  output(at: number): void {
    if (this.#firstOutputMs !== undefined || this.#isOver) return;
    this.#firstOutputMs = Math.max(at - this.startedAt, 0);
    this.deployment.firstOutput.add(this.#firstOutputMs, this.#options.clock.now());
    this.deployment.pending.delete(this.#trial);
    // What failed before and during its rest has been paid for.
    if (this.deployment.health.answered(this.#trial)) this.deployment.success.clear();
  }

  /** The whole answer is there; so fast it was generated, where that is known. */
  complete(tokensPerSecond: number | undefined): void {
    if (this.#isOver) return;
    const now = this.#options.clock.now();
    this.deployment.health.completed(this.#trial);
    this.deployment.success.add(1, now);
    if (tokensPerSecond !== undefined) this.deployment.speed.add(tokensPerSecond, now);
    this.#end('completed');
  }

  /** It went wrong; says what that means for the request. The deployment is judged only the first time. */
  fail(error: CanonicalError, headers?: ReadonlyMap<string, string>): Verdict {
    const verdict = judge(error, this.#options.rules, headers);
    const outcome = outcomeOf(error);
    if (this.#isOver) return verdict;
    if (outcome === 'abandoned') this.abandon(error);
    else {
      const now = this.#options.clock.now();
      this.deployment.health.failed(this.#trial, verdict, now);
      if (verdict.cooldown !== 'none') this.deployment.success.add(0, now);
      this.#end(outcome, error);
    }
    return verdict;
  }

  /** Nobody waits for the answer any more. The deployment is not judged. */
  abandon(error?: CanonicalError): void {
    if (this.#isOver) return;
    this.deployment.health.abandoned(this.#trial);
    this.#end('abandoned', error);
  }

  #end(outcome: Outcome, error?: CanonicalError): void {
    this.#isOver = true;
    const { deployment } = this;
    deployment.inFlight--;
    deployment.pending.delete(this.#trial);
    deployment.outcomes[outcome]++;
    this.#options.released();
    this.#attempted?.({
      upstream: deployment.id,
      outcome,
      durationMs: this.#options.clock.now() - this.startedAt,
      ...(error !== undefined && { error }),
      ...(this.#firstOutputMs !== undefined && { firstOutputMs: this.#firstOutputMs }),
    });
  }
}

const outcomes: Readonly<Record<string, Outcome>> = {
  stream_truncated: 'truncated',
  stream_stalled: 'stalled',
  first_output_timeout: 'stalled',
  // The answer was too long for whoever waited, or the process ends: neither is the deployment's fault.
  deadline_exceeded: 'abandoned',
  shutdown: 'abandoned',
};

/** How a try ended that went wrong so. */
function outcomeOf({ type, code }: CanonicalError): Outcome {
  return type === 'cancelled' ? 'abandoned' : (outcomes[code ?? ''] ?? 'failed');
}
