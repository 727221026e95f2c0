/** Carriers in a request that goes on as its client wrote it: nothing of another provider's may go on with it. */
import {
  asArray,
  asObject,
  asText,
  compact,
  type JsonObject,
  legalId,
  type Place,
  type Unsealer,
} from '../../dialect.ts';

/** The body with ids that the API takes and without carriers: what they hold of the upstream's own stands in their place. The body itself where it has none. */
export function withoutCarriers(body: JsonObject, unsealer: Unsealer): JsonObject {
  const items = asArray(body.input);
  const input = items.flatMap((item, index) => opened(item, unsealer, `input[${index}]`));
  const isSame = input.length === items.length && input.every((item, index) => item === items[index]);
  return isSame ? body : { ...body, input };
}

/** Ids of calls are at most 64 characters long (seen in public reports, 2026-11-29). */
export const idForm: RegExp = /^.{1,64}$/s;

function opened(wire: unknown, unsealer: Unsealer, at: string): readonly unknown[] {
  const item = asObject(wire);
  const id = asText(item?.call_id);
  if (id !== undefined && !idForm.test(id)) return [{ ...item, call_id: legalId(id, idForm) }];
  const blobs = item?.type === 'reasoning' ? unsealer.open(asText(item.encrypted_content), at) : undefined;
  if (item === undefined || blobs === undefined) return [wire];
  return blobs
    .filter(({ kind }) => kind === 'encrypted')
    .map(({ value, id }) => compact({ ...item, id, encrypted_content: value }));
}

/** Encrypted reasoning in an event, a response or an item. */
export function opaqueIn(payload: JsonObject): readonly Place[] {
  const { item, output, response } = payload;
  const items = [payload, item, ...asArray(output), ...asArray(asObject(response)?.output)];
  return items.flatMap((wire) => {
    const holder = asObject(wire);
    if (holder?.type !== 'reasoning') return [];
    const id = asText(holder.id);
    return [{ holder, member: 'encrypted_content', kind: 'encrypted', on: 'thought', ...(id !== undefined && { id }) }];
  });
}
