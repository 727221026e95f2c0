/** LangChain's chat models over all dialects; with Gemini it is also asked to go on after a call. */
import { ChatAnthropic } from '@langchain/anthropic';
import {
  type AIMessage,
  type AIMessageChunk,
  type BaseMessage,
  HumanMessage,
  ToolMessage,
  type UsageMetadata,
} from '@langchain/core/messages';
import { ChatGoogleGenerativeAI } from '@langchain/google-genai';
import { ChatOpenAI } from '@langchain/openai';
import { TOOL } from '../scenes.ts';
import { type Ask, type Client, client, DESCRIPTION, heard, INPUT, type Seen, weatherIn } from './client.ts';

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

function google({ base, model, tools, think, stop }: Ask) {
  const chat = new ChatGoogleGenerativeAI({
    model,
    apiKey,
    baseUrl: base,
    maxRetries: 0,
    ...(think && { thinkingConfig: { includeThoughts: true, thinkingBudget: 1024 } }),
    ...(stop && { stopSequences: [...stop] }),
  });
  const definition = { name: TOOL, description: DESCRIPTION, parameters: INPUT };
  return tools ? chat.bindTools([{ type: 'function', function: definition }]) : chat;
}

/** Where LangChain keeps the signatures of Gemini's calls. */
const OF_CALLS = '__gemini_function_call_thought_signatures__';

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
  seen.signatures.push(...Object.values((additional_kwargs[OF_CALLS] as Record<string, string>) ?? {}));
  if (typeof reasoning_content === 'string') seen.reasoning += reasoning_content;
  if (typeof refusal === 'string') seen.refusal += refusal;
  for (const { text } of (reasoning as { summary?: { text: string }[] } | undefined)?.summary ?? [])
    seen.reasoning += text;
}

/** What providers put beside a message, in places that LangChain does not type. */
interface Beside {
  finish_reason?: string;
  stop_reason?: string;
  finishReason?: string;
  groundingMetadata?: { groundingChunks?: readonly { web?: { uri?: string } }[] };
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
  seen.finish = beside.finish_reason ?? beside.stop_reason ?? beside.finishReason ?? statusOf(beside);
  if (beside.reasoning?.encrypted_content) seen.signatures.push(beside.reasoning.encrypted_content);
  for (const { web } of beside.groundingMetadata?.groundingChunks ?? []) seen.citations.push(web?.uri ?? '');
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

type Streaming = ReturnType<typeof openai> | ReturnType<typeof anthropic> | ReturnType<typeof google>;

/** One turn; gives the message that goes into the history. */
type Turn = (model: Streaming, said: readonly BaseMessage[], ask: Ask, seen: Seen) => Promise<AIMessage | undefined>;

const read: Turn = async (model, said, ask, seen) => {
  let whole: AIMessageChunk | undefined;
  for await (const piece of await model.stream([...said], ask.signal ? { signal: ask.signal } : {})) {
    const next = piece as AIMessageChunk;
    whole = whole === undefined ? next : whole.concat(next);
    chunk(next, ask, seen);
  }
  if (whole !== undefined) ending(whole, seen);
  return whole;
};

const take: Turn = async (model, said, ask, seen) => {
  const whole = (await model.invoke([...said], ask.signal ? { signal: ask.signal } : {})) as AIMessage;
  chunk(whole, ask, seen);
  ending(whole, seen);
  return whole;
};

/** One turn, and the next one with the results of its calls if the client is to go on. */
async function converse(turn: Turn, model: Streaming, ask: Ask, seen: Seen): Promise<void> {
  const question = new HumanMessage(ask.prompt);
  const answer = await turn(model, [question], ask, seen);
  if (!ask.loop || answer === undefined) return;
  const calls = [...seen.calls];
  const results = calls.map(
    ({ id = '', name, input }) => new ToolMessage({ tool_call_id: id, name, content: weatherIn(input) }),
  );
  await turn(model, [question, answer, ...results], ask, seen);
  seen.calls = calls;
}

type Speaker = Omit<Client, 'run' | 'whole'> & { model: (ask: Ask) => Streaming };

const speakers: readonly Speaker[] = [
  {
    name: 'langchain openai',
    dialect: 'chat',
    family: 'openai',
    loops: 'never',
    model: (ask) => openai(ask, false),
  },
  {
    name: 'langchain responses',
    dialect: 'responses',
    family: 'responses',
    loops: 'never',
    model: (ask) => openai(ask, true),
  },
  { name: 'langchain anthropic', dialect: 'messages', family: 'anthropic', loops: 'never', model: anthropic },
  {
    name: 'langchain google',
    dialect: 'gemini',
    family: 'google',
    loops: 'asked',
    forgetsIds: true,
    namesNoModel: true,
    skipsErrors: true,
    model: google,
  },
];

/** The ways of LangChain. */
export const langchain: readonly Client[] = speakers.flatMap(({ name, model, ...of }) => [
  client({ name, ...of }, (ask, seen) => converse(read, model(ask), ask, seen)),
  client({ name: `${name}, whole`, ...of, whole: true }, (ask, seen) => converse(take, model(ask), ask, seen)),
]);
