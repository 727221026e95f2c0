/** A request that goes from deployment to deployment until one has begun to answer, within its budget. */
import type { Attempt as Tried, UpstreamCall, UpstreamReply } from '@streamglot/core';
import { Attempt, Failure } from './attempt.ts';
import type { Clock } from './clock.ts';
import type { Deployment } from './deployment.ts';
import type { Fleet } from './fleet.ts';
import type { Lease } from './lease.ts';
import type { Ask } from './policy/policy.ts';

/** What a request may cost. Times in milliseconds. */
export interface Budget {
  /** Tries in all. */
  readonly attempts: number;
  /** The time in which a try may begin. */
  readonly budgetMs: number;
  /** For each try: the time until its first generated event. */
  readonly firstOutputMs: number;
}

/** The pause before a deployment is asked again that has just failed; it doubles each time. */
const pauseMs = 200;

/** One request on its way. */
export class Failover {
  readonly #fleet: Fleet;
  readonly #clock: Clock;
  readonly #budget: Budget;
  readonly #call: UpstreamCall;
  readonly #ask: Ask;
  readonly #began: number;
  readonly #tried = new Set<Deployment>();
  #attempts = 0;

  constructor(call: UpstreamCall, ask: Ask, fleet: Fleet, clock: Clock, budget: Budget) {
    this.#call = call;
    this.#ask = ask;
    this.#fleet = fleet;
    this.#clock = clock;
    this.#budget = budget;
    this.#began = clock.now();
  }

  /** The answer that has begun. Rejects with the `GatewayError` of the last try, or of the wait for one. */
  async run(attempted: (attempt: Tried) => void): Promise<UpstreamReply> {
    let last: Failure | undefined;
    for (;;) {
      const lease = await this.#lease(attempted, last);
      this.#attempts++;
      const result = await this.#try(lease);
      if (!(result instanceof Failure)) return result;
      last = result;
      if (!this.#mayGoOn(last, lease.deployment)) throw last.thrown;
      if (this.#fleet.hasOther(this.#tried, lease.deployment)) this.#tried.add(lease.deployment);
      else await this.#pause(last);
    }
  }

  /** What a failed try has said is more than that no other deployment is to be had. */
  async #lease(attempted: (attempt: Tried) => void, last: Failure | undefined): Promise<Lease> {
    const { signal } = this.#call;
    try {
      return await this.#fleet.acquire({ ask: this.#ask, tried: this.#tried, signal, attempted });
    } catch (thrown) {
      if (last === undefined || signal.aborted) throw thrown;
      throw last.thrown;
    }
  }

  async #try(lease: Lease): Promise<UpstreamReply | Failure> {
    const { firstOutputMs } = this.#budget;
    const hold =
      this.#hasBudget(this.#attempts) && this.#mayHold && this.#fleet.hasOther(this.#tried, lease.deployment);
    try {
      return await new Attempt(this.#call, lease, { clock: this.#clock, firstOutputMs, hold }).open();
    } catch (thrown) {
      if (thrown instanceof Failure) return thrown;
      throw thrown;
    }
  }

  /** A client that will ask for its answer by name must have the name at once, and one answer must not leave two. */
  get #mayHold(): boolean {
    const { native, store } = this.#call.request;
    return store !== true && native?.body.background !== true;
  }

  #hasBudget(attempts: number): boolean {
    return attempts < this.#budget.attempts && this.#clock.now() - this.#began < this.#budget.budgetMs;
  }

  #mayGoOn({ verdict }: Failure, deployment: Deployment): boolean {
    if (verdict.remedy === 'stop' || !this.#hasBudget(this.#attempts)) return false;
    return verdict.remedy === 'retry' || this.#fleet.hasOther(this.#tried, deployment);
  }

  /** Waits before the same deployment is asked again. Rejects with the signal's reason. */
  #pause({ verdict }: Failure): Promise<void> {
    const { signal } = this.#call;
    const ms = verdict.retryAfterMs ?? pauseMs * 2 ** (this.#attempts - 1);
    return new Promise((settle, reject) => {
      const abort = (): void => {
        callOff();
        reject(signal.reason);
      };
      const callOff = this.#clock.after(ms, () => {
        signal.removeEventListener('abort', abort);
        settle();
      });
      signal.addEventListener('abort', abort, { once: true });
    });
  }
}
