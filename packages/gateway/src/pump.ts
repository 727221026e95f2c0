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
  #wake: () => void = ignore;
  #stopped = false;

  constructor(batches: AsyncIterable<Batch>, take: (batch: Batch) => Next) {
    this.#take = take;
    this.#batches = batches[Symbol.asyncIterator]();
    this.done = this.#draw();
  }

  /** Draws on after a pause. */
  resume(): void {
    this.#wake();
  }

  /** Takes nothing any more; the upstream is told so and not waited for. */
  stop(): void {
    this.#stopped = true;
    this.#batches.return?.().then(ignore, ignore);
  }

  async #draw(): Promise<void> {
    for (let next = await this.#batches.next(); next.done !== true; next = await this.#batches.next()) {
      const wanted = this.#stopped ? 'over' : this.#take(next.value);
      if (wanted === 'over') return;
      if (wanted === 'pause') await this.#room();
    }
  }

  #room(): Promise<void> {
    return new Promise((wake) => {
      this.#wake = wake;
    });
  }
}

function ignore(): void {}
