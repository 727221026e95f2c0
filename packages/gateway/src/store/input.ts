/** Items of a Responses request: as a client wrote them, as they are kept, and as they are sent again. */
import { Ids } from '@streamglot/core';
import type { JsonObject, KeptItem } from './store.ts';

/** Something that a request says, and where. */
export interface Said {
  readonly value: JsonObject;
  readonly at: string;
}

/** The items of a body's `input`; a text is a message. */
export function itemsOf(input: unknown): readonly JsonObject[] {
  if (typeof input === 'string') return [{ type: 'message', role: 'user', content: input }];
  return Array.isArray(input) ? input.filter(isObject) : [];
}

/** Items under ids: their own, or invented ones that they are not sent with. */
export function identified(items: readonly JsonObject[], seed: string): readonly KeptItem[] {
  const ids = new Ids(`${seed}/input`);
  return items.map((value, at) => {
    const { id, type } = value;
    return { id: typeof id === 'string' && id !== '' ? id : ids.invent(prefixOf(type), at), value };
  });
}

/** The items of a response's output. */
export function outputItems(output: unknown, origin: string | undefined): readonly KeptItem[] {
  const items = Array.isArray(output) ? output.filter(isObject) : [];
  return items
    .filter(({ id }) => typeof id === 'string')
    .map((value) => ({ id: String(value.id), value, ...(origin !== undefined && { origin }) }));
}

/** A call that was cut off, and can neither be answered nor be read as JSON. */
function isTorn({ value: { type, status } }: KeptItem): boolean {
  return (type === 'function_call' || type === 'custom_tool_call') && status === 'incomplete';
}

/** What of a kept item a provider can be told, if anything: what only another one understands stays behind. */
export function sent(item: KeptItem, provider: string): JsonObject | undefined {
  if (isTorn(item)) return undefined;
  if (item.origin === provider) return item.value;
  const { id: _id, ...value } = item.value;
  if (value.type !== 'reasoning') return value;
  return item.origin === undefined && typeof value.encrypted_content === 'string' ? value : undefined;
}

/** An item as a list of them shows it: with its id, and a message's text as the part that it is. */
export function listed({ id, value }: KeptItem): JsonObject {
  const { type = 'message', content } = value;
  if (type !== 'message' || typeof content !== 'string') return { ...value, id, type };
  const part = value.role === 'assistant' ? { type: 'output_text', text: content, annotations: [] } : undefined;
  return { ...value, id, type, status: 'completed', content: [part ?? { type: 'input_text', text: content }] };
}

const prefixes: Readonly<Record<string, string>> = {
  message: 'msg_',
  reasoning: 'rs_',
  function_call: 'fc_',
  function_call_output: 'fco_',
  custom_tool_call: 'ctc_',
  custom_tool_call_output: 'cto_',
};

function prefixOf(type: unknown): string {
  return prefixes[typeof type === 'string' ? type : 'message'] ?? 'item_';
}

/** Whether it is a JSON object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
