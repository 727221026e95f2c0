/** The conversation, read and written: sides in turn, results in the order of their calls. */
import { type CanonicalRequest, Ids, type JsonObject, type Part, type SystemText, type Turn } from '../../dialect.ts';
import { vouched } from './carried.ts';
import { decodePart, decodeResult, encodeParts, type Writing } from './parts.ts';
import type { GeminiContent, GeminiPart, GeminiRequest } from './schema.ts';

/** Instructions and turns of a request; neighbours of one side are one turn. */
export function decodeTurns(body: GeminiRequest): { system: SystemText[]; turns: Turn[] } {
  const reader = new TurnReader();
  body.contents.forEach((content, index) => {
    reader.add(content, `contents[${index}].parts`);
  });
  return { system: decodeSystem(body.systemInstruction), turns: reader.turns };
}

function decodeSystem(instruction: GeminiRequest['systemInstruction']): SystemText[] {
  if (typeof instruction === 'string') return [{ role: 'system', text: instruction, at: 'systemInstruction' }];
  return (instruction?.parts ?? []).flatMap(({ text }, index) =>
    text ? [{ role: 'system' as const, text, at: `systemInstruction.parts[${index}]` }] : [],
  );
}

class TurnReader {
  readonly turns: (Turn & { parts: Part[] })[] = [];
  /** Calls without a result so far; where they have no ids, results belong to the first of their name. */
  readonly #open: { id: string; name: string }[] = [];

  add({ role, parts }: GeminiContent, at: string): void {
    const side = role === 'model' ? 'assistant' : 'user';
    const read = (parts ?? []).flatMap((part, index) => this.#part(part, `${at}[${index}]`) ?? []);
    const last = this.turns.at(-1);
    if (last?.role === side) last.parts.push(...read);
    else this.turns.push({ role: side, parts: read, at });
  }

  #part(part: GeminiPart, at: string): Part | undefined {
    if (part.functionCall) return this.#call(part, part.functionCall, at);
    if (part.functionResponse) {
      const { functionResponse: result } = part;
      return decodeResult(result, this.#idOf(result.id, result.name, at), at);
    }
    return decodePart(part, at);
  }

  #call(part: GeminiPart, call: NonNullable<GeminiPart['functionCall']>, at: string): Part {
    const id = call.id || new Ids(at).invent('call_');
    this.#open.push({ id, name: call.name });
    const input = JSON.stringify(call.args ?? {});
    const signature = part.thoughtSignature;
    return { type: 'tool_call', id, name: call.name, kind: 'function', input, at, ...(signature && { signature }) };
  }

  #idOf(id: string | null | undefined, name: string, at: string): string {
    const index = this.#open.findIndex((call) => (id ? call.id === id : call.name === name));
    const call = index === -1 ? undefined : this.#open.splice(index, 1)[0];
    return call?.id ?? (id || new Ids(at).invent('call_'));
  }
}

interface WireContent {
  role: string;
  parts: JsonObject[];
}

/** The members `systemInstruction` and `contents` of a request. */
export function encodeTurns(request: CanonicalRequest, writing: Writing): JsonObject {
  const contents: WireContent[] = [];
  let calls: readonly string[] = [];
  const current = currentTurn(request.turns);
  for (const [index, turn] of request.turns.entries()) {
    const content = encodeTurn(turn, calls, writing);
    push(contents, writing.demands && index > current ? vouched(content, turn.at, writing.losses) : content);
    calls = turn.parts.flatMap((part) => (part.type === 'tool_call' ? part.id : []));
  }
  const system = encodeSystem(request, writing);
  return openWithUser(system, contents, writing);
}

/** The index of the last turn that the user began, instead of a tool. */
function currentTurn(turns: readonly Turn[]): number {
  return turns.findLastIndex(({ role, parts }) => role === 'user' && !parts.some(({ type }) => type === 'tool_result'));
}

function push(contents: WireContent[], content: WireContent): void {
  const last = contents.at(-1);
  if (last?.role === content.role) last.parts.push(...content.parts);
  else if (content.parts.length > 0) contents.push(content);
}

/** Results stand first and in the order of their calls, for the API counts one for each. */
function encodeTurn(turn: Turn, calls: readonly string[], writing: Writing): WireContent {
  if (turn.name !== undefined) writing.losses.minor(`${turn.at ?? 'turns'}.name`, 'speakers have no names here');
  const results = turn.parts.filter((part) => part.type === 'tool_result');
  const place = (id: string): number => (calls.includes(id) ? calls.indexOf(id) : calls.length);
  const ordered = [...results].sort((a, b) => place(a.callId) - place(b.callId));
  const rest = turn.parts.filter((part) => part.type !== 'tool_result');
  const said = ordered.flatMap((result) => encodeParts([result], writing));
  const answers = said.filter(({ functionResponse }) => functionResponse !== undefined);
  const beside = said.filter(({ functionResponse }) => functionResponse === undefined);
  const role = turn.role === 'assistant' ? 'model' : 'user';
  return { role, parts: [...answers, ...beside, ...encodeParts(rest, writing)] };
}

/** There is one place for instructions: before the conversation. */
function encodeSystem({ system }: CanonicalRequest, { losses }: Writing): readonly JsonObject[] {
  for (const { before, at } of system) if (before) losses.minor(at ?? 'system', 'moved before the conversation');
  return system.filter(({ text }) => text !== '').map(({ text }) => ({ text }));
}

/** A conversation begins with the user; one of instructions alone has them said by the user. */
function openWithUser(system: readonly JsonObject[], contents: readonly WireContent[], writing: Writing): JsonObject {
  if (contents.length === 0)
    return { contents: [{ role: 'user', parts: system.length > 0 ? system : [{ text: ' ' }] }] };
  const top = system.length > 0 ? { systemInstruction: { parts: system } } : {};
  if (contents[0]?.role === 'user') return { ...top, contents };
  writing.losses.minor('turns', 'the user begins a conversation here');
  return { ...top, contents: [{ role: 'user', parts: [{ text: '(The conversation so far.)' }] }, ...contents] };
}
