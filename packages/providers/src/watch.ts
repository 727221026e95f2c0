/** One signal for each request: it follows the caller's, ends a wait that is too long, and leaves no listener behind. */
import { type CanonicalError, GatewayError } from '@streamglot/core';

const cancelled: CanonicalError = { type: 'cancelled', code: 'client_closed', message: 'The request was cancelled.' };
const late: CanonicalError = {
  type: 'timeout',
  code: 'head_timeout',
  message: 'The upstream took too long to begin its answer.',
};

/** The longest that a timer can be told; a longer one fires at once. */
export const maxTimerMs = 2_147_483_647;

/** Watches one request. Its signal's reason is always a `GatewayError`: the caller's own, if that is one. */
export class Watch {
  readonly #own = new AbortController();
  readonly #caller: AbortSignal;
  readonly #timer: ReturnType<typeof setTimeout>;
  readonly #follow = (): void => this.abort(this.#caller.reason);

  constructor(caller: AbortSignal, headMs: number) {
    this.#caller = caller;
    this.#timer = setTimeout(() => this.abort(new GatewayError(late)), Math.min(headMs, maxTimerMs));
    if (caller.aborted) this.#follow();
    else caller.addEventListener('abort', this.#follow, { once: true });
  }

  /** What the transport listens to. */
  get signal(): AbortSignal {
    return this.#own.signal;
  }

  /** The head is there; the wait is over. */
  begun(): void {
    clearTimeout(this.#timer);
  }

  /** Ends the request: the transport destroys its connection. */
  abort(reason?: unknown): void {
    this.release();
    this.#own.abort(reason instanceof GatewayError ? reason : new GatewayError(cancelled, { cause: reason }));
  }

  /** The request needs no watching any more. */
  release(): void {
    clearTimeout(this.#timer);
    this.#caller.removeEventListener('abort', this.#follow);
  }
}
