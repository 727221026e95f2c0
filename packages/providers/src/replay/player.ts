/** Plays frames in time: one batch each, until they end or nobody listens any more. */
import type { Batch, FrameEvents } from '@streamglot/core';

/** The batches of a performance. An abort ends them at once. */
export async function* played(
  frames: readonly FrameEvents[],
  delayMs: number,
  signal: AbortSignal,
): AsyncGenerator<Batch, void, void> {
  for (const events of frames) {
    if (delayMs > 0) await rest(delayMs, signal);
    if (signal.aborted) return;
    yield { frames: [events], receivedAt: performance.now(), bytes: JSON.stringify(events).length };
  }
}

/** Waits, at most until the signal; leaves nothing behind on it. */
function rest(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const over = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', over);
      resolve();
    };
    const timer = setTimeout(over, ms);
    if (signal.aborted) over();
    else signal.addEventListener('abort', over, { once: true });
  });
}
