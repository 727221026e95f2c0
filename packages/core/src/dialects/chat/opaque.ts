/** Opaque reasoning of servers that speak Chat: the members that hold it, and how carriers in them are opened. */
import { asArray, asObject, asText, isCarrier, type JsonObject, type Place, type Unsealer } from '../../dialect.ts';
import { reasoningFields, signaturePath } from './terms.ts';

/** Signatures and encrypted reasoning in a chunk, a completion or a detail of reasoning. */
export function opaqueIn(payload: JsonObject): readonly Place[] {
  const messages = asArray(payload.choices).flatMap((choice) => [asObject(choice)?.delta, asObject(choice)?.message]);
  return [...inThought(payload), ...messages.flatMap((message) => inMessage(asObject(message) ?? {}))];
}

function inMessage({
  tool_calls: calls,
  reasoning_details: details,
  thinking_blocks: blocks,
}: JsonObject): readonly Place[] {
  return [...asArray(calls).flatMap(inCall), ...[...asArray(details), ...asArray(blocks)].flatMap(inThought)];
}

function inCall(call: unknown): readonly Place[] {
  const [outer, , member] = signaturePath;
  const holders = Object.values(asObject(asObject(call)?.[outer]) ?? {}).map(asObject);
  return holders.flatMap((holder) =>
    asText(holder?.[member]) === undefined || holder === undefined
      ? []
      : [{ holder, member, kind: 'signature', on: 'call' }],
  );
}

function inThought(wire: unknown): readonly Place[] {
  const holder = asObject(wire);
  if (holder === undefined) return [];
  const places = [
    { holder, member: 'signature', kind: 'signature', on: 'thought' },
    { holder, member: 'data', kind: 'encrypted', on: 'thought' },
  ] as const;
  return places.filter(({ member }) => asText(holder[member]) !== undefined);
}

/** A message without the carriers in the members of its server: those of the upstream's own are opened, and with any other goes all that was shown of the thinking. */
export function openedOpaque(message: JsonObject, unsealer: Unsealer, at: string): JsonObject {
  if (!inMessage(message).some(isCarried)) return message;
  const copy = structuredClone(message);
  let isForeign = false;
  for (const { holder, member } of inMessage(copy).filter(isCarried)) {
    const own = unsealer.open(asText(holder[member]), at)?.[0]?.value;
    if (own === undefined) delete holder[member];
    else holder[member] = own;
    isForeign ||= own === undefined;
  }
  return isForeign ? withoutReasoning(copy) : copy;
}

function isCarried({ holder, member }: Place): boolean {
  return isCarrier(asText(holder[member]));
}

/** What a client was shown of the thinking of others stays behind with what stood for it. */
export function withoutReasoning(message: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(message).filter(([name]) => !reasoningFields.includes(name) && name !== 'thinking_blocks'),
  );
}
