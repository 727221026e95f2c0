/** One candidate of a Chat answer: what each of its deltas says, member by member. */
import {
  asArray,
  asObject,
  asText,
  type DecoderOptions,
  entryOf,
  type Finish,
  type FinishReason,
  type JsonObject,
} from '../../dialect.ts';
import { ToolCalls } from './calls.ts';
import { Annotations } from './citations.ts';
import { Media } from './media.ts';
import type { Sink } from './sink.ts';
import { finishReasons } from './terms.ts';
import { Runs } from './text.ts';

/** What a finish says. */
export interface Ended {
  reason: FinishReason;
  more: Omit<Finish, 'type' | 'choice' | 'reason'>;
}

/** A choice as it stands in a chunk, its index and delta in place. */
export interface WireChoice extends JsonObject {
  index: number;
  delta: JsonObject;
}

/** Reads the deltas of one candidate. */
export class Choice {
  readonly index: number;
  readonly calls: ToolCalls;
  readonly #sink: Sink;
  readonly #runs: Runs;
  readonly #media: Media;
  readonly #annotations: Annotations;
  readonly #maxHeldBack: number;
  #hasRole = false;
  /** Whether its finish has been told. */
  finished = false;
  /** A finish that more content followed; it counts if no other one comes. */
  early: Ended | undefined;
  /** The word of the last finish, as clients of this dialect see it. */
  word: unknown;

  constructor(index: number, sink: Sink, options: DecoderOptions) {
    this.index = index;
    this.#sink = sink;
    this.calls = new ToolCalls(index, sink, options);
    this.#runs = new Runs(index, sink, options);
    this.#media = new Media(index, sink);
    this.#annotations = new Annotations(sink);
    this.#maxHeldBack = options.limits.maxQueuedBytes;
  }

  /** Whether more waits for the names of calls than may wait. */
  get overfull(): boolean {
    return this.calls.heldBack > this.#maxHeldBack;
  }

  /** Reads a delta; returns the finish where there is one. */
  read(wire: WireChoice): Ended | undefined {
    const { delta } = wire;
    const word = this.#finishWord(wire);
    const last = word !== undefined;
    this.#role(delta);
    if (!Array.isArray(delta.tool_calls)) this.calls.settle();
    this.#runs.read(delta, asObject(wire.logprobs), last);
    if (delta.tool_calls !== undefined || delta.function_call !== undefined) this.#call(delta, last);
    if (delta.audio !== undefined) this.#media.hear(delta.audio);
    if (delta.images !== undefined) this.#media.see(delta.images);
    if (delta.annotations !== undefined) this.#annotations.read(delta, this.#runs);
    if (wire.content_filter_results) this.#sink.note('safety', wire.content_filter_results, this.index);
    return last ? this.#ended(wire, word) : undefined;
  }

  /** Gives what was held back because it might have gone on. */
  rest(): void {
    if (!this.finished) this.#runs.rest();
  }

  /** Ends all its blocks but the last run, which ends with the finish. */
  end({ reason }: Ended): void {
    this.finished = true;
    this.#runs.rest();
    this.#media.end();
    this.calls.end(!isWholly(reason));
  }

  /** The finish of a choice that has none of its own, or one that came too early. */
  ownEnd(): Ended {
    const { early } = this;
    if (early === undefined) this.#sink.warn('finish_missing', 'The answer ended without a finish reason.');
    else if (!isWholly(early.reason)) return early;
    return { reason: this.calls.any ? 'tool_calls' : 'stop', more: {} };
  }

  /** The first delta of a choice names the role: without it the official SDK throws at the end. */
  #role(delta: JsonObject): void {
    if (this.#hasRole) return;
    this.#hasRole = true;
    if (delta.role === 'assistant') return;
    this.#sink.mend();
    delta.role = 'assistant';
  }

  #call(delta: JsonObject, last: boolean): void {
    const legacy = asObject(delta.function_call);
    if (legacy !== undefined || asArray(delta.tool_calls).length > 0) this.#runs.stop();
    if (legacy !== undefined) this.calls.readLegacy(legacy);
    this.calls.read(delta, last || hasWords(delta));
  }

  /** The word of the finish, if there is one; clients take whatever stands in its place for one. Some servers write the member in camel case. */
  #finishWord(wire: WireChoice): string | undefined {
    const word = asText(wire.finish_reason);
    if (wire.finish_reason && word === undefined) {
      this.#sink.mend();
      wire.finish_reason = null;
    }
    if (word !== undefined || wire.finishReason === undefined) return word;
    const camel = asText(wire.finishReason);
    if (camel === undefined) return undefined;
    this.#sink.mend();
    wire.finish_reason = camel;
    return camel;
  }

  /** A finish says whether calls are to be answered, but servers mix it up; the calls decide. */
  #ended(wire: WireChoice, word: string): Ended {
    const reason = reasonOf(word);
    this.word = word;
    if (reason === undefined) this.#sink.warn('finish_unknown', `The finish reason "${word}" is not known.`);
    if (reason === 'stop' && this.calls.any) return this.#corrected('tool_calls', word);
    if (reason === 'tool_calls' && !this.calls.any) {
      this.#sink.mend();
      wire.finish_reason = this.word = 'stop';
      return this.#corrected('stop', word);
    }
    const refused = reason === 'stop' && this.#runs.refused && !this.#runs.answered;
    const stopSequence = stopString(wire);
    const more = { nativeReason: word, ...(reason === 'stop' && stopSequence !== undefined && { stopSequence }) };
    return { reason: refused ? 'refusal' : (reason ?? 'other'), more };
  }

  #corrected(reason: FinishReason, word: string): Ended {
    this.#sink.warn('finish_corrected', `The finish reason "${word}" does not fit the calls.`);
    return { reason, more: {} };
  }
}

/** Whether the finish of the next frame says that an answer which ended as if it were whole did not. */
export function isBelied({ reason }: Ended, { finish_reason }: WireChoice): boolean {
  const other = reasonOf(asText(finish_reason) ?? '');
  return other !== undefined && !isWholly(other) && isWholly(reason);
}

function isWholly(reason: FinishReason): boolean {
  return reason === 'stop' || reason === 'tool_calls';
}

function reasonOf(word: string): FinishReason | undefined {
  return entryOf(finishReasons, word.toLowerCase());
}

/** Whether a delta carries a piece of the answer. */
export function hasContent(delta: JsonObject): boolean {
  return hasWords(delta) || asArray(delta.tool_calls).length > 0;
}

function hasWords({ content, refusal, reasoning_content, reasoning }: JsonObject): boolean {
  return isSaid(content) || isSaid(refusal) || isSaid(reasoning_content) || isSaid(reasoning);
}

function isSaid(value: unknown): boolean {
  return asText(value) !== undefined || asArray(value).length > 0;
}

/** The stop string that was met, where a server tells it; numbers are token ids, and a finish word is none. */
function stopString(wire: WireChoice): string | undefined {
  const met = asText(wire.stop_reason) ?? asText(wire.matched_stop);
  return met === undefined || entryOf(finishReasons, met) === undefined ? met : undefined;
}
