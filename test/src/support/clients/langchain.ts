/** LangChain's chat models over all three dialects. */
import { ChatAnthropic } from '@langchain/anthropic';
import type { AIMessage, AIMessageChunk, UsageMetadata } from '@langchain/core/messages';
import { ChatOpenAI } from '@langchain/openai';
import { TOOL } from '../scenes.ts';
import { type Ask, type Client, client, DESCRIPTION, heard, INPUT, type Seen } from './client.ts';

const apiKey = 'test-key';

/** Asked for by name: LangChain leaves it out for models that it does not know to think. */
const THINKING = { reasoning: { effort: 'low', summary: 'auto' }, include: ['reasoning.encrypted_content'] };

function openai({ base, model, tools, stop, think, fetch }: Ask, useResponsesApi: boolean) {
  const chat = new ChatOpenAI({
    model,
    apiKey,
    configuration: { baseURL: `${base}/v1`, ...(fetch && { fetch }) },
    maxRetries: 0,
    streamUsage: true,
    useResponsesApi,
    ...(useResponsesApi && think && { zdrEnabled: true, modelKwargs: THINKING }),
    ...(stop && { stop: [...stop] }),
  });
  const definition = { name: TOOL, description: DESCRIPTION, parameters: INPUT };
  return tools ? chat.bindTools([{ type: 'function', function: definition }]) : chat;
}

function anthropic({ base, model, tools, think, stop, fetch }: Ask) {
  const chat = new ChatAnthropic({
    model,
    apiKey,
    anthropicApiUrl: base,
    ...(fetch && { clientOptions: { fetch } }),
    maxRetries: 0,
    maxTokens: 4096,
    ...(think && { thinking: { type: 'enabled' as const, budget_tokens: 1024 } }),
    ...(stop && { stopSequences: [...stop] }),
  });
  return tools ? chat.bindTools([{ name: TOOL, description: DESCRIPTION, input_schema: INPUT }]) : chat;
}

/** A piece of content, of any dialect. */
interface Content {
  type: string;
  text?: string;
  thinking?: string;
  signature?: string;
  data?: string;
  annotations?: readonly { url?: string }[];
  citations?: readonly { url?: string }[];
}

function chunk({ content, additional_kwargs }: AIMessage | AIMessageChunk, ask: Ask, seen: Seen): void {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  for (const block of blocks as Content[]) {
    if (block.type === 'text') heard(block.text ?? '', ask, seen);
    if (block.type === 'thinking') seen.reasoning += block.thinking ?? '';
    if (block.type === 'thinking' && block.signature) seen.signatures.push(block.signature);
    if (block.type === 'redacted_thinking') seen.signatures.push(block.data ?? '');
    for (const { url } of block.annotations ?? block.citations ?? []) if (url !== undefined) seen.citations.push(url);
  }
  const { reasoning_content, refusal, reasoning } = additional_kwargs;
  if (typeof reasoning_content === 'string') seen.reasoning += reasoning_content;
  if (typeof refusal === 'string') seen.refusal += refusal;
  for (const { text } of (reasoning as { summary?: { text: string }[] } | undefined)?.summary ?? [])
    seen.reasoning += text;
}

/** What providers put beside a message, in places that LangChain does not type. */
interface Beside {
  finish_reason?: string;
  stop_reason?: string;
  stop_sequence?: string | null;
  model_name?: string;
  model?: string;
  status?: string;
  incomplete_details?: { reason: string } | null;
  reasoning?: { encrypted_content?: string };
}

function ending(whole: AIMessage | AIMessageChunk, seen: Seen): void {
  const beside = { ...whole.additional_kwargs, ...whole.response_metadata } as Beside;
  seen.calls = (whole.tool_calls ?? []).map(({ id, name, args }) => ({ id, name, input: args }));
  seen.finish = beside.finish_reason ?? beside.stop_reason ?? statusOf(beside);
  if (beside.reasoning?.encrypted_content) seen.signatures.push(beside.reasoning.encrypted_content);
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

/** The status of a Response, with its reason where there is one. */
function statusOf({ status, incomplete_details: details }: Beside): string | undefined {
  return details ? `${status} ${details.reason}` : status;
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

async function take(model: Streaming, ask: Ask, seen: Seen): Promise<void> {
  const whole = (await model.invoke(ask.prompt, ask.signal ? { signal: ask.signal } : {})) as AIMessage;
  chunk(whole, ask, seen);
  ending(whole, seen);
}

type Speaker = Pick<Client, 'name' | 'dialect' | 'family'> & { model: (ask: Ask) => Streaming };

const speakers: readonly Speaker[] = [
  { name: 'langchain openai', dialect: 'chat', family: 'openai', model: (ask) => openai(ask, false) },
  { name: 'langchain responses', dialect: 'responses', family: 'responses', model: (ask) => openai(ask, true) },
  { name: 'langchain anthropic', dialect: 'messages', family: 'anthropic', model: anthropic },
];

/** The ways of LangChain. */
export const langchain: readonly Client[] = speakers.flatMap(({ name, model, ...of }) => [
  client({ name, ...of, loops: 'never' }, (ask, seen) => read(model(ask), ask, seen)),
  client({ name: `${name}, whole`, ...of, loops: 'never', whole: true }, (ask, seen) => take(model(ask), ask, seen)),
]);
