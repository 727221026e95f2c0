/** The blocks of an answer as items and parts: opened, grown and ended, each where the client's grammar wants it. */
import {
  asObject,
  asText,
  type BlockDelta,
  type BlockEnd,
  type BlockStart,
  type Delta,
  type EncoderOptions,
  entryOf,
  type FinishReason,
  isCarrier,
  type JsonObject,
  type Loss,
} from '../../dialect.ts';
import { encodeAnnotation, encodeLogprobs } from './annotations.ts';
import type { Output, OutputItem, Part } from './output.ts';
import { incompleteOfReason, itemPrefixes } from './terms.ts';
import type { Writer } from './write.ts';

/** Where a block goes: an item, and for text the part of it. An item may wait for the block's first piece, or for its end. */
interface Slot {
  readonly start: BlockStart;
  item?: OutputItem | undefined;
  part?: Part | undefined;
  /** The source's number of the part of reasoning that was written last; a relayed one has the number of its place. */
  number?: number | undefined;
  /** What the client has to send back with an item of reasoning. */
  carrier?: string | undefined;
}

/** Notes something that the client does not get. */
type Lose = (field: string, reason: string, severity: Loss['severity']) => void;

/** Writes blocks. The output says what the client has seen of them, also where their frames were relayed. */
export class Blocks {
  /** Why the answer ended, once that is known; a message that ended with it is as whole as the answer. */
  reason: FinishReason | undefined;
  readonly #options: EncoderOptions;
  readonly #lose: Lose;
  readonly #writer: Writer;
  readonly #output: Output;
  readonly #slots = new Map<number, Slot>();
  #closing: OutputItem | undefined;

  constructor(options: EncoderOptions, writer: Writer, output: Output, lose: Lose) {
    this.#options = options;
    this.#lose = lose;
    this.#writer = writer;
    this.#output = output;
  }

  /** The message whose last part has ended; another part may follow. */
  get closing(): OutputItem | undefined {
    return this.#closing;
  }

  /** The item of a block. */
  itemOf(block: number): OutputItem | undefined {
    return this.#slots.get(block)?.item;
  }

  /** Learns where a relayed block is. */
  attach(event: BlockStart): void {
    this.#slots.set(event.block, this.#attached(event));
  }

  /** Opens a block, or finds it open. */
  open(event: BlockStart): string {
    const slot = this.#attached(event);
    this.#slots.set(event.block, slot);
    if (event.choice !== 0) {
      this.#lose(`choices[${event.choice}]`, 'a response is one answer', 'severe');
      return '';
    }
    if (event.kind === 'text' || event.kind === 'refusal') return slot.part === undefined ? this.#openText(slot) : '';
    const out = this.settle();
    const call = event.toolCall;
    const ours = call?.executor === 'client' && (call.kind === 'function' || call.kind === 'custom');
    if (!ours || slot.item !== undefined) return out;
    return out + this.#carry(call.signature) + this.#openCall(slot, call.kind, call.id, call.name);
  }

  /** An item of reasoning for what the client has to send back with a call. */
  #carry(carrier: string | undefined): string {
    if (carrier === undefined) return '';
    const start = { type: 'block-start', block: -1, choice: 0, kind: 'reasoning' } as const;
    return this.#closeReasoning({ start, carrier }, { type: 'block-end', block: -1 });
  }

  #sign(slot: Slot, value: string): string {
    if (!isCarrier(value)) return '';
    if (slot.start.kind !== 'reasoning') return isCall(slot.item) ? this.#carry(value) : '';
    slot.carrier = value;
    return '';
  }

  /** The item and the part that a block already has on the client's side. */
  #attached(start: BlockStart): Slot {
    const item = this.#output.find(start.item?.id);
    if (item === undefined || item.type !== 'message') return { start, item };
    const part = item.parts[start.item?.part ?? item.parts.length];
    return { start, item, part: part?.done === false ? part : undefined };
  }

  #openText(slot: Slot): string {
    let out = this.#closing === undefined || this.#continues(slot) ? '' : this.settle();
    slot.item = this.#closing ?? (isFree(slot.item) ? slot.item : undefined);
    this.#closing = undefined;
    if (slot.item === undefined) {
      const { phase } = slot.start.item ?? {};
      slot.item = this.#output.add(this.#idOf(slot.start, 'message'), 'message', phase === undefined ? {} : { phase });
      out += this.#writer.added(slot.item);
    }
    slot.part = slot.item.add(slot.start.kind === 'refusal' ? 'refusal' : 'output_text');
    return out + this.#writer.partAdded(slot.item, slot.part);
  }

  /** Whether a text is another part of the message that has just ended one. */
  #continues({ start }: Slot): boolean {
    return start.item?.type !== 'message' || start.item.id === undefined || start.item.id === this.#closing?.id;
  }

  #openCall(slot: Slot, kind: string, id: string, name: string): string {
    const type = kind === 'custom' ? 'custom_tool_call' : 'function_call';
    slot.item = this.#output.add(this.#idOf(slot.start, type), type, { call_id: id, name });
    return this.#writer.added(slot.item);
  }

  /** The upstream's id of an item where it was a Responses item; else one of our own. */
  #idOf(start: BlockStart, type: string): string {
    const known = start.item?.type === type ? start.item.id : undefined;
    if (known !== undefined && !this.#output.has(known)) return known;
    return this.#options.ids.invent(entryOf(itemPrefixes, type) ?? 'item_', this.#output.items.length);
  }

  /** Writes a piece of a block. */
  delta({ block, delta }: BlockDelta): string {
    const slot = this.#slots.get(block);
    if (slot === undefined || slot.start.choice !== 0) return '';
    switch (delta.type) {
      case 'text':
        return this.#text(slot, delta);
      case 'reasoning':
        return slot.start.kind === 'reasoning' ? this.#reasoning(slot, delta) : '';
      case 'input':
        return slot.item === undefined ? '' : this.#writer.input(slot.item, delta.text);
      case 'signature':
        return this.#sign(slot, delta.value);
      case 'citation':
        return this.#cite(slot, encodeAnnotation(delta.citation));
      case 'data':
        return this.#data(slot, delta);
      case 'transcript':
        return this.#writer.event('response.audio.transcript.delta', `"delta":${JSON.stringify(delta.text)}`);
      default:
        return '';
    }
  }

  #text({ item, part }: Slot, { text, logprobs }: Delta & { type: 'text' }): string {
    if (item === undefined || part === undefined || text === '') return '';
    if (logprobs === undefined || part.kind !== 'output_text') return this.#writer.text(part, text);
    return this.#writer.tokens(item, part, text, encodeLogprobs(logprobs));
  }

  #cite({ item, part }: Slot, annotation: JsonObject | undefined): string {
    if (item === undefined || part?.kind !== 'output_text' || annotation === undefined) return '';
    return this.#writer.annotation(item, part, annotation);
  }

  /** Clients read summaries; raw reasoning is written as such only where the upstream had it so. */
  #reasoning(slot: Slot, delta: Delta & { type: 'reasoning' }): string {
    if (this.#options.context?.showReasoning === false) return '';
    if (delta.text === '' && delta.boundary === undefined) return '';
    const kind = delta.form === 'raw' && slot.start.item?.type === 'reasoning' ? 'reasoning_text' : 'summary_text';
    let out = this.#openReasoning(slot);
    const item = slot.item as OutputItem;
    const last = (kind === 'summary_text' ? item.summary : item.parts).at(-1);
    const number = slot.part === last ? slot.number : last?.index;
    if (last?.done === false && delta.part !== undefined && delta.part !== (number ?? last.index))
      out += this.#writer.partDone(item, last);
    slot.number = delta.part;
    if (delta.boundary === 'end') return last === undefined ? out : out + this.#writer.partDone(item, last);
    let part = last?.done === false ? last : undefined;
    if (part === undefined) {
      part = item.add(kind);
      out += this.#writer.partAdded(item, part);
    }
    slot.part = part;
    return delta.text === '' ? out : out + this.#writer.text(part, delta.text);
  }

  #openReasoning(slot: Slot): string {
    slot.item ??= this.#output.find(slot.start.item?.id);
    if (slot.item !== undefined) return '';
    slot.item = this.#output.add(this.#idOf(slot.start, 'reasoning'), 'reasoning', {});
    return this.#writer.added(slot.item);
  }

  #data({ start, item }: Slot, delta: Delta & { type: 'data' }): string {
    if (start.kind === 'audio')
      return this.#writer.event('response.audio.delta', `"delta":${JSON.stringify(delta.base64)}`);
    if (item?.type !== 'image_generation_call' || delta.partial !== true) return '';
    const image = `"partial_image_index":${delta.index ?? 0},"partial_image_b64":${JSON.stringify(delta.base64)}`;
    return this.#writer.event('response.image_generation_call.partial_image', `${item.address},${image}`);
  }

  /** Writes a refusal that no block of the answer holds. */
  refuse(text: string): string {
    const slot: Slot = { start: { type: 'block-start', block: -1, choice: 0, kind: 'refusal' } };
    const out = this.#openText(slot) + this.#text(slot, { type: 'text', text });
    return out + this.#closeText(slot, { type: 'block-end', block: -1 });
  }

  /** Ends a block; a message waits for what comes next. */
  close(event: BlockEnd): string {
    const slot = this.#slots.get(event.block);
    if (slot === undefined || !this.#slots.delete(event.block) || slot.start.choice !== 0) return '';
    switch (slot.start.kind) {
      case 'text':
      case 'refusal':
        return this.#closeText(slot, event);
      case 'reasoning':
        return this.#closeReasoning(slot, event);
      case 'audio':
        return this.#writer.event('response.audio.done');
      default:
        return isCall(slot.item) ? this.#closeCall(slot.item, slot, event) : this.#closeNative(slot, event);
    }
  }

  #closeText({ item, part }: Slot, { status }: BlockEnd): string {
    if (item === undefined || part === undefined || item.done !== undefined) return '';
    this.#closing = item;
    if (status === 'incomplete') item.incomplete = true;
    return this.#writer.partDone(item, part);
  }

  #closeReasoning(slot: Slot, { final }: BlockEnd): string {
    const whole = wholeItem(final?.item, 'reasoning');
    if (slot.item === undefined && whole === undefined && slot.carrier === undefined) return '';
    const out = this.#openReasoning(slot);
    const item = slot.item as OutputItem;
    const encrypted = asText(whole?.encrypted_content) ?? slot.carrier;
    const more = encrypted === undefined ? {} : { encrypted_content: encrypted };
    return out + this.#writer.done(item, item.json('completed', more));
  }

  #closeCall(item: OutputItem, { start }: Slot, { status, final }: BlockEnd): string {
    const json = start.toolCall?.format === 'json';
    const isBlank = json && item.inputState === 'empty';
    let out = isBlank ? this.#writer.input(item, final?.input || '{}') : '';
    if (final?.input) item.replaceInput(final.input);
    out += this.#writer.inputDone(item);
    const cut = status === 'incomplete' || (json && item.inputState !== 'whole');
    return out + this.#writer.done(item, item.json(cut ? 'incomplete' : 'completed'));
  }

  /** An item that only its own dialect has goes out whole, when it is. */
  #closeNative(slot: Slot, { final }: BlockEnd): string {
    const { start } = slot;
    const whole = wholeItem(final?.item, start.item?.type);
    if (whole === undefined || whole.id !== start.item?.id) return this.#lost(start);
    let out = this.settle();
    if (slot.item === undefined) {
      const { id, type, ...fixed } = whole;
      if (this.#output.has(String(id))) return out;
      slot.item = this.#output.add(String(id), String(type), fixed);
      out += this.#writer.added(slot.item, whole);
      slot.item.inputDone = true;
    }
    return (
      out +
      this.#writer.done(
        slot.item,
        JSON.stringify({ id: slot.item.id, type: slot.item.type, ...slot.item.fixed, ...whole }),
      )
    );
  }

  #lost({ kind, toolCall }: BlockStart): string {
    if (toolCall !== undefined) this.#lose(`tool_call.${toolCall.kind}`, 'a call that another provider runs', 'minor');
    else if (kind === 'image' || kind === 'video' || kind === 'document')
      this.#lose(kind, `no item holds a block of kind ${kind}`, 'severe');
    return '';
  }

  /** Ends the message whose last part has ended. */
  settle(): string {
    const item = this.#closing;
    this.#closing = undefined;
    return item === undefined ? '' : this.#finishMessage(item);
  }

  /** Ends every message; the ends of some may have been left to frames that did not come. */
  settleAll(): string {
    let out = this.settle();
    for (const item of this.#output.items) if (item.type === 'message') out += this.#finishMessage(item);
    return out;
  }

  #finishMessage(item: OutputItem): string {
    if (item.done !== undefined) return '';
    const cut = item.incomplete || (this.reason !== undefined && incompleteOfReason[this.reason] !== undefined);
    return this.#writer.done(item, item.json(cut ? 'incomplete' : 'completed'));
  }
}

function isFree(item: OutputItem | undefined): boolean {
  return item?.type === 'message' && item.parts.every((part) => part.done);
}

function isCall(item: OutputItem | undefined): item is OutputItem {
  return item?.type === 'function_call' || item?.type === 'custom_tool_call';
}

/** An item of Responses that its upstream gave whole. */
function wholeItem(value: unknown, type: string | undefined): JsonObject | undefined {
  const item = asObject(value);
  return item !== undefined && type !== undefined && item.type === type ? item : undefined;
}
