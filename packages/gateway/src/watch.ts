/** The clock of one exchange: its deadlines and its keep-alive, on one timer. */

/** What a watch looks after, in milliseconds; `Infinity` switches one off. */
export interface WatchLimits {
  readonly firstOutputMs: number;
  readonly silenceMs: number;
  readonly totalMs: number;
  readonly keepAliveMs: number;
}

/** What a watch does when the time has come. */
export interface WatchActions {
  /** A deadline has passed. The watch has stopped. */
  expired(cause: 'first-output' | 'deadline' | 'stalled'): void;
  /** The client has not heard anything for `keepAliveMs`. */
  idle(): void;
}

/** The longest delay that a timer can take; a longer one would fire at once. */
const longest = 2 ** 31 - 1;

/** Marks cost an assignment each; the timer only looks at them when it fires. */
export class Watch {
  #limits: WatchLimits;
  readonly #actions: WatchActions;
  readonly startedAt: number = performance.now();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #heardAt = Number.POSITIVE_INFINITY;
  #wroteAt: number = this.startedAt;
  #pausedAt: number | undefined;
  #pausedMs = 0;
  #output = false;

  constructor(limits: WatchLimits, actions: WatchActions) {
    this.#limits = limits;
    this.#actions = actions;
    this.#arm(this.startedAt);
  }

  /** How long the upstream was not read, so far. */
  get pausedMs(): number {
    return this.#pausedMs;
  }

  /** Limits that replace those of the same name. */
  limit(limits: Partial<WatchLimits>): void {
    this.#limits = { ...this.#limits, ...limits };
    if (this.#timer !== undefined) this.#arm(performance.now());
  }

  /** The upstream has sent something. */
  heard(): void {
    const first = this.#heardAt === Number.POSITIVE_INFINITY;
    this.#heardAt = performance.now();
    if (first) this.#arm(this.#heardAt);
  }

  /** The client has been sent something. */
  wrote(): void {
    this.#wroteAt = performance.now();
  }

  /** The first generated event is there. */
  output(): void {
    this.#output = true;
  }

  /** The upstream is not read for a while: its deadlines stand still. */
  pause(): void {
    this.#pausedAt ??= performance.now();
    clearTimeout(this.#timer);
  }

  /** The upstream is read again. */
  resume(): void {
    if (this.#pausedAt === undefined) return;
    const now = performance.now();
    const paused = now - this.#pausedAt;
    this.#pausedAt = undefined;
    this.#pausedMs += paused;
    this.#heardAt += paused;
    this.#wroteAt = now;
    this.#arm(now);
  }

  /** Nothing is looked after any more. */
  stop(): void {
    if (this.#pausedAt !== undefined) this.#pausedMs += performance.now() - this.#pausedAt;
    this.#pausedAt = undefined;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #arm(now: number): void {
    const due = Math.min(this.#total(), this.#first(), this.#silence(), this.#wroteAt + this.#limits.keepAliveMs);
    clearTimeout(this.#timer);
    if (due === Number.POSITIVE_INFINITY) return;
    this.#timer = setTimeout(this.#tick, Math.min(Math.max(due - now, 1), longest));
  }

  readonly #tick = (): void => {
    const now = performance.now();
    if (now >= this.#total()) return this.#actions.expired('deadline');
    if (now >= this.#first()) return this.#actions.expired('first-output');
    if (now >= this.#silence()) return this.#actions.expired('stalled');
    if (now >= this.#wroteAt + this.#limits.keepAliveMs) {
      this.#wroteAt = now;
      this.#actions.idle();
    }
    if (this.#timer !== undefined) this.#arm(now);
  };

  #total(): number {
    return this.startedAt + this.#pausedMs + this.#limits.totalMs;
  }

  #first(): number {
    return this.#output ? Number.POSITIVE_INFINITY : this.startedAt + this.#pausedMs + this.#limits.firstOutputMs;
  }

  #silence(): number {
    return this.#heardAt + this.#limits.silenceMs;
  }
}
