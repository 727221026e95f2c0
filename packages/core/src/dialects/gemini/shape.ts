/** What look-alike servers write in other forms than the dialect has: put in place into the forms that its clients read. */
import { asObject, asText, isDeeper, type JsonObject, parseJson } from '../../dialect.ts';
import { normalised } from './names.ts';

/** Puts a chunk into form; arguments that nest deeper than `maxDepth` stay what they are. Says whether anything was wrong. */
export function mendChunk(chunk: JsonObject, maxDepth: number): boolean {
  const isRenamed = unwrap(chunk) || rename(chunk);
  const isListed = enlist(chunk, 'candidates');
  let isMended = isRenamed || isListed;
  if (Array.isArray(chunk.candidates))
    for (const candidate of chunk.candidates) if (mendCandidate(asObject(candidate) ?? {}, maxDepth)) isMended = true;
  return isMended;
}

/** Google's own coding assistants are answered with chunks that stand in a member of another object. */
function unwrap(chunk: JsonObject): boolean {
  const inner = asObject(chunk.response);
  if (inner === undefined || chunk.candidates !== undefined) return false;
  replace(chunk, inner);
  return true;
}

/** Names in snake case are seen from those that most chunks have. */
function rename(chunk: JsonObject): boolean {
  if (!snakes.some((name) => chunk[name] !== undefined)) return false;
  replace(chunk, normalised(chunk));
  return true;
}

const snakes: readonly string[] = ['usage_metadata', 'model_version', 'response_id', 'prompt_feedback'];

function mendCandidate(candidate: JsonObject, maxDepth: number): boolean {
  const word = candidate.finishReason;
  const isLow = typeof word === 'string' && word !== word.toUpperCase();
  if (isLow) candidate.finishReason = word.toUpperCase();
  const text = asText(candidate.content);
  if (text !== undefined) candidate.content = { role: 'model', parts: [{ text }] };
  const content = asObject(candidate.content);
  const isMended = content !== undefined && mendContent(content, maxDepth);
  return isLow || text !== undefined || isMended;
}

function mendContent(content: JsonObject, maxDepth: number): boolean {
  const text = asText(content.parts);
  if (text !== undefined) content.parts = { text };
  let isMended = enlist(content, 'parts');
  if (Array.isArray(content.parts))
    for (const [at, part] of content.parts.entries()) {
      if (typeof part === 'string') content.parts[at] = { text: part };
      if (typeof part === 'string' || mendCall(asObject(asObject(part)?.functionCall), maxDepth)) isMended = true;
    }
  return isMended;
}

/** Arguments are an object; a text that is one is read as such. */
function mendCall(call: JsonObject | undefined, maxDepth: number): boolean {
  const text = asText(call?.args);
  const args = text === undefined || isDeeper(text, maxDepth) ? undefined : asObject(parseJson(text));
  if (call === undefined || args === undefined) return false;
  call.args = args;
  return true;
}

/** One thing stands for a list of one. */
function enlist(holder: JsonObject, member: string): boolean {
  const only = asObject(holder[member]);
  if (only !== undefined) holder[member] = [only];
  return only !== undefined;
}

function replace(object: JsonObject, by: JsonObject): void {
  for (const member of Object.keys(object)) delete object[member];
  Object.assign(object, by);
}
