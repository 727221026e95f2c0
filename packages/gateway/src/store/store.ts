/** The contract of whoever keeps answers, so that later requests can name what they would else have to repeat. */

/** An object as JSON has it. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** One item of a request's input or of an answer's output. */
export interface KeptItem {
  readonly id: string;
  /** The item as it is sent; without `id` where its client gave it none. */
  readonly value: JsonObject;
  /** The provider that made it, where that speaks the same dialect: to no other its id and its secrets mean anything. */
  readonly origin?: string;
}

/** A response, an interaction or a conversation, by what `value.object` says. Plain data. */
export interface KeptRecord {
  readonly id: string;
  /** The object as its endpoint gives it, without its output. */
  readonly value: JsonObject;
  /** All that went before the output: what was named, in full, and what was said. */
  readonly input: readonly KeptItem[];
  readonly output: readonly KeptItem[];
}

/**
 * Keeps records, each for one owner: nothing of one owner is ever found by another. May forget at any time. What
 * `keep` returns is waited for before the client is told that its answer is complete.
 */
export interface ItemStore {
  /** Keeps a record; replaces one of the same id. */
  keep(owner: string, record: KeptRecord): void | Promise<void>;
  /** The record of an id. */
  find(owner: string, id: string): KeptRecord | undefined | Promise<KeptRecord | undefined>;
  /** The item of an id, of any record that is still kept. */
  item(owner: string, id: string): KeptItem | undefined | Promise<KeptItem | undefined>;
  /** Forgets a record, and the items that no other record has. Says whether it was there. */
  remove(owner: string, id: string): boolean | Promise<boolean>;
}
