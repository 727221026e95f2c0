/** A Messages stream, read by Anthropic's SDK. */
import { count, list, object, text, type Wired } from '../../support/json.ts';
import {
  type Accumulated,
  AnswerDraft,
  type CallDraft,
  type End,
  Indexes,
  inputOf,
  type Reading,
  type Tokens,
} from './reading.ts';
import { accumulate, anthropic, type Body, drain } from './sdk.ts';

const ask = { model: 'a-model', max_tokens: 1 } as const;

const ends: Readonly<Record<string, End>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  tool_use: 'tool_calls',
  pause_turn: 'pause',
  refusal: 'refusal',
  model_context_window_exceeded: 'context_overflow',
};

/** The message while its events come. */
class Events {
  readonly answer = new AnswerDraft();
  readonly indexes = new Indexes();
  stopped = false;
  /** Each counter as it was last told. */
  usage: Wired | undefined;
  readonly #calls = new Map<unknown, CallDraft>();
  /** Calls whose start held their input; deltas win over it. */
  readonly #begun = new Set<CallDraft>();
  readonly #recorded: boolean;

  constructor(recorded: boolean) {
    this.#recorded = recorded;
  }

  take(wire: unknown): void {
    const event = object(wire);
    switch (event.type) {
      case 'message_start':
        return this.#start(object(event.message));
      case 'content_block_start':
        this.indexes.open(event.index);
        return this.#open(event.index, object(event.content_block));
      case 'content_block_delta':
        this.indexes.use(event.index);
        return this.#delta(event.index, object(event.delta));
      case 'message_delta':
        this.#count(event.usage);
        return this.#stop(object(event.delta));
      case 'message_stop':
        this.stopped = true;
    }
  }

  /** Some recorded messages start with their content. */
  #start(message: Wired): void {
    this.#count(message.usage);
    this.#stop(message);
    if (!this.#recorded) return;
    for (const [at, block] of list(message.content).entries()) this.#open(`start ${at}`, block);
  }

  #open(index: unknown, block: Wired): void {
    if (block.type === 'text') this.answer.text += text(block.text);
    if (block.type === 'thinking') this.answer.think(text(block.thinking), `${index}`);
    if (block.type === 'tool_use') this.#call(index, block);
  }

  #call(index: unknown, { id, name, input }: Wired): void {
    const call = this.answer.call(index);
    call.id = text(id) || undefined;
    call.name = text(name);
    if (Object.keys(object(input)).length > 0) call.input = JSON.stringify(input);
    this.#begun.add(call);
    this.#calls.set(index, call);
  }

  #delta(index: unknown, delta: Wired): void {
    if (delta.type === 'text_delta') this.answer.text += text(delta.text);
    if (delta.type === 'thinking_delta') this.answer.think(text(delta.thinking), `${index}`);
    if (delta.type === 'input_json_delta') this.#input(this.#calls.get(index), text(delta.partial_json));
  }

  #input(call: CallDraft | undefined, json: string): void {
    if (call === undefined || json === '') return;
    call.input = this.#begun.delete(call) ? json : call.input + json;
  }

  #stop({ stop_reason }: Wired): void {
    if (text(stop_reason) === '') return;
    this.answer.word = text(stop_reason);
    this.answer.end = ends[this.answer.word] ?? 'other';
  }

  #count(usage: unknown): void {
    if (!usage) return;
    const told = Object.entries(object(usage)).filter(([, value]) => value !== null && value !== undefined);
    this.usage = { ...this.usage, ...Object.fromEntries(told) };
  }
}

/** `input_tokens` stands beside the cached tokens on this wire. */
function tokensOf(usage: Wired | undefined): Tokens | undefined {
  if (usage === undefined) return undefined;
  const cached = count(usage.cache_read_input_tokens);
  const cacheWritten = count(usage.cache_creation_input_tokens);
  return {
    input: count(usage.input_tokens) + cached + cacheWritten,
    output: count(usage.output_tokens),
    cached,
    cacheWritten,
    reasoning: count(object(usage.output_tokens_details).thinking_tokens),
  };
}

function accumulated(body: Body): Promise<Accumulated> {
  return accumulate(async () => {
    const { content } = await anthropic(body)
      .messages.stream({ ...ask, messages: [] })
      .finalMessage();
    const calls = content.flatMap((block) => (block.type === 'tool_use' ? [block] : []));
    return {
      text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
      calls: calls.map(({ id, name, input }) => ({ id, name, input: wholeInput(input), custom: false })),
    };
  });
}

function wholeInput(input: unknown): unknown {
  return typeof input === 'string' ? inputOf(input) : (input ?? {});
}

/** Reads a Messages stream. A stream that nobody recorded must say its end: without `message_stop` the client never saw it. */
export async function readMessages(body: Body, recorded: boolean): Promise<Reading> {
  const events = new Events(recorded);
  const stream = anthropic(body).messages.create({ ...ask, messages: [], stream: true });
  const fault = await drain(stream, (event) => events.take(event));
  const { answer, usage, stopped, indexes } = events;
  if (!recorded && !stopped && fault === undefined) answer.end = undefined;
  return {
    answers: [answer.answer()],
    usage: tokensOf(usage),
    fault,
    accumulated: await accumulated(body),
    misused: indexes.misused,
  };
}
