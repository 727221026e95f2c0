/** Requests that wait for a slot: first come, first served, no longer than agreed and no more than fit. */
import { GatewayError } from '@streamglot/core';
import type { Clock } from './clock.ts';

/** Bounds of a queue. */
export interface QueueOptions {
  readonly clock: Clock;
  /** How long one may wait, in milliseconds. */
  readonly waitMs: number;
  /** How many may wait. */
  readonly maxWaiting: number;
}

interface Waiter {
  /** Takes what it waits for, if that is there. */
  readonly serve: () => boolean;
}

/** A queue for things that `take` gives, or `undefined` while there is none. */
export class Queue {
  readonly #options: QueueOptions;
  readonly #waiting = new Set<Waiter>();

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  /** How many wait. */
  get length(): number {
    return this.#waiting.size;
  }

  /** Waits for a thing. Rejects with `GatewayError` (429) where too many wait or it takes too long, and with the signal's reason. */
  wait<T>(take: () => T | undefined, signal: AbortSignal): Promise<T> {
    const { clock, waitMs, maxWaiting } = this.#options;
    if (this.#waiting.size >= maxWaiting || waitMs <= 0) return Promise.reject(full(waitMs));
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.delete(waiter);
        callOff();
        signal.removeEventListener('abort', abort);
      };
      const abort = (): void => {
        leave();
        reject(signal.reason);
      };
      const waiter: Waiter = {
        serve: () => {
          const taken = take();
          if (taken === undefined) return false;
          leave();
          resolve(taken);
          return true;
        },
      };
      const callOff = clock.after(waitMs, () => {
        leave();
        reject(full(waitMs));
      });
      this.#waiting.add(waiter);
      signal.addEventListener('abort', abort, { once: true });
    });
  }

  /** Something may be there: serves whom it can. */
  serve(): void {
    for (const waiter of this.#waiting) waiter.serve();
  }
}

function full(waitMs: number): GatewayError {
  return new GatewayError({
    type: 'rate_limit',
    code: 'deployments_full',
    message: 'All deployments of this model are busy.',
    retryAfterMs: Math.max(waitMs, 1_000),
  });
}
