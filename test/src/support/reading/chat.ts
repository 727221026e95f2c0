/** What the chunks of a Chat stream say. */
import { count, list, object, text, type Wired } from '../json.ts';
import { byHabit, byIndex, type Finder, takeFragment } from './calls.ts';
import {
  AnswerDraft,
  type End,
  type Reader,
  type ReaderOptions,
  type Reading,
  type Tokens,
  tokensOf,
} from './reading.ts';

const ends: Readonly<Record<string, End>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
  content_filter: 'content_filter',
  error: 'error',
};

/** Reads chunks. */
export class ChatReader implements Reader {
  #usage: Wired | undefined;
  #error: string | undefined;
  readonly #answers = new Map<number, AnswerDraft>();
  readonly #options: ReaderOptions;
  readonly #find: Finder;

  constructor(options: ReaderOptions) {
    this.#options = options;
    this.#find = options.recorded ? byHabit : byIndex;
  }

  take(event: unknown): void {
    const chunk = object(event);
    this.#usage = usageIn(chunk) ?? this.#usage;
    if (chunk.error) this.#error ??= text(object(chunk.error).message);
    for (const choice of list(chunk.choices)) this.#choice(choice);
  }

  get reading(): Reading {
    const indexes = [...this.#answers.keys()].sort((a, b) => a - b);
    const [first = new AnswerDraft(), ...others] = indexes.map((index) => this.#answer(index));
    return {
      answers: [first.answer, ...others.map((other) => other.answer)],
      usage: countsOf(this.#usage, this.#options.provider),
      error: this.#error,
      misused: undefined,
    };
  }

  #choice(choice: Wired): void {
    const answer = this.#answer(count(choice.index));
    const delta = object(choice.delta ?? (this.#options.recorded ? choice.message : undefined));
    if (Array.isArray(delta.content)) takeParts(answer, delta.content);
    else answer.text += text(delta.content);
    answer.refusal += text(delta.refusal);
    answer.think(reasoningIn(delta));
    for (const fragment of list(delta.tool_calls)) takeFragment(answer, fragment, this.#find);
    if (delta.function_call) takeFragment(answer, { index: 0, function: delta.function_call }, this.#find);
    if (text(choice.finish_reason) !== '') finish(answer, text(choice.finish_reason));
  }

  #answer(index: number): AnswerDraft {
    const answer = this.#answers.get(index) ?? new AnswerDraft();
    this.#answers.set(index, answer);
    return answer;
  }
}

function finish(answer: AnswerDraft, word: string): void {
  const end = ends[word] ?? 'other';
  answer.word = word;
  answer.end = end === 'stop' && answer.refusal !== '' ? 'refusal' : end;
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
    if (type === 'thinking') answer.think(text(thinking) || joined(thinking));
  }
}

function joined(parts: unknown): string {
  return list(parts)
    .map((part) => text(part.text))
    .join('');
}

/** Some servers count reasoning outside `completion_tokens`; the total tells. */
function countsOf(usage: Wired | undefined, provider: string | undefined): Tokens | undefined {
  if (usage === undefined) return undefined;
  const { prompt_tokens: input, completion_tokens: output, total_tokens: total } = usage;
  const details = object(usage.prompt_tokens_details);
  const reasoning = object(usage.completion_tokens_details).reasoning_tokens;
  const sum = count(input) + count(output) + count(reasoning);
  const isOutside = count(reasoning) > 0 && (total === undefined ? provider === 'xai' : total === sum);
  return tokensOf({
    input,
    output: isOutside ? count(output) + count(reasoning) : output,
    cached: details.cached_tokens ?? usage.prompt_cache_hit_tokens,
    cacheWritten: details.cache_write_tokens,
    reasoning,
    total,
  });
}
