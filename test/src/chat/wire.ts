/** Chat streams for tests: written from what they say, and read as the official SDK's accumulator reads them. */

/** A JSON object of the wire. */
export type Wire = Record<string, unknown>;

const identity = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1700000000, model: 'some-model' };

/** One payload, whatever it is. */
export function data(payload: unknown): string {
  return `data: ${typeof payload === 'string' ? payload : JSON.stringify(payload)}\n\n`;
}

/** A chunk of one choice; `more` stands beside its delta. */
export function chunk(delta: unknown, more: Wire = {}): string {
  return data({ ...identity, choices: [{ index: 0, delta, finish_reason: null, ...more }] });
}

/** A chunk whose members beside the identity are given. */
export function frame(members: Wire): string {
  return data({ ...identity, ...members });
}

/** A chunk that only finishes. */
export function finish(word: unknown, more: Wire = {}): string {
  return chunk({}, { finish_reason: word, ...more });
}

/** A chunk with fragments of calls. */
export function calls(...fragments: readonly Wire[]): string {
  return chunk({ tool_calls: fragments });
}

/** A fragment of a function call. */
export function call(index: number | undefined, id: unknown, name: unknown, input: unknown): Wire {
  const members = { index, id, type: id === undefined ? undefined : 'function', function: { name, arguments: input } };
  return JSON.parse(JSON.stringify(members)) as Wire;
}

/** The first chunk. */
export const role: string = chunk({ role: 'assistant', content: '' });

/** The sentinel. */
export const done = 'data: [DONE]\n\n';

/** What a client holds at the end of a stream. */
export interface Message {
  text: string;
  reasoning: string;
  refusal: string;
  calls: readonly (readonly [id: string, name: string, input: string])[];
  finish: string | null;
  usage: Wire | undefined;
  error: Wire | undefined;
}

interface Growing extends Omit<Message, 'calls' | 'usage' | 'error'> {
  role: boolean;
  calls: { id: string; name: string; type: string; input: string }[];
}

/** Reads a stream as strictly as the SDK: calls by index alone, the last id and name win, a role and a finish must come. Throws where it would. */
export function read(stream: string): Message[] {
  const choices: Growing[] = [];
  let usage: Wire | undefined;
  let error: Wire | undefined;
  for (const payload of payloads(stream)) {
    const chunk = JSON.parse(payload) as Wire;
    if (chunk.error) error = chunk.error as Wire;
    if (error !== undefined) break;
    if (chunk.usage) usage = chunk.usage as Wire;
    for (const choice of chunk.choices as Wire[]) accumulate(choices, choice);
  }
  return (choices.length > 0 ? choices : [fresh()]).map((choice) => settled(choice, usage, error));
}

/** The payloads of a stream up to its sentinel; nothing may stand behind that. */
export function payloads(stream: string): string[] {
  const found = stream.split('\n\n').filter((block) => block !== '' && !block.startsWith(':'));
  const texts = found.map((block) => block.replace(/^data: /, ''));
  const end = texts.indexOf('[DONE]');
  if (end >= 0 && end < texts.length - 1) throw new Error(`after [DONE]: ${texts[end + 1]}`);
  return end >= 0 ? texts.slice(0, end) : texts;
}

function fresh(): Growing {
  return { text: '', reasoning: '', refusal: '', calls: [], finish: null, role: false };
}

function accumulate(choices: Growing[], { index, delta, finish_reason }: Wire): void {
  const at = index as number;
  choices[at] ??= fresh();
  const choice = choices[at];
  const said = delta as Wire;
  if (said.role) choice.role = true;
  choice.text += (said.content as string | null | undefined) ?? '';
  choice.refusal += (said.refusal as string | null | undefined) ?? '';
  choice.reasoning += ((said.reasoning_content || said.reasoning) as string | undefined) ?? '';
  for (const fragment of (said.tool_calls as Wire[] | null | undefined) ?? []) grow(choice, fragment);
  if (finish_reason) choice.finish = finish_reason as string;
}

function grow(choice: Growing, fragment: Wire): void {
  const index = fragment.index as number;
  if (!Number.isInteger(index) || index > choice.calls.length) throw new Error(`a call with index ${index}`);
  choice.calls[index] ??= { id: '', name: '', type: '', input: '' };
  const call = choice.calls[index];
  const body = (fragment.function ?? fragment.custom) as Wire | undefined;
  if (fragment.id) call.id = fragment.id as string;
  if (fragment.type) call.type = fragment.type as string;
  if (body?.name) call.name = body.name as string;
  const input = body?.arguments ?? body?.input;
  if (input && typeof input !== 'string') throw new Error('arguments that are no text');
  if (input) call.input += input;
}

function settled(choice: Growing, usage: Wire | undefined, error: Wire | undefined): Message {
  const { text, reasoning, refusal, finish } = choice;
  if (error === undefined && !choice.role) throw new Error('missing role');
  if (error === undefined && finish === null) throw new Error('missing finish_reason');
  const nameless = choice.calls.find((call) => call.id === '' || call.name === '' || call.type === '');
  if (nameless !== undefined) throw new Error(`a call without id, name or type: ${JSON.stringify(nameless)}`);
  const calls = choice.calls.map(({ id, name, input }) => [id, name, input] as const);
  return { text, reasoning, refusal, calls, finish, usage, error };
}
