/** Frames of a Messages stream to canonical events. Numbering, gaps and lost ends of blocks are mended on the way. */
import {
  asArray,
  asObject,
  asText,
  type BlockKind,
  type CloseCause,
  compact,
  type DecoderOptions,
  type Finish,
  type Frame,
  type FrameEvents,
  type JsonObject,
  malformed,
  type Native,
  rewrite,
  StreamDecoder,
  scrub,
} from '../../dialect.ts';
import { completeStart, decodeStart, kindOf, wholeInput } from './blocks.ts';
import { decodeCitation } from './citation.ts';
import { readError } from './error.ts';
import { Input } from './input.ts';
import { finishReasons } from './terms.ts';
import { Counters } from './usage.ts';

/** A block between its start and its end. */
interface OpenBlock {
  readonly block: number;
  readonly kind: BlockKind;
  readonly type: string;
  readonly input: Input;
  /** The input that came with the start; deltas win over it. */
  whole: string | undefined;
  /** Another block was open beside it: clients get its frames in order, written anew. */
  mixed: boolean;
}

/** A signature that may go on in the next frame; clients keep only the last one they get. */
interface HeldSignature {
  readonly block: number;
  readonly delta: JsonObject;
  readonly native: Native | undefined;
  value: string;
}

/** Reads Messages streams, and whole messages as one frame. */
export class MessagesDecoder extends StreamDecoder {
  protected readonly dialect = 'messages';
  readonly #usage = new Counters();
  /** Open blocks by the index that the upstream gives them. */
  readonly #open = new Map<unknown, OpenBlock>();
  #signature: HeldSignature | undefined;
  /** The finish, held until the message stops: a later `message_delta` may replace it. */
  #finish: Omit<Finish, 'type' | 'choice'> | undefined;
  #calls = 0;

  protected read(data: JsonObject, frame: Frame): void {
    if (this.#signature !== undefined && !isSignature(data)) this.#releaseSignature();
    switch (this.#typeOf(data, frame)) {
      case 'message_start':
        return this.#messageStart(data);
      case 'content_block_start':
        return this.#blockStart(data);
      case 'content_block_delta':
        return this.#blockDelta(data);
      case 'content_block_stop':
        return this.#blockStop(data);
      case 'message_delta':
        return this.#messageDelta(data);
      case 'message_stop':
        return this.#messageStop();
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
    this.#releaseSignature();
    this.drop('frame_ignored', 'A [DONE] that the dialect does not have.');
    this.native = undefined;
    if (this.#finish !== undefined) this.#end();
  }

  protected override unreadable(frame: Frame): void {
    this.#releaseSignature();
    if (frame.name === 'error' && frame.data.trim() !== '') this.fail(readError(scrub(frame.data.trim())));
    else if (frame.data.trim() === '') this.drop('frame_ignored', 'An event without a payload.');
    else this.fail(malformed(frame.data));
  }

  /** A stop reason is proof enough of a whole message: after it comes only `message_stop`. */
  protected close(cause: CloseCause): void {
    this.#releaseSignature();
    const isWhole = this.started && this.#open.size === 0 && cause === 'closed';
    if (this.#finish !== undefined || (isWhole && this.options.acceptMissingTerminal === true)) this.#end();
  }

  /** Look-alikes leave the type to the event line, and errors without any. */
  #typeOf(data: JsonObject, frame: Frame): string | undefined {
    const { type } = data;
    if (typeof type === 'string') return frame.name === 'error' ? 'error' : type;
    if (asObject(data.error) !== undefined || typeof data.error === 'string') return 'error';
    if (frame.name === undefined || frame.name === 'error') return frame.name;
    this.mend().type = frame.name;
    return frame.name;
  }

  #messageStart(data: JsonObject): void {
    const message = asObject(data.message);
    if (message === undefined || this.started) return this.#secondStart(message);
    this.#usage.add(message.usage, false);
    if (completeMessage(message)) this.mend();
    this.#begin(message);
  }

  /** A proxy that tries again starts again; what the first try left open is over, and a client knows only one start. */
  #secondStart(message: JsonObject | undefined): void {
    this.#invent(() => this.#closeAll());
    this.#usage.add(message?.usage, false);
    this.drop('duplicate_start', 'A second message_start, or one without a message.');
  }

  #begin(message: JsonObject): void {
    const { usage } = this.#usage;
    const serviceTier = asText(asObject(message.usage)?.service_tier);
    this.start(compact({ id: asText(message.id), model: asText(message.model), usage, serviceTier }));
    for (const content of asArray(message.content)) this.#wholeBlock(asObject(content));
    this.#stopReason(message);
  }

  /** A block that comes whole: with the start of the message, or in a message that is not streamed. */
  #wholeBlock(content: JsonObject | undefined): void {
    if (content !== undefined) this.#endBlock(this.#openBlock(content));
  }

  #message(data: JsonObject): void {
    rewrite(this.native);
    this.#usage.add(data.usage, true);
    this.#begin(data);
    this.#note(data);
    const { usage } = this.#usage;
    if (usage !== undefined) this.count(usage, true);
    this.#end();
  }

  #blockStart(data: JsonObject): void {
    const content = asObject(data.content_block);
    if (content === undefined) return this.drop('frame_ignored', 'The start of a block that says nothing.');
    this.#ensureStarted();
    const former = this.#open.get(data.index);
    if (former !== undefined) this.#invent(() => this.#abandon(data.index, former));
    if (this.#completeCall(content)) this.mend();
    const whole = wholeInput(content);
    if (completeStart(content)) this.mend();
    const open = this.#openBlock(content, whole);
    this.#open.set(data.index, open);
    this.#place(data, open);
    if (this.#open.size > 1) this.#mix();
  }

  /** A call needs an id, and one that no other call has. */
  #completeCall(content: JsonObject): boolean {
    if (content.type !== 'tool_use') return false;
    const given = asText(content.id);
    const id = this.options.ids.unique(given ?? this.options.ids.invent('toolu_', this.#calls));
    if (id === given) return false;
    if (given !== undefined) this.warn('id_repeated', 'Two tool calls with the same id.');
    content.id = id;
    return true;
  }

  #openBlock(content: JsonObject, whole: string | undefined = wholeInput(content)): OpenBlock {
    const type = asText(content.type) ?? '';
    const kind = kindOf(type);
    if (type === 'tool_use') this.#calls++;
    const block = this.open(0, kind, decodeStart(content, kind));
    const open = { block, kind, type, input: new Input(), whole, mixed: false };
    this.#fill(open, content);
    return open;
  }

  /** What a block already holds when it starts. */
  #fill({ block, kind }: OpenBlock, content: JsonObject): void {
    const text = asText(content[kind === 'reasoning' ? 'thinking' : 'text']);
    if (kind === 'tool_result') this.put(block, { type: 'output', value: content.content });
    else if (kind === 'item') this.put(block, { type: 'output', value: content });
    else if (kind === 'text' && text !== undefined) this.put(block, { type: 'text', text });
    else if (kind === 'reasoning' && text !== undefined) this.put(block, { type: 'reasoning', text, form: 'raw' });
    const value = kind === 'reasoning' ? asText(content.signature) : undefined;
    if (value !== undefined) this.put(block, { type: 'signature', value, mode: 'set' });
    for (const citation of kind === 'text' ? asArray(content.citations) : []) this.#cite(block, asObject(citation));
  }

  #blockDelta(data: JsonObject): void {
    const delta = asObject(data.delta);
    if (delta === undefined) return this.drop('frame_ignored', 'A delta that says nothing.');
    switch (delta.type) {
      case 'text_delta':
        return this.#text(data, delta);
      case 'thinking_delta':
        return this.#thinking(data, delta);
      case 'signature_delta':
        return this.#sign(data, delta);
      case 'input_json_delta':
        return this.#input(data, delta);
      case 'citations_delta':
        return this.#cite(this.#target(data, 'text').block, asObject(delta.citation));
      case 'compaction_delta':
        return this.#compaction(data, delta);
      default:
        this.#place(data, this.#open.get(data.index));
    }
  }

  #text(data: JsonObject, delta: JsonObject): void {
    const { block } = this.#target(data, 'text');
    const text = this.#string(delta, 'text');
    if (text !== '') this.put(block, { type: 'text', text });
  }

  #thinking(data: JsonObject, delta: JsonObject): void {
    const { block } = this.#target(data, 'reasoning');
    const text = this.#string(delta, 'thinking');
    if (text !== '') this.put(block, { type: 'reasoning', text, form: 'raw' });
  }

  #input(data: JsonObject, delta: JsonObject): void {
    const open = this.#target(data, 'tool_call');
    const text = this.#string(delta, 'partial_json');
    if (text === '') return;
    open.whole = undefined;
    open.input.add(text);
    this.put(open.block, { type: 'input', text });
  }

  #compaction(data: JsonObject, delta: JsonObject): void {
    const { block } = this.#target(data, 'item');
    const text = asText(delta.content);
    if (text !== undefined) this.put(block, { type: 'output', text });
  }

  #cite(block: number, citation: JsonObject | undefined): void {
    if (citation !== undefined) this.put(block, { type: 'citation', citation: decodeCitation(citation) });
  }

  #sign(data: JsonObject, delta: JsonObject): void {
    const { block } = this.#target(data, 'reasoning');
    const value = this.#string(delta, 'signature');
    const held = this.#signature;
    if (value === '' && held === undefined) return;
    this.hold();
    if (held?.block === block) return this.#extend(held, value);
    this.#releaseSignature();
    this.#signature = { block, delta, native: this.native, value };
  }

  #extend(held: HeldSignature, value: string): void {
    held.value += value;
    held.delta.signature = held.value;
    if (held.native !== undefined) held.native.text = undefined;
  }

  #releaseSignature(): void {
    const held = this.#signature;
    if (held === undefined) return;
    this.#signature = undefined;
    const delta = { type: 'signature', value: held.value, mode: 'set' } as const;
    this.give({ type: 'block-delta', block: held.block, delta, native: held.native });
  }

  #blockStop(data: JsonObject): void {
    const open = this.#open.get(data.index);
    if (open === undefined) return this.drop('frame_ignored', 'The end of a block that is not open.');
    this.#open.delete(data.index);
    this.#place(data, open);
    if (open.input.state === 'malformed') this.#distrust(open);
    this.#endBlock(open);
  }

  /** Input that is no JSON is each encoder's decision; clients of this dialect throw on it. */
  #distrust(open: OpenBlock): void {
    this.warn('tool_arguments_invalid', 'The input of a tool call is not JSON.', open.block);
    rewrite(this.native);
  }

  /** Input that came whole in a start was taken out of it, because clients read deltas only. */
  #endBlock(open: OpenBlock): void {
    const { block, whole: text } = open;
    if (text !== undefined) {
      if (open.type === 'mcp_tool_use') this.put(block, { type: 'input', text });
      else this.#invent(() => this.put(block, { type: 'input', text }));
    }
    this.shut(block);
  }

  #messageDelta(data: JsonObject): void {
    this.#ensureStarted();
    const delta = asObject(data.delta) ?? {};
    if (data.delta !== delta) this.mend().delta = delta;
    this.#usage.add(data.usage, true);
    this.#completeUsage(data);
    if (asText(delta.stop_reason) !== undefined) this.#invent(() => this.#closeAll());
    else if (this.#finish !== undefined) this.#keepReason(delta);
    this.#stopReason(delta);
    this.#note(delta);
    this.#note(data);
    const { usage } = this.#usage;
    if (usage !== undefined) this.count(usage, this.#finish !== undefined);
  }

  /** Clients read `usage.output_tokens` of each `message_delta` without looking whether it is there. */
  #completeUsage(data: JsonObject): void {
    const usage = asObject(data.usage);
    if (typeof usage?.output_tokens === 'number') return;
    this.mend().usage = { ...usage, output_tokens: this.#usage.outputSoFar };
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
    const reason = finishReasons.get(nativeReason) ?? 'other';
    if (reason === 'other') this.warn('finish_unknown', `The stop reason "${nativeReason.slice(0, 64)}" is not known.`);
    const said = asObject(delta.stop_details);
    const details = compact({ category: asText(said?.category), message: asText(said?.explanation) });
    this.#finish = {
      reason,
      nativeReason,
      native: this.native,
      ...(typeof delta.stop_sequence === 'string' && { stopSequence: delta.stop_sequence }),
      ...(said !== undefined && { details }),
    };
  }

  #note(data: JsonObject): void {
    for (const key of ['container', 'context_management'])
      if (asObject(data[key]) !== undefined) this.note(key, data[key]);
  }

  #messageStop(): void {
    if (this.started) return this.#end();
    const message = 'The upstream ended a message that it had not begun.';
    this.fail({ type: 'upstream', code: 'empty_answer', message });
  }

  /** The end of the message; without a stop reason it is written anew, with the one that fits. */
  #end(): void {
    this.#invent(() => this.#closeAll());
    if (this.#finish === undefined) {
      this.warn('finish_missing', 'The message ended without a stop reason.');
      rewrite(this.native);
      this.#finish = { reason: this.#calls > 0 ? 'tool_calls' : 'stop', native: undefined };
    }
    const { reason, ...more } = this.#finish;
    this.finish(0, reason, more);
    this.complete();
  }

  #ensureStarted(): void {
    if (!this.started) this.#invent(() => this.start({}));
  }

  /** The block that a delta belongs to. One that has no block of its kind gets a new one. */
  #target(data: JsonObject, kind: BlockKind): OpenBlock {
    const found = this.#open.get(data.index);
    const fits = found !== undefined && (found.kind === kind || found.kind === 'item');
    const open = fits ? found : this.#imply(data.index, kind, found);
    this.#place(data, open);
    return open;
  }

  #imply(index: unknown, kind: BlockKind, former: OpenBlock | undefined): OpenBlock {
    this.#ensureStarted();
    this.warn('block_not_closed', 'A delta for a block that was not begun.');
    return this.#invent(() => {
      if (former !== undefined) this.#abandon(index, former);
      const open = this.#openBlock(this.#impliedContent(kind));
      this.#open.set(index, open);
      if (this.#open.size > 1) this.#mix();
      return open;
    });
  }

  #impliedContent(kind: BlockKind): JsonObject {
    if (kind !== 'tool_call')
      return { type: kind === 'reasoning' ? 'thinking' : kind === 'item' ? 'compaction' : 'text' };
    return { type: 'tool_use', id: this.options.ids.invent('toolu_', this.#calls), name: '', input: {} };
  }

  #abandon(index: unknown, open: OpenBlock): void {
    this.warn('block_not_closed', 'A block that was never ended.', open.block);
    this.#open.delete(index);
    this.#endBlock(open);
  }

  #closeAll(): void {
    for (const [index, open] of [...this.#open]) this.#abandon(index, open);
  }

  /** Clients number blocks by their order, so a frame must carry the number of its block. */
  #place(data: JsonObject, open: OpenBlock | undefined): void {
    if (open === undefined) return;
    if (data.index !== open.block) this.mend().index = open.block;
    if (open.mixed) rewrite(this.native);
  }

  #mix(): void {
    for (const open of this.#open.values()) open.mixed = true;
    rewrite(this.native);
  }

  /** A text member that clients read without looking whether it is there. */
  #string(delta: JsonObject, member: string): string {
    const value = delta[member];
    if (typeof value === 'string') return value;
    const text = value === undefined || value === null ? '' : JSON.stringify(value);
    if (this.native?.data !== undefined) this.mend();
    delta[member] = text;
    return text;
  }

  /** Runs an action whose events stand for no frame. */
  #invent<T>(action: () => T): T {
    const { native } = this;
    this.native = undefined;
    const result = action();
    this.native = native;
    return result;
  }
}

function isSignature(data: JsonObject): boolean {
  return data.type === 'content_block_delta' && asObject(data.delta)?.type === 'signature_delta';
}

/** Gives a `message_start` the members that clients write into or check; says whether it lacked any. */
function completeMessage(message: JsonObject): boolean {
  const usage = asObject(message.usage) ?? {};
  const counts = ['input_tokens', 'output_tokens'].filter((name) => typeof usage[name] !== 'number');
  const isComplete = Array.isArray(message.content) && message.role === 'assistant' && counts.length === 0;
  if (isComplete) return false;
  message.content = asArray(message.content);
  message.role = 'assistant';
  message.usage = { ...usage, ...Object.fromEntries(counts.map((name) => [name, 0])) };
  return true;
}

/** Reads a whole message as the events of one frame. */
export function decodeMessage(message: JsonObject, options: DecoderOptions): FrameEvents {
  return new MessagesDecoder(options).whole(message);
}
