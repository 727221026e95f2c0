/** What the client has seen of the output so far, item by item; the final Response repeats it. */
import {
  asArray,
  asObject,
  asText,
  entryOf,
  type JsonObject,
  type JsonState,
  JsonText,
  parseJson,
} from '../../dialect.ts';
import { type PartKind, type PartTerm, partTerms, type ToolItem, toolItems } from './terms.ts';
import { Told } from './told.ts';

/** A content part or a summary part. */
export class Part {
  readonly kind: PartKind;
  readonly term: PartTerm;
  readonly index: number;
  /** All of a delta event up to its text, and all behind it up to its number. */
  readonly head: string;
  readonly tail: string;
  readonly said: Told = new Told();
  readonly annotations: JsonObject[] = [];
  readonly logprobs: unknown[] = [];
  textDone = false;
  done = false;

  constructor(item: OutputItem, kind: PartKind, index: number, text = '') {
    this.kind = kind;
    this.term = partTerms[kind];
    this.index = index;
    if (text !== '') this.said.add(text);
    const { delta } = this.term;
    this.head = `event: ${delta}\ndata: {"type":"${delta}",${this.address(item)},"delta":`;
    this.tail = kind === 'output_text' ? ',"logprobs":[],"sequence_number":' : ',"sequence_number":';
  }

  /** The members that say which part of which item an event is about. */
  address(item: OutputItem): string {
    return `${item.address},"${this.term.index}":${this.index}`;
  }

  /** The part as items and events hold it. */
  get json(): string {
    return partJson(this, this.said.json);
  }
}

/** A part as JSON around the JSON of its text. */
export function partJson({ kind, term, annotations, logprobs }: Part, text: string): string {
  const more =
    kind === 'output_text'
      ? `,"annotations":${JSON.stringify(annotations)},"logprobs":${JSON.stringify(logprobs)}`
      : '';
  return `{"type":"${kind}","${term.field}":${text}${more}}`;
}

/** An output item as the client knows it. */
export class OutputItem {
  readonly index: number;
  readonly id: string;
  readonly type: string;
  /** How it is read as a tool call, if it is one. */
  readonly tool: ToolItem | undefined;
  /** Members that neither stream nor change. */
  readonly fixed: JsonObject;
  /** The members that say which item an event is about. */
  readonly address: string;
  /** Content parts of a message, or raw reasoning. */
  readonly parts: Part[] = [];
  readonly summary: Part[] = [];
  /** All of an input event up to its text; empty for items that have none. */
  readonly inputHead: string;
  inputDone = false;
  /** Cut short by its upstream. */
  incomplete = false;
  /** The whole item, once it is done: as it was relayed, or as the JSON that was written. */
  done: JsonObject | string | undefined;
  #input: Told = new Told();
  /** Whether the input is JSON so far; not known of one that was relayed. */
  #progress: JsonText | undefined = new JsonText();

  constructor(index: number, id: string, type: string, fixed: JsonObject) {
    this.index = index;
    this.id = id;
    this.type = type;
    this.fixed = fixed;
    this.address = `"item_id":${JSON.stringify(id)},"output_index":${index}`;
    this.tool = entryOf(toolItems, type);
    const event = this.tool?.input?.event;
    this.inputHead =
      event === undefined ? '' : `event: ${event}.delta\ndata: {"type":"${event}.delta",${this.address},"delta":`;
  }

  /** Adds a piece of a call's input that a relayed frame has told. */
  addInput(text: string): void {
    this.#progress = undefined;
    this.#input.add(text);
  }

  /** Adds a piece of a call's input and returns it as JSON. */
  tellInput(text: string): string {
    this.#progress?.add(text);
    return this.#input.tell(text);
  }

  /** Puts a whole input in the place of its pieces. */
  replaceInput(whole: string): void {
    this.#input = new Told();
    this.addInput(whole);
  }

  /** How far the input has come as JSON. */
  get inputState(): JsonState {
    if (this.#progress === undefined) {
      this.#progress = new JsonText();
      this.#progress.add(String(parseJson(this.inputJson)));
    }
    return this.#progress.state;
  }

  /** The input as JSON. */
  get inputJson(): string {
    return this.#input.json;
  }

  /** Adds a part to the list that its kind belongs to. */
  add(kind: PartKind, text?: string): Part {
    const list = kind === 'summary_text' ? this.summary : this.parts;
    const part = new Part(this, kind, list.length, text);
    list.push(part);
    return part;
  }

  /** The item as JSON; `more` are members that only a whole item has. */
  json(status: string, more: JsonObject = {}): string {
    const fixed = JSON.stringify({ id: this.id, type: this.type, ...this.fixed, ...more }).slice(0, -1);
    const state = `${fixed},"status":"${status}"`;
    if (this.type === 'reasoning') return `${state},"summary":${listJson(this.summary)}${this.#rawReasoning()}}`;
    if (this.type === 'message') return `${state},"role":"assistant","content":${listJson(this.parts)}}`;
    const field = this.tool?.input?.field;
    return field === undefined ? `${state}}` : `${state},"${field}":${this.inputJson}}`;
  }

  /** The item as it stands, for a response that failed. */
  partial(): string {
    if (this.done === undefined) return this.json('incomplete');
    return typeof this.done === 'string' ? this.done : JSON.stringify(this.done);
  }

  #rawReasoning(): string {
    return this.parts.length === 0 ? '' : `,"content":${listJson(this.parts)}`;
  }
}

function listJson(parts: readonly Part[]): string {
  return `[${parts.map((part) => part.json).join(',')}]`;
}

/** All output items, and the state of each after every frame that went out. */
export class Output {
  readonly items: OutputItem[] = [];
  /** Characters that an ending has to repeat. */
  size = 0;
  readonly #byId = new Map<string, OutputItem>();

  /** The item of an id that is still open. */
  find(id: string | undefined): OutputItem | undefined {
    const item = id === undefined ? undefined : this.#byId.get(id);
    return item?.done === undefined ? item : undefined;
  }

  /** A new item at the end; its id must be new too. */
  add(id: string, type: string, fixed: JsonObject): OutputItem {
    const item = new OutputItem(this.items.length, id, type, fixed);
    this.items.push(item);
    this.#byId.set(id, item);
    return item;
  }

  /** Whether an id is in use. */
  has(id: string): boolean {
    return this.#byId.has(id);
  }

  /** The output of the final response. */
  json(): string {
    return `[${this.items.map((item) => item.partial()).join(',')}]`;
  }

  /** Follows a relayed frame. */
  observe(data: JsonObject): void {
    const type = data.type as string;
    if (type === 'response.output_item.added') return this.#added(asObject(data.item) ?? {});
    const item = this.items[data.output_index as number];
    if (item === undefined) return;
    const effect = effects.get(type);
    if (effect !== undefined) this.size += effect(item, data);
  }

  #added(wire: JsonObject): void {
    const { id, type, ...fixed } = wire;
    for (const member of streamed) delete fixed[member];
    this.add(asText(id) ?? '', asText(type) ?? '', fixed);
  }
}

/** Members of an item that change while it is streamed. */
const streamed = ['status', 'role', 'content', 'summary', 'arguments', 'input', 'code', 'encrypted_content'];

/** What a relayed event changes; returns the characters that it adds. */
type Effect = (item: OutputItem, data: JsonObject) => number;

const addPart: Effect = (item, data) => {
  const part = asObject(data.part) ?? {};
  const kind = part.type;
  if (kind === 'output_text' || kind === 'refusal' || kind === 'reasoning_text' || kind === 'summary_text')
    item.add(kind, asText(part.text ?? part.refusal) ?? '');
  return 0;
};

/** The part that an event is about. */
export function partOf(item: OutputItem, data: JsonObject): Part | undefined {
  return data.summary_index === undefined
    ? item.parts[data.content_index as number]
    : item.summary[data.summary_index as number];
}

const addText: Effect = (item, data) => {
  const { delta } = data;
  if (typeof delta !== 'string') return 0;
  const part = partOf(item, data);
  part?.said.add(delta);
  const logprobs = asArray(data.logprobs);
  for (const logprob of logprobs) part?.logprobs.push(logprob);
  return delta.length;
};

const endText: Effect = (item, data) => {
  const part = partOf(item, data);
  if (part !== undefined) part.textDone = true;
  return 0;
};

const endPart: Effect = (item, data) => {
  const part = partOf(item, data);
  if (part !== undefined) part.done = true;
  return 0;
};

const addInput: Effect = (item, data) => {
  if (typeof data.delta !== 'string') return 0;
  item.addInput(data.delta);
  return data.delta.length;
};

const endInput: Effect = (item) => {
  item.inputDone = true;
  return 0;
};

const effects: ReadonlyMap<string, Effect> = new Map(
  Object.entries<Effect>({
    ...Object.fromEntries(
      Object.values(partTerms).flatMap((term): [string, Effect][] => [
        [term.added, addPart],
        [term.delta, addText],
        [term.textDone, endText],
        [term.done, endPart],
      ]),
    ),
    ...Object.fromEntries(
      Object.values(toolItems).flatMap(({ input }): [string, Effect][] =>
        input === undefined
          ? []
          : [
              [`${input.event}.delta`, addInput],
              [`${input.event}.done`, endInput],
            ],
      ),
    ),
    'response.output_text.annotation.added': (item, data) => {
      partOf(item, data)?.annotations.push(asObject(data.annotation) ?? {});
      return JSON.stringify(data.annotation ?? null).length;
    },
    'response.output_item.done': (item, data) => {
      item.done = asObject(data.item) ?? {};
      return 0;
    },
  }),
);
