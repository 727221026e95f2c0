/** LangChain's chat models over Chat and Messages. */
import { ChatAnthropic } from '@langchain/anthropic';
import type { AIMessageChunk, UsageMetadata } from '@langchain/core/messages';
import { ChatOpenAI } from '@langchain/openai';
import { TOOL } from '../scenes.ts';
import { type Ask, type Client, client, DESCRIPTION, heard, INPUT, type Seen } from './client.ts';

const apiKey = 'test-key';

function openai({ base, model, tools, stop }: Ask) {
  const chat = new ChatOpenAI({
    model,
    apiKey,
    configuration: { baseURL: `${base}/v1` },
    maxRetries: 0,
    streamUsage: true,
    useResponsesApi: false,
    ...(stop && { stop: [...stop] }),
  });
  const definition = { name: TOOL, description: DESCRIPTION, parameters: INPUT };
  return tools ? chat.bindTools([{ type: 'function', function: definition }]) : chat;
}

function anthropic({ base, model, tools, think, stop }: Ask) {
  const chat = new ChatAnthropic({
    model,
    apiKey,
    anthropicApiUrl: base,
    maxRetries: 0,
    maxTokens: 4096,
    ...(think && { thinking: { type: 'enabled' as const, budget_tokens: 1024 } }),
    ...(stop && { stopSequences: [...stop] }),
  });
  return tools ? chat.bindTools([{ name: TOOL, description: DESCRIPTION, input_schema: INPUT }]) : chat;
}

function chunk({ content, additional_kwargs }: AIMessageChunk, ask: Ask, seen: Seen): void {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  for (const block of blocks as { type: string; text?: string; thinking?: string; signature?: string }[]) {
    if (block.type === 'text') heard(block.text ?? '', ask, seen);
    if (block.type === 'thinking') seen.reasoning += block.thinking ?? '';
    if (block.type === 'thinking' && block.signature) seen.signatures.push(block.signature);
  }
  const { reasoning_content, refusal } = additional_kwargs;
  if (typeof reasoning_content === 'string') seen.reasoning += reasoning_content;
  if (typeof refusal === 'string') seen.refusal += refusal;
}

/** What providers put beside a message, in places that LangChain does not type. */
interface Beside {
  finish_reason?: string;
  stop_reason?: string;
  stop_sequence?: string | null;
  model_name?: string;
  model?: string;
}

function ending(whole: AIMessageChunk, seen: Seen): void {
  const beside = { ...whole.additional_kwargs, ...whole.response_metadata } as Beside;
  seen.calls = (whole.tool_calls ?? []).map(({ id, name, args }) => ({ id, name, input: args }));
  seen.finish = beside.finish_reason ?? beside.stop_reason;
  seen.stopSequence = beside.stop_sequence;
  seen.model = beside.model_name ?? beside.model;
  const usage = whole.usage_metadata as UsageMetadata | undefined;
  if (usage === undefined) return;
  seen.usage = {
    input: usage.input_tokens,
    output: usage.output_tokens,
    cached: usage.input_token_details?.cache_read,
    reasoning: usage.output_token_details?.reasoning,
  };
}

type Streaming = ReturnType<typeof openai> | ReturnType<typeof anthropic>;

async function read(model: Streaming, ask: Ask, seen: Seen): Promise<void> {
  let whole: AIMessageChunk | undefined;
  for await (const piece of await model.stream(ask.prompt, ask.signal ? { signal: ask.signal } : {})) {
    const said = piece as AIMessageChunk;
    whole = whole === undefined ? said : whole.concat(said);
    chunk(said, ask, seen);
  }
  if (whole !== undefined) ending(whole, seen);
}

/** The ways of LangChain. */
export const langchain: readonly Client[] = [
  client({ name: 'langchain openai', dialect: 'chat', family: 'openai', loops: 'never' }, (ask, seen) =>
    read(openai(ask), ask, seen),
  ),
  client({ name: 'langchain anthropic', dialect: 'messages', family: 'anthropic', loops: 'never' }, (ask, seen) =>
    read(anthropic(ask), ask, seen),
  ),
];
