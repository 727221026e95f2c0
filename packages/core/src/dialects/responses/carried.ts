/** Carriers in a request that goes on as its client wrote it: nothing of another provider's may go on with it. */
import {
  asArray,
  asObject,
  asText,
  compact,
  type JsonObject,
  type Losses,
  legalId,
  type Place,
  type Unsealer,
} from '../../dialect.ts';

/** The body with ids that the API takes and without carriers: what they hold of the upstream's own stands in their place. The body itself where it has none. */
export function withoutCarriers(body: JsonObject, unsealer: Unsealer, losses: Losses): JsonObject {
  const items = asArray(body.input);
  const input = items.flatMap((item, index) => opened(item, unsealer, losses, `input[${index}]`));
  const isSame = input.length === items.length && input.every((item, index) => item === items[index]);
  return isSame ? body : { ...body, input };
}

/** Ids of calls are at most 64 characters long (seen in public reports, 2026-11-29). */
export const idForm: RegExp = /^.{1,64}$/s;

/** Where a conversation was made shorter, what stands for it is all that the model knows of it. */
function opened(wire: unknown, unsealer: Unsealer, losses: Losses, at: string): readonly unknown[] {
  const item = asObject(wire);
  const id = asText(item?.call_id);
  if (id !== undefined && !idForm.test(id)) return [{ ...item, call_id: legalId(id, idForm) }];
  const blobs = unsealer.open(asText(item?.encrypted_content), at);
  if (item === undefined || blobs === undefined) return [wire];
  if (blobs.length === 0 && item.type !== 'reasoning')
    losses.severe(at, 'the conversation up to here was made shorter by another provider');
  return blobs
    .filter(({ kind }) => kind === 'encrypted')
    .map(({ value, id }) => compact({ ...item, id, encrypted_content: value }));
}

/** Encrypted reasoning, and conversations made shorter, in an event, a response or an item. */
export function opaqueIn(payload: JsonObject): readonly Place[] {
  const { item, output, response } = payload;
  const items = [payload, item, ...asArray(output), ...asArray(asObject(response)?.output)];
  return items.flatMap((wire) => {
    const holder = asObject(wire);
    if (holder === undefined || asText(holder.encrypted_content) === undefined) return [];
    const id = asText(holder.id);
    return [{ holder, member: 'encrypted_content', kind: 'encrypted', on: 'thought', ...(id !== undefined && { id }) }];
  });
}
