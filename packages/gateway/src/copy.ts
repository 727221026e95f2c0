/** The whole of an answer that is streamed, for the store. */
import { Collector, type Dialect, type EncoderOptions, type FrameEvents } from '@streamglot/core';

/** Collects a stream and writes it as one answer of its client's dialect. */
export class Copy {
  readonly #dialect: Pick<Dialect, 'encodeResponse'>;
  readonly #options: EncoderOptions;
  readonly #collector = new Collector();
  #room: number;
  #failed = false;

  constructor(dialect: Pick<Dialect, 'encodeResponse'>, options: EncoderOptions) {
    this.#dialect = dialect;
    this.#options = options;
    this.#room = options.limits.maxAccumulatedBytes;
  }

  /** Takes the events of one frame; of an answer that grows too large nothing is kept. */
  add(events: FrameEvents): void {
    for (const event of events) {
      if (event.type === 'error') this.#failed = true;
      if (event.type === 'block-delta') this.#room -= sizeOf(event.delta);
      if (this.#room >= 0) this.#collector.add(event);
    }
  }

  /** The answer; nothing for one that failed, is too large, or cannot be written. */
  get response(): Readonly<Record<string, unknown>> | undefined {
    if (this.#failed || this.#room < 0) return undefined;
    try {
      return this.#dialect.encodeResponse(this.#collector.response(), this.#options) as Readonly<
        Record<string, unknown>
      >;
    } catch {
      return undefined;
    }
  }
}

/** Characters that a piece holds. */
function sizeOf(delta: (FrameEvents[number] & { type: 'block-delta' })['delta']): number {
  if ('text' in delta && delta.text !== undefined) return delta.text.length;
  if (delta.type === 'data') return delta.base64.length;
  return delta.type === 'signature' ? delta.value.length : 64;
}
