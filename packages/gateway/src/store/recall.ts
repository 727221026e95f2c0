/** Puts into a request what it only names: the turns before it, and single items. */
import type { CanonicalRequest, References } from '@streamglot/core';
import { unknownReference, unsupported } from '../error.ts';
import type { Form } from './form.ts';
import { identified } from './input.ts';
import type { Shelf } from './shelf.ts';
import type { JsonObject, KeptItem, KeptRecord } from './store.ts';

/** A request, and who will answer it. */
export interface Naming {
  readonly body: JsonObject;
  readonly form: Form;
  readonly refers: References | undefined;
  /** The provider's name. */
  readonly provider: string;
  /** Whether the upstream speaks the client's dialect, and may know what is unknown here. */
  readonly native: boolean;
  readonly shelf: Shelf | undefined;
  /** What invented ids are made from. */
  readonly seed: string;
}

/** What a request says once nothing is only named. */
export interface Recalled {
  /** The body to send; the client's own where it named nothing. */
  readonly body: JsonObject;
  /** Everything that the model reads; absent where only the upstream knows all of it. */
  readonly input?: readonly KeptItem[];
  readonly conversation?: KeptRecord;
  /** Where the client's request has the item of an index of the new input. */
  at(index: number): string;
}

/** Resolves references. Rejects with `GatewayError` (400) that names one which nobody knows. */
export async function recalled(naming: Naming): Promise<Recalled> {
  const { body, form, refers, seed } = naming;
  if (refers === undefined) {
    const items = form.said(body.input).map(({ value }) => value);
    return { body, input: identified(items, seed), at: (index) => `input[${index}]` };
  }
  return new Recall(naming, refers).run();
}

/** An item of the new input, where the client's request has it, and whether it is known here. */
interface Found {
  readonly item: KeptItem;
  readonly at: string;
  readonly known: 'said' | 'kept' | 'unknown';
}

class Recall {
  readonly #naming: Naming;
  readonly #refers: References;
  /** Members whose meaning is left to the upstream. */
  readonly #left = new Set<string>();

  constructor(naming: Naming, refers: References) {
    this.#naming = naming;
    this.#refers = refers;
  }

  async run(): Promise<Recalled> {
    const { previousResponseId, conversation: named, items } = this.#refers;
    if (previousResponseId !== undefined && named !== undefined)
      throw unsupported('conversation', 'a request goes on from a response or from a conversation, not from both');
    const astray = items.find(({ at }) => !at.startsWith('input['));
    if (astray !== undefined) throw unsupported(astray.at, 'only input can hold references');
    const before = await this.#before(previousResponseId);
    const conversation = await this.#conversation(named);
    const { previous } = this.#naming.form;
    const history = [
      ...kept(before?.input, previous),
      ...kept(before?.output, previous),
      ...kept(conversation?.input, 'conversation'),
    ];
    return this.#joined([...history, ...(await this.#own())], conversation);
  }

  #before(id: string | undefined): Promise<KeptRecord | undefined> {
    const { previous, object } = this.#naming.form;
    return this.#known(previous, id, (shelf, id) => shelf.answer(id, object));
  }

  #conversation(id: string | undefined): Promise<KeptRecord | undefined> {
    return this.#known('conversation', id, (shelf, id) => shelf.conversation(id));
  }

  async #known<T>(
    at: string,
    id: string | undefined,
    find: (shelf: Shelf, id: string) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    if (id === undefined) return undefined;
    const { shelf, native } = this.#naming;
    const found = shelf === undefined ? undefined : await find(shelf, id);
    if (found !== undefined) return found;
    if (!native) throw unknownReference(at, id);
    this.#left.add(at);
    return undefined;
  }

  async #own(): Promise<readonly Found[]> {
    const { form, body, seed } = this.#naming;
    const said = form.said(body.input);
    const items = said.map(({ value }) => value);
    const own = identified(items, seed);
    return Promise.all(own.map((item, index) => this.#ownItem(item, said[index]?.at ?? 'input')));
  }

  async #ownItem(item: KeptItem, at: string): Promise<Found> {
    if (item.value.type !== 'item_reference') return { item, at, known: 'said' };
    const found = await this.#known(`${at}.id`, item.id, (shelf, id) => shelf.item(id));
    return found === undefined ? { item, at, known: 'unknown' } : { item: found, at, known: 'kept' };
  }

  #joined(found: readonly Found[], conversation: KeptRecord | undefined): Recalled {
    const { body, form, provider } = this.#naming;
    const input: JsonObject[] = [];
    const places: string[] = [];
    for (const { item, at, known } of found) {
      const value = known === 'kept' ? form.sent(item, provider) : item.value;
      if (value === undefined) continue;
      input.push(value);
      places.push(at);
    }
    const { [form.previous]: previous, conversation: named, ...rest } = body;
    const full = {
      ...rest,
      ...(this.#left.has(form.previous) && { [form.previous]: previous }),
      ...(this.#left.has('conversation') && { conversation: named }),
      input,
    };
    const at = (index: number): string => places[index] ?? `input[${index}]`;
    if (this.#left.size > 0) return { body: full, at };
    return {
      body: full,
      input: found.map(({ item }) => item),
      at,
      ...(conversation !== undefined && { conversation }),
    };
  }
}

function kept(items: readonly KeptItem[] = [], at: string): readonly Found[] {
  return items.map((item) => ({ item, at, known: 'kept' }));
}

/** The request with the places of its things as the client's own request has them. */
export function relocated(request: CanonicalRequest, at: (index: number) => string): CanonicalRequest {
  const moved = <T extends { at?: string }>(thing: T): T => {
    const [, index, rest] = /^input\[(\d+)\](.*)$/s.exec(thing.at ?? '') ?? [];
    if (index === undefined) return thing;
    const place = at(Number(index));
    return { ...thing, at: place.startsWith('input') ? place + rest : place };
  };
  return {
    ...request,
    system: request.system.map(moved),
    turns: request.turns.map((turn) => ({ ...moved(turn), parts: turn.parts.map(moved) })),
  };
}
