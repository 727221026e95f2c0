/** An upstream that a test plays by hand, and canonical answers to play. */
import type {
  Batch,
  CanonicalError,
  CanonicalEvent,
  FrameEvents,
  Provider,
  Upstream,
  UpstreamCall,
  UpstreamHead,
  UpstreamReply,
} from '@streamglot/core';

/** One answer in the hands of a test: what is said is a batch each, in order. */
export class Play implements Upstream, AsyncIterableIterator<Batch> {
  readonly id = 'play';
  /** Every call of `open`. */
  readonly calls: UpstreamCall[] = [];
  /** How many batches have been asked for. */
  pulled = 0;
  /** When the signal fired, on the monotonic clock. */
  abortedAt: number | undefined;
  /** Whether the gateway has said that it wants no more. */
  returned = false;
  readonly #waiting: (Batch | 'end' | Error)[] = [];
  readonly #head: Partial<UpstreamHead> | Promise<Partial<UpstreamHead>>;
  #reader: ((next: Promise<IteratorResult<Batch>>) => void) | undefined;

  constructor(head: Partial<UpstreamHead> | Promise<Partial<UpstreamHead>> = {}) {
    this.#head = head;
  }

  async open(call: UpstreamCall): Promise<UpstreamReply> {
    this.calls.push(call);
    call.signal.addEventListener('abort', () => {
      this.abortedAt = performance.now();
    });
    const head = { status: 200, headers: new Map<string, string>(), dialect: 'chat' as const, ...(await this.#head) };
    return { head, batches: this };
  }

  /** Says the events of one frame in a batch of their own. */
  say(...events: CanonicalEvent[]): this {
    return this.chunk(events);
  }

  /** Says several frames in one batch. */
  chunk(...frames: FrameEvents[]): this {
    return this.#put({ frames, receivedAt: performance.now(), bytes: 100 });
  }

  /** Says a whole answer of one text. */
  tell(text: string): this {
    return this.say(...opening, delta(text)).say(...closing);
  }

  /** Breaks off without a word. */
  cut(): this {
    return this.#put('end');
  }

  /** Throws what no upstream should throw. */
  crash(message: string): this {
    return this.#put(new Error(message));
  }

  next(): Promise<IteratorResult<Batch>> {
    this.pulled++;
    const part = this.#waiting.shift();
    if (part !== undefined) return result(part);
    return new Promise((settle) => {
      this.#reader = settle;
    });
  }

  async return(): Promise<IteratorResult<Batch>> {
    this.returned = true;
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #put(part: Batch | 'end' | Error): this {
    const reader = this.#reader;
    this.#reader = undefined;
    if (reader === undefined) this.#waiting.push(part);
    else reader(result(part));
    return this;
  }
}

function result(part: Batch | 'end' | Error): Promise<IteratorResult<Batch>> {
  if (part instanceof Error) return Promise.reject(part);
  return Promise.resolve(part === 'end' ? { done: true, value: undefined } : { done: false, value: part });
}

/** How an answer begins. */
export const opening: FrameEvents = [
  { type: 'response-start', id: 'resp_1', model: 'upstream-model', role: 'assistant' },
  { type: 'block-start', block: 0, choice: 0, kind: 'text' },
];

/** A piece of text. */
export function delta(text: string): CanonicalEvent {
  return { type: 'block-delta', block: 0, delta: { type: 'text', text } };
}

/** How an answer ends. */
export const closing: FrameEvents = [
  { type: 'block-end', block: 0 },
  { type: 'usage', usage: { inputTokens: 3, outputTokens: 2, totalTokens: 5 }, final: true },
  { type: 'finish', choice: 0, reason: 'stop' },
  { type: 'response-end', status: 'completed' },
];

/** An answer's bad end. */
export function failing(error: CanonicalError): CanonicalEvent {
  return { type: 'error', error };
}

/** A provider around one upstream. */
export function providerOf(upstream: Upstream, keyed = false): Provider {
  return { name: 'play', keyed, upstream: () => upstream };
}
