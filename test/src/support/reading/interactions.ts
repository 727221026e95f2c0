/** What the events of an Interactions stream say. */
import { count, list, object, text, type Wired } from '../json.ts';
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

const ends: Readonly<Record<string, End>> = {
  completed: 'stop',
  requires_action: 'tool_calls',
  incomplete: 'length',
  budget_exceeded: 'length',
  requires_continuation: 'length',
  failed: 'error',
};

/** A step while it is read. */
interface StepDraft {
  type: string;
  call: CallDraft | undefined;
}

/** Reads events. */
export class InteractionsReader implements Reader {
  readonly #answer = new AnswerDraft();
  readonly #indexes = new Indexes();
  readonly #steps = new Map<unknown, StepDraft>();
  #usage: Wired | undefined;
  #error: string | undefined;

  take(event: unknown): void {
    const { event_type: type, index, ...rest } = object(event);
    if (type === 'step.start') this.#indexes.open(index);
    if (type === 'step.delta') this.#indexes.use(index);
    switch (type) {
      case 'step.start':
        return this.#start(index, object(rest.step));
      case 'step.delta':
        return this.#delta(this.#steps.get(index), object(rest.delta), String(index));
      case 'interaction.completed':
        return this.#complete(object(rest.interaction));
      case 'error':
        this.#error ??= text(object(rest.error).message) || 'error';
    }
  }

  get reading(): Reading {
    const { answer } = this.#answer;
    const isCall = answer.end === 'stop' && answer.calls.length > 0;
    return {
      answers: [isCall ? { ...answer, end: 'tool_calls' } : answer],
      usage: countsOf(this.#usage),
      error: this.#error,
      misused: this.#indexes.misused,
    };
  }

  #start(index: unknown, step: Wired): void {
    const type = text(step.type);
    const call = type === 'function_call' ? this.#answer.call(index) : undefined;
    if (call !== undefined) {
      call.id = text(step.id) || undefined;
      call.name = text(step.name);
    }
    this.#steps.set(index, { type, call });
  }

  #delta(step: StepDraft | undefined, delta: Wired, index: string): void {
    if (delta.type === 'text') this.#answer.text += text(delta.text);
    if (delta.type === 'thought_summary') this.#answer.think(text(object(delta.content).text), index);
    if (delta.type === 'arguments_delta' && step?.call !== undefined) step.call.json += text(delta.arguments);
  }

  /** An answer that was withheld has failed, and only its error says so. */
  #complete(interaction: Wired): void {
    const [error] = list(interaction.errors);
    const word = text(interaction.status);
    this.#answer.word = word;
    const code = text(error?.code);
    const isWithheld = word === 'failed' && (code === 'content_filter' || code === 'refusal');
    this.#answer.end = isWithheld ? code : (ends[word] ?? 'other');
    if (interaction.usage !== undefined) this.#usage = object(interaction.usage);
    if (this.#answer.end === 'error') this.#error ??= text(error?.message) || 'failed';
  }
}

/** Thoughts stand beside the output's tokens, and what tools gave beside the input's. */
function countsOf(usage: Wired | undefined): Tokens | undefined {
  const main = ['total_input_tokens', 'total_output_tokens', 'total_tokens'];
  if (usage === undefined || !main.some((name) => typeof usage[name] === 'number')) return undefined;
  return tokensOf({
    input: count(usage.total_input_tokens) + count(usage.total_tool_use_tokens),
    output: count(usage.total_output_tokens) + count(usage.total_thought_tokens),
    cached: usage.total_cached_tokens,
    reasoning: usage.total_thought_tokens,
  });
}
