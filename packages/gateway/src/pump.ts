/** Draws batches from an upstream, one at a time, for as long as whoever takes them has room. */
import type { Batch } from '@streamglot/core';

/** What is wanted after a batch: another one, none for now (`resume` asks on), or none at all. */
export type Next = 'more' | 'pause' | 'over';

/** One answer being drawn. Costs one promise a batch: its upstream's own. */
export class Pump {
  /** Settles when the upstream has ended or no more is wanted; rejects with what the upstream or `take` threw. */
  readonly done: Promise<void>;
  readonly #batches: AsyncIterator<Batch>;
  readonly #take: (batch: Batch) => Next;
  #settle: (() => void) | undefined;
  #reject: ((thrown: unknown) => void) | undefined;
  #pulling = false;

  constructor(batches: AsyncIterable<Batch>, take: (batch: Batch) => Next) {
    this.#take = take;
    this.#batches = batches[Symbol.asyncIterator]();
    this.done = new Promise((settle, reject) => {
      this.#settle = settle;
      this.#reject = reject;
    });
    this.resume();
  }

  /** Draws the next batch, unless one is being waited for or all is over. */
  resume(): void {
    if (this.#pulling || this.#settle === undefined) return;
    this.#pulling = true;
    this.#batches.next().then(this.#arrived, this.#failed);
  }

  /** Takes nothing any more, and leaves `done` as it is; the upstream is told so and not waited for. */
  stop(): void {
    this.#forget();
    this.#batches.return?.().then(ignore, ignore);
  }

  readonly #arrived = (next: IteratorResult<Batch, unknown>): void => {
    this.#pulling = false;
    if (this.#settle === undefined) return;
    if (next.done === true) return this.#over();
    try {
      const wanted = this.#take(next.value);
      if (wanted === 'more') this.resume();
      else if (wanted === 'over') this.#over();
    } catch (thrown) {
      this.#failed(thrown);
    }
  };

  readonly #failed = (thrown: unknown): void => {
    this.#reject?.(thrown);
    this.#over();
  };

  #over(): void {
    this.#settle?.();
    this.#forget();
  }

  #forget(): void {
    this.#settle = undefined;
    this.#reject = undefined;
  }
}

function ignore(): void {}
