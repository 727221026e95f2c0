/** Frames of a Messages stream to canonical events: one case for each type of frame. */
import {
  asArray,
  asCount,
  asObject,
  asText,
  bareError,
  type CanonicalEvent,
  type CloseCause,
  compact,
  type DecoderOptions,
  type Finish,
  type Frame,
  type FrameEvents,
  type Ids,
  type JsonObject,
  malformed,
  type Native,
  rewrite,
} from '../../dialect.ts';
import { respellDelta } from './blocks.ts';
import { readError } from './error.ts';
import { finishReasons, stopReasons } from './terms.ts';
import { BlockDecoder } from './track.ts';
import { Counters } from './usage.ts';

/** A signature that may go on in the next frame; clients keep only the last one they get. */
interface HeldSignature {
  readonly block: number;
  readonly delta: JsonObject;
  readonly native: Native | undefined;
  value: string;
}

/** Metadata that this dialect sends beside the content. */
const noteKeys = ['container', 'context_management'] as const;

/** Reads Messages streams, and a whole message as one frame. */
export class MessagesDecoder extends BlockDecoder {
  readonly #usage = new Counters();
  #signature: HeldSignature | undefined;
  /** The finish, held until the message stops: a later `message_delta` may replace it. */
  #finish: Omit<Finish, 'type' | 'choice'> | undefined;
  /** What else the last `message_delta` said; it waits for the next frame, so that it leaves as one with the finish. */
  #report: readonly CanonicalEvent[] = [];
  /** The frame of that `message_delta`. */
  #reported: Native | undefined;

  protected read(data: JsonObject, frame: Frame): void {
    const type = this.#typeOf(data, frame);
    if (this.#signature !== undefined && !isSignature(data)) this.#releaseSignature();
    this.settleInput(data);
    if (this.#reported !== undefined && type !== 'message_stop' && type !== 'ping') this.#releaseReport();
    switch (type) {
      case 'message_start':
        return this.#messageStart(data);
      case 'content_block_start':
        return this.#blockStart(data);
      case 'content_block_delta':
        return this.#blockDelta(data);
      case 'content_block_stop':
        return this.stopBlock(data);
      case 'message_delta':
        return this.#messageDelta(data);
      case 'message_stop':
        return this.#messageStop(data);
      case 'ping':
        return this.give({ type: 'ping', native: this.native });
      case 'error':
        return this.fail(readError(data));
      case 'message':
        return this.#message(data);
      case undefined:
        return this.drop('frame_ignored', 'A frame that does not say what it is.');
    }
  }

  /** `[DONE]` is no word of this dialect, but where the stop reason is known it stands for the missing `message_stop`. */
  protected override done(): void {
    this.#releaseHeld();
    this.drop('frame_ignored', 'A [DONE] that the dialect does not have.');
    this.native = undefined;
    if (this.#finish !== undefined) this.#end();
  }

  protected override unreadable(frame: Frame): void {
    this.#releaseHeld();
    const text = frame.data.trim();
    if (text === '') this.drop('frame_ignored', 'An event without a payload.');
    else this.fail(frame.name === 'error' ? readError(text) : malformed(frame.data));
  }

  /** A stop reason is proof enough of a whole message: after it comes only `message_stop`. */
  protected close(cause: CloseCause): void {
    this.#releaseHeld();
    if (this.#finish === undefined && this.options.acceptMissingTerminal !== true) this.#releaseReport();
    const isWhole = this.started && !this.hasOpen && cause === 'closed';
    if (this.#finish !== undefined || (isWhole && this.options.acceptMissingTerminal === true)) this.#end();
  }

  /** Look-alikes leave the type to the event line, and errors without any. */
  #typeOf(data: JsonObject, frame: Frame): string | undefined {
    const { type } = data;
    if (typeof type === 'string') return frame.name === 'error' ? 'error' : type;
    if (asObject(data.error) !== undefined || typeof data.error === 'string') return 'error';
    const bare = bareError(data, frame.name);
    if (bare !== undefined) data.error = bare;
    if (bare !== undefined) return 'error';
    if (frame.name !== undefined && frame.name !== 'error') this.mend().type = frame.name;
    return frame.name;
  }

  #messageStart(data: JsonObject): void {
    const message = asObject(data.message);
    this.#usage.add(message?.usage, false);
    if (message === undefined || this.started) return this.#secondStart();
    const content = this.#takeContent(message);
    if (completeMessage(message, this.options.ids)) this.mend();
    this.#beginStopped(message);
    this.invent(() => {
      for (const block of content) this.wholeBlock(asObject(block));
    });
  }

  /** Content that stands in the start already, where few clients look: it comes in blocks of its own. */
  #takeContent(message: JsonObject): readonly unknown[] {
    const text = asText(message.content);
    const content = text === undefined ? asArray(message.content) : [{ type: 'text', text }];
    if (content.length > 0) this.mend();
    if (content.length > 0) message.content = [];
    return content;
  }

  /** A proxy that tries again starts again; what the first try left open is over, and a client knows only one start. */
  #secondStart(): void {
    this.abandonAll('incomplete');
    this.drop('duplicate_start', 'A second message_start, or one without a message.');
  }

  #begin(message: JsonObject): void {
    const { usage } = this.#usage;
    const serviceTier = asText(asObject(message.usage)?.service_tier);
    this.start(compact({ id: asText(message.id), model: asText(message.model), usage, serviceTier }));
    for (const content of asArray(message.content)) this.wholeBlock(asObject(content));
    this.#stopReason(message);
  }

  /** A reason that comes before the answer counts if no other one follows; clients read it at the end. */
  #beginStopped(message: JsonObject): void {
    this.#begin(message);
    if (this.#finish === undefined) return;
    this.#finish.native = { dialect: this.dialect };
    Object.assign(this.mend().message as JsonObject, { stop_reason: null, stop_sequence: null });
  }

  /** A message that is not streamed. */
  #message(data: JsonObject): void {
    rewrite(this.native);
    this.#usage.add(data.usage, true);
    this.#begin(data);
    this.#report = [...this.#notes(data), ...this.#counted(true)];
    this.#end();
  }

  #blockStart(data: JsonObject): void {
    const content = asObject(data.content_block);
    if (content === undefined) return this.drop('frame_ignored', 'The start of a block that says nothing.');
    this.ensureStarted();
    this.startBlock(data, content);
  }

  #blockDelta(data: JsonObject): void {
    const delta = asObject(data.delta) ?? this.#impliedDelta(data);
    if (delta === undefined) return this.drop('frame_ignored', 'A delta that says nothing.');
    if (respellDelta(delta)) this.mend();
    switch (delta.type) {
      case 'text_delta':
        return this.#text(data, delta);
      case 'thinking_delta':
        return this.#thinking(data, delta);
      case 'signature_delta':
        return this.#sign(data, delta);
      case 'input_json_delta':
        return this.takeInput(data, delta);
      case 'citations_delta':
        return this.cite(this.target(data, 'text'), asObject(delta.citation));
      case 'compaction_delta':
        return this.#compaction(data, delta);
      default:
        return this.passDelta(data);
    }
  }

  /** A delta that is a mere text. */
  #impliedDelta(data: JsonObject): JsonObject | undefined {
    const text = asText(data.delta);
    if (text === undefined) return undefined;
    const delta = { type: 'text_delta', text };
    this.mend().delta = delta;
    return delta;
  }

  #text(data: JsonObject, delta: JsonObject): void {
    const block = this.target(data, 'text');
    const text = this.textOf(delta, 'text');
    if (text !== '') this.put(block, { type: 'text', text });
  }

  #thinking(data: JsonObject, delta: JsonObject): void {
    const block = this.target(data, 'reasoning');
    const text = this.textOf(delta, 'thinking');
    if (text !== '') this.put(block, { type: 'reasoning', text, form: 'raw' });
  }

  #compaction(data: JsonObject, delta: JsonObject): void {
    const block = this.target(data, 'item');
    const text = asText(delta.content);
    if (text !== undefined) this.put(block, { type: 'output', text });
  }

  #sign(data: JsonObject, delta: JsonObject): void {
    const block = this.target(data, 'reasoning');
    const value = this.textOf(delta, 'signature');
    this.keep(value.length);
    if (value === '' && this.#signature === undefined) return;
    this.hold();
    if (this.#signature?.block === block) return this.#extendSignature(this.#signature, value);
    this.#releaseSignature();
    this.#signature = { block, delta, native: this.native, value };
  }

  #extendSignature(held: HeldSignature, value: string): void {
    held.value += value;
    held.delta.signature = held.value;
    if (held.native !== undefined) held.native.text = undefined;
  }

  #releaseHeld(): void {
    this.#releaseSignature();
    this.settleInput();
  }

  #releaseSignature(): void {
    const held = this.#signature;
    if (held === undefined) return;
    this.#signature = undefined;
    const delta = { type: 'signature', value: held.value, mode: 'set' } as const;
    this.give({ type: 'block-delta', block: held.block, delta, native: held.native });
  }

  #messageDelta(data: JsonObject): void {
    this.ensureStarted();
    const delta = asObject(data.delta) ?? {};
    if (data.delta !== delta) this.mend().delta = delta;
    this.#gather(data, delta);
    this.#usage.add(data.usage, true);
    this.#completeUsage(data);
    if (asText(delta.stop_reason) !== undefined) this.abandonAll();
    else if (this.#finish !== undefined) this.#keepReason(delta);
    this.#stopReason(delta);
    this.#report = [...this.#notes(delta), ...this.#notes(data), ...this.#counted(this.#finish !== undefined)];
    this.#reported = this.native;
    this.hold();
  }

  /** A reason and counts that stand elsewhere in the event than clients look. */
  #gather(data: JsonObject, delta: JsonObject): void {
    const reason = asText(data.stop_reason) ?? asText(asObject(data.message)?.stop_reason);
    if (reason !== undefined && asText(delta.stop_reason) === undefined) {
      this.mend();
      Object.assign(delta, { stop_reason: reason, stop_sequence: delta.stop_sequence ?? null });
    }
    const usage = asObject(delta.usage) ?? asObject(asObject(data.message)?.usage);
    if (usage !== undefined && asObject(data.usage) === undefined) this.mend().usage = usage;
  }

  #releaseReport(): void {
    const native = this.#reported;
    for (const event of this.#report) this.give(event);
    if (this.#report.length === 0 && this.#finish === undefined && native !== undefined)
      this.give({ type: 'raw', name: 'message_delta', data: native.data, native });
    this.#report = [];
    this.#reported = undefined;
  }

  /** Clients read `usage.output_tokens` of each `message_delta` without looking whether it is there. */
  #completeUsage(data: JsonObject): void {
    const usage = asObject(data.usage);
    if (typeof usage?.output_tokens === 'number') return;
    this.mend().usage = { ...usage, output_tokens: this.#usage.outputSoFar };
  }

  #counted(final: boolean): readonly CanonicalEvent[] {
    const { usage } = this.#usage;
    return usage === undefined ? [] : [{ type: 'usage', usage, final, native: this.native }];
  }

  /** A later null would take the reason back. */
  #keepReason(delta: JsonObject): void {
    this.mend();
    delta.stop_reason = this.#finish?.nativeReason ?? null;
    delta.stop_sequence = this.#finish?.stopSequence ?? null;
  }

  #stopReason(delta: JsonObject): void {
    const nativeReason = asText(delta.stop_reason);
    if (nativeReason === undefined) return;
    const known = finishReasons.get(nativeReason) ?? 'other';
    const reason = known === 'stop' && nativeReason !== 'stop_sequence' && this.calls > 0 ? 'tool_calls' : known;
    if (reason === 'other') this.warn('finish_unknown', `The stop reason "${nativeReason.slice(0, 64)}" is not known.`);
    const said = asObject(delta.stop_details);
    const category = asText(said?.category);
    const message = asText(said?.explanation);
    const details = category === undefined && message === undefined ? undefined : compact({ category, message });
    const stopSequence = typeof delta.stop_sequence === 'string' ? delta.stop_sequence : undefined;
    const more = compact({ stopSequence, details });
    this.#finish = { reason, nativeReason, native: this.native, ...more };
  }

  #notes(data: JsonObject): readonly CanonicalEvent[] {
    const told = noteKeys.filter((key) => asObject(data[key]) !== undefined);
    return told.map((key) => ({ type: 'metadata', key, value: data[key], native: this.native }));
  }

  #messageStop(data: JsonObject): void {
    if (this.started) return this.#end(asText(data.stop_reason) ?? asText(asObject(data.message)?.stop_reason));
    const message = 'The upstream ended a message that it had not begun.';
    this.fail({ type: 'upstream', code: 'empty_answer', message });
  }

  /** The reason of a message that gave none: its last `message_delta` gets the one that fits; without any, the end is written anew. */
  #unsaid(late: string | undefined): Omit<Finish, 'type' | 'choice'> {
    const known = finishReasons.get(late ?? '');
    if (known === undefined) this.warn('finish_missing', 'The message ended without a stop reason.');
    const reason = known ?? (this.calls > 0 ? 'tool_calls' : 'stop');
    const native = this.#reported;
    if (native === undefined) rewrite(this.native);
    if (native === undefined) return { reason };
    const data = native.data as JsonObject;
    data.delta = { ...asObject(data.delta), stop_reason: stopReasons[reason], stop_sequence: null };
    native.text = undefined;
    this.#report = this.#report.map((event) => (event.type === 'usage' ? { ...event, final: true } : event));
    return { reason, native };
  }

  #end(late?: string): void {
    this.abandonAll();
    this.#finish ??= this.#unsaid(late);
    this.#releaseReport();
    const { reason, ...more } = this.#finish;
    this.finish(0, reason, { native: undefined, ...more });
    this.complete();
  }
}

function isSignature(data: JsonObject): boolean {
  return data.type === 'content_block_delta' && asObject(data.delta)?.type === 'signature_delta';
}

/** The members that clients write into, check or show: what each must be, and what stands for it where it is missing. */
const members: readonly (readonly [name: string, isRight: (value: unknown) => boolean, missing: () => unknown])[] = [
  ['type', (type) => type === 'message', () => 'message'],
  ['role', (role) => role === 'assistant', () => 'assistant'],
  ['model', (model) => asText(model) !== undefined, () => 'unknown'],
  ['content', Array.isArray, () => []],
  ['stop_reason', isTextOrNull, () => null],
  ['stop_sequence', isTextOrNull, () => null],
];

/** Gives a `message_start` the members that it lacks; says whether it lacked any. */
function completeMessage(message: JsonObject, ids: Ids): boolean {
  const usage = asObject(message.usage) ?? {};
  const counts = ['input_tokens', 'output_tokens'].filter((name) => typeof usage[name] !== 'number');
  const lacking = members.filter(([name, isRight]) => !isRight(message[name]));
  const isNamed = asText(message.id) !== undefined;
  if (isNamed && counts.length === 0 && lacking.length === 0) return false;
  if (!isNamed) message.id = ids.invent('msg_');
  for (const [name, , missing] of lacking) message[name] = missing();
  message.usage = { ...usage, ...Object.fromEntries(counts.map((name) => [name, asCount(usage[name]) ?? 0])) };
  return true;
}

function isTextOrNull(value: unknown): boolean {
  return value === null || typeof value === 'string';
}

/** Reads a whole message as the events of one frame. */
export function decodeMessage(message: JsonObject, options: DecoderOptions): FrameEvents {
  return new MessagesDecoder(options).whole(message);
}
