/** What the events of a Messages stream say. */
import { count, list, object, text, type Wired } from '../json.ts';
import {
  AnswerDraft,
  type CallDraft,
  type End,
  Indexes,
  type Reader,
  type ReaderOptions,
  type Reading,
  type Tokens,
  tokensOf,
} from './reading.ts';

const ends: Readonly<Record<string, End>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  tool_use: 'tool_calls',
  pause_turn: 'pause',
  refusal: 'refusal',
  model_context_window_exceeded: 'context_overflow',
};

/** Reads events. */
export class MessagesReader implements Reader {
  readonly #answer = new AnswerDraft();
  readonly #indexes = new Indexes();
  readonly #calls = new Map<unknown, CallDraft>();
  /** Calls whose start may have held their input; deltas win over it. */
  readonly #begun = new Set<CallDraft>();
  readonly #options: ReaderOptions;
  /** Each counter as it was last told. */
  #usage: Wired | undefined;
  #stopped = false;
  #error: string | undefined;

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  take(event: unknown): void {
    const { type, index, ...rest } = object(event);
    if (type === 'content_block_start') this.#indexes.open(index);
    if (type === 'content_block_delta') this.#indexes.use(index);
    switch (type) {
      case 'message_start':
        return this.#start(object(rest.message));
      case 'content_block_start':
        return this.#open(index, object(rest.content_block));
      case 'content_block_delta':
        return this.#delta(index, object(rest.delta));
      case 'message_delta':
        this.#count(rest.usage);
        return this.#stop(object(rest.delta));
      case 'message_stop':
        this.#stopped = true;
        return;
      case 'error':
        this.#error ??= text(object(rest.error).message);
    }
  }

  /** A stream that nobody recorded must say its end: without `message_stop` the client never saw it. */
  get reading(): Reading {
    const { answer } = this.#answer;
    const ended = this.#options.recorded || this.#stopped;
    return {
      answers: [ended ? answer : { ...answer, end: undefined }],
      usage: countsOf(this.#usage),
      error: this.#error,
      misused: this.#indexes.misused,
    };
  }

  /** Some recorded messages start with their content. */
  #start(message: Wired): void {
    this.#count(message.usage);
    this.#stop(message);
    if (!this.#options.recorded) return;
    for (const [at, block] of list(message.content).entries()) this.#open(`start ${at}`, block);
  }

  #open(index: unknown, block: Wired): void {
    if (block.type === 'text') this.#answer.text += text(block.text);
    if (block.type === 'thinking') this.#answer.think(text(block.thinking), `${index}`);
    if (block.type === 'tool_use') this.#call(index, block);
  }

  #call(index: unknown, { id, name, input }: Wired): void {
    const call = this.#answer.call(index);
    call.id = text(id) || undefined;
    call.name = text(name);
    if (Object.keys(object(input)).length > 0) call.json = JSON.stringify(input);
    this.#begun.add(call);
    this.#calls.set(index, call);
  }

  #delta(index: unknown, delta: Wired): void {
    if (delta.type === 'text_delta') this.#answer.text += text(delta.text);
    if (delta.type === 'thinking_delta') this.#answer.think(text(delta.thinking), `${index}`);
    if (delta.type === 'input_json_delta') this.#input(this.#calls.get(index), text(delta.partial_json));
  }

  #input(call: CallDraft | undefined, json: string): void {
    if (call === undefined || json === '') return;
    call.json = this.#begun.delete(call) ? json : call.json + json;
  }

  #stop({ stop_reason: reason }: Wired): void {
    if (text(reason) === '') return;
    this.#answer.word = text(reason);
    this.#answer.end = ends[text(reason)] ?? 'other';
  }

  #count(usage: unknown): void {
    if (!usage) return;
    const told = Object.entries(object(usage)).filter(([, value]) => value !== null && value !== undefined);
    this.#usage = { ...this.#usage, ...Object.fromEntries(told) };
  }
}

/** `input_tokens` stands beside the cached tokens on this wire. */
function countsOf(usage: Wired | undefined): Tokens | undefined {
  if (usage === undefined) return undefined;
  const { cache_read_input_tokens: cached, cache_creation_input_tokens: cacheWritten } = usage;
  return tokensOf({
    input: count(usage.input_tokens) + count(cached) + count(cacheWritten),
    output: count(usage.output_tokens),
    cached,
    cacheWritten,
    reasoning: object(usage.output_tokens_details).thinking_tokens,
  });
}
