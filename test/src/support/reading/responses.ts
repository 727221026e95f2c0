/** What the events of a Responses stream say. */
import { object, text, type Wired } from '../json.ts';
import {
  AnswerDraft,
  type CallDraft,
  type End,
  Indexes,
  type Reader,
  type Reading,
  type Tokens,
  tokensOf,
} from './reading.ts';

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

type Field = 'text' | 'refusal' | 'reasoning';

/** Which text each pair of delta and done events carries, and the member in which the done event has all of it. */
const texts: ReadonlyMap<string, readonly [field: Field, whole: string]> = new Map([
  ['response.output_text', ['text', 'text']],
  ['response.refusal', ['refusal', 'refusal']],
  ['response.reasoning_summary_text', ['reasoning', 'text']],
  ['response.reasoning_text', ['reasoning', 'text']],
]);

/** The member in which the done event has all of the input. */
const inputs: ReadonlyMap<string, string> = new Map([
  ['response.function_call_arguments', 'arguments'],
  ['response.custom_tool_call_input', 'input'],
]);

const terminal = /^response\.(completed|incomplete|failed|cancelled)$/;

/** Reads events. */
export class ResponsesReader implements Reader {
  readonly #answer = new AnswerDraft();
  readonly #indexes = new Indexes();
  readonly #calls = new Map<unknown, CallDraft>();
  readonly #parts = new Set<string>();
  #usage: Wired | undefined;
  #error: string | undefined;
  #asks = false;

  take(wire: unknown): void {
    const event = object(wire);
    const type = text(event.type);
    if (type === 'response.output_item.added') this.#indexes.open(event.output_index);
    else if (type.endsWith('.delta') && event.output_index !== undefined) this.#indexes.use(event.output_index);
    const [, subject = '', verb] = /^(.*)\.(delta|done)$/.exec(type) ?? [];
    const said = texts.get(subject);
    const whole = inputs.get(subject);
    if (said !== undefined) this.#text(subject, said, event, verb === 'delta');
    else if (whole !== undefined) this.#input(event, verb === 'delta', text(event[whole]));
    else if (/^response\.output_item\.(added|done)$/.test(type)) this.#item(event, verb === 'done');
    else if (type === 'error') this.#fail(event.error ?? event);
    else if (terminal.test(type)) this.#end(type.slice('response.'.length), object(event.response));
  }

  get reading(): Reading {
    const { answer } = this.#answer;
    return {
      answers: [this.#error === undefined ? answer : { ...answer, end: 'error' }],
      usage: countsOf(this.#usage),
      error: this.#error,
      misused: this.#indexes.misused,
    };
  }

  /** A part that had no deltas is told by its end alone. */
  #text(subject: string, [field, whole]: readonly [Field, string], event: Wired, isDelta: boolean): void {
    const part = [keyOf(event), subject, event.content_index ?? event.summary_index].join('/');
    if (!isDelta && this.#parts.has(part)) return;
    const said = text(isDelta ? event.delta : event[whole]);
    if (said === '') return;
    this.#parts.add(part);
    if (field === 'reasoning') this.#answer.think(said, part);
    else this.#answer[field] += said;
  }

  #input(event: Wired, isDelta: boolean, whole: string): void {
    const call = this.#calls.get(keyOf(event));
    if (call === undefined) return;
    if (isDelta) call.json += text(event.delta);
    else call.json = whole || call.json;
  }

  #item(event: Wired, isDone: boolean): void {
    const item = object(event.item);
    const custom = item.type === 'custom_tool_call';
    this.#asks ||= asking.has(text(item.type));
    if (item.type !== 'function_call' && !custom) return;
    const call = this.#calls.get(keyOf(event)) ?? this.#answer.call(keyOf(event), custom);
    this.#calls.set(keyOf(event), call);
    call.name = text(item.name) || call.name;
    call.id = text(item.call_id) || (call.id ?? (text(item.id) || undefined));
    if (isDone) call.json = text(custom ? item.input : item.arguments) || call.json;
  }

  #end(type: string, response: Wired): void {
    const status = text(response.status) || type;
    const reason = text(object(response.incomplete_details).reason);
    if (response.usage) this.#usage = object(response.usage);
    if (status === 'failed' || type === 'failed') this.#fail(response.error);
    this.#answer.word = reason === '' ? status : `${status}: ${reason}`;
    this.#answer.end =
      status === 'completed' ? this.#completed : status === 'incomplete' ? (incomplete[reason] ?? 'other') : 'other';
  }

  get #completed(): End {
    if (this.#asks) return 'tool_calls';
    return this.#answer.refusal === '' ? 'stop' : 'refusal';
  }

  #fail(error: unknown): void {
    this.#error ??= text(object(error).message);
  }
}

/** Some servers give no index, and name an item only inside it. */
function keyOf(event: Wired): unknown {
  return event.output_index ?? event.item_id ?? object(event.item).id;
}

function countsOf(usage: Wired | undefined): Tokens | undefined {
  if (usage === undefined) return undefined;
  const details = object(usage.input_tokens_details);
  return tokensOf({
    input: usage.input_tokens,
    output: usage.output_tokens,
    cached: details.cached_tokens,
    cacheWritten: details.cache_write_tokens,
    reasoning: object(usage.output_tokens_details).reasoning_tokens,
    total: usage.total_tokens,
  });
}
