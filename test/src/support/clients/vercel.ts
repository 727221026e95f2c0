/** The Vercel AI SDK over its providers: OpenAI Chat, OpenAI-compatible and Anthropic. */
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { jsonSchema, type LanguageModel, stepCountIs, streamText, type TextStreamPart, type ToolSet, tool } from 'ai';
import { TOOL } from '../scenes.ts';
import { type Ask, type Client, client, DESCRIPTION, heard, INPUT, type Seen, weatherIn } from './client.ts';

globalThis.AI_SDK_LOG_WARNINGS = false;

const apiKey = 'test-key';

const models: Readonly<Record<string, readonly [dialect: string, (ask: Ask) => LanguageModel]>> = {
  'ai-sdk openai': ['chat', ({ base, model }) => createOpenAI({ apiKey, baseURL: `${base}/v1` }).chat(model)],
  'ai-sdk openai-compatible': [
    'chat',
    ({ base, model }) =>
      createOpenAICompatible({ name: 'compatible', apiKey, baseURL: `${base}/v1`, includeUsage: true })(model),
  ],
  'ai-sdk anthropic': ['messages', ({ base, model }) => createAnthropic({ apiKey, baseURL: `${base}/v1` })(model)],
};

function toolSet({ loop }: Ask): ToolSet {
  const definition = { description: DESCRIPTION, inputSchema: jsonSchema(INPUT) };
  return { [TOOL]: loop ? tool({ ...definition, execute: (input) => weatherIn(input) }) : tool(definition) };
}

function part(event: TextStreamPart<ToolSet>, ask: Ask, seen: Seen): void {
  switch (event.type) {
    case 'text-delta':
      return heard(event.text, ask, seen);
    case 'reasoning-delta':
      seen.reasoning += event.text;
      return signature(event.providerMetadata, seen);
    case 'tool-call':
      seen.calls.push({ id: event.toolCallId, name: event.toolName, input: event.input });
      return;
    case 'finish-step':
      seen.model = event.response.modelId;
      return;
    case 'finish':
      seen.finish = event.finishReason;
      seen.usage = {
        input: event.totalUsage.inputTokens,
        output: event.totalUsage.outputTokens,
        cached: event.totalUsage.inputTokenDetails.cacheReadTokens,
        reasoning: event.totalUsage.outputTokenDetails.reasoningTokens,
      };
  }
}

function signature(metadata: Readonly<Record<string, Record<string, unknown>>> | undefined, seen: Seen): void {
  const value = metadata?.anthropic?.signature;
  if (typeof value === 'string') seen.signatures.push(value);
}

const THINKING = {
  anthropic: { thinking: { type: 'enabled', budgetTokens: 1024 } },
  openai: { reasoningEffort: 'low' },
  compatible: { reasoningEffort: 'low' },
};

async function read(model: LanguageModel, ask: Ask, seen: Seen): Promise<void> {
  let failure: unknown;
  const { tools, loop, think, stop, signal } = ask;
  const answer = streamText({
    model,
    prompt: ask.prompt,
    maxRetries: 0,
    onError: ({ error }) => {
      failure ??= error;
    },
    ...(signal && { abortSignal: signal }),
    ...(tools && { tools: toolSet(ask) }),
    ...(loop && { stopWhen: stepCountIs(3) }),
    ...(stop && { stopSequences: [...stop] }),
    ...(think && { providerOptions: THINKING }),
  });
  for await (const event of answer.fullStream) {
    if (event.type === 'error') failure ??= event.error;
    else if (event.type === 'abort') failure ??= new Error('aborted');
    else part(event, ask, seen);
  }
  if (failure !== undefined) throw failure;
}

/** The ways of the AI SDK. */
export const vercel: readonly Client[] = Object.entries(models).map(([name, [dialect, modelOf]]) =>
  client({ name, dialect, family: 'vercel', loops: 'asked' }, (ask, seen) => read(modelOf(ask), ask, seen)),
);
