/** A Chat stream, read by OpenAI's SDK. */
import type OpenAI from 'openai';
import { count, list, object, text, type Wired } from '../../support/json.ts';
import { byHabit, byIndex, type Finder, takeFragment } from './calls.ts';
import { type Accumulated, AnswerDraft, type Call, type End, inputOf, type Reading, type Tokens } from './reading.ts';
import { accumulate, type Body, drain, openai } from './sdk.ts';

const ask = { model: 'a-model', messages: [], stream: true, stream_options: { include_usage: true } } as const;

const ends: Readonly<Record<string, End>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
  content_filter: 'content_filter',
  error: 'error',
};

/** The candidates of a stream while its chunks come. */
class Chunks {
  usage: Wired | undefined;
  readonly #answers = new Map<number, AnswerDraft>();
  readonly #find: Finder;
  readonly #recorded: boolean;

  constructor(recorded: boolean) {
    this.#recorded = recorded;
    this.#find = recorded ? byHabit : byIndex;
  }

  take(wire: unknown): void {
    const chunk = object(wire);
    this.usage = usageIn(chunk) ?? this.usage;
    for (const choice of list(chunk.choices)) this.#choice(choice);
  }

  get answers(): Reading['answers'] {
    const indexes = [...this.#answers.keys()].sort((a, b) => a - b);
    const [first = this.#answer(0), ...others] = indexes.map((index) => this.#answer(index));
    return [first.answer(), ...others.map((other) => other.answer())];
  }

  #choice(choice: Wired): void {
    const answer = this.#answer(count(choice.index));
    const delta = object(choice.delta ?? (this.#recorded ? choice.message : undefined));
    if (Array.isArray(delta.content)) takeParts(answer, delta.content);
    else answer.text += text(delta.content);
    answer.refusal += text(delta.refusal);
    answer.think(reasoningIn(delta));
    for (const fragment of list(delta.tool_calls)) takeFragment(answer, fragment, this.#find);
    if (delta.function_call) takeFragment(answer, { index: 0, function: delta.function_call }, this.#find);
    if (text(choice.finish_reason) === '') return;
    answer.word = text(choice.finish_reason);
    answer.end = ends[answer.word] ?? 'other';
    if (answer.end === 'stop' && answer.refusal !== '') answer.end = 'refusal';
  }

  #answer(index: number): AnswerDraft {
    const answer = this.#answers.get(index) ?? new AnswerDraft();
    this.#answers.set(index, answer);
    return answer;
  }
}

/** Some servers put the usage inside a choice, or inside a member of their own. */
function usageIn(chunk: Wired): Wired | undefined {
  const beside = list(chunk.choices).find((choice) => choice.usage)?.usage;
  const found = chunk.usage ?? beside ?? object(chunk.x_groq).usage;
  return found ? object(found) : undefined;
}

/** The same text often stands in several members; the first that has any counts. */
function reasoningIn({ reasoning_content, reasoning, reasoning_details }: Wired): string {
  const details = list(reasoning_details).map((detail) => text(detail.text) || text(detail.summary));
  return text(reasoning_content) || text(reasoning) || details.join('');
}

/** Content in typed parts, a habit of servers that show thinking. */
function takeParts(answer: AnswerDraft, parts: unknown): void {
  for (const { type, text: said, thinking } of list(parts)) {
    if (type === 'text') answer.text += text(said);
    if (type === 'thinking')
      answer.think(
        text(thinking) ||
          list(thinking)
            .map((part) => text(part.text))
            .join(''),
      );
  }
}

/** Some servers count reasoning outside `completion_tokens`; the total tells. */
function tokensOf(usage: Wired | undefined, provider: string | undefined): Tokens | undefined {
  if (usage === undefined) return undefined;
  const input = count(usage.prompt_tokens);
  const output = count(usage.completion_tokens);
  const details = object(usage.prompt_tokens_details);
  const reasoning = count(object(usage.completion_tokens_details).reasoning_tokens);
  const total = usage.total_tokens;
  const outside = reasoning > 0 && (total === undefined ? provider === 'xai' : total === input + output + reasoning);
  return {
    input,
    output: outside ? output + reasoning : output,
    cached: count(details.cached_tokens ?? usage.prompt_cache_hit_tokens),
    cacheWritten: count(details.cache_write_tokens),
    reasoning,
  };
}

function callOf(call: OpenAI.ChatCompletionMessageToolCall): Call {
  const custom = call.type === 'custom';
  return custom
    ? { id: call.id, name: call.custom.name, input: call.custom.input, custom }
    : { id: call.id, name: call.function.name, input: inputOf(call.function.arguments), custom };
}

function accumulated(body: Body): Promise<Accumulated> {
  return accumulate(async () => {
    const completion = await openai(body)
      .chat.completions.stream({ ...ask, messages: [] })
      .finalChatCompletion();
    const message = (completion.choices.find(({ index }) => index === 0) ?? completion.choices[0])?.message;
    return { text: message?.content ?? '', calls: (message?.tool_calls ?? []).filter(Boolean).map(callOf) };
  });
}

/** Reads a Chat stream. `recorded` allows the habits of recorded servers; else it is read as strictly as the accumulator reads. */
export async function readChat(body: Body, recorded: boolean, provider?: string): Promise<Reading> {
  const chunks = new Chunks(recorded);
  const fault = await drain(openai(body).chat.completions.create({ ...ask, messages: [] }), (chunk) =>
    chunks.take(chunk),
  );
  const { answers, usage } = chunks;
  return {
    answers,
    usage: tokensOf(usage, provider),
    fault,
    accumulated: await accumulated(body),
    misused: undefined,
  };
}
