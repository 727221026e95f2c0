/** Opaque reasoning on the calls of a conversation: where it stands, and how it gets there and away. */
import {
  asArray,
  asObject,
  asText,
  type Blob,
  isCarrier,
  isDeeper,
  type JsonObject,
  legalId,
  parseJson,
  splitId,
  type ToolCallStart,
  type Turn,
  type Unsealer,
  withCarrier,
} from '../../dialect.ts';
import { openedOpaque, withoutReasoning } from './opaque.ts';
import { carrierPath, signaturePath } from './terms.ts';

/** OpenAI refuses longer ids of calls ("string too long", seen in many public reports, 2026-11-29). */
export const idForm: RegExp = /^.{1,40}$/s;

/** A signature as a member of a call: a carrier where clients keep it, any other where its server looks for it. */
export function extraContent(signature: string): JsonObject {
  const [outer, middle, inner] = isCarrier(signature) ? carrierPath : signaturePath;
  return { [outer]: { [middle]: { [inner]: signature } } };
}

/** A call with what a client has to send back: in a member, and in its id for clients that send back no such member. */
export function callWith(call: ToolCallStart | undefined, type: string, said: JsonObject): JsonObject {
  const { id = '', signature } = call ?? {};
  if (!isCarrier(signature)) return { id, type, [type]: said };
  return { id: withCarrier(id, signature), type, [type]: said, ...extraContent(signature) };
}

/** The carrier on a call, or whatever stands in the place of one. */
export function carrierOf(call: object): string | undefined {
  const [outer, middle, inner] = carrierPath;
  return asText(asObject(asObject((call as JsonObject)[outer])?.[middle])?.[inner]);
}

/** Thoughts as the servers take them back that have signed or encrypted them. */
export function detailsOf(turn: Turn): readonly unknown[] | undefined {
  const details = turn.parts.flatMap((part): readonly JsonObject[] => {
    if (part.type !== 'reasoning') return [];
    if (part.encrypted !== undefined) return encryptedDetail(part.encrypted);
    return part.signature === undefined ? [] : [detail(part.text, part.signature)];
  });
  return details.length === 0 ? undefined : details;
}

/** A detail as its server wrote it; nobody but a forger nests one deep. */
function encryptedDetail(json: string): readonly JsonObject[] {
  const wire = isDeeper(json, 64) ? undefined : asObject(parseJson(json));
  return wire === undefined ? [] : [wire];
}

function detail(text: string | undefined, signature: string): JsonObject {
  return { type: 'reasoning.text', text: text ?? '', signature };
}

/** The body with ids as upstreams take them and without carriers: what they hold of the upstream's own stands in their place. */
export function withoutCarriers(body: JsonObject, unsealer: Unsealer): JsonObject {
  const messages = asArray(body.messages);
  const opened = messages.map((wire, index) => openedMessage(wire, unsealer, `messages[${index}]`));
  return opened.every((message, index) => message === messages[index]) ? body : { ...body, messages: opened };
}

function openedMessage(given: unknown, unsealer: Unsealer, at: string): unknown {
  const known = asObject(given);
  const message = known === undefined ? undefined : openedOpaque(known, unsealer, at);
  const wire = message ?? given;
  const id = asText(message?.tool_call_id);
  if (id !== undefined) return ownId(id) === id ? wire : { ...message, tool_call_id: ownId(id) };
  const calls = asArray(message?.tool_calls);
  const thoughts: Blob[][] = [];
  const opened = calls.map((call, index) => openedCall(call, unsealer, thoughts, `${at}.tool_calls[${index}]`));
  if (opened.every((call, index) => call === calls[index])) return wire;
  const whole = { ...message, tool_calls: opened };
  return thoughts.length === 0 ? whole : { ...withoutReasoning(whole), ...reasoningOf(thoughts.flat()) };
}

function reasoningOf(blobs: readonly Blob[]): JsonObject {
  const plain = blobs.flatMap(({ kind, value }) => (kind === 'plain' ? value : []));
  const details = blobs.flatMap(detailOf);
  return {
    ...(plain.length > 0 && { reasoning_content: plain.join('\n\n') }),
    ...(details.length > 0 && { reasoning_details: details }),
  };
}

/** A call as its upstream takes it; what its carrier holds is added to `thoughts`. */
function openedCall(wire: unknown, unsealer: Unsealer, thoughts: Blob[][], at: string): unknown {
  const call = asObject(wire) ?? {};
  const given = asText(call.id) ?? '';
  const carrier = carrierOf(call) ?? splitId(given).carrier;
  const id = ownId(given);
  if (carrier === undefined) return id === given ? wire : { ...call, id };
  const blobs = unsealer.open(carrier, at) ?? [];
  thoughts.push([...blobs]);
  const signature = blobs.find(({ on }) => on === 'call')?.value;
  const { [carrierPath[0]]: _, ...bare } = call;
  return { ...bare, id, ...(signature !== undefined && extraContent(signature)) };
}

function detailOf({ kind, on, value, text }: Blob): readonly unknown[] {
  if (on !== 'thought' || kind === 'plain') return [];
  return kind === 'encrypted' ? encryptedDetail(value) : [detail(text, value)];
}

function ownId(id: string): string {
  const own = splitId(id).id;
  return own === '' ? own : legalId(own, idForm);
}
