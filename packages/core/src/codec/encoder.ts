/** What every stream encoder is made of: a frame of its own dialect goes out as it came, all others are written. */

import type { RequestContext } from '../model/context.ts';
import type { CanonicalError } from '../model/error.ts';
import type { CanonicalEvent, DialectId, FrameEvents, Native } from '../model/event.ts';
import type { Limits } from '../model/limits.ts';
import type { Loss } from '../model/request.ts';
import { interruption } from './fault.ts';
import type { Ids } from './ids.ts';
import { peek } from './repeat.ts';

/** Canonical events to the text of one dialect. */
export interface Encoder {
  /** Takes all events of one frame; returns what to send, often one frame, sometimes nothing. */
  push(events: FrameEvents): string;
  /** Says that no event will follow; returns the ending if none was written yet. */
  end(): string;
  /** Why the encoder itself ended the stream, where it did. */
  readonly failure?: CanonicalError;
  /** What of the answer the dialect could not express. */
  readonly losses: readonly Loss[];
  /** The whole answer that the client has seen, of dialects whose streams repeat it at their end. */
  readonly response?: Readonly<Record<string, unknown>>;
}

/** How payloads follow one another on the wire. */
export type Framing = 'sse' | 'json-array';

/** What an encoder needs, and the choices that its dialect leaves open. */
export interface EncoderOptions {
  ids: Ids;
  limits: Limits;
  context?: RequestContext;
  /** How the stream is framed, of dialects that have two ways; server-sent events unless told. */
  framing?: Framing | undefined;
  /** OpenAI's usage chunk: true writes it, false does not, absent writes it beside one empty choice. */
  includeUsage?: boolean;
  /** The member of a Chat delta that carries reasoning: `both`, `reasoning`, `reasoning_content` or `none`; `both` unless told. */
  reasoningField?: 'both' | 'reasoning' | 'reasoning_content' | 'none';
  /** Whether a Responses stream closes with `data: [DONE]`, for clients that wait for it; false unless told. */
  responsesDone?: boolean;
  /** Input tokens that a Messages stream claims before the upstream has told any; 0 unless told. */
  messageStartUsage?: number;
}

/** The base of every encoder: relay, patch or write, in this order. */
export abstract class StreamEncoder implements Encoder {
  protected abstract readonly dialect: DialectId;
  protected readonly options: EncoderOptions;
  failure?: CanonicalError;
  readonly losses: Loss[] = [];
  #over = false;

  constructor(options: EncoderOptions) {
    this.options = options;
  }

  /** Writes one event and remembers what the client has seen. Runs for relayed events too; their text is thrown away. */
  protected abstract write(event: CanonicalEvent): string;

  /** The text of a relayed or mended payload. */
  protected abstract frame(name: string | undefined, payload: string, data: unknown): string;

  /**
   * Changes what this client must see otherwise, such as the model's name: looks with `peek`, changes
   * `native.data`. What is cleared with `rewrite` is written anew.
   */
  protected adapt(_native: Native): void {}

  push(events: FrameEvents): string {
    let out = '';
    for (let at = 0; at < events.length && !this.#over; at++) out += this.#pass(events[at] as CanonicalEvent);
    return out;
  }

  end(): string {
    return this.#over ? '' : this.push([{ type: 'error', error: interruption('closed') }]);
  }

  #pass(event: CanonicalEvent): string {
    if (event.type === 'warning') return '';
    if (event.type === 'response-end' || event.type === 'error') this.#over = true;
    const { native } = event;
    const relayed = native?.relayed === true ? '' : this.#relayed(native);
    if (relayed === undefined) return this.write(event);
    this.track(event);
    return relayed;
  }

  /** The frame of an event that can go out as it came. One that has gone out stays so, whatever became of its event. */
  #relayed(native: Native | undefined): string | undefined {
    if (native === undefined || native.dialect !== this.dialect) return undefined;
    if (isLost(native)) return undefined;
    this.adapt(native);
    if (isLost(native)) return undefined;
    native.relayed = true;
    return this.frame(native.name, native.text ?? JSON.stringify(native.data), peek(native));
  }

  /** Follows a relayed event; an encoder whose text deltas change no state overrides it for speed. */
  protected track(event: CanonicalEvent): void {
    this.write(event);
  }

  /** Notes, once for each field, that the client does not get something. */
  protected lose(field: string, reason: string, severity: Loss['severity']): void {
    if (!this.losses.some((loss) => loss.field === field))
      this.losses.push({ field, dialect: this.dialect, reason, severity });
  }

  /** Ends the stream because of something that only the encoder could see. */
  protected abort(error: CanonicalError): string {
    this.#over = true;
    this.failure = error;
    return this.write({ type: 'error', error });
  }
}

/** Whether nothing of a frame can go out as it came. */
function isLost(native: Native): boolean {
  return native.text === undefined && native.data === undefined;
}
