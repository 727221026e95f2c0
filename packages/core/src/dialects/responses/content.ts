/** What the items of a stream say piece by piece: text, refusals, reasoning, tool input. */
import {
  asArray,
  asCount,
  asNumber,
  asObject,
  asText,
  type BlockEnd,
  type BlockInit,
  type DecoderOptions,
  type JsonObject,
  StreamDecoder,
  tooLarge,
  wholeArguments,
} from '../../dialect.ts';
import { decodeAnnotation, decodeLogprobs } from './annotations.ts';
import { type Item, Items, Run, runAt } from './items.ts';

const variable: ReadonlySet<string> = new Set(['delta', 'sequence_number', 'obfuscation']);

/** The part of the decoder that reads pieces; its subclasses read whole items, and the events around them. */
export abstract class ContentDecoder extends StreamDecoder {
  protected readonly dialect = 'responses';
  protected readonly variable: ReadonlySet<string> = variable;
  protected readonly items: Items;
  protected refused = false;

  constructor(options: DecoderOptions) {
    super(options);
    this.items = new Items(options.ids);
  }

  /** Gives events that stand for a frame that the upstream left out. */
  protected invent(give: () => void): void {
    const { native } = this;
    this.native = undefined;
    give();
    this.native = native;
  }

  /** Sets a member of the frame's payload right. */
  protected rewrite(holder: JsonObject, member: string, value: unknown): void {
    this.mend();
    holder[member] = value;
  }

  /** The item that an event is about, with the event's id and index set right. A lost message begins here. */
  protected itemOf(data: JsonObject, lost?: string): Item | undefined {
    let item = this.items.find(data.output_index, data.item_id);
    const other = item?.done === true && data.item_id !== undefined && data.item_id !== item.wireId;
    const misplaced = lost === 'reasoning' && item?.type !== lost;
    if (lost !== undefined && (item === undefined || other || misplaced)) item = this.#lostItem(data, lost);
    if (item === undefined || item.done) {
      this.drop('frame_ignored', 'An event of an item that was never added, or is done.');
      return undefined;
    }
    if (data.output_index !== item.index) this.rewrite(data, 'output_index', item.index);
    if (data.item_id !== item.id && !withoutItemId.has(data.type)) this.rewrite(data, 'item_id', item.id);
    return item;
  }

  /** Adds an item; a message counts as much as a block, for it may stay empty. */
  protected addItem(wire: JsonObject, outputIndex?: unknown): Item {
    if (this.items.all.length >= this.options.limits.maxBlocks) this.fail(crowded);
    return this.items.add(wire, outputIndex);
  }

  #lostItem(data: JsonObject, type: string): Item {
    const wire: JsonObject = { type, id: data.item_id };
    const item = this.addItem(wire, data.output_index);
    this.invent(() => this.begin(item, wire));
    return item;
  }

  /** Opens what an item is known to be at its start; a message has no block until one of its parts comes. */
  protected begin(item: Item, wire: JsonObject): void {
    if (item.type === 'message') return;
    const ref: BlockInit = { item: { id: item.id, index: item.index, type: item.type } };
    const { tool } = item;
    if (item.type === 'reasoning') item.block = this.open(0, 'reasoning', ref);
    else if (tool === undefined) item.block = this.open(0, 'item', ref);
    else {
      item.callId ??= this.#callId(item, wire);
      item.name = asText(wire.name) ?? tool.kind;
      const server = asText(wire.server_label);
      item.hosted = this.isHosted(wire);
      const toolCall = {
        id: item.callId,
        name: item.name,
        format: tool.format,
        executor: item.hosted ? ('server' as const) : tool.executor,
        kind: item.hosted ? item.name : tool.kind,
      };
      item.block = this.open(0, 'tool_call', {
        ...ref,
        toolCall: { ...toolCall, itemId: item.id, ...(server !== undefined && { serverName: server }) },
      });
    }
  }

  /** Whether a call that looks like a client's is one that the provider itself runs. */
  protected abstract isHosted(wire: JsonObject): boolean;

  #callId(item: Item, wire: JsonObject): string {
    const id = asText(wire.call_id) ?? item.id;
    const unique = this.options.ids.unique(id);
    if (unique !== id) this.warn('id_repeated', `The call id ${id} came twice.`);
    return unique;
  }

  /** Opens the block of a content part. */
  protected openRun(item: Item, part: JsonObject, wireIndex: number): Run {
    const index = item.parts.length;
    const refusal = part.type === 'refusal';
    if (refusal) this.refused = true;
    const ref = { id: item.id, index: item.index, type: 'message', part: index };
    const block = this.open(0, refusal ? 'refusal' : 'text', {
      item: item.phase === undefined ? ref : { ...ref, phase: item.phase },
    });
    const run = new Run(refusal ? 'refusal' : 'output_text', index, block, wireIndex);
    item.parts.push(run);
    return run;
  }

  /** The run of a text event; one whose part was never announced begins here. */
  protected runOf(item: Item, data: JsonObject, type: string): Run {
    const known = runAt(item.parts, data.content_index);
    const run = known?.open === true && known.type === type ? known : this.#otherRun(item, data.content_index, type);
    if (data.content_index !== run.index) this.rewrite(data, 'content_index', run.index);
    return run;
  }

  /** An index that means no open part means the open one, unless it is the next or the kinds differ. */
  #otherRun(item: Item, wireIndex: unknown, type: string): Run {
    const open = item.parts.find((run) => run.open);
    if (open?.type === type && wireIndex !== item.parts.length) return open;
    this.invent(() => {
      this.closeRuns(item);
      this.openRun(item, { type }, asNumber(wireIndex) ?? item.parts.length);
    });
    return item.parts.at(-1) as Run;
  }

  /** One part at a time: what is still open ends before the next one begins. */
  protected closeRuns(item: Item): void {
    for (const run of item.parts) if (item.type !== 'reasoning') this.endRun(run);
  }

  /** A part under the name that clients know. */
  protected alias(part: JsonObject): void {
    if (part.type === 'text' && typeof part.text === 'string') this.rewrite(part, 'type', 'output_text');
  }

  /** A piece of text or refusal. */
  protected addText(run: Run, text: unknown, logprobs?: unknown): void {
    if (typeof text !== 'string' || text === '') return;
    run.length += text.length;
    const tokens = decodeLogprobs(logprobs);
    this.put(run.block, tokens === undefined ? { type: 'text', text } : { type: 'text', text, logprobs: tokens });
  }

  /** The whole text of a run: what is new in it goes out in front of the frame. */
  protected lateText(run: Run, whole: unknown): void {
    if (typeof whole === 'string' && whole.length > run.length)
      this.invent(() => this.addText(run, whole.slice(run.length)));
  }

  /** A whole part: late text, late annotations. */
  protected finishRun(run: Run, part: JsonObject): void {
    if (!run.open) return;
    this.lateText(run, part.text ?? part.refusal);
    const annotations = asArray(part.annotations);
    this.invent(() => {
      for (const annotation of annotations.slice(run.citations)) this.cite(run, annotation);
    });
  }

  /** An annotation of a text. */
  protected cite(run: Run, annotation: unknown): void {
    const citation = decodeAnnotation(annotation);
    run.citations++;
    if (citation !== undefined) this.put(run.block, { type: 'citation', citation });
  }

  /** Ends a content part. */
  protected endRun(run: Run, status?: BlockEnd['status']): void {
    if (!run.open) return;
    run.open = false;
    this.shut(run.block, status);
  }

  /** The run of reasoning that an event is about; its start is given if no frame gave it. */
  protected reasoningRun(item: Item, form: 'raw' | 'summary', wireIndex: unknown): Run {
    const runs = form === 'summary' ? item.summary : item.parts;
    const known = runAt(runs, wireIndex);
    if (known?.open === true) return known;
    this.invent(() => this.openReasoning(item, form, wireIndex));
    return runs.at(-1) as Run;
  }

  protected openReasoning(item: Item, form: 'raw' | 'summary', wireIndex: unknown): Run {
    const runs = form === 'summary' ? item.summary : item.parts;
    const index = runs.length;
    if (index >= this.options.limits.maxBlocks) this.fail(crowded);
    const run = new Run(form, index, item.block ?? 0, asCount(wireIndex) ?? index);
    runs.push(run);
    this.put(run.block, { type: 'reasoning', text: '', form, part: index, boundary: 'start' });
    return run;
  }

  protected closeReasoning(run: Run, form: 'raw' | 'summary'): void {
    if (!run.open) return;
    run.open = false;
    this.put(run.block, { type: 'reasoning', text: '', form, part: run.index, boundary: 'end' });
  }

  /** A piece of reasoning. */
  protected think(run: Run, form: 'raw' | 'summary', text: unknown): void {
    if (typeof text !== 'string' || text === '') return;
    run.length += text.length;
    this.put(run.block, { type: 'reasoning', text, form, part: run.index });
  }

  /** The whole text of a part of reasoning: what is new in it goes out. */
  protected lateReasoning(item: Item, form: 'raw' | 'summary', wireIndex: number, whole: unknown): void {
    const runs = form === 'summary' ? item.summary : item.parts;
    const known = runs.find((run) => run.wireIndex === wireIndex);
    if (typeof whole !== 'string' || whole.length <= (known?.length ?? 0) || known?.open === false) return;
    const run = known ?? this.reasoningRun(item, form, wireIndex);
    this.invent(() => this.think(run, form, whole.slice(run.length)));
  }

  /** A piece of a call's input. */
  protected addInput(item: Item, text: unknown, part?: number): void {
    if (typeof text !== 'string' || text === '' || item.block === undefined) return;
    item.addInput(text);
    this.keep(text.length);
    this.put(item.block, part === undefined ? { type: 'input', text } : { type: 'input', text, part });
  }

  /** Sets right a whole input that was encoded twice, in the payload that repeats it. */
  protected unwrapInput(item: Item, wire: JsonObject): void {
    const field = item.tool?.format === 'json' ? item.tool.input?.field : undefined;
    const said = field === undefined ? undefined : asText(wire[field]);
    if (field === undefined || said === undefined) return;
    const whole = wholeArguments(said);
    if (whole !== said) this.rewrite(wire, field, whole);
  }

  /** The whole input of a call: what is new in it goes out in front of the frame. */
  protected lateInput(item: Item, value: unknown): void {
    const whole = inputText(value);
    const known = item.input;
    if (whole === undefined || whole.length <= known.length || !whole.startsWith(known)) return;
    this.invent(() => this.addInput(item, whole.slice(known.length)));
  }
}

const crowded = tooLarge('too_many_blocks', 'The answer has too many parts.');

/** The events about an item that do not name it. */
const withoutItemId: ReadonlySet<unknown> = new Set([
  'response.shell_call_command.added',
  'response.shell_call_command.delta',
  'response.shell_call_command.done',
]);

/** Some servers give arguments as an object. */
export function inputText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return asObject(value) === undefined ? undefined : JSON.stringify(value);
}
