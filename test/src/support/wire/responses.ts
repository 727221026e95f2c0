/** Responses as OpenAI writes it: items side by side, a whole response at the end. */
import { type Piece, type Refused, type Scene, SIGNATURE, type Tokens } from '../scenes.ts';
import { type Asked, type Look, list, object, textOf, type Wire } from './wire.ts';

type Json = Readonly<Record<string, unknown>>;

/** An item of the wire: what its pieces add up to. */
interface Item {
  kind: 'text' | 'refusal' | 'reasoning' | `call ${number}`;
  index: number;
  id: string;
  said: string;
  name: string;
  signed: boolean;
}

function callId(call: number): string {
  return `call_7Rk${call}`;
}

function kindOf(piece: Piece): Item['kind'] {
  if (piece.type === 'call' || piece.type === 'input') return `call ${piece.call}`;
  return piece.type === 'signature' ? 'reasoning' : piece.type;
}

const prefixes: Readonly<Record<string, string>> = { text: 'msg_', refusal: 'msg_', reasoning: 'rs_' };

/** The names of a kind's events and members. */
const parts = {
  text: { delta: 'output_text', type: 'output_text', field: 'text', index: 'content_index' },
  refusal: { delta: 'refusal', type: 'refusal', field: 'refusal', index: 'content_index' },
  reasoning: { delta: 'reasoning_summary_text', type: 'summary_text', field: 'text', index: 'summary_index' },
} as const;

/** The events of one answer. */
class Events {
  readonly out: string[] = [];
  readonly items: Item[] = [];
  readonly done: Json[] = [];
  #number = 0;

  event(type: string, more: Json): void {
    const data = JSON.stringify({ type, ...more, sequence_number: this.#number++ });
    this.out.push(`event: ${type}\ndata: ${data}\n\n`);
  }

  piece(piece: Piece): void {
    const kind = kindOf(piece);
    const item = this.items.find((known) => known.kind === kind) ?? this.#begin(piece, kind);
    const at = { item_id: item.id, output_index: item.index };
    if (piece.type === 'signature') item.signed = true;
    else if (piece.type === 'input') {
      item.said += piece.json;
      this.event('response.function_call_arguments.delta', { ...at, delta: piece.json });
    } else if (piece.type !== 'call') {
      item.said += piece.text;
      const { delta, index } = parts[piece.type];
      const more = piece.type === 'text' ? { logprobs: [] } : {};
      this.event(`response.${delta}.delta`, { ...at, [index]: 0, delta: piece.text, ...more });
    }
  }

  #begin(piece: Piece, kind: Item['kind']): Item {
    const index = this.items.length;
    const name = piece.type === 'call' ? piece.name : '';
    const item: Item = { kind, index, id: `${prefixes[kind] ?? 'fc_'}0c${index}`, said: '', name, signed: false };
    this.items.push(item);
    this.event('response.output_item.added', { output_index: index, item: wireOf(item, 'in_progress') });
    if (kind in parts) this.#part(item, 'added', '');
    return item;
  }

  #part(item: Item, verb: 'added' | 'done', said: string): void {
    const { index } = parts[item.kind as keyof typeof parts];
    const owner = item.kind === 'reasoning' ? 'reasoning_summary_part' : 'content_part';
    const at = { item_id: item.id, output_index: item.index, [index]: 0 };
    this.event(`response.${owner}.${verb}`, { ...at, part: partOf(item, said) });
  }

  /** The ends of an item: its text, its part, itself. */
  end(item: Item, status: string): void {
    const at = { item_id: item.id, output_index: item.index };
    if (item.kind in parts) {
      const { delta, field, index } = parts[item.kind as keyof typeof parts];
      const more = item.kind === 'text' ? { logprobs: [] } : {};
      this.event(`response.${delta}.done`, { ...at, [index]: 0, [field]: item.said, ...more });
      this.#part(item, 'done', item.said);
    } else this.event('response.function_call_arguments.done', { ...at, arguments: item.said });
    const whole = wireOf(item, status);
    this.done.push(whole);
    this.event('response.output_item.done', { output_index: item.index, item: whole });
  }
}

function partOf({ kind }: Item, said: string): Json {
  const { type, field } = parts[kind as keyof typeof parts];
  return { type, [field]: said, ...(kind === 'text' && { annotations: [], logprobs: [] }) };
}

function wireOf(item: Item, status: string): Json {
  const { kind, id, said, name, signed } = item;
  const whole = status !== 'in_progress';
  if (kind === 'reasoning') {
    const summary = whole ? [partOf(item, said)] : [];
    return { id, type: 'reasoning', summary, ...(whole && signed && { encrypted_content: SIGNATURE }) };
  }
  if (kind in parts)
    return { id, type: 'message', status, role: 'assistant', content: whole ? [partOf(item, said)] : [] };
  const call_id = callId(Number(kind.slice('call '.length)));
  return { id, type: 'function_call', status, call_id, name, arguments: whole ? said : '' };
}

function responseOf(model: unknown, status: string, more: Json = {}): Json {
  return {
    id: 'resp_0c91',
    object: 'response',
    created_at: 1_790_000_000,
    status,
    background: false,
    error: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    metadata: {},
    model,
    output: [],
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort: null, summary: null },
    service_tier: 'default',
    store: true,
    temperature: 1,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    truncation: 'disabled',
    usage: null,
    user: null,
    ...more,
  };
}

function usageOf({ input, cached, output, reasoning }: Tokens): Json {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached, cache_write_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  };
}

function write(scene: Scene, { body: { model } }: Asked): string[] {
  const events = new Events();
  events.event('response.created', { response: responseOf(model, 'in_progress') });
  events.event('response.in_progress', { response: responseOf(model, 'in_progress') });
  for (const piece of scene.pieces) events.piece(piece);
  if (scene.ending === 'error') fail(events, model);
  if (scene.ending === 'whole') end(scene, events, model);
  return events.out;
}

function fail(events: Events, model: unknown): void {
  const error = { code: 'server_is_overloaded', message: 'Overloaded' };
  events.event('error', { ...error, param: null });
  events.event('response.failed', { response: responseOf(model, 'failed', { error }) });
}

function end({ stop, tokens }: Scene, events: Events, model: unknown): void {
  const cut = stop === 'length';
  for (const item of events.items) events.end(item, cut ? 'incomplete' : 'completed');
  const status = cut ? 'incomplete' : 'completed';
  const incomplete_details = cut ? { reason: 'max_output_tokens' } : null;
  const more = { output: events.done, usage: usageOf(tokens), incomplete_details };
  events.event(`response.${status}`, { response: responseOf(model, status, more) });
}

const refusals: Readonly<Record<number, readonly [type: string, code: string]>> = {
  400: ['invalid_request_error', 'invalid_value'],
  401: ['invalid_request_error', 'invalid_api_key'],
  429: ['requests', 'rate_limit_exceeded'],
};

function refuse({ status, message }: Refused): unknown {
  const [type, code] = refusals[status] ?? ['server_error', 'server_error'];
  return { error: { message, type, param: null, code } };
}

function complaint({ headers, body }: Asked): string | undefined {
  if (headers.authorization === undefined) return 'no key';
  if (body.input === undefined) return "Missing required parameter: 'input'.";
  for (const member of ['messages', 'stop', 'n', 'max_tokens', 'response_format'])
    if (member in body) return `Unknown parameter: '${member}'.`;
  return unanswered(list(body.input));
}

/** Every call must have its output, and every output its call. */
function unanswered(input: readonly Json[]): string | undefined {
  const calls = input.filter(({ type }) => type === 'function_call').map(({ call_id }) => String(call_id));
  const outputs = input.filter(({ type }) => type === 'function_call_output').map(({ call_id }) => String(call_id));
  const lost = outputs.find((id) => !calls.includes(id));
  if (lost !== undefined) return `No tool call found for function call output with call_id ${lost}.`;
  const open = calls.find((id) => !outputs.includes(id));
  return open === undefined ? undefined : `No tool output found for function call ${open}.`;
}

function look(body: Json): Look {
  const input = list(body.input);
  const of = (type: string) => input.filter((item) => item.type === type);
  return {
    model: String(body.model),
    stream: body.stream === true,
    tools: list(body.tools).map((tool) => String(tool.name)),
    stops: [],
    calls: of('function_call').map((call) => ({
      id: String(call.call_id),
      name: String(call.name),
      input: JSON.parse(String(call.arguments)),
    })),
    results: of('function_call_output').map(({ call_id, output }) => ({ id: String(call_id), text: textOf(output) })),
    signatures: of('reasoning').map((item) => String(object(item).encrypted_content)),
  };
}

/** Responses on the wire. */
export const responses: Wire = {
  path: '/v1/responses',
  write,
  callId,
  proves: (frame) => /^event: response\.(completed|incomplete)$/m.test(frame),
  refuse,
  complaint,
  look,
};
