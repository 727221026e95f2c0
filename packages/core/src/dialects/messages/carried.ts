/** Carriers in a request that goes on as its client wrote it: nothing of another provider's may go on with it. */
import {
  asArray,
  asObject,
  asText,
  type Blob,
  entryOf,
  type JsonObject,
  type Losses,
  type Place,
  type Unsealer,
} from '../../dialect.ts';

/** The body without carriers: what they hold of the upstream's own stands in their place. The body itself where it has none. */
export function withoutCarriers(body: JsonObject, unsealer: Unsealer, losses: Losses): JsonObject {
  let isChanged = false;
  const messages = asArray(body.messages).flatMap((wire, index) => {
    const message = asObject(wire);
    const blocks = message?.role === 'assistant' ? asArray(message.content) : [];
    const content = blocks.flatMap((block, at) => openedBlock(block, unsealer, `messages[${index}].content[${at}]`));
    if (content.length === blocks.length && content.every((block, at) => block === blocks[at])) return [wire];
    isChanged = true;
    return content.length === 0 ? [] : [{ ...message, content }];
  });
  return isChanged ? consistent({ ...body, messages }, losses) : body;
}

function openedBlock(wire: unknown, unsealer: Unsealer, at: string): readonly unknown[] {
  const block = asObject(wire);
  const opaque = block?.type === 'thinking' ? block.signature : block?.type === 'redacted_thinking' ? block.data : '';
  const blobs = unsealer.open(asText(opaque), at);
  return blobs === undefined ? [wire] : blobs.flatMap((blob) => blockOf(blob, asText(block?.thinking)));
}

function blockOf({ kind, value, text }: Blob, shown: string | undefined): readonly JsonObject[] {
  if (kind === 'redacted') return [{ type: 'redacted_thinking', data: value }];
  return kind === 'signature' ? [{ type: 'thinking', thinking: text ?? shown ?? '', signature: value }] : [];
}

/** The API refuses to think where a replayed tool turn lacks its thinking, and to clear thinking where there is none to be. */
function consistent(body: JsonObject, losses: Losses): JsonObject {
  const thinks = asObject(body.thinking)?.type;
  if (thinks === undefined || thinks === 'disabled' || !lacksThinking(asArray(body.messages))) return body;
  losses.minor('thinking', 'thinking is off for this turn: the replayed tool turn lacks the thinking that led to it');
  const { thinking: _, context_management: management, ...rest } = body;
  const context = asObject(management);
  if (context === undefined) return rest;
  const edits = asArray(context.edits).filter((edit) => !asText(asObject(edit)?.type)?.startsWith('clear_thinking'));
  return edits.length === 0 ? rest : { ...rest, context_management: { ...context, edits } };
}

function lacksThinking(messages: readonly unknown[]): boolean {
  const [called, answered] = messages.slice(-2).map((message) => asArray(asObject(message)?.content).map(typeOf));
  if (called === undefined || answered === undefined || !answered.includes('tool_result')) return false;
  return called.includes('tool_use') && !called.some((type) => type === 'thinking' || type === 'redacted_thinking');
}

function typeOf(block: unknown): unknown {
  return asObject(block)?.type;
}

/** Signatures of thinking, and thinking behind a veil, in an event, a message or a block. */
export function opaqueIn(payload: JsonObject): readonly Place[] {
  const { content_block: started, delta, content, message } = payload;
  const blocks = [payload, started, delta, ...asArray(content), ...asArray(asObject(message)?.content)];
  return blocks.flatMap((block) => placesIn(asObject(block)));
}

const members = { thinking: 'signature', signature_delta: 'signature', redacted_thinking: 'data' } as const;

function placesIn(holder: JsonObject | undefined): readonly Place[] {
  const member = holder === undefined ? undefined : entryOf(members, asText(holder.type) ?? '');
  if (holder === undefined || member === undefined) return [];
  return [{ holder, member, kind: member === 'data' ? 'redacted' : 'signature', on: 'thought' }];
}
