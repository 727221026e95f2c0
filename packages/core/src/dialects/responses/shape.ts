/** What official clients check of items and their parts, and what stands where a member is missing or wrong (reference, client-required fields, seen 2026-11-29). */
import { asArray, asObject, asText, type JsonObject } from '../../dialect.ts';
import { soundAnnotation } from './annotations.ts';

/** Whether a member is as clients need it. */
type Check = (value: unknown) => boolean;

/** A member, what it must be, and what it becomes where nothing better is known; without that it is left as it is. */
type Member = readonly [name: string, isRight: Check, missing?: () => unknown];

const isString: Check = (value) => typeof value === 'string';
const isName: Check = (value) => asText(value) !== undefined;
const optional =
  (isRight: Check): Check =>
  (value) =>
    value === undefined || value === null || isRight(value);
const listOf =
  (isRight: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(isRight);
const nothing = (): null => null;
const emptyList = (): unknown[] => [];

/** The text of a part by its type; parts of other types are nobody's business. */
const textOf: Readonly<Record<string, string>> = {
  output_text: 'text',
  refusal: 'refusal',
  reasoning_text: 'text',
  summary_text: 'text',
};

/** Whether a part that is done has what clients read. */
export function isSoundPart(value: unknown): boolean {
  const part = asObject(value);
  const type = asText(part?.type);
  if (part === undefined || type === undefined) return false;
  const field = Object.hasOwn(textOf, type) ? textOf[type] : undefined;
  if (field !== undefined && !isString(part[field])) return false;
  return (
    type !== 'output_text' || (listOf(isSoundAnnotation)(part.annotations) && optional(Array.isArray)(part.logprobs))
  );
}

const isSoundAnnotation: Check = (value) => value === soundAnnotation(value);

const isSummary: Check = (value) => isSoundPart(value) && asObject(value)?.type === 'summary_text';

/** The words for how far an item that a model writes has come. */
const states: ReadonlySet<unknown> = new Set(['in_progress', 'completed', 'incomplete']);
const isState: Check = (value) => states.has(value);
const running = (): string => 'in_progress';
const isSearch: Check = (value) => {
  const { type, query, url, pattern } = asObject(value) ?? {};
  return isName(type) && [query, url, pattern].every(optional(isString));
};

const called: readonly Member[] = [
  ['call_id', isName],
  ['name', isName],
];

/** The members of items that begin. */
const starts: Readonly<Record<string, readonly Member[]>> = {
  message: [
    ['status', isState, running],
    ['role', (role) => role === 'assistant', () => 'assistant'],
    ['content', (list) => Array.isArray(list) && list.length === 0, emptyList],
  ],
  reasoning: [
    ['summary', Array.isArray, emptyList],
    ['content', optional(Array.isArray), emptyList],
    ['encrypted_content', optional(isString), nothing],
  ],
  function_call: [['status', optional(isState), running]],
  custom_tool_call: [['status', optional(isState), running]],
  web_search_call: [
    ['status', isString, running],
    ['action', optional(isSearch), nothing],
  ],
  code_interpreter_call: [
    ['status', isString, running],
    ['code', (code) => code === null || isString(code), nothing],
    ['outputs', (outputs) => outputs === null || Array.isArray(outputs), nothing],
  ],
  mcp_call: [['status', isString, running]],
  computer_call: [['status', isString, running]],
};

/** The members of items that are done. A status is any of those that clients know: a call that a program makes is done while it is in progress. */
const wholes: Readonly<Record<string, readonly Member[]>> = {
  message: [
    ['status', isState],
    ['role', (role) => role === 'assistant'],
    ['content', listOf(isSoundPart)],
  ],
  reasoning: [
    ['summary', listOf(isSummary)],
    ['content', optional(listOf(isSoundPart)), nothing],
    ['encrypted_content', optional(isString), nothing],
  ],
  function_call: [...called, ['status', isState], ['arguments', isString]],
  custom_tool_call: [...called, ['status', isState], ['input', isString]],
  web_search_call: [
    ['status', isString],
    ['action', optional(isSearch), nothing],
  ],
  file_search_call: [['queries', listOf(isString), emptyList]],
  code_interpreter_call: [
    ['code', optional(isString)],
    ['outputs', (outputs) => outputs === null || Array.isArray(outputs), nothing],
  ],
  mcp_call: [
    ['status', isString],
    ['arguments', isString],
    ['error', optional((error) => isString(error) || asObject(error) !== undefined), nothing],
  ],
  mcp_list_tools: [['tools', Array.isArray, emptyList]],
};

const membersOf = (table: Readonly<Record<string, readonly Member[]>>, type: string): readonly Member[] =>
  Object.hasOwn(table, type) ? (table[type] as readonly Member[]) : [];

/** The members of an item that begins which its clients could not read, each with what they get instead. */
export function lackingAtStart(item: JsonObject, type: string): readonly (readonly [name: string, value: unknown])[] {
  return membersOf(starts, type)
    .filter(([name, isRight]) => !isRight(item[name]))
    .map(([name, , missing]) => [name, missing?.()]);
}

/** Whether an item that is done can be read by its clients. */
export function isSoundItem(value: unknown): boolean {
  const item = asObject(value);
  const type = asText(item?.type);
  if (item === undefined || type === undefined || asText(item.id) === undefined) return false;
  return membersOf(wholes, type).every(([name, isRight]) => isRight(item[name]));
}

/** Sets right what clients could not read of an item that is done, from what is known of it. */
export function completeItem(item: JsonObject, known: JsonObject): void {
  for (const name of ['id', 'type']) if (asText(item[name]) === undefined) item[name] = known[name];
  for (const [name, isRight, missing] of membersOf(wholes, String(item.type))) {
    if (isRight(item[name])) continue;
    const value = known[name] ?? missing?.();
    if (value !== undefined) item[name] = value;
  }
}

/** What kind of item it is that does not say so: seen from the members that only one kind has. */
export function impliedType(item: JsonObject): string | undefined {
  if (item.role === 'assistant' || asArray(item.content).some((part) => isWords(asObject(part)?.type)))
    return 'message';
  if (Array.isArray(item.summary) || asText(item.encrypted_content) !== undefined) return 'reasoning';
  if (typeof item.arguments === 'string' && asText(item.server_label) === undefined) return 'function_call';
  if (typeof item.input === 'string' && asText(item.call_id) !== undefined) return 'custom_tool_call';
  return undefined;
}

const isWords: Check = (type) => type === 'output_text' || type === 'refusal';

/** The response that an event carries; some servers write its members into the event itself. */
export function responseIn(data: JsonObject): JsonObject {
  const { type: _type, sequence_number: _number, response, ...flat } = data;
  return asObject(response) ?? flat;
}

/** Whether a response tells what went wrong, whatever its status is. */
export function isError(error: unknown): boolean {
  return Object.keys(asObject(error) ?? {}).length > 0;
}
