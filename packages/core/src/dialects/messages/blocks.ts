/** Content blocks: what a `content_block` says when it starts, and how a canonical block starts here. */
import {
  asObject,
  asText,
  type BlockInit,
  type BlockKind,
  type BlockStart,
  compact,
  type Ids,
  type JsonObject,
  legalId,
  parseJson,
  type ToolCallStart,
} from '../../dialect.ts';
import type { Shape } from './queue.ts';
import { blockKinds, idForm, serverTools } from './terms.ts';

/** The kind of a block by its type; a call that names no tool is no call that anybody could answer. */
export function kindOf(content: JsonObject): BlockKind {
  const type = asText(content.type) ?? '';
  const kind = blockKinds.get(type);
  if (kind === 'tool_call' && asText(content.name) === undefined) return 'item';
  return kind ?? (type.endsWith('_tool_result') ? 'tool_result' : 'item');
}

/** What the start of a block tells beside its kind. Blocks of the provider's own keep their type, so that they can be written again. */
export function decodeStart(content: JsonObject, kind: BlockKind): BlockInit {
  const type = asText(content.type) ?? '';
  const item = { type };
  if (kind === 'tool_call') return { toolCall: toolCall(content, type), ...(type !== 'tool_use' && { item }) };
  if (kind === 'tool_result') return { toolResult: toolResult(content), item };
  if (kind === 'item') return { item };
  const redacted = type === 'redacted_thinking' ? asText(content.data) : undefined;
  return redacted === undefined ? {} : { reasoning: { redacted } };
}

function toolCall(content: JsonObject, type: string): ToolCallStart {
  const name = asText(content.name) ?? '';
  const kind = type === 'tool_use' ? 'function' : type === 'mcp_tool_use' ? 'mcp' : (serverTools.get(name) ?? name);
  return compact({
    id: asText(content.id) ?? '',
    name,
    format: 'json' as const,
    executor: type === 'tool_use' ? ('client' as const) : ('server' as const),
    kind,
    serverName: asText(content.server_name),
  });
}

function toolResult(content: JsonObject): NonNullable<BlockStart['toolResult']> {
  const failed = asText(asObject(content.content)?.type)?.endsWith('_error') === true;
  const isError = typeof content.is_error === 'boolean' ? content.is_error : failed ? true : undefined;
  return compact({ callId: asText(content.tool_use_id) ?? '', isError });
}

/** The types of blocks, and of deltas, by the member that only they have. */
const blockOf = { thinking: 'thinking', text: 'text', input: 'tool_use', data: 'redacted_thinking' } as const;
const deltaOf = {
  text: 'text_delta',
  thinking: 'thinking_delta',
  partial_json: 'input_json_delta',
  signature: 'signature_delta',
  citation: 'citations_delta',
} as const;

/** Gives a block the type that it does not tell, if its members do; says whether it did. */
export function completeType(content: JsonObject): boolean {
  return implyType(content, blockOf);
}

/** Gives a delta of a look-alike server the words of the dialect; says whether it had others. */
export function respellDelta(delta: JsonObject): boolean {
  const { type } = delta;
  const isShort = type === 'text' || type === 'thinking' || type === 'signature';
  if (isShort) delta.type = `${type}_delta`;
  const isImplied = implyType(delta, deltaOf);
  const isMisplaced = delta.type === 'thinking_delta' && delta.thinking === undefined && delta.text !== undefined;
  if (isMisplaced) delta.thinking = delta.text;
  if (isMisplaced) delete delta.text;
  return isShort || isImplied || isMisplaced;
}

function implyType(content: JsonObject, types: Readonly<Record<string, string>>): boolean {
  if (asText(content.type) !== undefined) return false;
  const found = Object.entries(types).find(([member]) => content[member] !== undefined);
  if (found === undefined) return false;
  content.type = found[1];
  return true;
}

/** Whether a block is a call that nobody could answer, for it names no tool. */
export function isAnonymousCall({ type, name }: JsonObject): boolean {
  return type === 'tool_use' && asText(name) === undefined;
}

/** Gives a starting block the members without which clients throw; says whether it lacked any. */
export function completeStart(content: JsonObject): boolean {
  const type = asText(content.type);
  if ((type === 'text' || type === 'thinking') && typeof content[type] !== 'string') {
    content[type] = '';
    return true;
  }
  if ((type === 'tool_use' || type === 'server_tool_use') && !isEmptyObject(content.input)) {
    content.input = {};
    return true;
  }
  return false;
}

/** The input that a call brings along when it starts, as JSON text, if it is more than the usual `{}`. Some servers have it as text already. */
export function wholeInput(content: JsonObject): string | undefined {
  const { input } = content;
  if (input === undefined || input === null || isEmptyObject(input)) return undefined;
  return typeof input === 'string' && asObject(parseJson(input)) !== undefined ? input : JSON.stringify(input);
}

function isEmptyObject(value: unknown): boolean {
  const object = asObject(value);
  return object !== undefined && Object.keys(object).length === 0;
}

/** Kinds that are text to a client of this dialect: it has no other word for a refusal or a transcript. */
const textKinds: ReadonlySet<BlockKind> = new Set(['text', 'refusal', 'transcript', 'audio']);

/** Kinds of which an answer here holds nothing, or the transcript alone. */
export const mediaKinds: ReadonlySet<BlockKind> = new Set(['image', 'audio', 'video', 'document']);

/** Kinds whose start waits for their value, because this wire has it in the start. */
export const wholeKinds: ReadonlySet<BlockKind> = new Set(['tool_result', 'item']);

/**
 * How a block starts on this wire; nothing if it has no place here. `own` says that it came from this dialect: redacted
 * thinking and the provider's own blocks mean nothing to a client when another provider made them.
 */
export function encodeStart(event: BlockStart, own: boolean, ids: Ids): Shape | undefined {
  if (textKinds.has(event.kind)) return { start: '{"type":"text","text":""}', call: false, eager: false };
  if (event.kind === 'tool_call') return callShape(event, own, ids);
  if (event.kind !== 'reasoning') return undefined;
  const data = event.reasoning?.redacted;
  if (data === undefined)
    return { start: '{"type":"thinking","thinking":"","signature":""}', call: false, eager: false };
  return own ? whole({ type: 'redacted_thinking', data }) : undefined;
}

function callShape({ block, toolCall, item }: BlockStart, own: boolean, ids: Ids): Shape | undefined {
  const call = toolCall as ToolCallStart;
  const id = call.id === '' ? ids.invent('toolu_', block) : legalId(call.id, idForm);
  const type = call.executor === 'client' ? 'tool_use' : item?.type;
  if (type === undefined || (type !== 'tool_use' && !own)) return undefined;
  const server_name = call.serverName;
  const start = compact({ type, id, name: call.name, input: {}, server_name });
  return { start: JSON.stringify(start), call: true, eager: true };
}

/** A block that waited for its value: all of it is in its start. */
export function encodeWhole({ toolResult, item }: BlockStart, value: unknown): Shape {
  if (toolResult === undefined) return whole(value);
  const { callId, isError } = toolResult;
  const is_error = item?.type === 'mcp_tool_result' ? isError === true : undefined;
  return whole(compact({ type: item?.type, tool_use_id: callId, is_error, content: value }));
}

function whole(content: unknown): Shape {
  return { start: JSON.stringify(content), call: false, eager: true };
}
