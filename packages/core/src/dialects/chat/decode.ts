/** Chat chunks to events; a chunk has no type, so what it says is seen from its members. */
import {
  asArray,
  asNumber,
  asObject,
  asText,
  type CloseCause,
  compact,
  type DecoderOptions,
  type Finish,
  type FinishReason,
  type Frame,
  type JsonObject,
  type Native,
  StreamDecoder,
  tooLarge,
} from '../../dialect.ts';
import { ToolCalls } from './calls.ts';
import { decodeAnnotation } from './citations.ts';
import { errorIn } from './error.ts';
import { Media } from './media.ts';
import type { Sink } from './sink.ts';
import { finishReasons } from './terms.ts';
import { Runs } from './text.ts';
import { decodeUsage } from './usage.ts';

/** One candidate while it grows. */
interface Choice {
  index: number;
  runs: Runs;
  calls: ToolCalls;
  media: Media;
  /** Whether clients know whose turn it is. */
  hasRole: boolean;
  cited: Set<string>;
  finished: boolean;
  /** A finish that more content followed; it counts if no other one comes. */
  early: Ended | undefined;
}

/** What a finish says. */
interface Ended {
  reason: FinishReason;
  more: Omit<Finish, 'type' | 'choice' | 'reason'>;
}

/** A finish that waits for the next frame, which shows whether content follows it. */
interface HeldFinish extends Ended {
  choice: Choice;
  wire: JsonObject;
  native: Native;
  /** Whether its frame says nothing else, so that it can still be taken back. */
  alone: boolean;
}

/** Reads the chunks of a Chat stream. */
export class ChatDecoder extends StreamDecoder {
  protected readonly dialect = 'chat';
  readonly #sink: Sink;
  readonly #choices = new Map<number, Choice>();
  readonly #noted = new Set<string>();
  #held: HeldFinish[] = [];
  #usage = '';

  constructor(options: DecoderOptions) {
    super(options);
    this.#sink = {
      open: (choice, kind, init) => this.open(choice, kind, init),
      put: (block, delta) => this.put(block, delta),
      shut: (block, status) => this.shut(block, status),
      warn: (code, message, block) => this.warn(code, message, block),
      note: (key, value, choice) => this.note(key, value, { choice }),
      mend: () => this.mend(),
      native: () => this.native,
      as: (native, say) => this.#as(native, say),
    };
  }

  protected read(data: JsonObject, frame: Frame): void {
    const error = errorIn(data, frame.name);
    if (error !== undefined) return this.fail(error);
    if (!this.#isChunk(data)) return this.drop('frame_ignored', 'A payload that is no chunk.');
    const choices = this.#choicesOf(data);
    if (this.#held.length > 0) this.#settle(choices);
    if (!this.started) this.#begin(data, choices);
    this.#aside(data);
    for (const choice of choices) if (!this.over) this.#choice(choice);
    this.#count(data, choices);
    if (this.#held.length > 0) this.#wait();
  }

  /** `[DONE]` is a clean end, also without a finish; alone it is no answer. */
  protected override done(): void {
    this.#as(undefined, () => this.#settle([]));
    if (this.#choices.size === 0)
      return this.fail({
        type: 'upstream',
        code: 'empty_answer',
        message: 'The upstream ended an answer without content.',
      });
    this.#as(undefined, () => this.#finishRest());
    this.complete();
  }

  /** A comment that a proxy wrapped as data says nothing; `[DONE]` is written in several ways. */
  protected override unreadable(frame: Frame): void {
    const data = frame.data.trim();
    if (/^"?\[done\]"?$/i.test(data)) this.done();
    else if (data.startsWith(':') || /^(null|true|false|"[^"]*"|\[\])$/.test(data))
      this.drop('frame_ignored', 'An event that is no chunk.');
    else super.unreadable(frame);
  }

  /** A finish for each choice proves that the answer is whole. */
  protected close(cause: CloseCause): void {
    this.#settle([]);
    const open = [...this.#choices.values()].filter((choice) => !choice.finished);
    const whole = open.every((choice) => choice.early !== undefined || this.#isAccepted(choice, cause));
    if (this.#choices.size === 0 || !whole) return;
    this.#finishRest();
    this.complete();
  }

  #isAccepted(choice: Choice, cause: CloseCause): boolean {
    return this.options.acceptMissingTerminal === true && cause === 'closed' && choice.calls.whole;
  }

  /** Whether a payload is a chunk; one that has usage but no list of choices is mended. */
  #isChunk(data: JsonObject): boolean {
    if (Array.isArray(data.choices)) return true;
    if (usageIn(data) === undefined) return false;
    this.mend();
    data.choices = [];
    return true;
  }

  #choicesOf(data: JsonObject): readonly JsonObject[] {
    const choices = data.choices as unknown[];
    for (let at = 0; at < choices.length; at++) choices[at] = this.#repaired(data, choices[at], at);
    return choices as JsonObject[];
  }

  /** A choice with index and delta; whole messages count as one delta. */
  #repaired(data: JsonObject, wire: unknown, at: number): JsonObject {
    const choice = asObject(wire) ?? {};
    if (asNumber(choice.index) === undefined) {
      this.mend();
      choice.index = at;
    }
    if (asObject(choice.delta) === undefined) {
      this.mend();
      choice.delta = asObject(choice.message) ?? (typeof choice.text === 'string' ? { content: choice.text } : {});
      delete choice.message;
      if (data.object === 'chat.completion') data.object = 'chat.completion.chunk';
    }
    return choice;
  }

  /** The first chunk with an identity begins the response; servers may send filter results before it. */
  #begin(data: JsonObject, choices: readonly JsonObject[]): void {
    const id = asText(data.id);
    const model = asText(data.model);
    if (choices.length === 0 && usageIn(data) === undefined && (id === undefined || model === undefined)) return;
    const createdAt = asNumber(data.created) || undefined;
    this.start(compact({ id, model, createdAt, serviceTier: asText(data.service_tier) }));
  }

  /** What stands beside the choices; each is told once. */
  #aside(data: JsonObject): void {
    if (!this.started) return;
    if (data.system_fingerprint) this.#noteOnce('system_fingerprint', data.system_fingerprint);
    if (data.citations) this.#noteOnce('sources', data.citations);
    if (data.moderation) this.#noteOnce('moderation', data.moderation);
    if (data.metadata) this.#noteOnce('metadata', data.metadata);
  }

  #noteOnce(key: string, value: unknown): void {
    if (this.#noted.has(key)) return;
    this.#noted.add(key);
    this.note(key, value);
  }

  #choice(wire: JsonObject): void {
    const choice = this.#choiceAt(wire.index as number);
    const delta = wire.delta as JsonObject;
    if (choice.finished) return this.#afterFinish(delta);
    this.#role(choice, delta);
    const word = this.#finishWord(wire);
    const last = word !== undefined;
    if (!Array.isArray(delta.tool_calls)) choice.calls.settle();
    choice.runs.read(delta, asObject(wire.logprobs), last);
    if (choice.runs.overfull) return this.fail(tooLarge('answer_too_large', 'The answer has too much text.'));
    if (delta.tool_calls !== undefined || delta.function_call !== undefined) this.#calls(choice, delta, last);
    if (delta.audio !== undefined) choice.media.hear(delta.audio);
    if (delta.images !== undefined) choice.media.see(delta.images);
    if (delta.annotations !== undefined) this.#annotations(choice, delta);
    if (wire.content_filter_results) this.note('safety', wire.content_filter_results, { choice: choice.index });
    if (last) this.#hold(choice, wire, word);
  }

  #choiceAt(index: number): Choice {
    const known = this.#choices.get(index);
    if (known !== undefined) return known;
    const choice: Choice = {
      index,
      runs: new Runs(index, this.#sink, this.options),
      calls: new ToolCalls(index, this.#sink, this.options.ids),
      media: new Media(index, this.#sink),
      hasRole: false,
      cited: new Set(),
      finished: false,
      early: undefined,
    };
    this.#choices.set(index, choice);
    return choice;
  }

  /** The first delta of a choice names the role: without it the official SDK throws at the end. */
  #role(choice: Choice, delta: JsonObject): void {
    if (choice.hasRole) return;
    choice.hasRole = true;
    if (delta.role === 'assistant') return;
    this.mend();
    delta.role = 'assistant';
  }

  #calls(choice: Choice, delta: JsonObject, last: boolean): void {
    const legacy = asObject(delta.function_call);
    if (legacy !== undefined || asArray(delta.tool_calls).length > 0) choice.runs.stop();
    if (legacy !== undefined) choice.calls.readLegacy(legacy);
    choice.calls.read(delta, last);
  }

  /** Servers that resend all annotations with each chunk would double them in the client. */
  #annotations(choice: Choice, delta: JsonObject): void {
    const annotations = asArray(delta.annotations);
    const fresh = annotations.filter((annotation) => !choice.cited.has(JSON.stringify(annotation)));
    if (fresh.length < annotations.length) {
      this.mend();
      delta.annotations = fresh;
    }
    for (const annotation of fresh) {
      choice.cited.add(JSON.stringify(annotation));
      const citation = decodeAnnotation(annotation);
      if (citation !== undefined) choice.runs.cite(citation);
    }
  }

  /** The word of the finish, if there is one; some servers write the member in camel case. */
  #finishWord(wire: JsonObject): string | undefined {
    const word = asText(wire.finish_reason);
    if (word !== undefined || wire.finishReason === undefined) return word;
    const camel = asText(wire.finishReason);
    if (camel !== undefined) {
      this.mend();
      wire.finish_reason = camel;
    }
    return camel;
  }

  #hold(choice: Choice, wire: JsonObject, word: string): void {
    const ended = this.#ended(choice, wire, word);
    if (ended.reason === 'error')
      return this.fail(
        errorIn({ error: wire.error ?? { code: word, message: `The upstream ended with "${word}".` } }) ?? failed,
      );
    this.#held.push({ choice, wire, native: this.native as Native, alone: false, ...ended });
  }

  /** A finish says whether calls are to be answered, but servers mix it up; the calls decide. */
  #ended(choice: Choice, wire: JsonObject, word: string): Ended {
    const reason = finishReasons[word.toLowerCase()];
    if (reason === undefined) this.warn('finish_unknown', `The finish reason "${word}" is not known.`);
    if (reason === 'stop' && choice.calls.any) return this.#corrected('tool_calls', word);
    if (reason === 'tool_calls' && !choice.calls.any) {
      this.mend();
      wire.finish_reason = 'stop';
      return this.#corrected('stop', word);
    }
    const refused = reason === 'stop' && choice.runs.refused && !choice.runs.answered;
    const stopSequence = stopString(wire);
    const more = { nativeReason: word, ...(reason === 'stop' && stopSequence !== undefined && { stopSequence }) };
    return { reason: refused ? 'refusal' : (reason ?? 'other'), more };
  }

  #corrected(reason: FinishReason, word: string): Ended {
    this.warn('finish_corrected', `The finish reason "${word}" does not fit the calls.`);
    return { reason, more: {} };
  }

  /** Frames that only finish wait, whole. */
  #wait(): void {
    const waiting = this.#held.filter((held) => held.native === this.native);
    if (waiting.length === 0 || this.spoken) return;
    this.hold();
    for (const held of waiting) held.alone = true;
  }

  /** The next frame is there: a finish that content follows is taken back, all others count. */
  #settle(choices: readonly JsonObject[]): void {
    const held = this.#held;
    this.#held = [];
    for (const finish of held) {
      const goesOn = choices.some((wire) => wire.index === finish.choice.index && hasContent(wire.delta as JsonObject));
      this.#as(finish.native, () => (goesOn ? this.#takeBack(finish) : this.#release(finish.choice, finish)));
    }
  }

  #takeBack({ choice, wire, alone, reason, more }: HeldFinish): void {
    choice.early = { reason, more };
    if (!alone) return;
    wire.finish_reason = null;
    this.mend();
    this.give({ type: 'raw', data: this.native?.data, native: this.native });
  }

  #release(choice: Choice, { reason, more }: Ended): void {
    choice.finished = true;
    choice.runs.rest();
    choice.calls.end(reason !== 'stop' && reason !== 'tool_calls');
    this.finish(choice.index, reason, more);
  }

  /** Ends what has no finish of its own. */
  #finishRest(): void {
    for (const choice of this.#choices.values()) {
      if (choice.finished) continue;
      const { early } = choice;
      if (early === undefined) this.warn('finish_missing', 'The answer ended without a finish reason.');
      const kept = early !== undefined && early.reason !== 'stop' && early.reason !== 'tool_calls';
      this.#release(choice, kept ? early : { reason: choice.calls.any ? 'tool_calls' : 'stop', more: {} });
    }
  }

  #afterFinish(delta: JsonObject): void {
    if (hasContent(delta)) this.warn('content_dropped', 'Content after the finish was left out.');
  }

  /** Usage may come beside choices, often, and twice; the same numbers say nothing new. */
  #count(data: JsonObject, choices: readonly JsonObject[]): void {
    const ending = choices.length === 0 || this.#held.length > 0;
    const wire = asObject(data.usage) ?? (ending ? (usageIn(data) ?? asObject(choices[0]?.usage)) : undefined);
    if (wire === undefined || this.over) return;
    const text = JSON.stringify(wire);
    const usage = text === this.#usage ? undefined : decodeUsage(wire);
    if (usage === undefined) return;
    this.#usage = text;
    this.count(usage, ending);
  }

  #as(native: Native | undefined, say: () => void): void {
    const reading = this.native;
    this.native = native;
    say();
    this.native = reading;
  }
}

const failed = { type: 'upstream', code: 'error', message: 'The upstream reported an error.' } as const;

/** The usage object of a chunk: `usage`, or the same inside a server's own `x_…` member. */
function usageIn(data: JsonObject): JsonObject | undefined {
  const usage = asObject(data.usage);
  if (usage !== undefined) return usage;
  for (const member in data) {
    if (!member.startsWith('x_')) continue;
    const nested = asObject(asObject(data[member])?.usage);
    if (nested !== undefined) return nested;
  }
  return undefined;
}

/** Whether a delta carries a piece of the answer. */
function hasContent(delta: JsonObject): boolean {
  const { content, refusal, reasoning_content, reasoning, tool_calls } = delta;
  return [content, refusal, reasoning_content, reasoning, tool_calls].some(
    (value) => asText(value) !== undefined || asArray(value).length > 0,
  );
}

/** The stop string that was met, where a server tells it; numbers are token ids, and a finish word is none. */
function stopString(wire: JsonObject): string | undefined {
  const met = asText(wire.stop_reason) ?? asText(wire.matched_stop);
  return met === undefined || finishReasons[met.toLowerCase()] === undefined || met !== met.toLowerCase()
    ? met
    : undefined;
}
