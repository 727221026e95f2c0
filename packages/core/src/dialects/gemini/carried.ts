/** Signatures in the history of a request: carriers opened, and calls of others vouched for. */
import {
  asArray,
  asObject,
  asText,
  type Blob,
  type JsonObject,
  type Losses,
  type Origin,
  type Place,
  type Unsealer,
} from '../../dialect.ts';

/** What stands for a signature where the model did not make the call (ai.google.dev, thought signatures, seen 2026-11-29). */
const voucher = 'skip_thought_signature_validator';

/** Whether models of a family refuse a call without a signature: those from Gemini 3 on do (same page). */
export function demandsSignatures({ family }: Origin): boolean {
  return Number(/^gemini-(\d+)/.exec(family)?.[1] ?? 0) >= 3;
}

const unsigned = 'the model goes on from a call without the thoughts that led to it';

interface Content {
  role: string;
  parts: JsonObject[];
}

/** A step of the current turn with a signature on its first call; `at` is where the client has it. */
export function vouched(content: Content, at: string | undefined, losses: Losses): Content {
  const first = content.parts.findIndex((part) => part.functionCall !== undefined);
  const call = content.parts[first];
  if (call === undefined || call.thoughtSignature !== undefined) return content;
  losses.minor(at ?? 'turns', unsigned);
  return { ...content, parts: content.parts.with(first, { ...call, thoughtSignature: voucher }) };
}

/** Both spellings that the API takes. */
const spellings = ['thoughtSignature', 'thought_signature'] as const;

function signatureOf(part: JsonObject | undefined): (typeof spellings)[number] | undefined {
  return spellings.find((spelling) => asText(part?.[spelling]) !== undefined);
}

function holdsCall(part: unknown): boolean {
  return (asObject(part)?.functionCall ?? asObject(part)?.function_call) !== undefined;
}

function holdsResult(part: unknown): boolean {
  return (asObject(part)?.functionResponse ?? asObject(part)?.function_response) !== undefined;
}

/** The API takes one thing for a list of one. */
function listOf(value: unknown): readonly unknown[] {
  return asObject(value) === undefined ? asArray(value) : [value];
}

/** The body without carriers: what they hold of the upstream's own stands in their place. The body itself where it has none. */
export function withoutCarriers(body: JsonObject, unsealer: Unsealer): JsonObject {
  let isChanged = false;
  const contents = listOf(body.contents).flatMap((wire, index) => {
    const content = asObject(wire);
    const parts = listOf(content?.parts);
    const opened = parts.flatMap((part, at) => openedPart(part, unsealer, `contents[${index}].parts[${at}]`));
    if (opened.length === parts.length && opened.every((part, at) => part === parts[at])) return [wire];
    isChanged = true;
    return opened.length === 0 ? [] : [{ ...content, parts: opened }];
  });
  return isChanged ? { ...body, contents } : body;
}

function openedPart(wire: unknown, unsealer: Unsealer, at: string): readonly unknown[] {
  const part = asObject(wire);
  const name = signatureOf(part);
  const blobs = name === undefined ? undefined : unsealer.open(asText(part?.[name]), at);
  if (part === undefined || name === undefined || blobs === undefined) return [wire];
  const { [name]: _, ...bare } = part;
  const signature = ownSignature(blobs, holdsCall(part));
  if (signature !== undefined) return [{ ...bare, [name]: signature }];
  return bare.text === '' ? [] : [bare];
}

function ownSignature(blobs: readonly Blob[], isCall: boolean): string | undefined {
  return blobs.find(({ kind, on }) => kind === 'signature' && (on === 'call') === isCall)?.value;
}

/** The body with a signature on the first call of each step of the current turn, where the model demands one. The body itself where it has them. */
export function signed(body: JsonObject, origin: Origin, losses: Losses): JsonObject {
  if (!demandsSignatures(origin)) return body;
  const contents = listOf(body.contents);
  const partsAt = contents.map((content) => listOf(asObject(content)?.parts));
  const current = contents.findLastIndex(
    (content, index) => asObject(content)?.role !== 'model' && !partsAt[index]?.some(holdsResult),
  );
  const vouchedFor = contents.map((content, index) => {
    const parts = partsAt[index] ?? [];
    const first = parts.findIndex(holdsCall);
    const call = asObject(parts[first]);
    if (index < current || call === undefined || signatureOf(call) !== undefined) return content;
    losses.minor(`contents[${index}].parts[${first}]`, unsigned);
    return { ...asObject(content), parts: parts.with(first, { ...call, thoughtSignature: voucher }) };
  });
  return vouchedFor.every((content, index) => content === contents[index]) ? body : { ...body, contents: vouchedFor };
}

/** Signatures of parts in an answer, or of a part. */
export function opaqueIn(payload: JsonObject): readonly Place[] {
  const contents = listOf(payload.candidates).map((candidate) => asObject(asObject(candidate)?.content));
  return [payload, ...contents.flatMap((content) => listOf(content?.parts))].flatMap((wire) => {
    const holder = asObject(wire);
    const member = signatureOf(holder);
    if (holder === undefined || member === undefined) return [];
    return [{ holder, member, kind: 'signature', on: holdsCall(holder) ? 'call' : 'text' }];
  });
}
