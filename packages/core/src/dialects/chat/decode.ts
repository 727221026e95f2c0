/** Chat chunks to events; a chunk has no type, so what it says is seen from its members. */
import {
  asCount,
  asNumber,
  asObject,
  asText,
  type CanonicalError,
  type CanonicalEvent,
  type CloseCause,
  compact,
  type DecoderOptions,
  type Frame,
  type FrameEvents,
  type JsonObject,
  type Native,
  StreamDecoder,
  tooLarge,
} from '../../dialect.ts';
import { Choice, type Ended, hasContent, isBelied, type WireChoice } from './choice.ts';
import { errorIn } from './error.ts';
import { impliedDelta, listOf, mendChoice, mendDelta, mendIdentity } from './shape.ts';
import type { Sink } from './sink.ts';
import { decodeUsage } from './usage.ts';

/** A finish that waits for the next frame, which shows whether content follows it. */
interface HeldFinish {
  choice: Choice;
  ended: Ended;
  wire: WireChoice;
  native: Native | undefined;
  /** Whether its frame says nothing else, so that it can still be taken back. */
  alone: boolean;
}

/** Reads the chunks of a Chat stream. */
export class ChatDecoder extends StreamDecoder {
  protected readonly dialect = 'chat';
  protected readonly variable: ReadonlySet<string> = variable;
  readonly #sink: Sink;
  readonly #choices = new Map<number, Choice>();
  readonly #noted = new Set<string>();
  #held: HeldFinish[] = [];
  /** Whether the frame must wait for the rest of a call's name. */
  #waiting = false;
  /** The events of frames that wait. */
  #kept: CanonicalEvent[] = [];
  #usage = '';

  constructor(options: DecoderOptions) {
    super(options);
    this.#sink = {
      open: (choice, kind, init) => this.open(choice, kind, init),
      put: (block, delta) => this.put(block, delta),
      shut: (block, status, final) => this.shut(block, status, final),
      warn: (code, message, block) => this.warn(code, message, block),
      note: (key, value, choice) => this.note(key, value, { choice }),
      keep: (length) => this.keep(length),
      fail: (error) => this.fail(error),
      mend: () => this.mend(),
      native: () => this.native,
      as: (native, say) => this.#as(native, say),
    };
  }

  override push(frame: Frame): readonly FrameEvents[] {
    return this.#deliver(super.push(frame));
  }

  override end(cause?: CloseCause): readonly FrameEvents[] {
    this.#waiting = false;
    return this.#deliver(super.end(cause));
  }

  protected read(data: JsonObject, frame: Frame): void {
    const error = errorIn(data, frame.name);
    if (error !== undefined) return this.fail(error);
    if (!this.#isChunk(data)) return this.drop('frame_ignored', 'A payload that is no chunk.');
    if (mendIdentity(data)) this.mend();
    const choices = this.#choicesOf(data);
    if (choices.some(({ index }) => index >= this.options.limits.maxBlocks)) return this.fail(crowded);
    if (this.#held.length > 0) this.#settle(choices);
    if (this.#waiting) this.#settleCalls(choices);
    if (!this.started) this.#begin(data, choices);
    if (this.started) this.#aside(data);
    for (const choice of choices) if (!this.over) this.#choice(choice);
    this.#count(data, choices);
    if (this.#waiting) this.keep(frame.data.length);
    this.#wait();
  }

  /** `[DONE]` is a clean end, also without a finish; alone it is no answer. */
  protected override done(): void {
    this.#waiting = false;
    this.#as(undefined, () => {
      this.#settle([]);
      this.#finishRest();
    });
    if (this.#choices.size === 0) this.fail(empty);
    this.complete();
  }

  /** A comment that a proxy wrapped as data says nothing; `[DONE]` is written in several ways. */
  protected override unreadable(frame: Frame): void {
    const data = frame.data.trim();
    if (/^"?\[done\]"?$/i.test(data)) this.done();
    else if (data.startsWith(':') || /^(null|true|false|-?\d+(\.\d+)?|"[^"]*"|\[\])$/.test(data))
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
    const choices = listOf(data.choices) ?? (usageIn(data) === undefined ? undefined : []);
    if (choices === undefined) return false;
    this.mend();
    data.choices = choices;
    return true;
  }

  #choicesOf(data: JsonObject): readonly WireChoice[] {
    const choices = data.choices as unknown[];
    const { maxBlocks } = this.options.limits;
    if (choices.length > maxBlocks) return [{ index: maxBlocks, delta: {} }];
    for (let at = 0; at < choices.length; at++) choices[at] = this.#repaired(data, choices[at], at);
    return choices as WireChoice[];
  }

  /** A choice with index and delta; whole messages count as one delta. */
  #repaired(data: JsonObject, wire: unknown, at: number): JsonObject {
    const choice = asObject(wire) ?? {};
    const index = asCount(choice.index) ?? at;
    if (index !== choice.index) this.mend();
    choice.index = index;
    if (asObject(choice.delta) === undefined) {
      this.mend();
      choice.delta = impliedDelta(choice);
      delete choice.message;
      if (data.object === 'chat.completion') data.object = 'chat.completion.chunk';
    }
    const isDeltaMended = mendDelta(choice.delta as JsonObject);
    if (mendChoice(choice) || isDeltaMended) this.mend();
    return choice;
  }

  /** The first chunk with an identity begins the response; servers may send filter results before it. */
  #begin(data: JsonObject, choices: readonly WireChoice[]): void {
    const id = asText(data.id);
    const model = asText(data.model);
    if (choices.length === 0 && usageIn(data) === undefined && (id === undefined || model === undefined)) return;
    const createdAt = asCount(Math.floor(asNumber(data.created) ?? 0)) || undefined;
    this.start(compact({ id, model, createdAt, serviceTier: asText(data.service_tier) }));
  }

  /** What stands beside the choices; each is told once. */
  #aside(data: JsonObject): void {
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

  #choice(wire: WireChoice): void {
    const choice = this.#choiceAt(wire.index);
    if (choice.finished) return this.#afterFinish(choice, wire);
    const ended = choice.read(wire);
    if (choice.overfull) return this.fail(tooLarge('answer_too_large', 'Too much of the answer has to be kept.'));
    if (choice.calls.waiting) this.#waiting = true;
    if (ended?.reason === 'error') return this.fail(failure(wire));
    if (ended !== undefined) this.#held.push({ choice, ended, wire, native: this.native, alone: false });
  }

  #choiceAt(index: number): Choice {
    const known = this.#choices.get(index);
    if (known !== undefined) return known;
    const choice = new Choice(index, this.#sink, this.options);
    this.#choices.set(index, choice);
    return choice;
  }

  /** Clients take the last finish that they see. */
  #afterFinish(choice: Choice, wire: WireChoice): void {
    if (hasContent(wire.delta)) this.warn('content_dropped', 'Content after the finish was left out.');
    if (!wire.finish_reason || wire.finish_reason === choice.word) return;
    this.mend();
    wire.finish_reason = null;
  }

  /** Frames that only finish, or only open a call, wait whole. */
  #wait(): void {
    if (this.#held.length === 0 && !this.#waiting) return;
    this.own();
    if (this.spoken) return;
    if (this.#waiting) this.hold();
    for (const held of this.#held) {
      if (held.native !== this.native) continue;
      held.alone = true;
      this.hold();
    }
  }

  /** The next frame is there: a finish that content follows is taken back, and so is one that another finish belies; all others count. */
  #settle(choices: readonly WireChoice[]): void {
    const finishes = this.#held;
    this.#held = [];
    for (const held of finishes) {
      const next = choices.find(({ index }) => index === held.choice.index);
      const goesOn = next !== undefined && (hasContent(next.delta) || isBelied(held.ended, next));
      this.#as(held.native, () => (goesOn ? this.#takeBack(held) : this.#release(held.choice, held.ended)));
    }
  }

  /** An answer that broke off tells more than that something follows it. */
  protected override fail(error: CanonicalError): void {
    if (!this.over) for (const choice of this.#choices.values()) choice.rest();
    super.fail(error);
  }

  #takeBack({ choice, ended, wire, alone }: HeldFinish): void {
    choice.early = ended;
    if (!alone) return;
    this.mend();
    wire.finish_reason = null;
    this.give({ type: 'raw', data: this.native?.data, native: this.native });
  }

  #release(choice: Choice, ended: Ended): void {
    choice.end(ended);
    this.finish(choice.index, ended.reason, ended.more);
  }

  /** Ends what has no finish of its own. */
  #finishRest(): void {
    for (const choice of this.#choices.values()) if (!choice.finished) this.#release(choice, choice.ownEnd());
  }

  /** A frame that says nothing of a choice's calls ends their waiting. */
  #settleCalls(choices: readonly WireChoice[]): void {
    this.#waiting = false;
    for (const choice of this.#choices.values())
      if (!choices.some(({ index }) => index === choice.index)) choice.calls.settle();
  }

  #deliver(frames: readonly FrameEvents[]): readonly FrameEvents[] {
    if (!this.#waiting && this.#kept.length === 0) return frames;
    const events = this.#kept;
    for (const frame of frames) for (const event of frame) events.push(event);
    const waits = this.#waiting && !this.over;
    this.#kept = waits ? events : [];
    return waits || events.length === 0 ? [] : [events];
  }

  /** Usage may come beside choices, often, and twice; the same numbers say nothing new. */
  #count(data: JsonObject, choices: readonly WireChoice[]): void {
    const ending = choices.length === 0 || this.#held.length > 0;
    if (typeof data.usage === 'object' ? Array.isArray(data.usage) : data.usage !== undefined) this.mend().usage = null;
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

const variable: ReadonlySet<string> = new Set([
  'content',
  'arguments',
  'reasoning_content',
  'reasoning',
  'obfuscation',
]);

const crowded: CanonicalError = tooLarge('too_many_choices', 'The answer has too many choices.');

const empty: CanonicalError = {
  type: 'upstream',
  code: 'empty_answer',
  message: 'The upstream ended an answer without content.',
};

/** The error of a choice that finished with one. */
function failure({ error, finish_reason }: WireChoice): CanonicalError {
  const code = String(finish_reason);
  const said = { code, message: `The upstream ended its answer with "${code}".` };
  return errorIn({ error: error ?? said }) ?? { type: 'upstream', ...said };
}

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
