/** A body over HTTP as batches of events: one for each chunk, and nothing after the ending. */
import { type Batch, type CanonicalError, type FrameEvents, interruption, type Stage } from '@streamglot/core';
import type { Body, Part } from './transport/transport.ts';
import type { Watch } from './watch.ts';

/** What an answer is read with. */
export interface AnswerParts {
  body: Body;
  reader: Stage<Uint8Array, FrameEvents>;
  restore: Stage<FrameEvents, FrameEvents> | undefined;
  watch: Watch;
  /** Takes secrets out of an error that the upstream told. */
  clean: (error: CanonicalError) => CanonicalError;
}

/** The batches of one answer, for one reader. Never rejects: whatever goes wrong is the ending. */
export class Answer implements AsyncIterableIterator<Batch> {
  readonly #parts: AnswerParts;
  #over = false;
  /** Until when an answer whose end is known is waited for. */
  #due: number | undefined;

  constructor(parts: AnswerParts) {
    this.#parts = parts;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Batch>> {
    if (this.#over) return Promise.resolve(nothing);
    const { body, reader } = this.#parts;
    return (reader.settled === true ? this.#last(body) : body.read()).then(this.#arrived);
  }

  /** What is still told of an answer whose end is known; a connection that stays open is not waited for, whatever it says. */
  #last(body: Body): Promise<Part> {
    this.#due ??= performance.now() + settledMs;
    const left = Math.max(this.#due - performance.now(), 0);
    return new Promise((resolve) => {
      const late = (): void => {
        resolve({ cause: 'closed', receivedAt: performance.now() });
        this.#parts.watch.abort();
      };
      const timer = setTimeout(late, left);
      void body.read().then((part) => {
        clearTimeout(timer);
        resolve(part);
      });
    });
  }

  /** No async function: it would cost one more promise for each chunk. */
  readonly #arrived = (part: Part): IteratorResult<Batch> => {
    if (this.#over) return nothing;
    const batch = this.#batch(part);
    const ended = isEnded(batch.frames);
    if (ended || 'cause' in part) this.#release();
    if ('cause' in part && batch.frames.length === 0) return nothing;
    return { done: false, value: ended ? this.#cleaned(batch) : batch };
  };

  /** The reader leaves early: the connection is destroyed. */
  async return(): Promise<IteratorResult<Batch>> {
    if (!this.#over) this.#parts.watch.abort();
    this.#over = true;
    return nothing;
  }

  #batch(part: Part): Batch {
    const bytes = 'bytes' in part ? part.bytes.length : 0;
    return { frames: this.#read(part), receivedAt: part.receivedAt, bytes };
  }

  #read(part: Part): readonly FrameEvents[] {
    const { reader, restore } = this.#parts;
    try {
      const frames = 'bytes' in part ? reader.push(part.bytes) : reader.end(part.cause);
      return restore === undefined ? frames : frames.flatMap((events) => restore.push(events));
    } catch {
      return [[{ type: 'error', error: interruption('internal') }]];
    }
  }

  #release(): void {
    this.#over = true;
    this.#parts.watch.release();
    this.#parts.body.release();
  }

  #cleaned(batch: Batch): Batch {
    const { clean } = this.#parts;
    const frames = batch.frames.map((events) =>
      events.map((event) => (event.type === 'error' ? { ...event, error: clean(event.error) } : event)),
    );
    return { ...batch, frames };
  }
}

/** Milliseconds in which an answer whose end is known may add to it. */
const settledMs = 1_000;

const nothing: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** A decoder gives its ending in its last frame. */
function isEnded(frames: readonly FrameEvents[]): boolean {
  const last = frames.at(-1);
  return last?.some((event) => event.type === 'response-end' || event.type === 'error') === true;
}
