/** The official OpenAI SDK: its raw stream, its accumulating helper and its tool runner. */
import OpenAI from 'openai';
import type { ChatCompletionChunk, ChatCompletionMessage, CompletionUsage } from 'openai/resources';
import type { ChatCompletionCreateParamsStreaming } from 'openai/resources/chat/completions';
import { TOOL } from '../scenes.ts';
import { type Ask, type Client, client, DESCRIPTION, heard, INPUT, parsed, type Seen, weatherIn } from './client.ts';

const family = { dialect: 'chat', family: 'openai' } as const;

function sdk({ base }: Ask): OpenAI {
  return new OpenAI({ apiKey: 'test-key', baseURL: `${base}/v1`, maxRetries: 0 });
}

function params({ model, prompt, tools, think, stop, wrong }: Ask): ChatCompletionCreateParamsStreaming {
  const definition = { name: TOOL, description: DESCRIPTION, parameters: INPUT };
  return {
    model,
    messages: [{ role: 'user', content: prompt }],
    stream: true,
    stream_options: { include_usage: true },
    ...(tools && { tools: [{ type: 'function', function: definition }] }),
    ...(think && { reasoning_effort: 'low' as const }),
    ...(stop && { stop: [...stop] }),
    ...wrong,
  };
}

function options({ signal }: Ask): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}

function usageOf(usage: CompletionUsage): Seen['usage'] {
  return {
    input: usage.prompt_tokens,
    output: usage.completion_tokens,
    cached: usage.prompt_tokens_details?.cached_tokens,
    reasoning: usage.completion_tokens_details?.reasoning_tokens,
  };
}

/** The members of a delta that compatible servers add; readers take one of the two. */
type Extended = ChatCompletionChunk.Choice.Delta & { reasoning_content?: string | null; reasoning?: string | null };

function reasoningOf({ reasoning_content, reasoning }: Extended): string {
  return reasoning_content ?? reasoning ?? '';
}

class RawReader {
  readonly #calls: { id: string; name: string; json: string }[] = [];
  readonly #ask: Ask;
  readonly #seen: Seen;

  constructor(ask: Ask, seen: Seen) {
    this.#ask = ask;
    this.#seen = seen;
  }

  chunk({ model, choices: [choice], usage }: ChatCompletionChunk): void {
    const seen = this.#seen;
    seen.model = model;
    if (usage) seen.usage = usageOf(usage);
    if (choice === undefined) return;
    this.#delta(choice.delta);
    if (choice.finish_reason) seen.finish = choice.finish_reason;
  }

  #delta(delta: Extended): void {
    heard(delta.content ?? '', this.#ask, this.#seen);
    this.#seen.reasoning += reasoningOf(delta);
    this.#seen.refusal += delta.refusal ?? '';
    for (const { index, id, function: f } of delta.tool_calls ?? []) {
      this.#calls[index] ??= { id: '', name: '', json: '' };
      const call = this.#calls[index];
      call.id += id ?? '';
      call.name += f?.name ?? '';
      call.json += f?.arguments ?? '';
    }
  }

  end(): void {
    this.#seen.calls = this.#calls.map(({ id, name, json }) => ({ id, name, input: parsed(json) }));
  }
}

const raw = client({ name: 'openai', ...family, loops: 'never' }, async (ask, seen) => {
  const reader = new RawReader(ask, seen);
  const stream = await sdk(ask).chat.completions.create(params(ask), options(ask));
  for await (const chunk of stream) reader.chunk(chunk);
  reader.end();
});

function message({ refusal, tool_calls }: ChatCompletionMessage, seen: Seen): void {
  seen.refusal = refusal ?? '';
  seen.calls = (tool_calls ?? []).map((call) => {
    if (call.type !== 'function') throw new Error(`a call of type ${call.type}`);
    return { id: call.id, name: call.function.name, input: JSON.parse(call.function.arguments) };
  });
}

const helper = client({ name: 'openai .stream()', ...family, loops: 'never' }, async (ask, seen) => {
  const stream = sdk(ask).chat.completions.stream(params(ask), options(ask));
  stream.on('content.delta', ({ delta }) => heard(delta, ask, seen));
  // The helper keeps only the last fragment of members that it does not know.
  stream.on('chunk', ({ choices: [choice] }) => {
    if (choice !== undefined) seen.reasoning += reasoningOf(choice.delta);
  });
  const { model, usage, choices } = await stream.finalChatCompletion();
  seen.model = model;
  if (usage) seen.usage = usageOf(usage);
  const [choice] = choices;
  if (choice === undefined) throw new Error('no choice');
  seen.finish = choice.finish_reason;
  if ((choice.message.content ?? '') !== seen.text) throw new Error(`the message says ${choice.message.content}`);
  message(choice.message, seen);
});

const runTools = client({ name: 'openai runTools', ...family, loops: 'always' }, async (ask, seen) => {
  const run = (input: object) => {
    seen.calls.push({ name: TOOL, input });
    return weatherIn(input);
  };
  const tool = { name: TOOL, description: DESCRIPTION, parameters: INPUT, parse: JSON.parse, function: run };
  const runner = sdk(ask).chat.completions.runTools(
    { ...params(ask), stream: true, tools: [{ type: 'function', function: tool }] },
    options(ask),
  );
  runner.on('content', (delta) => heard(delta, ask, seen));
  const { model, choices } = await runner.finalChatCompletion();
  seen.model = model;
  seen.finish = choices[0]?.finish_reason;
  seen.refusal = choices[0]?.message.refusal ?? '';
  const { prompt_tokens, completion_tokens } = await runner.totalUsage();
  seen.usage = { input: prompt_tokens, output: completion_tokens };
});

/** The ways of the OpenAI SDK to read Chat. */
export const openai: readonly Client[] = [raw, helper, runTools];
