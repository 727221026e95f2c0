/** Chunks of a Gemini stream to canonical events; a chunk has no type, so what it says is seen from its members. */
import {
  asArray,
  asCount,
  asObject,
  asText,
  bareError,
  type CanonicalError,
  type CloseCause,
  compact,
  type DecoderOptions,
  type Finish,
  type FinishReason,
  type Frame,
  type FrameEvents,
  type JsonObject,
  type Native,
  StreamDecoder,
  tooLarge,
} from '../../dialect.ts';
import { Candidate } from './candidate.ts';
import { failureOf, readError } from './error.ts';
import { mendChunk } from './shape.ts';
import type { Sink } from './sink.ts';
import { finishNumbers, finishReasons } from './terms.ts';
import { Counters } from './usage.ts';

/** A finish that waits for the end of the bytes: some servers write one on every chunk. */
interface HeldFinish {
  reason: FinishReason;
  more: Omit<Finish, 'type' | 'choice' | 'reason'>;
}

/** Reads the chunks of a Gemini stream, and a whole answer as one. */
export class GeminiDecoder extends StreamDecoder {
  protected readonly dialect = 'gemini';
  protected readonly variable: ReadonlySet<string> = variable;
  readonly #sink: Sink;
  readonly #candidates = new Map<number, Candidate>();
  readonly #finishes = new Map<number, HeldFinish>();
  readonly #usage = new Counters();
  /** The frame that counted last, and whether its counts have been told. */
  #reported: Native | undefined;
  #isCounted = true;
  /** Whether content followed a finish: then no finish is proof of an end. */
  #isHasty = false;

  constructor(options: DecoderOptions) {
    super(options);
    this.#sink = {
      options,
      open: (choice, kind, init) => this.open(choice, kind, init),
      put: (block, delta) => this.put(block, delta),
      shut: (block, status) => this.shut(block, status),
      warn: (code, message, block) => this.warn(code, message, block),
      note: (key, value, choice) => this.note(key, value, { choice }),
      keep: (length) => this.keep(length),
      fail: (error) => this.fail(error),
    };
  }

  protected read(data: JsonObject, frame: Frame): void {
    if (mendChunk(data, this.options.limits.maxDepth)) this.mend();
    if (data.error !== undefined) return this.fail(readError(data));
    const bare = isChunk(data) ? undefined : bareError(data, frame.name);
    if (bare !== undefined) return this.fail(readError({ error: bare }));
    if (isChunk(data) && !this.started) this.#begin(data);
    const candidates = asArray(data.candidates);
    if (candidates.length > this.options.limits.maxBlocks) return this.fail(crowded);
    for (let at = 0; at < candidates.length && !this.over; at++) this.#candidate(asObject(candidates[at]) ?? {}, at);
    if (data.promptFeedback !== undefined) this.#prompt(asObject(data.promptFeedback) ?? {});
    if (data.usageMetadata !== undefined) this.#report(data.usageMetadata);
  }

  /** In an array a payload may go over many lines. */
  protected override exact(data: string): string {
    return data;
  }

  /** Only the end of the bytes says that no more follows a finish. */
  protected close(cause: CloseCause): void {
    if (this.started) this.#count();
    if (this.options.acceptMissingTerminal === true && cause === 'closed') this.#supply();
    const isWhole = [...this.#candidates.keys()].every((index) => this.#finishes.has(index));
    if (this.#finishes.size === 0 || !isWhole || (this.#isHasty && cause !== 'closed')) return;
    for (const [index, finish] of [...this.#finishes].sort(([a], [b]) => a - b)) this.#end(index, finish);
    this.complete();
  }

  /** Each chunk counts anew; only what stands at the end is worth reading. */
  #report(usage: unknown): void {
    if (this.#usage.add(usage)) this.#isCounted = false;
    this.#reported = this.native;
    if (this.#finishes.size > 0) this.#count();
  }

  #count(): void {
    if (this.#isCounted || this.over) return;
    this.#isCounted = true;
    const final = this.#finishes.size > 0;
    this.give({ type: 'usage', usage: this.#usage.usage, final, native: this.#reported });
  }

  #begin(data: JsonObject): void {
    const created = Date.parse(asText(data.createTime) ?? '');
    this.start(
      compact({
        id: asText(data.responseId),
        model: asText(data.modelVersion),
        createdAt: Number.isNaN(created) ? undefined : Math.floor(created / 1000),
        serviceTier: asText(asObject(data.usageMetadata)?.serviceTier),
      }),
    );
  }

  #candidate(wire: JsonObject, at: number): void {
    const index = asCount(wire.index) ?? at;
    if (index >= this.options.limits.maxBlocks) return this.fail(crowded);
    const candidate = this.#candidateAt(index);
    if (candidate.read(wire) && this.#finishes.delete(index)) this.#isHasty = true;
    const word = wordOf(wire.finishReason);
    if (word !== undefined) this.#finish(candidate, word, wire);
  }

  #candidateAt(index: number): Candidate {
    const known = this.#candidates.get(index);
    if (known !== undefined) return known;
    const candidate = new Candidate(index, this.#sink);
    this.#candidates.set(index, candidate);
    return candidate;
  }

  #finish({ index }: Candidate, word: string, wire: JsonObject): void {
    const reason = finishReasons.get(word);
    const message = asText(wire.finishMessage);
    if (reason === 'error') return this.fail(failureOf(word, message, wire));
    if (reason === undefined) this.warn('finish_unknown', `The finish reason "${word.slice(0, 64)}" is not known.`);
    const details = compact({ message, continuationToken: asText(wire.continuationToken) });
    const more = Object.keys(details).length > 0 ? { details } : {};
    this.own();
    this.#finishes.set(index, {
      reason: reason ?? 'other',
      more: { ...more, nativeReason: word, native: this.native },
    });
  }

  /** A prompt that was refused has no candidates. */
  #prompt(feedback: JsonObject): void {
    const nativeReason = asText(feedback.blockReason);
    if (nativeReason === undefined) return this.note('prompt_feedback', feedback);
    const message = asText(feedback.blockReasonMessage);
    const details = { blocked: 'prompt' as const, category: nativeReason, ...compact({ message }) };
    this.#finishes.set(0, { reason: 'content_filter', more: { nativeReason, details, native: this.native } });
  }

  /** Nothing here says that calls were made, so the calls do; a limit that was met outweighs them. */
  #end(index: number, { reason, more }: HeldFinish): void {
    const calls = this.#candidates.get(index)?.calls;
    calls?.end(reason !== 'stop');
    this.finish(index, reason === 'stop' && calls?.any === true ? 'tool_calls' : reason, more);
  }

  /** Finishes for candidates that have none but are whole otherwise. */
  #supply(): void {
    for (const [index, { calls }] of this.#candidates) {
      if (this.#finishes.has(index) || !calls.whole) continue;
      this.warn('finish_missing', 'The answer ended without a finish reason.');
      this.#finishes.set(index, { reason: 'stop', more: {} });
    }
  }
}

const variable: ReadonlySet<string> = new Set([
  'text',
  'candidatesTokenCount',
  'thoughtsTokenCount',
  'totalTokenCount',
  'tokenCount',
]);

const crowded: CanonicalError = tooLarge('too_many_choices', 'The answer has too many choices.');

/** Members of which each chunk has at least one. */
const members: readonly string[] = ['candidates', 'usageMetadata', 'promptFeedback', 'responseId', 'modelVersion'];

function isChunk(data: JsonObject): boolean {
  return members.some((member) => data[member] !== undefined);
}

function wordOf(reason: unknown): string | undefined {
  return typeof reason === 'number' ? (finishNumbers[reason] ?? String(reason)) : asText(reason);
}

/** Reads a whole answer as the events of one frame. */
export function decodeAnswer(answers: readonly JsonObject[], options: DecoderOptions): FrameEvents {
  const decoder = new GeminiDecoder(options);
  return [...answers.flatMap((answer) => decoder.whole(answer)), ...decoder.end().flat()];
}
