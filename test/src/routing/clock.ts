/** Virtual time: things happen in the order in which they are due, and as fast as they can be worked out. */
import type { Clock } from '@streamglot/routing';

interface Due {
  readonly at: number;
  readonly order: number;
  run: (() => void) | undefined;
}

/** A clock that stands still between the things that are due. */
export class VirtualClock implements Clock {
  #now = 0;
  #order = 0;
  #pending = 0;
  /** A binary heap, the first due on top. */
  readonly #heap: Due[] = [];

  now(): number {
    return this.#now;
  }

  /** How many things are due. */
  get pending(): number {
    return this.#pending;
  }

  after(ms: number, run: () => void): () => void {
    if (ms === Number.POSITIVE_INFINITY) return () => {};
    const due: Due = { at: this.#now + Math.max(ms, 0), order: this.#order++, run };
    this.#push(due);
    this.#pending++;
    return () => {
      if (due.run === undefined) return;
      due.run = undefined;
      this.#pending--;
    };
  }

  /** Settles after so much virtual time. */
  sleep(ms: number): Promise<void> {
    return new Promise((settle) => this.after(ms, settle));
  }

  /** Lets time pass, up to a time or until nothing is due any more; settles when all that follows has happened. */
  async run(until: number = Number.POSITIVE_INFINITY): Promise<void> {
    await idle();
    for (let due = this.#heap[0]; due !== undefined && due.at <= until; due = this.#heap[0]) {
      this.#pop();
      if (due.run === undefined) continue;
      this.#now = due.at;
      this.#pending--;
      const { run } = due;
      due.run = undefined;
      run();
      await idle();
    }
    if (until !== Number.POSITIVE_INFINITY) this.#now = Math.max(this.#now, until);
  }

  #push(due: Due): void {
    const heap = this.#heap;
    let at = heap.push(due) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(due, heap[parent] as Due)) break;
      heap[at] = heap[parent] as Due;
      at = parent;
    }
    heap[at] = due;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop() as Due;
    if (heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Due, heap[child] as Due)) child++;
      if (child >= heap.length || !isBefore(heap[child] as Due, last)) break;
      heap[at] = heap[child] as Due;
      at = child;
    }
    heap[at] = last;
  }
}

function isBefore(one: Due, other: Due): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}

/** Settles when all promises have settled that can. */
function idle(): Promise<void> {
  return new Promise((settle) => setImmediate(settle));
}

/** Numbers from 0 up to 1, the same for the same seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
