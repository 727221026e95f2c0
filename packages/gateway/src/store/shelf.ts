/** What one owner has in the store. */
import { GatewayError } from '@streamglot/core';
import type { Form } from './form.ts';
import type { ItemStore, KeptItem, KeptRecord } from './store.ts';

/** Names who asks, for the store; nothing where that cannot be told, and then nothing is kept. */
export type PrincipalId = (principal: unknown) => string | undefined;

/** One owner's part of a store. A store that fails is an error of ours that says so. */
export class Shelf {
  readonly #store: ItemStore;
  readonly #owner: string;

  constructor(store: ItemStore, owner: string) {
    this.#store = store;
    this.#owner = owner;
  }

  /** Keeps a record; settles when it will be found. */
  keep(record: KeptRecord): void | Promise<void> {
    return this.#store.keep(this.#owner, record);
  }

  /** The answer of an id, if that is what it is. */
  answer(id: string, object: Form['object']): Promise<KeptRecord | undefined> {
    return this.#find(id, object);
  }

  /** The conversation of an id. */
  conversation(id: string): Promise<KeptRecord | undefined> {
    return this.#find(id, 'conversation');
  }

  /** The item of an id. */
  item(id: string): Promise<KeptItem | undefined> {
    return guarded(async () => this.#store.item(this.#owner, id));
  }

  /** Forgets a record. */
  async remove({ id }: KeptRecord): Promise<void> {
    await guarded(async () => this.#store.remove(this.#owner, id));
  }

  async #find(id: string, kind: string): Promise<KeptRecord | undefined> {
    const record = await guarded(async () => this.#store.find(this.#owner, id));
    return record?.value.object === kind ? record : undefined;
  }
}

/** The shelf of whoever asks, or nothing where nothing is kept. */
export function shelfOf(
  { store, principalId }: { store: ItemStore | undefined; principalId: PrincipalId },
  principal: unknown,
): Shelf | undefined {
  const owner = store === undefined ? undefined : principalId(principal);
  return store === undefined || owner === undefined ? undefined : new Shelf(store, owner);
}

/** A text, a number, or the `id` of an object; where nobody is known, all are one. */
export function principalIdOf(principal: unknown): string | undefined {
  if (principal === undefined) return 'anyone';
  const id: unknown =
    typeof principal === 'object' && principal !== null && 'id' in principal ? principal.id : principal;
  return typeof id === 'string' || typeof id === 'number' || typeof id === 'bigint' ? `${typeof id} ${id}` : undefined;
}

async function guarded<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (cause) {
    const message = 'The store of earlier answers cannot be reached.';
    throw new GatewayError({ type: 'api_error', code: 'store_unavailable', message }, { cause });
  }
}
