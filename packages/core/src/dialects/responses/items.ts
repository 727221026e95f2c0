/** The output items of a stream as its upstream names them, each with the one id and the one index that clients see. */
import {
  ArgumentText,
  argumentText,
  asCount,
  asText,
  entryOf,
  type Ids,
  type JsonObject,
  Pieces,
} from '../../dialect.ts';
import { itemPrefixes, type ToolItem, toolItems } from './terms.ts';

/** One run of text: a content part, or a part of a summary. */
export class Run {
  /** The type of its part. */
  readonly type: string;
  readonly index: number;
  readonly block: number;
  /** What the upstream calls it. */
  readonly wireIndex: number;
  /** Characters so far: what a later repetition is longer than. */
  length = 0;
  citations = 0;
  open = true;

  constructor(type: string, index: number, block: number, wireIndex: number) {
    this.type = type;
    this.index = index;
    this.block = block;
    this.wireIndex = wireIndex;
  }
}

/** One output item. */
export class Item {
  readonly index: number;
  readonly id: string;
  readonly type: string;
  /** How it is read as a tool call, if it is one. */
  readonly tool: ToolItem | undefined;
  readonly wireId: string | undefined;
  readonly phase: string | undefined;
  /** Content parts of a message, or raw reasoning. */
  readonly parts: Run[] = [];
  readonly summary: Run[] = [];
  /** The one block of an item that is not a message. */
  block: number | undefined;
  callId: string | undefined;
  name: string | undefined;
  /** A call that its provider runs, whatever its type says. */
  hosted = false;
  done = false;
  readonly #input = new Pieces();
  /** Its input as JSON, until that is known to need no cleaning. */
  #cleaning: ArgumentText | undefined;

  constructor(index: number, id: string, wire: JsonObject) {
    this.index = index;
    this.id = id;
    this.type = asText(wire.type) ?? 'unknown';
    this.tool = entryOf(toolItems, this.type);
    this.wireId = asText(wire.id);
    this.phase = asText(wire.phase);
    if (this.tool?.format === 'json') this.#cleaning = new ArgumentText();
  }

  /** What a piece of a call's input adds; a server may have encoded the whole twice. */
  cleaned(piece: string): string {
    if (this.#cleaning === undefined) return piece;
    const text = this.#cleaning.add(this.input === '' ? argumentText(piece) : piece);
    if (this.#cleaning.plain) this.#cleaning = undefined;
    return text;
  }

  /** Adds a piece of a call's input. */
  addInput(text: string): void {
    this.#input.add(text);
  }

  /** Whether it takes JSON and has got none of it yet. */
  get isEmpty(): boolean {
    return this.#cleaning !== undefined && this.input === '';
  }

  /** All of a call's input so far. */
  get input(): string {
    return this.#input.text;
  }
}

/** The run that the upstream means; without an index, the latest. */
export function runAt(runs: readonly Run[], wireIndex: unknown): Run | undefined {
  if (typeof wireIndex !== 'number') return runs.at(-1);
  const direct = runs[wireIndex];
  return direct?.wireIndex === wireIndex && direct.open ? direct : runs.findLast((run) => run.wireIndex === wireIndex);
}

/** Every item of a stream, found by whatever its upstream gives: an index, an id, or the order. */
export class Items {
  readonly all: Item[] = [];
  readonly #ids: Ids;
  readonly #byIndex = new Map<number, Item>();
  readonly #byWireId = new Map<string, Item>();
  readonly #taken = new Set<string>();

  constructor(ids: Ids) {
    this.#ids = ids;
  }

  /** A new item, with an id that no other has. */
  add(wire: JsonObject, outputIndex: unknown): Item {
    const index = this.all.length;
    const item = new Item(index, this.#free(asText(wire.id), asText(wire.type) ?? '', index), wire);
    this.all.push(item);
    this.#byIndex.set(asCount(outputIndex) ?? index, item);
    if (item.wireId !== undefined) this.#byWireId.set(item.wireId, item);
    return item;
  }

  /** Some servers give every event its own id, others no index: an id that is known wins over an index that disagrees. */
  find(outputIndex: unknown, id: unknown): Item | undefined {
    const placed = this.#byIndex.get(outputIndex as number);
    if (placed !== undefined && (placed.wireId === id || id === undefined)) return placed;
    return this.#byWireId.get(id as string) ?? placed ?? (outputIndex === undefined ? this.#latest() : undefined);
  }

  /** The item that a whole one repeats: by its id, which two items may share, else by its place. */
  match(wire: JsonObject, at: number): Item | undefined {
    const placed = this.all[at];
    if (placed?.wireId !== undefined && placed.wireId === wire.id) return placed;
    return this.#byWireId.get(wire.id as string) ?? (placed?.type === wire.type ? placed : undefined);
  }

  #latest(): Item | undefined {
    return this.all.findLast((item) => !item.done);
  }

  #free(id: string | undefined, type: string, index: number): string {
    let free = id ?? this.#ids.invent(entryOf(itemPrefixes, type) ?? 'item_', index);
    for (let times = 2; this.#taken.has(free); times++) free = `${id}_${times}`;
    this.#taken.add(free);
    return free;
  }
}
