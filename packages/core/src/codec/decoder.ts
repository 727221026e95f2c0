/** What every stream decoder is made of: frames in, events with their frame's original out, one truthful ending. */
import type { CanonicalError } from '../model/error.ts';
import type {
  BlockDelta,
  BlockEnd,
  BlockFinal,
  BlockKind,
  BlockStart,
  CanonicalEvent,
  Delta,
  DialectId,
  Finish,
  FrameEvents,
  Native,
  ResponseEnd,
  ResponseStart,
  WarningCode,
} from '../model/event.ts';
import type { FinishReason } from '../model/finish.ts';
import type { Limits } from '../model/limits.ts';
import type { Usage } from '../model/usage.ts';
import type { CloseCause, Stage } from '../stage.ts';
import type { Frame } from '../wire/frame.ts';
import { interruption, malformed, tooLarge } from './fault.ts';
import type { Ids } from './ids.ts';
import { asObject, isDeeper, type JsonObject, parseJson } from './json.ts';
import { RepeatedFrame, Repeats } from './repeat.ts';

/** Frames of one dialect to canonical events: one list for each frame that says anything. */
export interface Decoder extends Stage<Frame, FrameEvents> {}

/** What a decoder needs, and the habits that it is told to expect. */
export interface DecoderOptions {
  ids: Ids;
  limits: Limits;
  /** Reads `<think>` in text as reasoning. Off by default: some answers are about that tag. */
  extractThinkTags?: boolean;
  /** Each text delta repeats the whole text so far. Off by default: it cannot be told from real text. */
  cumulativeDeltas?: boolean;
  /** A close without a terminal event is an end if all that was begun is whole. Off by default. */
  acceptMissingTerminal?: boolean;
}

/** The members of a block's start beside its number, choice and kind. */
export type BlockInit = Omit<BlockStart, 'type' | 'block' | 'choice' | 'kind' | 'native'>;

/** The base of every decoder. A dialect says how one payload reads; numbering, limits and endings are here. */
export abstract class StreamDecoder implements Decoder {
  protected abstract readonly dialect: DialectId;
  /** The leaves of a payload that differ from delta to delta; all else of such a payload is the same object each time. */
  protected abstract readonly variable: ReadonlySet<string>;
  protected readonly options: DecoderOptions;
  /** The frame being read; its events carry it. */
  protected native: Native | undefined;
  #events: CanonicalEvent[] = [];
  #openBlocks = new Map<number, number>();
  #blocks = 0;
  #started = false;
  #over = false;
  #silent = false;
  #kept = 0;
  #repeats: Repeats | undefined;

  constructor(options: DecoderOptions) {
    this.options = options;
  }

  /** Reads one payload, by way of the methods below. */
  protected abstract read(data: JsonObject, frame: Frame): void;

  /** The bytes have stopped: ends the response if there is proof that it is whole. */
  protected abstract close(cause: CloseCause): void;

  /** Reads `[DONE]`; dialects without it let it pass. */
  protected done(): void {
    this.drop('frame_ignored', 'A [DONE] that the dialect does not have.');
  }

  /** Reads a payload that is no JSON object; an error, unless the dialect knows better. */
  protected unreadable(frame: Frame): void {
    if (frame.data.trim() === '') this.drop('frame_ignored', 'An event without a payload.');
    else this.fail(malformed(frame.data));
  }

  push(frame: Frame): readonly FrameEvents[] {
    if (this.#over) return [];
    this.options.ids.seedFrom(frame.data);
    this.#begin();
    this.#read(frame);
    return this.#take();
  }

  /** Reads a payload that is parsed already, such as a whole answer; its events have no original to relay. */
  whole(data: JsonObject): FrameEvents {
    this.native = { dialect: this.dialect };
    this.read(data, { name: undefined, data: '' });
    return this.#take()[0] ?? [];
  }

  end(cause: CloseCause = 'closed'): readonly FrameEvents[] {
    if (this.#over) return [];
    this.#begin();
    this.#silent = true;
    if (cause !== 'client-closed') {
      this.close(cause);
      if (!this.#over) this.fail(interruption(cause));
    }
    this.#over = true;
    return this.#take();
  }

  #begin(): void {
    this.native = undefined;
    this.#silent = false;
  }

  #read(frame: Frame): void {
    const { data, name } = frame;
    if (frame.fault !== undefined) return this.fail(frame.fault);
    if (data.charCodeAt(0) === 91 && data.trim() === '[DONE]') return this.#done(name, data);
    const repeated = this.#repeats?.match(frame);
    if (repeated !== undefined) return this.#readAgain(repeated, frame);
    if (data.length > LONG && isDeeper(data, this.options.limits.maxDepth)) return this.fail(tooDeep);
    const payload = isObjectText(data) ? asObject(parseJson(data)) : undefined;
    if (payload === undefined) return this.unreadable(frame);
    if (data.length <= LONG && isDeeper(data, this.options.limits.maxDepth)) return this.fail(tooDeep);
    this.native = { dialect: this.dialect, name, data: payload, text: this.exact(data), relayed: false };
    this.read(payload, frame);
    if (this.#events.length > 0 && this.#events.every(isPiece)) this.#learn(data);
  }

  /** The payload as it can go out again; server-sent events have it on one line. */
  protected exact(data: string): string | undefined {
    return data.includes('\n') ? undefined : data;
  }

  #learn(data: string): void {
    this.#repeats ??= new Repeats(this.dialect, this.variable);
    this.#repeats.learn(data);
  }

  #readAgain(native: RepeatedFrame, frame: Frame): void {
    this.native = native;
    this.read(native.view as JsonObject, frame);
  }

  #done(name: string | undefined, data: string): void {
    this.native = { dialect: this.dialect, name, data, text: data.trim(), relayed: false };
    this.done();
  }

  /** The events of the frame; one that says nothing new is kept as `raw`, so that its own dialect gets it. */
  #take(): readonly FrameEvents[] {
    const events = this.#events;
    const { native } = this;
    if (native !== undefined && !this.#silent && !this.#over && !events.some((event) => event.native === native))
      events.push({ type: 'raw', ...(native.name !== undefined && { name: native.name }), data: native.data, native });
    if (events.length === 0) return [];
    this.#events = [];
    return [events];
  }

  /** Whether the terminal event has been given. */
  protected get over(): boolean {
    return this.#over;
  }

  /** Whether `response-start` has been given. */
  protected get started(): boolean {
    return this.#started;
  }

  /** Whether the frame being read has given an event. */
  protected get spoken(): boolean {
    return this.#events.some((event) => event.native !== undefined && event.native === this.native);
  }

  /** The frame needs repair: it goes out as its mended payload. One that has failed does not go out at all. */
  protected mend(): JsonObject {
    const { native } = this;
    if (native === undefined) return {};
    this.own();
    native.text = undefined;
    return native.data as JsonObject;
  }

  /** The frame being read keeps its payload: it is changed, or held until later. */
  protected own(): void {
    if (this.native instanceof RepeatedFrame) this.native.own();
  }

  /** Nothing of this frame goes out, not even to its own dialect. */
  protected drop(code: WarningCode, message: string): void {
    this.#silent = true;
    this.warn(code, message);
  }

  /** All that this frame says waits; whoever holds it keeps its native. */
  protected hold(): void {
    this.own();
    this.#silent = true;
  }

  /** Something of this many characters is kept until the stream ends; too much of it ends the stream. */
  protected keep(length: number): void {
    this.#kept += length;
    if (this.#kept > this.options.limits.maxAccumulatedBytes)
      this.fail(tooLarge('answer_too_large', 'The answer is too large to be kept.'));
  }

  /** Gives an event as it is; for events that were held or carry unusual members. */
  protected give(event: CanonicalEvent): void {
    if (!this.#over) this.#events.push(event);
  }

  /** The first event; later calls do nothing. */
  protected start(info: Omit<ResponseStart, 'type' | 'native'>): void {
    if (this.#started || this.#over) return;
    this.#started = true;
    this.#events.push({ type: 'response-start', role: 'assistant', ...info, native: this.native });
  }

  /** Opens the next block and returns its number. */
  protected open(choice: number, kind: BlockKind, init?: BlockInit): number {
    const block = this.#blocks++;
    if (block >= this.options.limits.maxBlocks)
      this.fail(tooLarge('too_many_blocks', 'The answer has too many parts.'));
    if (this.#over) return block;
    this.#openBlocks.set(block, choice);
    this.#events.push({ type: 'block-start', block, choice, kind, ...init, native: this.native });
    return block;
  }

  /** Adds a piece to a block. */
  protected put(block: number, delta: Delta): void {
    if (this.#over) return;
    const event: BlockDelta = { type: 'block-delta', block, delta, native: this.native };
    this.#events.push(event);
  }

  /** Ends a block, once. */
  protected shut(block: number, status?: BlockEnd['status'], final?: BlockFinal): void {
    if (this.#over || !this.#openBlocks.delete(block)) return;
    const end: BlockEnd = { type: 'block-end', block, native: this.native };
    if (status !== undefined) end.status = status;
    if (final !== undefined) end.final = final;
    this.#events.push(end);
  }

  /** Ends every open block of a choice. */
  protected shutAll(choice: number): void {
    for (const [block, owner] of [...this.#openBlocks]) if (owner === choice) this.shut(block);
  }

  /** Gives the usage so far. */
  protected count(usage: Usage, final: boolean): void {
    if (!this.#over) this.#events.push({ type: 'usage', usage, final, native: this.native });
  }

  /** Ends a choice: its open blocks first. */
  protected finish(choice: number, reason: FinishReason, more?: Omit<Finish, 'type' | 'choice' | 'reason'>): void {
    this.shutAll(choice);
    if (!this.#over) this.#events.push({ type: 'finish', choice, reason, native: this.native, ...more });
  }

  /** Ends the response well. */
  protected complete(status: ResponseEnd['status'] = 'completed'): void {
    if (this.#over) return;
    this.#over = true;
    this.#events.push({ type: 'response-end', status, native: this.native });
  }

  /** Ends the response with an error. Its frame is written anew, never relayed: what an upstream says of itself is scrubbed. */
  protected fail(error: CanonicalError): void {
    if (this.#over) return;
    this.#over = true;
    for (const event of this.#events) if (event.native === this.native) event.native = undefined;
    this.native = undefined;
    this.#events.push({ type: 'error', error });
  }

  /** Says what was repaired. */
  protected warn(code: WarningCode, message: string, block?: number): void {
    this.#events.push({ type: 'warning', code, message, ...(block !== undefined && { block }) });
  }

  /** Keeps something beside the content. */
  protected note(key: string, value: unknown, at?: { block?: number; choice?: number }): void {
    if (!this.#over) this.#events.push({ type: 'metadata', key, value, ...at, native: this.native });
  }
}

/** Characters of a payload whose brackets are counted before it is parsed: a parser takes a hundred bytes for each. */
const LONG = 1 << 20;

const tooDeep: CanonicalError = tooLarge('too_deep', 'JSON nests too deeply.');

/** Whether an event holds nothing of its payload but a text. */
function isPiece(event: CanonicalEvent): boolean {
  return event.type === 'block-delta' && 'text' in event.delta && !('logprobs' in event.delta);
}

/** Asked before parsing, for an exception costs as much as reading ten frames. */
function isObjectText(data: string): boolean {
  return data.charCodeAt(0) === 123 || data.trimStart().charCodeAt(0) === 123;
}
