/** What one owner has in the memory store, and how much that is. */
import type { JsonObject, KeptItem, KeptRecord } from './store.ts';

/** The JSON of an item, once for all records of an owner that have it: histories repeat themselves from turn to turn. */
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
export interface Row {
  readonly owner: Owner;
  readonly id: string;
  readonly json: string;
  readonly input: Place[];
  readonly output: Place[];
  /** When it was last used, in milliseconds. */
  usedAt: number;
}

/** Characters that a place counts for beside its text. */
const placeSize = 64;

/** The records of one owner. */
export class Owner {
  readonly name: string;
  /** Characters of JSON of all that is kept, bookkeeping included. */
  bytes = 0;
  /** Longest not used first. */
  readonly #rows = new Map<string, Row>();
  readonly #texts = new Map<string, Text>();
  readonly #places = new Map<string, Place[]>();

  constructor(name: string) {
    this.name = name;
  }

  /** Records and different items. */
  get items(): number {
    return this.#rows.size + this.#texts.size;
  }

  /** The record that was longest not used. */
  get oldest(): Row | undefined {
    return this.#rows.values().next().value;
  }

  /** Adds a record; none of its id may be there. */
  add({ id, value, input, output }: KeptRecord, usedAt: number): Row {
    const row: Row = { owner: this, id, json: JSON.stringify(value), input: [], output: [], usedAt };
    this.#rows.set(id, row);
    this.bytes += row.json.length;
    for (const item of input) row.input.push(this.#place(row, item));
    for (const item of output) row.output.push(this.#place(row, item));
    return row;
  }

  /** The record of an id. */
  row(id: string): Row | undefined {
    return this.#rows.get(id);
  }

  /** An item as the last record that has it has it, and that record. */
  item(id: string): { row: Row; item: KeptItem } | undefined {
    const place = this.#places.get(id)?.at(-1);
    return place === undefined ? undefined : { row: place.row, item: itemOf(place) };
  }

  /** A record was used. */
  touch(row: Row): void {
    this.#rows.delete(row.id);
    this.#rows.set(row.id, row);
  }

  /** Takes a record out. */
  drop(row: Row): void {
    this.#rows.delete(row.id);
    this.bytes -= row.json.length;
    for (const place of row.input) this.#release(place);
    for (const place of row.output) this.#release(place);
  }

  #place(row: Row, { id, value, origin }: KeptItem): Place {
    const place: Place = { id, text: this.#text(JSON.stringify(value)), origin, row };
    const known = this.#places.get(id);
    if (known === undefined) this.#places.set(id, [place]);
    else known.push(place);
    this.bytes += placeSize + id.length;
    return place;
  }

  #text(json: string): Text {
    let text = this.#texts.get(json);
    if (text === undefined) {
      text = { json, places: 0 };
      this.#texts.set(json, text);
      this.bytes += json.length;
    }
    text.places++;
    return text;
  }

  #release(place: Place): void {
    const { id, text } = place;
    this.bytes -= placeSize + id.length;
    if (--text.places === 0) {
      this.#texts.delete(text.json);
      this.bytes -= text.json.length;
    }
    const known = this.#places.get(id) ?? [];
    known.splice(known.indexOf(place), 1);
    if (known.length === 0) this.#places.delete(id);
  }
}

/** A record as it was given. */
export function recordOf({ id, json, input, output }: Row): KeptRecord {
  return { id, value: parsed(json), input: input.map(itemOf), output: output.map(itemOf) };
}

function itemOf({ id, text, origin }: Place): KeptItem {
  return { id, value: parsed(text.json), ...(origin !== undefined && { origin }) };
}

function parsed(json: string): JsonObject {
  return JSON.parse(json) as JsonObject;
}
