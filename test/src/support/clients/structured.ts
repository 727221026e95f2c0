/** Official helpers that ask for an answer in a form and parse it. */
import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import Anthropic from '@anthropic-ai/sdk';
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod';
import { type GenerateContentParameters, GoogleGenAI } from '@google/genai';
import { ChatAnthropic } from '@langchain/anthropic';
import { ChatGoogleGenerativeAI } from '@langchain/google-genai';
import { ChatOpenAI } from '@langchain/openai';
import { Agent, OpenAIChatCompletionsModel, OpenAIResponsesModel, run } from '@openai/agents';
import { generateObject, type LanguageModel, streamObject } from 'ai';
import OpenAI from 'openai';
import { zodResponseFormat, zodTextFormat } from 'openai/helpers/zod';
import * as z from 'zod';

globalThis.AI_SDK_LOG_WARNINGS = false;

const report = z.object({ city: z.string(), degrees: z.number(), notes: z.array(z.string()) });

/** A question, and where to ask it. */
export interface Wish {
  base: string;
  model: string;
  prompt: string;
}

/** One helper of one SDK. */
export interface Parser {
  name: string;
  dialect: string;
  /** Asks and parses; throws what its SDK throws. */
  parse(wish: Wish): Promise<unknown>;
}

const apiKey = 'test-key';

const openai = ({ base }: Wish) => new OpenAI({ apiKey, baseURL: `${base}/v1`, maxRetries: 0 });
const anthropic = ({ base }: Wish) => new Anthropic({ apiKey, baseURL: base, maxRetries: 0 });

const chatBody = ({ model, prompt }: Wish) => ({
  model,
  messages: [{ role: 'user' as const, content: prompt }],
  response_format: zodResponseFormat(report, 'report'),
});

const responsesBody = ({ model, prompt }: Wish) => ({
  model,
  input: prompt,
  text: { format: zodTextFormat(report, 'report') },
});

const messagesBody = ({ model, prompt }: Wish) => ({
  model,
  max_tokens: 4096,
  messages: [{ role: 'user' as const, content: prompt }],
  output_config: { format: zodOutputFormat(report) },
});

const google = ({ base }: Wish) => new GoogleGenAI({ apiKey, httpOptions: { baseUrl: base } }).models;

/** Google's SDK has no helper that parses: it takes a form in either of two members, and gives text. */
const googleBody = (
  { model, prompt }: Wish,
  form: 'responseJsonSchema' | 'responseSchema',
): GenerateContentParameters => ({
  model,
  contents: prompt,
  config: { responseMimeType: 'application/json', [form]: z.toJSONSchema(report) },
});

const own: readonly Parser[] = [
  {
    name: 'openai chat.completions.parse',
    dialect: 'chat',
    parse: async (wish) => (await openai(wish).chat.completions.parse(chatBody(wish))).choices[0]?.message.parsed,
  },
  {
    name: 'openai chat.completions.stream',
    dialect: 'chat',
    parse: async (wish) => {
      const stream = openai(wish).chat.completions.stream(chatBody(wish));
      return (await stream.finalChatCompletion()).choices[0]?.message.parsed;
    },
  },
  {
    name: 'openai responses.parse',
    dialect: 'responses',
    parse: async (wish) => (await openai(wish).responses.parse(responsesBody(wish))).output_parsed,
  },
  {
    name: 'openai responses.stream',
    dialect: 'responses',
    parse: async (wish) => (await openai(wish).responses.stream(responsesBody(wish)).finalResponse()).output_parsed,
  },
  {
    name: 'anthropic messages.parse',
    dialect: 'messages',
    parse: async (wish) => (await anthropic(wish).messages.parse(messagesBody(wish))).parsed_output,
  },
  {
    name: 'anthropic messages.stream',
    dialect: 'messages',
    parse: async (wish) => (await anthropic(wish).messages.stream(messagesBody(wish)).finalMessage()).parsed_output,
  },
  {
    name: 'genai generateContent',
    dialect: 'gemini',
    parse: async (wish) =>
      JSON.parse((await google(wish).generateContent(googleBody(wish, 'responseJsonSchema'))).text ?? ''),
  },
  {
    name: 'genai generateContentStream',
    dialect: 'gemini',
    parse: async (wish) => {
      let text = '';
      for await (const chunk of await google(wish).generateContentStream(googleBody(wish, 'responseSchema')))
        text += chunk.text ?? '';
      return JSON.parse(text);
    },
  },
  {
    name: 'genai interactions.create',
    dialect: 'interactions',
    parse: async ({ base, model, prompt: input }) => {
      const sdk = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: base } });
      const response_format = { type: 'text', mime_type: 'application/json', schema: z.toJSONSchema(report) } as const;
      return JSON.parse((await sdk.interactions.create({ model, input, response_format })).output_text ?? '');
    },
  },
];

/** The object is there once its stream has been read. */
async function streamed({
  partialObjectStream,
  object,
}: {
  partialObjectStream: AsyncIterable<unknown>;
  object: PromiseLike<unknown>;
}): Promise<unknown> {
  for await (const _ of partialObjectStream);
  return object;
}

const vercelModels: Readonly<Record<string, readonly [dialect: string, (wish: Wish) => LanguageModel]>> = {
  'ai-sdk openai': ['chat', ({ base, model }) => createOpenAI({ apiKey, baseURL: `${base}/v1` }).chat(model)],
  'ai-sdk openai-compatible': [
    'chat',
    ({ base, model }) => {
      const settings = { name: 'compatible', apiKey, baseURL: `${base}/v1`, supportsStructuredOutputs: true };
      return createOpenAICompatible(settings)(model);
    },
  ],
  'ai-sdk responses': [
    'responses',
    ({ base, model }) => createOpenAI({ apiKey, baseURL: `${base}/v1` }).responses(model),
  ],
  'ai-sdk anthropic': ['messages', ({ base, model }) => createAnthropic({ apiKey, baseURL: `${base}/v1` })(model)],
  'ai-sdk interactions': [
    'interactions',
    ({ base, model }) => createGoogleGenerativeAI({ apiKey, baseURL: `${base}/v1beta` }).interactions(model),
  ],
  'ai-sdk google': [
    'gemini',
    ({ base, model }) => createGoogleGenerativeAI({ apiKey, baseURL: `${base}/v1beta` })(model),
  ],
};

const vercel = Object.entries(vercelModels).flatMap(([name, [dialect, modelOf]]): Parser[] => {
  const question = (wish: Wish) => ({
    model: modelOf(wish),
    prompt: wish.prompt,
    schema: report,
    maxRetries: 0,
    providerOptions: { anthropic: { structuredOutputMode: 'outputFormat' } },
  });
  return [
    { name: `${name} generateObject`, dialect, parse: async (wish) => (await generateObject(question(wish))).object },
    { name: `${name} streamObject`, dialect, parse: (wish) => streamed(streamObject(question(wish))) },
  ];
});

function langchainOpenAI({ base, model }: Wish, useResponsesApi: boolean) {
  const configuration = { baseURL: `${base}/v1` };
  const chat = new ChatOpenAI({ model, apiKey, configuration, maxRetries: 0, useResponsesApi });
  return chat.withStructuredOutput(report, { method: 'jsonSchema' });
}

const langchain: readonly Parser[] = [
  {
    name: 'langchain openai',
    dialect: 'chat',
    parse: (wish) => langchainOpenAI(wish, false).invoke(wish.prompt),
  },
  {
    name: 'langchain responses',
    dialect: 'responses',
    parse: (wish) => langchainOpenAI(wish, true).invoke(wish.prompt),
  },
  {
    name: 'langchain anthropic',
    dialect: 'messages',
    parse: ({ base, model, prompt }) => {
      const chat = new ChatAnthropic({ model, apiKey, anthropicApiUrl: base, maxRetries: 0, maxTokens: 4096 });
      return chat.withStructuredOutput(report, { method: 'jsonSchema' }).invoke(prompt);
    },
  },
  {
    name: 'langchain google',
    dialect: 'gemini',
    parse: ({ base, model, prompt }) => {
      const chat = new ChatGoogleGenerativeAI({ model, apiKey, baseUrl: base, maxRetries: 0 });
      return chat.withStructuredOutput(report, { method: 'jsonSchema' }).invoke(prompt);
    },
  },
];

const agents: readonly Parser[] = [
  {
    name: 'agents chat',
    dialect: 'chat',
    parse: (wish) => runAgent(new OpenAIChatCompletionsModel(openai(wish), wish.model), wish),
  },
  {
    name: 'agents responses',
    dialect: 'responses',
    parse: (wish) => runAgent(new OpenAIResponsesModel(openai(wish), wish.model), wish),
  },
];

async function runAgent(model: OpenAIChatCompletionsModel | OpenAIResponsesModel, { prompt }: Wish): Promise<unknown> {
  const agent = new Agent({ name: 'reporter', model, outputType: report });
  return (await run(agent, prompt)).finalOutput;
}

/** All helpers that parse. */
export const parsers: readonly Parser[] = [...own, ...vercel, ...langchain, ...agents];
