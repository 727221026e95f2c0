/** A Responses stream, read by OpenAI's SDK. */
import type { ResponseCustomToolCall, ResponseFunctionToolCall } from 'openai/resources/responses/responses';
import { count, object, text, type Wired } from '../../support/json.ts';
import {
  type Accumulated,
  AnswerDraft,
  type Call,
  type CallDraft,
  type End,
  type Fault,
  Indexes,
  inputOf,
  type Reading,
  type Tokens,
} from './reading.ts';
import { accumulate, type Body, drain, openai } from './sdk.ts';

const ask = { model: 'a-model', input: 'a question' } as const;

/** Items that the client has to answer. */
const asking = new Set([
  'function_call',
  'custom_tool_call',
  'computer_call',
  'local_shell_call',
  'shell_call',
  'apply_patch_call',
  'mcp_approval_request',
]);

const incomplete: Readonly<Record<string, End>> = {
  max_output_tokens: 'length',
  content_filter: 'content_filter',
  max_prompt_tokens: 'context_overflow',
};

/** Which text each pair of delta and done events carries; the member is where the done event has all of it. */
const texts: Readonly<Record<string, { field: 'text' | 'refusal' | 'reasoning'; whole: string }>> = {
  'response.output_text': { field: 'text', whole: 'text' },
  'response.refusal': { field: 'refusal', whole: 'refusal' },
  'response.reasoning_summary_text': { field: 'reasoning', whole: 'text' },
  'response.reasoning_text': { field: 'reasoning', whole: 'text' },
};

/** The response while its events come. */
class Events {
  readonly answer = new AnswerDraft();
  readonly indexes = new Indexes();
  usage: Wired | undefined;
  error: Wired | undefined;
  readonly #calls = new Map<unknown, CallDraft>();
  readonly #parts = new Set<string>();
  #asks = false;

  take(wire: unknown): void {
    const event = object(wire);
    const type = text(event.type);
    if (type === 'response.output_item.added') this.indexes.open(event.output_index);
    else if (type.endsWith('.delta') && event.output_index !== undefined) this.indexes.use(event.output_index);
    const [, subject = '', verb = ''] = /^(.*)\.(delta|done)$/.exec(type) ?? [];
    if (subject in texts) this.#text(subject, event, verb === 'delta');
    else if (subject === 'response.function_call_arguments') this.#input(event, event.arguments);
    else if (subject === 'response.custom_tool_call_input') this.#input(event, event.input);
    else if (type === 'response.output_item.added' || type === 'response.output_item.done') this.#item(event);
    else if (type === 'error') this.error = object(event.error ?? event);
    else if (/^response\.(completed|incomplete|failed|cancelled)$/.test(type)) this.#end(type, object(event.response));
  }

  /** A part that had no deltas is told by its end alone. */
  #text(subject: string, event: Wired, isDelta: boolean): void {
    const { field, whole } = texts[subject] as { field: 'text' | 'refusal' | 'reasoning'; whole: string };
    const part = [keyOf(event), subject, event.content_index ?? event.summary_index].join('/');
    if (!isDelta && this.#parts.has(part)) return;
    const said = text(isDelta ? event.delta : event[whole]);
    if (said === '') return;
    this.#parts.add(part);
    if (field === 'reasoning') this.answer.think(said, part);
    else this.answer[field] += said;
  }

  #input(event: Wired, whole: unknown): void {
    const call = this.#calls.get(keyOf(event));
    if (call === undefined) return;
    if (text(event.type).endsWith('.delta')) call.input += text(event.delta);
    else call.input = text(whole) || call.input;
  }

  #item(event: Wired): void {
    const item = object(event.item);
    const custom = item.type === 'custom_tool_call';
    this.#asks ||= asking.has(text(item.type));
    if (item.type !== 'function_call' && !custom) return;
    const call = this.#calls.get(keyOf(event)) ?? this.answer.call(keyOf(event), custom);
    this.#calls.set(keyOf(event), call);
    call.name = text(item.name) || call.name;
    call.id = text(item.call_id) || (call.id ?? (text(item.id) || undefined));
    if (text(event.type).endsWith('.done')) call.input = text(custom ? item.input : item.arguments) || call.input;
  }

  #end(type: string, response: Wired): void {
    const status = text(response.status) || type.slice('response.'.length);
    const reason = text(object(response.incomplete_details).reason);
    if (response.usage) this.usage = object(response.usage);
    if (status === 'failed' || type === 'response.failed') this.error ??= object(response.error);
    this.answer.word = reason === '' ? status : `${status}: ${reason}`;
    if (status === 'incomplete') this.answer.end = incomplete[reason] ?? 'other';
    else if (status !== 'completed') this.answer.end = 'other';
    else this.answer.end = this.#asks ? 'tool_calls' : this.answer.refusal === '' ? 'stop' : 'refusal';
  }
}

function keyOf(event: Wired): unknown {
  return event.output_index ?? event.item_id;
}

function tokensOf(usage: Wired | undefined): Tokens | undefined {
  if (usage === undefined) return undefined;
  const details = object(usage.input_tokens_details);
  return {
    input: count(usage.input_tokens),
    output: count(usage.output_tokens),
    cached: count(details.cached_tokens),
    cacheWritten: count(details.cache_write_tokens),
    reasoning: count(object(usage.output_tokens_details).reasoning_tokens),
  };
}

function callOf(item: ResponseFunctionToolCall | ResponseCustomToolCall): Call {
  const custom = item.type === 'custom_tool_call';
  return { id: item.call_id, name: item.name, input: custom ? item.input : inputOf(item.arguments), custom };
}

function accumulated(body: Body): Promise<Accumulated> {
  return accumulate(async () => {
    const { output = [] } = await openai(body).responses.stream(ask).finalResponse();
    const parts = output.flatMap((item) => (item.type === 'message' ? item.content : []));
    const calls = output.flatMap((item) =>
      item.type === 'function_call' || item.type === 'custom_tool_call' ? [item] : [],
    );
    return {
      text: parts.map((part) => (part.type === 'output_text' ? part.text : '')).join(''),
      calls: calls.map(callOf),
    };
  });
}

/** Reads a Responses stream. */
export async function readResponses(body: Body): Promise<Reading> {
  const events = new Events();
  const stream = openai(body).responses.create({ ...ask, stream: true });
  const thrown = await drain(stream, (event) => events.take(event));
  const { answer, usage, error, indexes } = events;
  if (error !== undefined) answer.end = 'error';
  const fault: Fault | undefined =
    thrown ?? (error === undefined ? undefined : { message: text(error.message), reported: true });
  return {
    answers: [answer.answer()],
    usage: tokensOf(usage),
    fault,
    accumulated: await accumulated(body),
    misused: indexes.misused,
  };
}
