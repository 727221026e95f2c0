/** The conversation, read and written: as one text, as content, as steps, or as the turns of the first revision. */
import {
  badField,
  type CanonicalRequest,
  type JsonObject,
  type Part,
  type SystemText,
  type Turn,
} from '../../dialect.ts';
import { decodePart, encodeParts, type Writing } from './parts.ts';
import type { Entry, InteractionsRequest } from './schema.ts';

/** Instructions and turns of a request; neighbours of one side are one turn. */
export function decodeTurns({ input, system_instruction: told }: InteractionsRequest): {
  system: SystemText[];
  turns: Turn[];
} {
  const reader = new TurnReader();
  const entries = Array.isArray(input) ? input : input == null ? [] : [input];
  entries.forEach((entry, index) => {
    reader.entry(typeof entry === 'string' ? { type: 'text', text: entry } : entry, placeOf(input, index));
  });
  const system: SystemText[] = told ? [{ role: 'system', text: told, at: 'system_instruction' }] : [];
  return { system, turns: reader.turns };
}

function placeOf(input: InteractionsRequest['input'], index: number): string {
  return Array.isArray(input) ? `input[${index}]` : 'input';
}

class TurnReader {
  readonly turns: (Turn & { parts: Part[] })[] = [];

  entry(entry: Entry, at: string): void {
    if (entry.role) return this.#all(entry.content, entry.role === 'model' ? 'assistant' : 'user', `${at}.content`);
    switch (entry.type) {
      case 'user_input':
        return this.#all(entry.content, 'user', `${at}.content`);
      case 'model_output':
        return this.#all(entry.content, 'assistant', `${at}.content`);
      case 'thought':
      case 'function_call':
        return this.#add('assistant', entry, at);
      default:
        return this.#add(/_call$|[^n]_result$/.test(entry.type ?? '') ? 'assistant' : 'user', entry, at);
    }
  }

  #all(content: Entry['content'], role: Turn['role'], at: string): void {
    const pieces = typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
    pieces.forEach((piece, index) => {
      this.#add(role, piece, typeof content === 'string' ? at : `${at}[${index}]`);
    });
  }

  #add(role: Turn['role'], entry: Entry, at: string): void {
    if (!entry.type && entry.text == null) throw badField(`${at}.type`, 'expected the type of a content or step');
    const part = decodePart(entry, at);
    if (part === undefined) return;
    const last = this.turns.at(-1);
    if (last?.role === role) last.parts.push(part);
    else this.turns.push({ role, parts: [part], at });
  }
}

/** The members `system_instruction` and `input` of a request. */
export function encodeTurns(request: CanonicalRequest, writing: Writing): JsonObject {
  const steps = request.turns.flatMap((turn) => encodeTurn(turn, writing));
  const told = request.system.filter(({ text }) => text !== '');
  for (const { before, at } of told) if (before) writing.losses.minor(at ?? 'system', 'moved before the conversation');
  const system = told.map(({ text }) => text).join('\n\n');
  if (steps.length === 0) return { input: system === '' ? ' ' : system };
  return { ...(system !== '' && { system_instruction: system }), input: steps };
}

function encodeTurn(turn: Turn, writing: Writing): readonly JsonObject[] {
  if (turn.name !== undefined) writing.losses.minor(`${turn.at ?? 'turns'}.name`, 'speakers have no names here');
  const results = turn.parts.filter(({ type }) => type === 'tool_result');
  const rest = turn.parts.filter(({ type }) => type !== 'tool_result');
  return encodeParts([...results, ...rest], turn.role === 'user' ? 'user_input' : 'model_output', writing);
}
