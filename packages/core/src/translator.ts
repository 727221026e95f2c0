/** Bytes of one dialect to bytes of another, as they arrive; dialects come as objects, so that a bundle holds just those. */
import type { AnswerDecoders } from './answers.ts';
import type { EncoderOptions, Framing } from './codec/encoder.ts';
import { endingOf, interruption } from './codec/fault.ts';
import { Ids } from './codec/ids.ts';
import type { Dialect } from './dialect.ts';
import type { RequestContext } from './model/context.ts';
import type { CanonicalEvent, FrameEvents, Warning } from './model/event.ts';
import type { Ending } from './model/finish.ts';
import { defaultLimits, mostWarnings } from './model/limits.ts';
import type { Loss } from './model/request.ts';
import type { Usage } from './model/usage.ts';
import { createReader, type ReaderOptions } from './reader.ts';
import type { CloseCause, Stage } from './stage.ts';
import { toBytes } from './wire/bytes.ts';

/** What a translation needs to know. */
export interface TranslatorOptions<From = AnswerDecoders, To = Pick<Dialect, 'encoder'>>
  extends Omit<ReaderOptions, 'ids'>,
    Partial<Omit<EncoderOptions, 'ids' | 'limits' | 'context' | 'framing'>> {
  /** The dialect that the upstream speaks. */
  from: From;
  /** The dialect that the client understands. */
  to: To;
  /** How the client's stream is framed; as its request said unless told, else as server-sent events. */
  toFraming?: Framing;
  context?: RequestContext;
  /** What the request's encoding left to undo. */
  restore?: Stage<FrameEvents, FrameEvents>;
}

/** One translation, from the first byte to the ending. */
export interface Translator {
  /** Takes a chunk of the upstream; returns what to send, empty where there is nothing. */
  push(chunk: Uint8Array | string): Uint8Array;
  /** Says that no chunk will follow and why (`closed` unless told); returns the rest, a truthful ending included. */
  end(cause?: CloseCause): Uint8Array;
  /** How it ended, once it has. */
  readonly ending?: Ending;
  /** The last usage that the upstream told. */
  readonly usage?: Usage;
  readonly losses: readonly Loss[];
  readonly warnings: readonly Warning[];
}

/** Makes a translator between two dialects. */
export function createTranslator(options: TranslatorOptions): Translator {
  return new StreamTranslator(options);
}

class StreamTranslator implements Translator {
  ending?: Ending;
  usage?: Usage;
  readonly warnings: Warning[] = [];
  readonly #reader: Stage<Uint8Array | string, FrameEvents>;
  readonly #restore: Stage<FrameEvents, FrameEvents> | undefined;
  readonly #encoder: ReturnType<Dialect['encoder']>;
  #cause: CloseCause | undefined;

  constructor(options: TranslatorOptions) {
    const ids = new Ids(options.context?.seed);
    const limits = { ...defaultLimits, ...options.limits };
    this.#reader = createReader(options.from, { ...options, ids });
    this.#restore = options.restore;
    const framing = options.toFraming ?? options.context?.framing;
    this.#encoder = options.to.encoder({ ...options, ids, limits, framing });
  }

  get losses(): readonly Loss[] {
    return this.#encoder.losses;
  }

  push(chunk: Uint8Array | string): Uint8Array {
    return toBytes(this.#write(this.#reader.push(chunk)));
  }

  end(cause: CloseCause = 'closed'): Uint8Array {
    this.#cause = cause;
    let out = this.#write(this.#reader.end(cause));
    if (cause === 'client-closed') this.ending ??= 'client-closed';
    else out += this.#encoder.end();
    return toBytes(out);
  }

  #write(frames: readonly FrameEvents[]): string {
    let out = '';
    for (const events of this.#restore === undefined ? frames : frames.flatMap((frame) => this.#restored(frame))) {
      for (const event of events) if (event.type !== 'block-delta') this.#observe(event);
      out += this.#encoder.push(events);
    }
    if (this.#encoder.failure !== undefined) this.ending = 'error';
    return out;
  }

  #restored(frame: FrameEvents): readonly FrameEvents[] {
    return this.#restore?.push(frame) ?? [frame];
  }

  #observe(event: CanonicalEvent): void {
    if (event.type === 'usage') this.usage = event.usage;
    else if (event.type === 'response-start' && event.usage !== undefined) this.usage = event.usage;
    else if (event.type === 'warning') this.#warn(event);
    else if (event.type === 'response-end') this.ending ??= 'completed';
    else if (event.type === 'error')
      this.ending ??= this.#cause === undefined ? 'error' : this.#interrupted(event.error.code);
  }

  #warn(warning: Warning): void {
    if (this.warnings.length < mostWarnings) this.warnings.push(warning);
  }

  /** An error that the end of the bytes brought about, unless the body itself was an error. */
  #interrupted(code: string | undefined): Ending {
    const cause = this.#cause ?? 'closed';
    return code === interruption(cause).code ? endingOf(cause) : 'error';
  }
}
