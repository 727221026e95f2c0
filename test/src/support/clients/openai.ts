/** The official OpenAI SDK: its raw stream, its accumulating helper and its tool runner. */
import OpenAI from 'openai';
import type { ChatCompletion, ChatCompletionChunk, ChatCompletionMessage, CompletionUsage } from 'openai/resources';
import type {
  ChatCompletionCreateParamsNonStreaming,
  ChatCompletionCreateParamsStreaming,
  ChatCompletionTool,
} from 'openai/resources/chat/completions';
import { VERSION } from 'openai/version';
import { CUSTOM_TOOL, TOOL } from '../scenes.ts';
import {
  type Ask,
  type Client,
  CUSTOM_DESCRIPTION,
  client,
  DESCRIPTION,
  heard,
  INPUT,
  parsed,
  type Seen,
  weatherIn,
} from './client.ts';

const family = { dialect: 'chat', family: 'openai' } as const;

/** The SDK, pointed at a base. */
export function sdk({ base, fetch }: Ask): OpenAI {
  return new OpenAI({ apiKey: 'test-key', baseURL: `${base}/v1`, maxRetries: 0, ...(fetch && { fetch }) });
}

function params(ask: Ask): ChatCompletionCreateParamsStreaming {
  return { ...wholeParams(ask), stream: true, stream_options: { include_usage: true } };
}

function wholeParams(ask: Ask): ChatCompletionCreateParamsNonStreaming {
  const { model, prompt, think, stop, wrong } = ask;
  const tools = toolsOf(ask);
  return {
    model,
    messages: [{ role: 'user', content: prompt }],
    ...(tools.length > 0 && { tools }),
    ...(think && { reasoning_effort: 'low' as const }),
    ...(stop && { stop: [...stop] }),
    ...wrong,
  };
}

function toolsOf({ tools, custom }: Ask): ChatCompletionTool[] {
  const definition = { name: TOOL, description: DESCRIPTION, parameters: INPUT };
  return [
    ...(tools ? [{ type: 'function', function: definition } as const] : []),
    ...(custom ? [{ type: 'custom', custom: { name: CUSTOM_TOOL, description: CUSTOM_DESCRIPTION } } as const] : []),
  ];
}

/** Options of a call. */
export function options({ signal }: Ask): { signal?: AbortSignal } {
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
interface Added {
  reasoning_content?: string | null;
  reasoning?: string | null;
  annotations?: ChatCompletionMessage.Annotation[];
}

/** A call's fragment as servers stream it; the types know functions only. */
type Fragment = ChatCompletionChunk.Choice.Delta.ToolCall & { custom?: { name?: string; input?: string } };

type Extended = ChatCompletionChunk.Choice.Delta & Added;

function reasoningOf({ reasoning_content, reasoning }: Added): string {
  return reasoning_content ?? reasoning ?? '';
}

function citationsOf({ annotations }: Added): string[] {
  return (annotations ?? []).map(({ url_citation }) => url_citation.url);
}

class RawReader {
  readonly #calls: { id: string; name: string; json: string; custom: boolean }[] = [];
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
    this.#seen.citations.push(...citationsOf(delta));
    for (const fragment of delta.tool_calls ?? []) this.#fragment(fragment);
  }

  #fragment({ index, id, function: f, custom }: Fragment): void {
    this.#calls[index] ??= { id: '', name: '', json: '', custom: custom !== undefined };
    const call = this.#calls[index];
    call.id += id ?? '';
    call.name += f?.name ?? custom?.name ?? '';
    call.json += f?.arguments ?? custom?.input ?? '';
  }

  end(): void {
    this.#seen.calls = this.#calls.map(({ id, name, json, custom }) => ({
      id,
      name,
      input: custom ? json : parsed(json),
    }));
  }
}

const raw = client({ name: 'openai', ...family, loops: 'never', custom: true }, async (ask, seen) => {
  const reader = new RawReader(ask, seen);
  const stream = await sdk(ask).chat.completions.create(params(ask), options(ask));
  for await (const chunk of stream) reader.chunk(chunk);
  reader.end();
});

function message({ refusal, tool_calls }: ChatCompletionMessage, seen: Seen): void {
  seen.refusal = refusal ?? '';
  seen.calls = (tool_calls ?? []).map((call) => {
    if (call.type === 'custom') return { id: call.id, ...call.custom };
    return { id: call.id, name: call.function.name, input: parsed(call.function.arguments) };
  });
}

const whole = client(
  { name: 'openai, whole', ...family, loops: 'never', custom: true, whole: true },
  async (ask, seen) => {
    completion(await sdk(ask).chat.completions.create(wholeParams(ask), options(ask)), ask, seen);
  },
);

function completion({ model, usage, choices: [choice] }: ChatCompletion, ask: Ask, seen: Seen): void {
  seen.model = model;
  if (usage) seen.usage = usageOf(usage);
  if (choice === undefined) throw new Error('no choice');
  seen.finish = choice.finish_reason;
  const said: ChatCompletionMessage & Added = choice.message;
  heard(said.content ?? '', ask, seen);
  seen.reasoning = reasoningOf(said);
  seen.citations = citationsOf(said);
  message(said, seen);
}

const helper = client({ name: 'openai .stream()', ...family, loops: 'never' }, async (ask, seen) => {
  const stream = sdk(ask).chat.completions.stream(params(ask), options(ask));
  stream.on('content.delta', ({ delta }) => heard(delta, ask, seen));
  // The helper keeps only the last fragment of members that it does not know.
  stream.on('chunk', ({ choices: [choice] }) => {
    if (choice === undefined) return;
    seen.reasoning += reasoningOf(choice.delta as Extended);
    seen.citations.push(...citationsOf(choice.delta as Extended));
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

function runnable(seen: Seen) {
  const run = (input: object) => {
    seen.calls.push({ name: TOOL, input });
    return weatherIn(input);
  };
  const definition = { name: TOOL, description: DESCRIPTION, parameters: INPUT, parse: JSON.parse, function: run };
  return [{ type: 'function' as const, function: definition }];
}

/** What whole runners throw at; those of streams do since version 7. */
const throws = { length: 'LengthFinishReasonError', content_filter: 'ContentFilterFinishReasonError' } as const;
const streamsThrow = Number.parseInt(VERSION, 10) >= 7;

const runTools = client(
  { name: 'openai runTools', ...family, loops: 'always', ...(streamsThrow && { throws }) },
  async (ask, seen) => {
    const body = { ...params(ask), stream: true as const, tools: runnable(seen) };
    await runToEnd(sdk(ask).chat.completions.runTools(body, options(ask)), ask, seen);
  },
);

const runToolsWhole = client(
  {
    name: 'openai runTools, whole',
    ...family,
    loops: 'always',
    whole: true,
    throws,
  },
  async (ask, seen) => {
    const body = { ...wholeParams(ask), tools: runnable(seen) };
    await runToEnd(sdk(ask).chat.completions.runTools(body, options(ask)), ask, seen);
  },
);

/** What both kinds of runner can do. */
interface Runner {
  on(event: 'content', listener: (text: string) => void): unknown;
  finalChatCompletion(): Promise<ChatCompletion>;
  totalUsage(): Promise<CompletionUsage>;
}

async function runToEnd(runner: Runner, ask: Ask, seen: Seen): Promise<void> {
  runner.on('content', (delta) => heard(delta, ask, seen));
  const { model, choices } = await runner.finalChatCompletion();
  seen.model = model;
  seen.finish = choices[0]?.finish_reason;
  seen.refusal = choices[0]?.message.refusal ?? '';
  const { prompt_tokens, completion_tokens } = await runner.totalUsage();
  seen.usage = { input: prompt_tokens, output: completion_tokens };
}

/** The ways of the OpenAI SDK to read Chat. */
export const openai: readonly Client[] = [raw, helper, runTools, whole, runToolsWhole];
