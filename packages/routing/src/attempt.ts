/** One try of a request at one deployment, from the slot to the end of the answer. */
import {
  type Batch,
  type CanonicalError,
  GatewayError,
  interruption,
  lateOutput,
  toCanonicalError,
  type UpstreamCall,
  type UpstreamReply,
} from '@streamglot/core';
import { Progress } from './answer.ts';
import type { Clock } from './clock.ts';
import type { Lease } from './lease.ts';
import type { Verdict } from './rules.ts';

/** How to try. */
export interface AttemptOptions {
  readonly clock: Clock;
  /** Milliseconds until the first generated event. */
  readonly firstOutputMs: number;
  /** Whether to wait for output before anything is passed on, because another deployment could be tried. */
  readonly hold: boolean;
}

/** Batches without output that are held; an upstream that says more than this has begun. */
const mostHeld = 64;

/** Why a try failed, and what may be done. */
export class Failure {
  readonly thrown: GatewayError;
  readonly verdict: Verdict;

  constructor(thrown: GatewayError, verdict: Verdict) {
    this.thrown = thrown;
    this.verdict = verdict;
  }
}

/** A try. Its batches are those of the upstream, unchanged. */
export class Attempt implements AsyncIterableIterator<Batch> {
  readonly #call: UpstreamCall;
  readonly #lease: Lease;
  readonly #options: AttemptOptions;
  readonly #own = new AbortController();
  readonly #progress: Progress;
  readonly #held: Batch[] = [];
  #batches: AsyncIterator<Batch> | undefined;
  #headers: ReadonlyMap<string, string> | undefined;
  #interrupt: ((reason: unknown) => void) | undefined;
  #callOff: () => void;
  #isOver = false;

  constructor(call: UpstreamCall, lease: Lease, options: AttemptOptions) {
    this.#call = call;
    this.#lease = lease;
    this.#options = options;
    this.#progress = new Progress(options.clock);
    this.#callOff = options.clock.after(options.firstOutputMs, () => this.#abort(new GatewayError(lateOutput)));
    call.signal.addEventListener('abort', this.#follow, { once: true });
  }

  /** Asks the upstream. Rejects with a `Failure` while nothing has been passed on, and with the signal's reason. */
  async open(): Promise<UpstreamReply> {
    try {
      this.#call.signal.throwIfAborted();
      const reply = await this.#opened();
      this.#headers = reply.head.headers;
      this.#lease.heard(this.#headers);
      this.#batches = reply.batches[Symbol.asyncIterator]();
      if (this.#options.hold) await this.#begin(this.#batches);
      return { head: reply.head, batches: this };
    } catch (thrown) {
      throw this.#failed(thrown);
    }
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Batch>> {
    const held = this.#held.shift();
    if (held !== undefined) return Promise.resolve({ done: false, value: held });
    if (this.#isOver || this.#batches === undefined) return Promise.resolve(nothing);
    this.#progress.asked();
    const next = this.#batches.next();
    const waited = this.#progress.outputAt === undefined ? this.#unlessAborted(next) : next;
    return waited.then(this.#arrived, this.#broken);
  }

  /** The reader leaves. */
  async return(): Promise<IteratorResult<Batch>> {
    const left = new GatewayError(interruption('client-closed'));
    this.#held.length = 0;
    if (!this.#isOver) this.#abort(left);
    return nothing;
  }

  /** No async function: it would cost one more promise for each batch. */
  readonly #arrived = (next: IteratorResult<Batch>): IteratorResult<Batch> => {
    if (this.#isOver) return nothing;
    if (next.done === true) {
      this.#end(interruption('closed'));
      return nothing;
    }
    this.#see(next.value);
    this.#progress.handed();
    return next;
  };

  readonly #broken = (thrown: unknown): never => {
    this.#end(toCanonicalError(thrown));
    throw thrown;
  };

  /** The caller gives up: the slot is free at once, whatever the upstream does. */
  readonly #follow = (): void => this.#abort(this.#call.signal.reason);

  #abort(reason: unknown): void {
    const error = reason instanceof GatewayError ? reason.error : interruption('client-closed');
    this.#lease.fail(error);
    this.#interrupt?.(reason);
    this.#close();
    this.#own.abort(reason);
  }

  async #opened(): Promise<UpstreamReply> {
    const { attempted: _, ...call } = this.#call;
    const opening = this.#lease.deployment.upstream.open({ ...call, signal: this.#own.signal });
    opening.then(this.#unlessLate, ignore);
    return this.#unlessAborted(opening);
  }

  /** An answer that nobody waits for any more. */
  readonly #unlessLate = ({ batches }: UpstreamReply): void => {
    if (this.#isOver) batches[Symbol.asyncIterator]().return?.().then(ignore, ignore);
  };

  /** Reads up to the first output. */
  async #begin(batches: AsyncIterator<Batch>): Promise<void> {
    const progress = this.#progress;
    while (progress.outputAt === undefined && this.#held.length < mostHeld) {
      const next = await this.#unlessAborted(batches.next());
      if (next.done === true) throw new GatewayError(interruption('closed'));
      progress.see(next.value);
      const { ending } = progress;
      if (progress.outputAt === undefined && ending !== undefined)
        throw new GatewayError(ending === 'completed' ? empty : ending);
      this.#held.push(next.value);
      this.#settle();
    }
  }

  #see(batch: Batch): void {
    this.#progress.see(batch);
    this.#settle();
  }

  /** Draws the conclusions of the last batch. */
  #settle(): void {
    const { outputAt, ending, tokensPerSecond } = this.#progress;
    if (outputAt !== undefined) {
      this.#callOff();
      this.#lease.output(outputAt);
    }
    if (ending === undefined) return;
    if (ending === 'completed') this.#lease.complete(tokensPerSecond);
    this.#end(ending === 'completed' ? undefined : ending);
  }

  #end(error: CanonicalError | undefined): void {
    if (error !== undefined) this.#lease.fail(error);
    this.#close();
  }

  #failed(thrown: unknown): unknown {
    if (this.#call.signal.aborted) {
      this.#lease.abandon();
      this.#close();
      return this.#call.signal.reason;
    }
    const error = toCanonicalError(thrown);
    const headers = (thrown instanceof GatewayError ? thrown.headers : undefined) ?? this.#headers;
    this.#lease.heard(headers);
    const verdict = this.#lease.fail(error, headers);
    this.#close();
    return new Failure(new GatewayError(error, { cause: thrown, ...(headers && { headers }) }), verdict);
  }

  /** Lets go of everything that outlives a request. */
  #close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#callOff();
    this.#call.signal.removeEventListener('abort', this.#follow);
    this.#batches?.return?.().then(ignore, ignore);
  }

  #unlessAborted<T>(work: Promise<T>): Promise<T> {
    return new Promise((settle, reject) => {
      this.#interrupt = reject;
      work.then(settle, reject);
    });
  }
}

const empty: CanonicalError = {
  type: 'upstream',
  code: 'empty_answer',
  message: 'The upstream answered with nothing.',
};

const nothing: IteratorReturnResult<undefined> = { done: true, value: undefined };

function ignore(): void {}
