/** The Vercel AI SDK over its providers: OpenAI in both dialects, OpenAI-compatible, Anthropic and Google. */
import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import {
  generateText,
  jsonSchema,
  type LanguageModel,
  type LanguageModelUsage,
  stepCountIs,
  streamText,
  type TextStreamPart,
  type ToolSet,
  tool,
} from 'ai';
import { TOOL } from '../scenes.ts';
import { type Ask, type Client, client, DESCRIPTION, heard, INPUT, type Seen, weatherIn } from './client.ts';

globalThis.AI_SDK_LOG_WARNINGS = false;

function settings({ base, fetch }: Ask, version = 'v1') {
  return { apiKey: 'test-key', baseURL: `${base}/${version}`, ...(fetch && { fetch }) };
}

const models: Readonly<Record<string, readonly [dialect: string, (ask: Ask) => LanguageModel]>> = {
  'ai-sdk openai': ['chat', (ask) => createOpenAI(settings(ask)).chat(ask.model)],
  'ai-sdk openai-compatible': [
    'chat',
    (ask) => createOpenAICompatible({ name: 'compatible', includeUsage: true, ...settings(ask) })(ask.model),
  ],
  'ai-sdk responses': ['responses', (ask) => createOpenAI(settings(ask)).responses(ask.model)],
  'ai-sdk responses, stateless': ['responses', (ask) => createOpenAI(settings(ask)).responses(ask.model)],
  'ai-sdk anthropic': ['messages', (ask) => createAnthropic(settings(ask))(ask.model)],
  'ai-sdk interactions': [
    'interactions',
    (ask) => createGoogleGenerativeAI(settings(ask, 'v1beta')).interactions(ask.model),
  ],
  'ai-sdk google': ['gemini', (ask) => createGoogleGenerativeAI(settings(ask, 'v1beta'))(ask.model)],
};

function toolSet({ loop }: Ask): ToolSet {
  const definition = { description: DESCRIPTION, inputSchema: jsonSchema(INPUT) };
  return { [TOOL]: loop ? tool({ ...definition, execute: (input) => weatherIn(input) }) : tool(definition) };
}

function part(event: TextStreamPart<ToolSet>, ask: Ask, seen: Seen): void {
  switch (event.type) {
    case 'text-delta':
      heard(event.text, ask, seen);
      return signature(event.providerMetadata, seen);
    case 'reasoning-delta':
      seen.reasoning += event.text;
      return signature(event.providerMetadata, seen);
    case 'tool-call':
      seen.calls.push({ id: event.toolCallId, name: event.toolName, input: event.input });
      return signature(event.providerMetadata, seen);
    case 'reasoning-start':
    case 'reasoning-end':
      return signature(event.providerMetadata, seen);
    case 'source':
      if (event.sourceType === 'url') seen.citations.push(event.url);
      return;
    case 'finish-step':
      seen.model = event.response.modelId;
      return;
    case 'finish':
      seen.finish = event.finishReason;
      seen.usage = usageOf(event.totalUsage);
  }
}

function usageOf(usage: LanguageModelUsage): Seen['usage'] {
  return {
    input: usage.inputTokens,
    output: usage.outputTokens,
    cached: usage.inputTokenDetails.cacheReadTokens,
    reasoning: usage.outputTokenDetails.reasoningTokens,
  };
}

/** Opaque reasoning is told when a part begins, when it ends, or in between; the last word counts. */
function signature(metadata: Readonly<Record<string, Record<string, unknown>>> | undefined, seen: Seen): void {
  const { signature, redactedData } = metadata?.anthropic ?? {};
  const { itemId, reasoningEncryptedContent: cipher } = metadata?.openai ?? {};
  const value =
    signature ??
    redactedData ??
    metadata?.google?.thoughtSignature ??
    metadata?.google?.signature ??
    (itemId === undefined ? undefined : cipher);
  if (typeof value !== 'string' || value === '') return;
  const known = itemId === undefined ? seen.signatures.indexOf(value) : ciphers.get(seen)?.indexOf(itemId);
  if (known === undefined || known < 0) seen.signatures.push(value);
  else seen.signatures[known] = value;
  if (itemId !== undefined) ciphers.set(seen, [...new Set([...(ciphers.get(seen) ?? []), itemId])]);
}

/** Ids of the reasoning items whose encrypted content was seen. */
const ciphers = new WeakMap<Seen, unknown[]>();

function providerOptions({ think }: Ask, name: string): Parameters<typeof generateText>[0]['providerOptions'] {
  const stateless = name.endsWith('stateless') ? { store: false } : {};
  if (!think) return { openai: stateless };
  return {
    anthropic: { thinking: { type: 'enabled', budgetTokens: 1024 } },
    openai: { ...stateless, reasoningEffort: 'low', reasoningSummary: 'auto', forceReasoning: true },
    compatible: { reasoningEffort: 'low' },
    google: name.startsWith('ai-sdk interactions')
      ? { thinkingLevel: 'low', thinkingSummaries: 'auto' }
      : { thinkingConfig: { includeThoughts: true, thinkingBudget: 1024 } },
  };
}

function question(name: string, model: LanguageModel, ask: Ask) {
  const { prompt, tools, loop, stop, signal } = ask;
  const options = providerOptions(ask, name);
  return {
    model,
    prompt,
    maxRetries: 0,
    ...(options && { providerOptions: options }),
    ...(signal && { abortSignal: signal }),
    ...(tools && { tools: toolSet(ask) }),
    ...(loop && { stopWhen: stepCountIs(3) }),
    ...(stop && { stopSequences: [...stop] }),
  };
}

async function read(name: string, model: LanguageModel, ask: Ask, seen: Seen): Promise<void> {
  let failure: unknown;
  const onError = ({ error }: { error: unknown }) => {
    failure ??= error;
  };
  const answer = streamText({ ...question(name, model, ask), onError });
  for await (const event of answer.fullStream) {
    if (event.type === 'error') failure ??= event.error;
    else if (event.type === 'abort') failure ??= new Error('aborted');
    else part(event, ask, seen);
  }
  if (failure !== undefined) throw failure;
}

async function take(name: string, model: LanguageModel, ask: Ask, seen: Seen): Promise<void> {
  const { steps, finishReason, totalUsage } = await generateText(question(name, model, ask));
  for (const { content, response } of steps) {
    for (const said of content) {
      if (said.type === 'text') heard(said.text, ask, seen);
      if (said.type === 'reasoning') seen.reasoning += said.text;
      if (said.type === 'tool-call') seen.calls.push({ id: said.toolCallId, name: said.toolName, input: said.input });
      if ('providerMetadata' in said) signature(said.providerMetadata, seen);
      if (said.type === 'source' && said.sourceType === 'url') seen.citations.push(said.url);
    }
    seen.model = response.modelId;
  }
  seen.finish = finishReason;
  seen.usage = usageOf(totalUsage);
}

/** The ways of the AI SDK. */
export const vercel: readonly Client[] = Object.entries(models).flatMap(([name, [dialect, modelOf]]) => {
  const of = { dialect, family: 'vercel', loops: 'asked' } as const;
  return [
    client({ name, ...of }, (ask, seen) => read(name, modelOf(ask), ask, seen)),
    client({ name: `${name}, whole`, ...of, whole: true }, (ask, seen) => take(name, modelOf(ask), ask, seen)),
  ];
});
