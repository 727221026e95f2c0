/** The conversation, read and written; Responses spreads one turn over several items, each call and each result its own. */
import {
  type Aliases,
  asObject,
  asText,
  badField,
  type CanonicalRequest,
  compact,
  type JsonObject,
  type Losses,
  legalId,
  type NativePart,
  type Part,
  type ReasoningPart,
  type References,
  required,
  type SystemText,
  type ToolCallPart,
  type ToolResultPart,
  type Turn,
} from '../../dialect.ts';
import { idForm } from './carried.ts';
import { inputText } from './content.ts';
import { decodeContent, encodeParts } from './parts.ts';
import { parseParts, type ResponsesItem, type ResponsesRequest } from './schema.ts';

/** What a conversation holds. */
export interface Conversation {
  system: SystemText[];
  turns: Turn[];
  references: References['items'];
}

/** Instructions, turns and references of a request; neighbours of one side are one turn. */
export function decodeTurns(body: ResponsesRequest): Conversation {
  const reader = new ItemReader();
  const { instructions, input } = body;
  if (typeof instructions === 'string')
    reader.instruct('system', [{ type: 'text', text: instructions }], 'instructions');
  else for (const [index, item] of (instructions ?? []).entries()) reader.read(item, `instructions[${index}]`);
  if (typeof input === 'string') reader.add('user', decodeContent(input, 'input'), 'input');
  else for (const [index, item] of (input ?? []).entries()) reader.read(item, `input[${index}]`);
  return reader;
}

class ItemReader implements Conversation {
  readonly system: SystemText[] = [];
  readonly turns: (Turn & { parts: Part[] })[] = [];
  readonly references: { id: string; at: string }[] = [];
  /** An instruction stands behind the last turn: the next item opens a new one. */
  #divided = false;

  read(item: ResponsesItem, at: string): void {
    switch (item.type ?? 'message') {
      case 'message':
        return this.#message(item, at);
      case 'function_call':
        return this.add('assistant', [decodeCall(item, 'function', item.arguments, `${at}.arguments`, at)], at);
      case 'custom_tool_call':
        return this.add('assistant', [decodeCall(item, 'custom', item.input, `${at}.input`, at)], at);
      case 'function_call_output':
      case 'custom_tool_call_output':
        return this.add('user', [decodeResult(item, at)], at);
      case 'reasoning':
        return this.add('assistant', [decodeReasoning(item, at)], at);
      case 'item_reference':
        return this.#reference(item, at);
      default:
        return this.add(String(item.type).endsWith('_output') ? 'user' : 'assistant', [native(item, at)], at);
    }
  }

  add(role: Turn['role'], parts: readonly Part[], at: string): void {
    const last = this.turns.at(-1);
    if (last?.role === role && !this.#divided) last.parts.push(...parts);
    else this.turns.push({ role, parts: [...parts], at });
    this.#divided = false;
  }

  instruct(role: SystemText['role'], parts: readonly Part[], at: string): void {
    const before = this.turns.length > 0 ? { before: this.turns.length } : {};
    for (const part of parts)
      if (part.type === 'text' && part.text !== '') this.system.push({ role, text: part.text, at, ...before });
    this.#divided = true;
  }

  #message(item: ResponsesItem, at: string): void {
    const role = required(item.role, `${at}.role`);
    const parts = decodeContent(required(item.content, `${at}.content`), `${at}.content`);
    if (role === 'system' || role === 'developer') this.instruct(role, parts, at);
    else if (role === 'user' || role === 'assistant') this.add(role, parts, at);
    else throw badField(`${at}.role`, `expected user, assistant, system or developer, got "${role}"`);
  }

  #reference(item: ResponsesItem, at: string): void {
    this.references.push({ id: required(item.id, `${at}.id`), at });
    this.add('assistant', [native(item, at)], at);
  }
}

function native(item: ResponsesItem, at: string): NativePart {
  return { type: 'native', dialect: 'responses', name: String(item.type), value: item, at };
}

function decodeCall(item: ResponsesItem, kind: ToolCallPart['kind'], input: unknown, field: string, at: string): Part {
  const id = required(item.call_id, `${at}.call_id`);
  const name = required(item.name, `${at}.name`);
  return { type: 'tool_call', id, name, kind, input: required(inputText(input), field), at };
}

function decodeResult(item: ResponsesItem, at: string): ToolResultPart {
  const output = required(item.output, `${at}.output`);
  const parts = typeof output === 'string' ? output : parseParts(output, `${at}.output`);
  const content = decodeContent(parts, `${at}.output`).map(resultPart);
  return { type: 'tool_result', callId: required(item.call_id, `${at}.call_id`), content, at };
}

/** Kinds that no tool result has elsewhere stay readable as JSON. */
function resultPart(part: Part): ToolResultPart['content'][number] {
  if (part.type === 'text' || part.type === 'image' || part.type === 'document') return part;
  return { type: 'text', text: JSON.stringify(part.type === 'native' ? part.value : part) };
}

function decodeReasoning(item: ResponsesItem, at: string): ReasoningPart {
  const summary = (item.summary ?? []).flatMap(({ text }) => asText(text) ?? []);
  const raw = Array.isArray(item.content) ? item.content.flatMap(({ text }) => asText(text) ?? []) : [];
  const said = raw.length > 0 ? raw : summary;
  return compact({
    type: 'reasoning',
    text: said.length > 0 ? said.join('\n\n') : undefined,
    summary: summary.length > 0 ? summary : undefined,
    encrypted: asText(item.encrypted_content),
    at,
  });
}

/** What the writing of a conversation needs. */
export interface Writing {
  names: Aliases;
  losses: Losses;
}

/** The members `instructions` and `input` of a request. */
export function encodeTurns(request: CanonicalRequest, writing: Writing): JsonObject {
  const top = request.system.filter(({ before }) => !before).map(({ text }) => text);
  const custom = customCalls(request.turns);
  const items = request.turns.flatMap((turn, index) => [
    ...standing(request, (before) => index > 0 && before === index),
    ...(turn.role === 'assistant' ? encodeAssistant(turn, writing) : encodeUser(turn, custom, writing)),
  ]);
  const last = Math.max(request.turns.length, 1);
  const input = [...items, ...standing(request, (before) => before >= last)];
  return { ...(top.length > 0 && { instructions: top.join('\n\n') }), input };
}

/** Instructions among the turns. */
function standing({ system }: CanonicalRequest, isHere: (before: number) => boolean): JsonObject[] {
  return system
    .filter(({ before }) => before !== undefined && isHere(before))
    .map(({ role, text }) => ({ role, content: text }));
}

/** Ids of the calls of custom tools: their results are items of another type. */
function customCalls(turns: readonly Turn[]): ReadonlySet<string> {
  const calls = turns.flatMap(({ parts }) => parts).filter((part) => part.type === 'tool_call');
  return new Set(calls.filter(({ kind }) => kind === 'custom').map(({ id }) => id));
}

/** Results come first: they belong to the calls before them. */
function encodeUser(turn: Turn, custom: ReadonlySet<string>, { losses }: Writing): JsonObject[] {
  const results = turn.parts.filter((part) => part.type === 'tool_result');
  const items = turn.parts.filter(isOwnItem).map(({ value }) => asObject(value) ?? {});
  const said = turn.parts.filter((part) => part.type !== 'tool_result' && !isOwnItem(part));
  if (turn.name !== undefined) losses.minor(`${turn.at ?? 'turns'}.name`, 'Responses has no names of speakers');
  const content = encodeParts(said, losses);
  return [
    ...results.map((result) => encodeResult(result, custom, losses)),
    ...items,
    ...(content.length > 0 ? [{ role: 'user', content }] : []),
  ];
}

function isOwnItem(part: Part): part is NativePart {
  return part.type === 'native' && part.dialect === 'responses';
}

/** Responses has no sign for a failed call, so the text says it. */
function encodeResult(
  { callId, content, isError }: ToolResultPart,
  custom: ReadonlySet<string>,
  losses: Losses,
): JsonObject {
  const type = custom.has(callId) ? 'custom_tool_call_output' : 'function_call_output';
  const texts = content.flatMap((part) => (part.type === 'text' ? part.text : []));
  const failure = isError === true ? 'Error: ' : '';
  const whole = texts.length === content.length;
  const error: Part[] = failure === '' ? [] : [{ type: 'text', text: failure.trim() }];
  const output = whole ? failure + texts.join('\n') : encodeParts([...error, ...content], losses);
  return { type, call_id: legalId(callId, idForm), output };
}

function encodeAssistant(turn: Turn, writing: Writing): JsonObject[] {
  const items: JsonObject[] = [];
  let content: JsonObject[] | undefined;
  for (const part of turn.parts) {
    const said = encodeSaid(part);
    if (said === undefined) {
      content = undefined;
      items.push(...encodeItem(part, writing));
    } else if (content === undefined) {
      content = [said];
      items.push({ type: 'message', role: 'assistant', content });
    } else content.push(said);
  }
  return items;
}

function encodeSaid(part: Part): JsonObject | undefined {
  if (part.type === 'text') return { type: 'output_text', text: part.text, annotations: [] };
  return part.type === 'refusal' ? { type: 'refusal', refusal: part.text } : undefined;
}

function encodeItem(part: Part, { names, losses }: Writing): JsonObject[] {
  switch (part.type) {
    case 'tool_call':
      return [encodeCall(part, names)];
    case 'reasoning':
      return encodeReasoning(part, losses);
    case 'native':
      if (part.dialect === 'responses') return [asObject(part.value) ?? {}];
      if (/tool_(use|result)$/.test(part.name)) losses.minor(part.at ?? 'turns', 'calls of server tools stay behind');
      else losses.severe(part.at ?? 'turns', `Responses has no ${part.name}`);
      return [];
    default:
      losses.severe(part.at ?? 'turns', `Responses takes no ${part.type} from the assistant`);
      return [];
  }
}

function encodeCall(call: ToolCallPart, names: Aliases): JsonObject {
  const call_id = legalId(call.id, idForm);
  const name = names.of(call.name);
  if (call.kind === 'custom') return { type: 'custom_tool_call', call_id, name, input: call.input };
  return { type: 'function_call', call_id, name, arguments: call.input === '' ? '{}' : call.input };
}

/** Reasoning goes back to its own provider only, and only where it is whole: encrypted. */
function encodeReasoning({ summary, encrypted, id, at }: ReasoningPart, losses: Losses): JsonObject[] {
  if (encrypted !== undefined) {
    const texts = (summary ?? []).map((text) => ({ type: 'summary_text', text }));
    return [compact({ type: 'reasoning', id, summary: texts, encrypted_content: encrypted })];
  }
  losses.minor(at ?? 'turns', 'Responses takes no reasoning of another provider');
  return [];
}
