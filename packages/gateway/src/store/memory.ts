/** A store in memory, bounded in time, size and number; what was longest not used goes first. */
import type { ItemStore, JsonObject, KeptItem, KeptRecord } from './store.ts';

/** How much a store in memory may hold, and for how long. */
export interface MemoryLimits {
  /** Milliseconds since a record was last used until it is forgotten; 86,400,000 (a day) unless told. */
  ttlMs: number;
  /** Characters of JSON of all that is kept, bookkeeping included; 67,108,864 unless told. */
  maxBytes: number;
  /** Records and different items; 100,000 unless told. */
  maxItems: number;
}

/** The limits that hold unless told otherwise. */
export const defaultMemoryLimits: MemoryLimits = { ttlMs: 86_400_000, maxBytes: 64 * 1024 * 1024, maxItems: 100_000 };

/** Makes a store in memory; `now` is its clock, in milliseconds. */
export function memoryStore(limits: Partial<MemoryLimits> = {}, now: () => number = Date.now): ItemStore {
  return new MemoryStore({ ...defaultMemoryLimits, ...limits }, now);
}

/** The JSON of an item, once for all records that have it: histories repeat themselves from turn to turn. */
interface Text {
  readonly json: string;
  places: number;
}

/** An item in its record. */
interface Place {
  readonly id: string;
  readonly text: Text;
  readonly origin: string | undefined;
  readonly row: Row;
}

/** A record. */
interface Row {
  readonly owner: string;
  readonly id: string;
  readonly json: string;
  readonly input: Place[];
  readonly output: Place[];
  usedAt: number;
}

/** Characters that a place counts for beside its text. */
const placeSize = 64;

class MemoryStore implements ItemStore {
  readonly #limits: MemoryLimits;
  readonly #now: () => number;
  /** Longest not used first. */
  readonly #rows = new Map<string, Row>();
  readonly #texts = new Map<string, Text>();
  readonly #places = new Map<string, Place[]>();
  #bytes = 0;

  constructor(limits: MemoryLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
  }

  keep(owner: string, record: KeptRecord): void {
    this.#forget(keyOf(owner, record.id));
    const { id, value } = record;
    const row: Row = { owner, id, json: JSON.stringify(value), input: [], output: [], usedAt: this.#now() };
    this.#rows.set(keyOf(owner, id), row);
    this.#bytes += row.json.length;
    for (const item of record.input) row.input.push(this.#place(row, item));
    for (const item of record.output) row.output.push(this.#place(row, item));
    this.#trim();
  }

  find(owner: string, id: string): KeptRecord | undefined {
    this.#trim();
    const row = this.#rows.get(keyOf(owner, id));
    if (row === undefined) return undefined;
    this.#touch(row);
    return { id, value: parsed(row.json), input: row.input.map(itemOf), output: row.output.map(itemOf) };
  }

  item(owner: string, id: string): KeptItem | undefined {
    this.#trim();
    const place = this.#places.get(keyOf(owner, id))?.at(-1);
    if (place === undefined) return undefined;
    this.#touch(place.row);
    return itemOf(place);
  }

  remove(owner: string, id: string): boolean {
    this.#trim();
    return this.#forget(keyOf(owner, id));
  }

  #place(row: Row, { id, value, origin }: KeptItem): Place {
    const place: Place = { id, text: this.#text(JSON.stringify(value)), origin, row };
    const key = keyOf(row.owner, id);
    const known = this.#places.get(key);
    if (known === undefined) this.#places.set(key, [place]);
    else known.push(place);
    this.#bytes += placeSize + id.length;
    return place;
  }

  #text(json: string): Text {
    let text = this.#texts.get(json);
    if (text === undefined) {
      text = { json, places: 0 };
      this.#texts.set(json, text);
      this.#bytes += json.length;
    }
    text.places++;
    return text;
  }

  #touch(row: Row): void {
    const key = keyOf(row.owner, row.id);
    row.usedAt = this.#now();
    this.#rows.delete(key);
    this.#rows.set(key, row);
  }

  /** Forgets what is too old, and the oldest of what is too much. */
  #trim(): void {
    const { ttlMs, maxBytes, maxItems } = this.#limits;
    const oldest = this.#now() - ttlMs;
    for (const [key, row] of this.#rows) {
      const full = this.#bytes > maxBytes || this.#rows.size + this.#texts.size > maxItems;
      if (row.usedAt > oldest && !full) return;
      this.#forget(key);
    }
  }

  #forget(key: string): boolean {
    const row = this.#rows.get(key);
    if (row === undefined) return false;
    this.#rows.delete(key);
    this.#bytes -= row.json.length;
    for (const place of row.input) this.#release(place);
    for (const place of row.output) this.#release(place);
    return true;
  }

  #release(place: Place): void {
    const { id, text, row } = place;
    this.#bytes -= placeSize + id.length;
    if (--text.places === 0) {
      this.#texts.delete(text.json);
      this.#bytes -= text.json.length;
    }
    const key = keyOf(row.owner, id);
    const known = this.#places.get(key) ?? [];
    known.splice(known.indexOf(place), 1);
    if (known.length === 0) this.#places.delete(key);
  }
}

/** The length keeps an owner's name from running into an id. */
function keyOf(owner: string, id: string): string {
  return `${owner.length}:${owner}${id}`;
}

function itemOf({ id, text, origin }: Place): KeptItem {
  return { id, value: parsed(text.json), ...(origin !== undefined && { origin }) };
}

function parsed(json: string): JsonObject {
  return JSON.parse(json) as JsonObject;
}
