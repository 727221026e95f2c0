/** Items as wholes, announced, done, or told of only in the last response, and what their pieces did not say. */
import {
  asArray,
  asObject,
  asText,
  type BlockEnd,
  type BlockFinal,
  canBeObject,
  type JsonObject,
} from '../../dialect.ts';
import { ContentDecoder, inputText } from './content.ts';
import type { Item, Run } from './items.ts';
import { impliedType, lackingAtStart } from './shape.ts';

/** The part of the decoder that reads whole items. */
export abstract class WholeDecoder extends ContentDecoder {
  /** An item begins. */
  protected itemAdded(data: JsonObject): void {
    const wire = asObject(data.item);
    if (wire === undefined) return this.drop('frame_ignored', 'An output_item.added without an item.');
    if (!this.#isKnowable(wire)) return this.drop('frame_ignored', 'An item that does not yet say what it is.');
    const known = this.items.find(data.output_index ?? -1, wire.id);
    if (known?.wireId !== undefined && known.wireId === wire.id && !known.done)
      return this.drop('duplicate_start', `The item ${known.id} was added twice.`);
    const item = this.addItem(wire, data.output_index);
    if (data.output_index !== item.index) this.rewrite(data, 'output_index', item.index);
    this.unwrapInput(item, wire);
    const early = item.tool?.input === undefined ? undefined : this.#emptied(wire, item);
    this.#complete(wire, item);
    this.begin(item, wire);
    this.#adopt(wire, item);
    if (early !== undefined) this.lateInput(item, early);
  }

  /** Whether enough is said to begin an item. One of no type begins with its first piece, and a call without name or id when it is done. */
  #isKnowable(wire: JsonObject): boolean {
    if (asText(wire.type) === undefined) {
      const type = impliedType(wire);
      if (type === undefined) return false;
      this.rewrite(wire, 'type', type);
    }
    return !calls.has(wire.type) || (asText(wire.name) !== undefined && asText(wire.call_id) !== undefined);
  }

  /** What the official helper adds to as the item is streamed must be there, and empty; what clients check must be right. */
  #complete(wire: JsonObject, { type }: Item): void {
    for (const [name, value] of lackingAtStart(wire, type)) this.rewrite(wire, name, value);
  }

  /** Input that stands in the start already goes out as a piece of its own; `{}` there only keeps the place. */
  #emptied(wire: JsonObject, item: Item): string | undefined {
    const field = item.tool?.input?.field ?? '';
    const said = inputText(wire[field]);
    const early = item.tool?.format === 'json' && said?.trim() === '{}' ? undefined : said;
    if (said !== '' && typeof wire.status === 'string') this.rewrite(wire, 'status', 'in_progress');
    if (said !== '' && (said !== undefined || calls.has(item.type))) this.rewrite(wire, field, '');
    return early === '' ? undefined : early;
  }

  /** An item as the upstream repeats it, under the ids that the client knows. */
  #adopt(wire: JsonObject, item: Item): void {
    if (wire.id !== item.id) this.rewrite(wire, 'id', item.id);
    if (asText(wire.type) === undefined) this.rewrite(wire, 'type', item.type);
    const called = calls.has(item.type);
    if (called && wire.call_id !== item.callId) this.rewrite(wire, 'call_id', item.callId);
    if (called && asText(wire.name) === undefined) this.rewrite(wire, 'name', item.name);
  }

  /** An item is whole. */
  protected itemDone(data: JsonObject): void {
    const wire = asObject(data.item);
    if (wire === undefined) return this.drop('frame_ignored', 'An output_item.done without an item.');
    let item = this.items.find(data.output_index, wire.id);
    const type = asText(wire.type) ?? item?.type ?? impliedType(wire);
    if (type !== undefined && wire.type !== type) this.rewrite(wire, 'type', type);
    if (item === undefined || item.type !== type) item = this.#unseen(wire, data.output_index);
    if (item.done) return this.drop('frame_ignored', `The item ${item.id} was done already.`);
    if (data.output_index !== item.index) this.rewrite(data, 'output_index', item.index);
    this.#adopt(wire, item);
    this.#respell(wire, item);
    this.#settle(item, wire);
  }

  /** A whole item as clients know it: content in parts under their names, and arguments that are JSON where there are none. */
  #respell(wire: JsonObject, item: Item): void {
    const { content, summary } = wire;
    if (item.type === 'message' && holdsTexts(content)) this.rewrite(wire, 'content', partsOf(content, textPart));
    if (item.type === 'reasoning' && holdsTexts(summary)) this.rewrite(wire, 'summary', partsOf(summary, summaryPart));
    for (const part of asArray(wire.content)) this.alias(asObject(part) ?? {});
    this.unwrapInput(item, wire);
    if (item.type !== 'function_call' || wire.status === 'incomplete') return;
    const isBare = item.input === '' || item.input === '{}';
    if (isBare && !inputText(wire.arguments)?.trim()) this.rewrite(wire, 'arguments', '{}');
  }

  /** A whole item of which nothing was said before. */
  #unseen(wire: JsonObject, outputIndex?: unknown): Item {
    const item = this.addItem(wire, outputIndex);
    this.invent(() => this.begin(item, wire));
    return item;
  }

  /** The last response repeats every item, and may be the only one to tell of some. */
  protected settleAll(output: readonly unknown[]): void {
    output.forEach((value, at) => {
      const wire = asObject(value);
      if (wire === undefined) return;
      const item = this.items.match(wire, at) ?? this.#unseen(wire);
      this.#adopt(wire, item);
      this.#respell(wire, item);
      if (!item.done) this.invent(() => this.#settle(item, wire));
    });
    for (const item of this.items.all)
      if (!item.done) this.invent(() => this.#settle(item, { type: item.type, id: item.id }));
  }

  /** Everything that a whole item says and its events did not; then its blocks end, those of a message as if in frames of their own. */
  #settle(item: Item, wire: JsonObject): void {
    item.done = true;
    if (item.type === 'message') return this.invent(() => this.#settleMessage(item, wire));
    this.invent(() => this.#settleLate(item, wire));
    if (item.block === undefined) return;
    if (item.type === 'image_generation_call') this.#image(item.block, wire);
    const input = this.#finalInput(item, wire);
    if (item.type === 'function_call' && wire.status !== 'incomplete') this.#check(item, input ?? item.input);
    const final: BlockFinal = { item: wire, ...(input !== undefined && { input }) };
    this.shut(item.block, statusOf(wire), final);
  }

  #check({ block }: Item, input: string): void {
    if (input.trim() !== '' && !canBeObject(input, input))
      this.warn('tool_arguments_invalid', 'The arguments of a call are not a whole JSON object.', block);
  }

  #settleMessage(item: Item, wire: JsonObject): void {
    const content = asArray(wire.content);
    // Where each part has been seen, their order says more than their numbers.
    const seen = content.length === item.parts.length;
    content.forEach((part, at) => {
      const known = seen ? item.parts[at] : item.parts.find(({ wireIndex }) => wireIndex === at);
      const run = known ?? this.#lateRun(item, asObject(part) ?? {}, at);
      if (run !== undefined) this.finishRun(run, asObject(part) ?? {});
    });
    for (const run of item.parts) this.endRun(run, statusOf(wire));
  }

  #lateRun(item: Item, part: JsonObject, at: number): Run | undefined {
    return part.type === 'refusal' || asText(part.text) !== undefined ? this.openRun(item, part, at) : undefined;
  }

  #settleLate(item: Item, wire: JsonObject): void {
    if (item.type === 'reasoning' && item.block !== undefined) {
      for (const [at, part] of asArray(wire.summary).entries())
        this.lateReasoning(item, 'summary', at, asObject(part)?.text);
      for (const [at, part] of asArray(wire.content).entries())
        this.lateReasoning(item, 'raw', at, asObject(part)?.text);
    }
    const field = item.tool?.input?.field;
    if (field !== undefined) this.lateInput(item, wire[field]);
  }

  #image(block: number, wire: JsonObject): void {
    const base64 = asText(wire.result);
    if (base64 === undefined) return;
    const format = asText(wire.output_format);
    this.put(block, {
      type: 'data',
      base64,
      partial: false,
      ...(format !== undefined && { mimeType: `image/${format}` }),
    });
  }

  /** A whole input that is not what its pieces add up to wins over them. */
  #finalInput(item: Item, wire: JsonObject): string | undefined {
    const field = item.tool?.input?.field;
    const whole = field === undefined ? undefined : inputText(wire[field]);
    if (whole === undefined || whole === item.input) return undefined;
    this.warn('tool_arguments_mismatch', 'The whole input of a call is not its pieces joined.', item.block);
    return whole;
  }
}

/** Whether parts stand as mere texts. */
function holdsTexts(value: unknown): boolean {
  return typeof value === 'string' || asArray(value).some((part) => typeof part === 'string');
}

function partsOf(value: unknown, partOf: (text: string) => JsonObject): readonly unknown[] {
  const parts = typeof value === 'string' ? [value] : asArray(value);
  return parts.map((part) => (typeof part === 'string' ? partOf(part) : part));
}

const summaryPart = (text: string): JsonObject => ({ type: 'summary_text', text });

const textPart = (text: string): JsonObject => ({ type: 'output_text', text, annotations: [] });

/** The items that a client has to answer by their name and id. */
const calls: ReadonlySet<unknown> = new Set(['function_call', 'custom_tool_call']);

function statusOf(wire: JsonObject): BlockEnd['status'] {
  const status = wire.status;
  return status === 'incomplete' || status === 'failed' ? status : status === 'completed' ? 'completed' : undefined;
}
