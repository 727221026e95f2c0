/** Two official clients of each dialect, reading a body as if it had come over the network: the SDK's own helper and the AI SDK. */
import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { type LanguageModel, streamText } from 'ai';
import { accumulators } from '../recordings/oracle/accumulator.ts';

/** What a client makes of a stream. */
export interface Told {
  text: string;
  reasoning: string;
  calls: readonly { id: string; name: string; input: unknown }[];
  /** What it threw, or the error that it was told. */
  failure?: string;
}

type Fetch = typeof fetch;

globalThis.AI_SDK_LOG_WARNINGS = false;

const models: Readonly<Record<string, (fetch: Fetch) => LanguageModel>> = {
  chat: (fetch) => createOpenAI({ apiKey: 'none', fetch }).chat('a-model'),
  interactions: (fetch) => createGoogleGenerativeAI({ apiKey: 'none', fetch }).interactions('a-model'),
  messages: (fetch) => createAnthropic({ apiKey: 'none', fetch })('a-model'),
  responses: (fetch) => createOpenAI({ apiKey: 'none', fetch }).responses('a-model'),
};

/** What the AI SDK reads. */
export async function readByVercel(dialect: string, stream: string): Promise<Told> {
  const told = { text: '', reasoning: '', calls: [] as Told['calls'][number][] };
  let failure: string | undefined;
  const fail = (error: unknown): void => {
    failure ??= error instanceof Error ? `${error.name}: ${error.message.slice(0, 300)}` : JSON.stringify(error);
  };
  const model = models[dialect]?.(() =>
    Promise.resolve(new Response(stream, { headers: { 'content-type': 'text/event-stream' } })),
  );
  if (model === undefined) throw new Error(`no model for ${dialect}`);
  const answer = streamText({ model, prompt: 'a question', maxRetries: 0, onError: ({ error }) => fail(error) });
  for await (const part of answer.fullStream) {
    if (part.type === 'error') fail(part.error);
    else if (part.type === 'text-delta') told.text += part.text;
    else if (part.type === 'reasoning-delta') told.reasoning += part.text;
    else if (part.type === 'tool-call' && part.providerExecuted !== true)
      told.calls.push({ id: part.toolCallId, name: part.toolName, input: part.input });
  }
  return failure === undefined ? told : { ...told, failure };
}

/** What the official SDK's accumulating helper reads; it keeps no reasoning. */
export async function readByHelper(dialect: string, stream: string): Promise<Told> {
  const read = accumulators[dialect];
  if (read === undefined) throw new Error(`no helper for ${dialect}`);
  const nothing = { text: '', reasoning: '', calls: [] };
  try {
    const whole = await read([Buffer.from(stream)]);
    return { ...nothing, ...whole } as Told;
  } catch (thrown) {
    return { ...nothing, failure: String(thrown) };
  }
}
