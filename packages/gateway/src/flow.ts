/** An answer on its way from the upstream to the client: read as fast as the client allows, watched, and measured. */
import { type Batch, GatewayError, interruption } from '@streamglot/core';
import type { Answer } from './answer.ts';
import type { Meter } from './meter.ts';
import { type Next, Pump } from './pump.ts';
import type { Watch } from './watch.ts';

/** Everything that an answer passes. */
export interface FlowOptions {
  readonly batches: AsyncIterable<Batch>;
  readonly answer: Answer;
  readonly meter: Meter;
  readonly watch: Watch;
  /** Bytes that may wait for the client until the upstream is no longer read. */
  readonly bufferBytes: number;
}

/** One answer on its way. */
export class Flow {
  readonly #options: FlowOptions;
  readonly #pump: Pump;
  #isDrained = false;
  #sent: Promise<void> | undefined;

  constructor(options: FlowOptions) {
    this.#options = options;
    options.watch.heard();
    this.#pump = new Pump(options.batches, (batch) => this.#take(batch));
  }

  /** Settles when the ending has been written; rejects with what kept it from being so. */
  async arrive(): Promise<void> {
    await this.#pump.done;
    if (this.#options.meter.ending === undefined) throw new GatewayError(interruption('closed'));
  }

  /** Settles when the client has taken the ending or is gone. */
  get sent(): Promise<void> {
    return this.#sent ?? Promise.resolve();
  }

  /** The client has room again. */
  resume(): void {
    this.#options.watch.resume();
    this.#pump.resume();
  }

  /** The client has left: the answer is read on, for what it tells of itself. */
  drain(): void {
    this.#isDrained = true;
    this.resume();
  }

  /** Takes nothing any more; after its ending, an upstream may still close in peace. */
  stop(): void {
    this.#pump.stop();
  }

  #take(batch: Batch): Next {
    const { answer, meter, watch, bufferBytes } = this.#options;
    watch.heard();
    meter.see(batch);
    const output = meter.firstOutputAt !== undefined;
    if (output) watch.output();
    if (this.#isDrained) return meter.ending === undefined ? 'more' : 'over';
    if (meter.error !== undefined && !answer.begun && (answer.whole || !output)) throw new GatewayError(meter.error);
    if (meter.ending !== undefined) return this.#end(batch);
    const unread = answer.take(batch);
    if (answer.failure !== undefined) throw new GatewayError(answer.failure);
    if (unread < bufferBytes) return 'more';
    watch.pause();
    return 'pause';
  }

  #end(batch: Batch): Next {
    const { answer, meter } = this.#options;
    this.#sent = answer.last(batch);
    if (answer.failure !== undefined) meter.fail(answer.failure);
    return 'over';
  }
}
