/** The endpoints over what is kept: responses and their input, interactions, and conversations. */
import { Ids } from '@streamglot/core';
import { badBody, unknownRecord, unsupported } from '../error.ts';
import type { Form } from './form.ts';
import { identified, itemsOf } from './input.ts';
import { pageOf } from './page.ts';
import type { Shelf } from './shelf.ts';
import type { JsonObject, KeptRecord } from './store.ts';

/** A request for something that is kept. */
export interface ShelfRequest {
  readonly method: string;
  /** The id in the path; empty where it has none. */
  readonly id: string;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly shelf: Shelf | undefined;
  /** Reads the body. */
  readonly body: () => Promise<unknown>;
  /** What invented ids are made from. */
  readonly seed: string;
}

type Endpoint = (request: ShelfRequest) => Promise<JsonObject>;

/** What answers at each kind of path. All reject with `GatewayError`: 404 for what is not there, or is another's. */
export const shelfEndpoints: Readonly<Record<ShelfKind, Endpoint>> = {
  response: async (request) => {
    const record = await responseOf(request);
    return request.method === 'DELETE' ? deleted(request, record, 'response') : whole(request, record, 'output');
  },
  interaction: async (request) => {
    const record = await interactionOf(request);
    if (request.method !== 'DELETE') return whole(request, record, 'steps');
    await request.shelf?.remove(record);
    return {};
  },
  cancelled: async (request) => {
    await interactionOf(request);
    throw unsupported('id', 'this interaction runs no longer');
  },
  input_items: async (request) => pageOf((await responseOf(request)).input, request.query),
  conversations: begun,
  conversation: async (request) => {
    const record = await conversationOf(request);
    return request.method === 'DELETE' ? deleted(request, record, 'conversation.deleted') : record.value;
  },
  conversation_items: async (request) => pageOf((await conversationOf(request)).input, request.query),
};

/** The kinds of path. */
export type ShelfKind =
  | 'response'
  | 'interaction'
  | 'cancelled'
  | 'input_items'
  | 'conversations'
  | 'conversation'
  | 'conversation_items';

async function responseOf({ shelf, id }: ShelfRequest): Promise<KeptRecord> {
  const record = await shelf?.answer(id, 'response');
  if (record === undefined) throw unknownRecord('Response', id);
  return record;
}

async function interactionOf({ shelf, id }: ShelfRequest): Promise<KeptRecord> {
  const record = await shelf?.answer(id, 'interaction');
  if (record === undefined) throw unknownRecord('Interaction', id);
  return record;
}

function whole({ query }: ShelfRequest, { value, output }: KeptRecord, member: Form['output']): JsonObject {
  if (query.stream === 'true') throw unsupported('stream', 'a kept answer is given whole');
  return { ...value, [member]: output.map((item) => item.value) };
}

async function conversationOf({ shelf, id }: ShelfRequest): Promise<KeptRecord> {
  const record = await shelf?.conversation(id);
  if (record === undefined) throw unknownRecord('Conversation', id);
  return record;
}

async function deleted({ shelf }: ShelfRequest, record: KeptRecord, object: string): Promise<JsonObject> {
  await shelf?.remove(record);
  return { id: record.id, object, deleted: true };
}

async function begun({ shelf, body, seed }: ShelfRequest): Promise<JsonObject> {
  if (shelf === undefined) throw badBody('store_off', 'No conversation is kept here: the store is off.');
  const { items, metadata = {} } = ((await body()) ?? {}) as { items?: unknown; metadata?: unknown };
  const id = new Ids(seed).invent('conv_');
  const value = { id, object: 'conversation', created_at: Math.floor(Date.now() / 1000), metadata };
  await shelf.keep({ id, value, input: identified(itemsOf(items), seed), output: [] });
  return value;
}
