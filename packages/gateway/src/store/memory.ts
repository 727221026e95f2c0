/** A store in memory, bounded in time, size and number, of each owner and of all; what was longest not used goes first. */
import { Owner, type Row, recordOf } from './owner.ts';
import type { ItemStore, KeptItem, KeptRecord } from './store.ts';

/** How much a store in memory may hold, and for how long. */
export interface MemoryLimits {
  /** Milliseconds since a record was last used until it is forgotten; 86,400,000 unless told. */
  ttlMs: number;
  /** Characters of JSON of all that is kept, bookkeeping included; 64 MiB unless told. */
  maxBytes: number;
  /** Answers and different items that are kept; 100,000 unless told. */
  maxItems: number;
  /** The same characters, of one owner; 16 MiB unless told. */
  maxBytesPerPrincipal: number;
  /** Records and different items of one owner; 25,000 unless told. */
  maxItemsPerPrincipal: number;
}

/** The limits that hold unless told otherwise. */
export const defaultMemoryLimits: MemoryLimits = {
  ttlMs: 86_400_000,
  maxBytes: 64 * 1024 * 1024,
  maxItems: 100_000,
  maxBytesPerPrincipal: 16 * 1024 * 1024,
  maxItemsPerPrincipal: 25_000,
};

/** Makes a store in memory; `now` is its clock, in milliseconds. */
export function memoryStore(limits: Partial<MemoryLimits> = {}, now: () => number = Date.now): ItemStore {
  return new MemoryStore({ ...defaultMemoryLimits, ...limits }, now);
}

class MemoryStore implements ItemStore {
  readonly #limits: MemoryLimits;
  readonly #now: () => number;
  readonly #owners = new Map<string, Owner>();
  /** The records of all owners, longest not used first. */
  readonly #rows = new Set<Row>();
  #bytes = 0;
  #items = 0;

  constructor(limits: MemoryLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
  }

  keep(name: string, record: KeptRecord): void {
    const owner = this.#owners.get(name) ?? new Owner(name);
    this.#owners.set(name, owner);
    const known = owner.row(record.id);
    if (known !== undefined) this.#change(owner, () => this.#take(known));
    this.#change(owner, () => this.#rows.add(owner.add(record, this.#now())));
    this.#trimOwner(owner);
    this.#trim();
  }

  find(name: string, id: string): KeptRecord | undefined {
    this.#trim();
    const row = this.#owners.get(name)?.row(id);
    if (row === undefined) return undefined;
    this.#touch(row);
    return recordOf(row);
  }

  item(name: string, id: string): KeptItem | undefined {
    this.#trim();
    const found = this.#owners.get(name)?.item(id);
    if (found === undefined) return undefined;
    this.#touch(found.row);
    return found.item;
  }

  remove(name: string, id: string): boolean {
    this.#trim();
    const row = this.#owners.get(name)?.row(id);
    if (row !== undefined) this.#forget(row);
    return row !== undefined;
  }

  #touch(row: Row): void {
    row.usedAt = this.#now();
    row.owner.touch(row);
    this.#rows.delete(row);
    this.#rows.add(row);
  }

  /** Forgets the oldest of what is too much of one owner. */
  #trimOwner(owner: Owner): void {
    const { maxBytesPerPrincipal, maxItemsPerPrincipal } = this.#limits;
    while (owner.bytes > maxBytesPerPrincipal || owner.items > maxItemsPerPrincipal) {
      const { oldest } = owner;
      if (oldest === undefined) return;
      this.#forget(oldest);
    }
  }

  /** Forgets what is too old, and the oldest of what is too much of all. */
  #trim(): void {
    const { ttlMs, maxBytes, maxItems } = this.#limits;
    const oldest = this.#now() - ttlMs;
    for (const row of this.#rows) {
      if (row.usedAt > oldest && this.#bytes <= maxBytes && this.#items <= maxItems) return;
      this.#forget(row);
    }
  }

  #forget(row: Row): void {
    const { owner } = row;
    this.#change(owner, () => this.#take(row));
    if (owner.oldest === undefined) this.#owners.delete(owner.name);
  }

  #take(row: Row): void {
    this.#rows.delete(row);
    row.owner.drop(row);
  }

  /** Does a thing to what an owner has, and counts what that changes. */
  #change(owner: Owner, act: () => void): void {
    const { bytes, items } = owner;
    act();
    this.#bytes += owner.bytes - bytes;
    this.#items += owner.items - items;
  }
}
