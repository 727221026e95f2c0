/** An answer on its way through a router: batches pass as they came, and what they say is noted. */
import type { Batch, CanonicalError, CanonicalEvent } from '@streamglot/core';
import type { Clock } from './clock.ts';

/** Blocks that say something by being there; of all others, the first piece does. */
const silent: ReadonlySet<string> = new Set(['text', 'refusal', 'reasoning']);

/** Milliseconds without being asked for more after which the reader counts as slow. */
const pauseMs = 20;

/** Milliseconds of output that a measurement of speed needs. */
const shortestMs = 50;

/** What one answer has said so far. */
export class Progress {
  /** When the first generated event came, on the clock of the batches. */
  outputAt: number | undefined;
  /** How it ended; absent until it has. */
  ending: 'completed' | CanonicalError | undefined;
  readonly #clock: Clock;
  #outputTokens: number | undefined;
  #bytes = 0;
  #lastAt = 0;
  /** When a batch was last handed over; measured until the reader first pauses. */
  #handedAt: number | undefined;
  #paused: { at: number; bytes: number } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The reader asks for a batch. After its first pause, times of arrival say nothing about the upstream any more. */
  asked(): void {
    if (this.#handedAt === undefined || this.#paused !== undefined) return;
    if (this.#clock.now() - this.#handedAt > pauseMs) this.#paused = { at: this.#lastAt, bytes: this.#bytes };
  }

  /** The reader gets a batch. */
  handed(): void {
    if (this.#paused === undefined) this.#handedAt = this.#clock.now();
  }

  /** Takes note of a batch. Pieces are not looked at once there has been output. */
  see({ frames, receivedAt, bytes }: Batch): void {
    const begins = this.outputAt === undefined;
    for (const events of frames) for (const event of events) this.#note(event, receivedAt);
    if (begins) return;
    this.#bytes += bytes;
    this.#lastAt = receivedAt;
  }

  /** Output tokens a second between the first generated event and the last batch that came unhindered; nothing where that says little. */
  get tokensPerSecond(): number | undefined {
    if (this.outputAt === undefined || this.#outputTokens === undefined) return undefined;
    const { at, bytes } = this.#paused ?? { at: this.#lastAt, bytes: this.#bytes };
    const ms = at - this.outputAt;
    return ms < shortestMs ? undefined : ((this.#outputTokens * bytes) / this.#bytes / ms) * 1_000;
  }

  #note(event: CanonicalEvent, at: number): void {
    switch (event.type) {
      case 'block-delta':
        this.outputAt ??= at;
        return;
      case 'block-start':
        if (!silent.has(event.kind)) this.outputAt ??= at;
        return;
      case 'finish':
        // A filter that took everything, or thinking that used all tokens up, is an answer too.
        if (event.reason !== 'stop') this.outputAt ??= at;
        return;
      case 'usage':
        this.#outputTokens = event.usage.outputTokens ?? this.#outputTokens;
        return;
      case 'response-end':
        this.ending ??= 'completed';
        return;
      case 'error':
        this.ending ??= event.error;
    }
  }
}
