/** What look-alike servers write in other forms than the dialect has: put in place into the forms that its clients read. */
import { asCount, asNumber, asObject, asText, type JsonObject } from '../../dialect.ts';

/** A list; an object in its place is its one entry, or entries under their numbers. */
export function listOf(value: unknown): unknown[] | undefined {
  if (Array.isArray(value)) return value;
  const object = asObject(value);
  if (object === undefined) return undefined;
  const isNumbered = Object.keys(object).every((name) => asCount(name) !== undefined);
  return isNumbered ? Object.values(object) : [object];
}

/** The members by which a chunk is known: clients take them for texts and a number, if they are there. Says whether one was neither. */
export function mendIdentity(data: JsonObject): boolean {
  const { id, model, created } = data;
  if (isTextOrNone(id) && isTextOrNone(model) && (typeof created === 'number' || isNone(created))) return false;
  put(data, 'id', textOf(id));
  put(data, 'model', textOf(model));
  put(data, 'created', asNumber(created) ?? asCount(created));
  return true;
}

/** The members of a choice that stand beside its delta. Says whether one was wrong. */
export function mendChoice(choice: JsonObject): boolean {
  const { logprobs } = choice;
  if (isNone(logprobs) || asObject(logprobs) !== undefined) return false;
  choice.logprobs = null;
  return true;
}

/** The members of a delta: texts that are numbers, a list of calls that is none, a role of another name. Says whether one was wrong. */
export function mendDelta(delta: JsonObject): boolean {
  const { content, reasoning_content, reasoning, tool_calls, role } = delta;
  const isRight =
    !isScalar(content) &&
    !isScalar(reasoning_content) &&
    !isScalar(reasoning) &&
    (isNone(tool_calls) || Array.isArray(tool_calls)) &&
    (isNone(role) || role === 'assistant');
  if (isRight) return false;
  for (const name of ['content', 'reasoning_content', 'reasoning'])
    if (isScalar(delta[name])) delta[name] = String(delta[name]);
  if (!isNone(tool_calls)) put(delta, 'tool_calls', listOf(tool_calls));
  if (!isNone(role)) delta.role = 'assistant';
  return true;
}

/** A delta of a choice that has it under another name, or as a text. */
export function impliedDelta({ delta, message, text }: JsonObject): JsonObject {
  const content = asText(delta) ?? text;
  return asObject(message) ?? (typeof content === 'string' ? { content } : {});
}

function isNone(value: unknown): boolean {
  return value === undefined || value === null;
}

function isTextOrNone(value: unknown): boolean {
  return typeof value === 'string' || isNone(value);
}

function isScalar(value: unknown): boolean {
  return typeof value === 'number' || typeof value === 'boolean';
}

function textOf(value: unknown): string | undefined {
  return isScalar(value) ? String(value) : asText(value);
}

function put(object: JsonObject, member: string, value: unknown): void {
  if (value === undefined) delete object[member];
  else object[member] = value;
}
