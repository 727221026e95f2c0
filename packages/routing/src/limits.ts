/** Shares of principals: how much one may ask for at a time and in a minute. */
import {
  type Batch,
  type CanonicalError,
  GatewayError,
  totalTokens,
  type Upstream,
  type UpstreamCall,
  type UpstreamReply,
} from '@streamglot/core';
import { type Clock, systemClock } from './clock.ts';

/** What each principal may have; no limit for what is left out. Those without a name share one share. */
export interface PrincipalLimits {
  /** Requests at the same time. */
  readonly maxInFlight?: number;
  /** Requests in a minute; as many may come at once. */
  readonly requestsPerMinute?: number;
  /** Tokens in a minute, read and generated; those of an answer count when it ends. */
  readonly tokensPerMinute?: number;
}

const minuteMs = 60_000;

/** How many principals are known at a time before those are looked for who have used nothing lately. */
const roomyPrincipals = 1_000;

/** An amount that fills up at a constant rate. */
class Bucket {
  readonly #perMinute: number;
  readonly #clock: Clock;
  #left: number;
  #at: number;

  constructor(perMinute: number, clock: Clock) {
    this.#perMinute = perMinute;
    this.#clock = clock;
    this.#left = perMinute;
    this.#at = clock.now();
  }

  /** What is left; less than nothing where more was used than there was. */
  get left(): number {
    const now = this.#clock.now();
    if (this.#perMinute !== Number.POSITIVE_INFINITY)
      this.#left = Math.min(this.#left + ((now - this.#at) / minuteMs) * this.#perMinute, this.#perMinute);
    this.#at = now;
    return this.#left;
  }

  get isFull(): boolean {
    return this.left >= this.#perMinute;
  }

  use(amount: number): void {
    this.#left = this.left - amount;
  }

  /** Milliseconds until there is one. */
  get waitMs(): number {
    return (Math.max(1 - this.left, 0) / this.#perMinute) * minuteMs;
  }
}

class Share {
  readonly requests: Bucket;
  readonly tokens: Bucket;
  inFlight = 0;

  constructor({ requestsPerMinute, tokensPerMinute }: PrincipalLimits, clock: Clock) {
    this.requests = new Bucket(requestsPerMinute ?? Number.POSITIVE_INFINITY, clock);
    this.tokens = new Bucket(tokensPerMinute ?? Number.POSITIVE_INFINITY, clock);
  }

  get isUnused(): boolean {
    return this.inFlight === 0 && this.requests.isFull && this.tokens.isFull;
  }
}

/** Counts what each principal uses; one for all upstreams that share the limits. */
export class Limiter {
  readonly #limits: PrincipalLimits;
  readonly #clock: Clock;
  readonly #shares = new Map<string, Share>();

  constructor(limits: PrincipalLimits, clock: Clock = systemClock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** How many principals it keeps count of. */
  get known(): number {
    return this.#shares.size;
  }

  /** Requests under way of a principal. */
  inFlight(principal: string | undefined): number {
    return this.#shares.get(principal ?? '')?.inFlight ?? 0;
  }

  /** Takes a slot; what is returned gives it back, once, with the tokens that were used. Throws `GatewayError` (429). */
  take(principal: string | undefined): (tokens: number) => void {
    const share = this.#shareOf(principal ?? '');
    const { maxInFlight = Number.POSITIVE_INFINITY } = this.#limits;
    if (share.inFlight >= maxInFlight)
      throw refused('concurrency_exceeded', `No more than ${maxInFlight} requests at the same time.`, 1_000);
    const waitMs = Math.max(share.requests.waitMs, share.tokens.waitMs);
    if (waitMs > 0)
      throw refused('rate_exceeded', 'The share of requests or tokens for this minute is used up.', waitMs);
    share.inFlight++;
    share.requests.use(1);
    let isOver = false;
    return (tokens) => {
      if (isOver) return;
      isOver = true;
      share.inFlight--;
      share.tokens.use(tokens);
    };
  }

  #shareOf(name: string): Share {
    const known = this.#shares.get(name);
    if (known !== undefined) return known;
    if (this.#shares.size >= roomyPrincipals) this.#sweep();
    const share = new Share(this.#limits, this.#clock);
    this.#shares.set(name, share);
    return share;
  }

  #sweep(): void {
    for (const [name, share] of this.#shares) if (share.isUnused) this.#shares.delete(name);
  }
}

function refused(code: string, message: string, retryAfterMs: number): GatewayError {
  const error: CanonicalError = { type: 'rate_limit', code, message, retryAfterMs };
  return new GatewayError(error);
}

/** An upstream that gives each principal its share; several may go by one limiter. */
export function limited(upstream: Upstream, limits: PrincipalLimits | Limiter): Upstream {
  const limiter = limits instanceof Limiter ? limits : new Limiter(limits);
  const { id, dialect, makers, countTokens } = upstream;
  return {
    id,
    ...(dialect !== undefined && { dialect }),
    ...(makers !== undefined && { makers }),
    ...(countTokens !== undefined && { countTokens: (call) => countTokens.call(upstream, call) }),
    open: (call) => opened(upstream, limiter, call),
  };
}

async function opened(upstream: Upstream, limiter: Limiter, call: UpstreamCall): Promise<UpstreamReply> {
  const release = limiter.take(call.principal);
  const metered = new Metered(call.signal, release);
  try {
    const { head, batches } = await upstream.open(call);
    return { head, batches: metered.over(batches[Symbol.asyncIterator]()) };
  } catch (thrown) {
    metered.end();
    throw thrown;
  }
}

/** Batches of an answer, and the tokens that they tell of. */
class Metered implements AsyncIterableIterator<Batch> {
  readonly #signal: AbortSignal;
  readonly #release: (tokens: number) => void;
  #batches!: AsyncIterator<Batch>;
  #tokens = 0;

  constructor(signal: AbortSignal, release: (tokens: number) => void) {
    this.#signal = signal;
    this.#release = release;
    signal.addEventListener('abort', this.end, { once: true });
    if (signal.aborted) this.end();
  }

  /** The answer has begun. */
  over(batches: AsyncIterator<Batch>): this {
    this.#batches = batches;
    return this;
  }

  /** Gives the slot back. */
  readonly end = (): void => {
    this.#signal.removeEventListener('abort', this.end);
    this.#release(this.#tokens);
  };

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Batch>> {
    return this.#batches.next().then(this.#seen, this.#broken);
  }

  async return(): Promise<IteratorResult<Batch>> {
    this.end();
    await this.#batches.return?.();
    return { done: true, value: undefined };
  }

  readonly #broken = (thrown: unknown): never => {
    this.end();
    throw thrown;
  };

  readonly #seen = (next: IteratorResult<Batch>): IteratorResult<Batch> => {
    if (next.done === true) this.end();
    else for (const events of next.value.frames) for (const event of events) this.#note(event);
    return next;
  };

  #note(event: Batch['frames'][number][number]): void {
    if (event.type === 'usage') this.#tokens = totalTokens(event.usage);
    else if (event.type === 'response-end' || event.type === 'error') this.end();
  }
}
