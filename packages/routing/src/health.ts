/** Whether a deployment may be asked: it cools down after failures, longer each time, and is probed before it is trusted. */
import type { Verdict } from './rules.ts';

/** How deployments cool down. Times in milliseconds. */
export interface CooldownOptions {
  /** Failures in a row after which a deployment cools down; 3 unless told. */
  readonly failures: number;
  /** The first rest; 1,000 unless told. It doubles each time that the deployment fails again before it completes an answer. */
  readonly baseMs: number;
  /** The longest rest that is not asked for by the upstream; 60,000 unless told. */
  readonly maxMs: number;
  /** The longest rest, whatever the upstream asks for; 3,600,000 unless told. */
  readonly maxRetryAfterMs: number;
}

/** What holds where nothing is told. */
export const defaultCooldown: CooldownOptions = {
  failures: 3,
  baseMs: 1_000,
  maxMs: 60_000,
  maxRetryAfterMs: 3_600_000,
};

/** How a deployment stands: `half-open` has rested, and one request at a time finds out whether that has helped. */
export type Standing = 'healthy' | 'cooling' | 'half-open';

/** When a request was sent, and whether it is the one that finds out. */
export interface Trial {
  readonly startedAt: number;
  readonly isProbe: boolean;
}

/** The health of one deployment. */
export class Health {
  readonly #options: CooldownOptions;
  readonly #random: () => number;
  #failures = 0;
  /** Rests in a row without a completed answer between them. */
  #trips = 0;
  #trippedAt = Number.NEGATIVE_INFINITY;
  /** Until when it rests; absent while it is healthy. */
  #until: number | undefined;
  #probing = false;

  constructor(options: CooldownOptions, random: () => number) {
    this.#options = options;
    this.#random = random;
  }

  /** How it stands. */
  standing(now: number): Standing {
    if (this.#until === undefined) return 'healthy';
    return now < this.#until ? 'cooling' : 'half-open';
  }

  /** Milliseconds until it can be asked again; 0 where it can be now, or a probe is under way. */
  restMs(now: number): number {
    return Math.max((this.#until ?? now) - now, 0);
  }

  /** Whether a request may go to it. */
  admits(now: number): boolean {
    return this.#until === undefined || (now >= this.#until && !this.#probing);
  }

  /** Failures in a row so far. */
  get failures(): number {
    return this.#failures;
  }

  /** A request goes to it. */
  begin(now: number): Trial {
    const isProbe = this.#until !== undefined;
    if (isProbe) this.#probing = true;
    return { startedAt: now, isProbe };
  }

  /** It has generated something; returns whether a probe has thereby found it well again. */
  answered(trial: Trial): boolean {
    const isBack = trial.isProbe && !this.#isStale(trial);
    if (isBack) this.#recover();
    return isBack;
  }

  /** It has given a whole answer. */
  completed(trial: Trial): void {
    if (this.#isStale(trial)) return;
    this.#failures = 0;
    this.#trips = 0;
    this.#recover();
  }

  /** It has failed. What was sent before its last rest began says nothing new, unless the upstream names a time. */
  failed(trial: Trial, { cooldown, retryAfterMs }: Verdict, now: number): void {
    const isNews = !this.#isStale(trial);
    if (trial.isProbe && isNews) this.#probing = false;
    if (cooldown === 'none') return;
    if (!isNews) return this.#extend(retryAfterMs, now);
    this.#failures++;
    const isMild = cooldown === 'count' && retryAfterMs === undefined && !trial.isProbe;
    if (isMild && this.#failures < this.#options.failures) return;
    this.#trip(retryAfterMs ?? (typeof cooldown === 'number' ? cooldown : undefined), now);
  }

  /** Nobody waits for the answer any more: nothing is known. */
  abandoned(trial: Trial): void {
    if (trial.isProbe && !this.#isStale(trial)) this.#probing = false;
  }

  #recover(): void {
    this.#until = undefined;
    this.#probing = false;
  }

  /** Sent before the last rest began. */
  #isStale({ startedAt, isProbe }: Trial): boolean {
    return startedAt < this.#trippedAt || (!isProbe && this.#until !== undefined);
  }

  #trip(named: number | undefined, now: number): void {
    const { baseMs, maxMs, maxRetryAfterMs } = this.#options;
    const backOff = Math.min(baseMs * 2 ** this.#trips, maxMs) * (1 + this.#random() / 10);
    const rest = named === undefined ? backOff : Math.min(Math.max(named, 0), maxRetryAfterMs);
    this.#failures = 0;
    this.#trips++;
    this.#trippedAt = now;
    this.#until = now + rest;
    this.#probing = false;
  }

  #extend(retryAfterMs: number | undefined, now: number): void {
    if (retryAfterMs === undefined || this.#until === undefined) return;
    this.#until = Math.max(this.#until, now + Math.min(retryAfterMs, this.#options.maxRetryAfterMs));
  }
}
