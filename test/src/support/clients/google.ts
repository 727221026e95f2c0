/** Google's official SDK: its stream of chunks, its whole answer, its chat session and the calls that it makes itself. */
import {
  type CallableTool,
  type Chat,
  type Content,
  type FunctionCall,
  type GenerateContentParameters,
  type GenerateContentResponse,
  GoogleGenAI,
  type Part,
  type PartListUnion,
} from '@google/genai';
import { TOOL } from '../scenes.ts';
import { type Ask, type Client, client, DESCRIPTION, heard, INPUT, type Seen, weatherIn } from './client.ts';

const family = { dialect: 'gemini', family: 'google' } as const;

const network = globalThis.fetch;
const ways = new Map<string, typeof fetch>();

/** This SDK takes the global fetch only: a host that is reached in another way is known by its address. */
globalThis.fetch = (input, init) => {
  const url = input instanceof Request ? input.url : String(input);
  const [, way = network] = [...ways].find(([base]) => url.startsWith(base)) ?? [];
  return way(input, init);
};

/** Google's SDK at the place that is asked. */
export function sdk({ base, fetch }: Ask): GoogleGenAI {
  if (fetch !== undefined) ways.set(base, fetch);
  return new GoogleGenAI({ apiKey: 'test-key', httpOptions: { baseUrl: base } });
}

const functionDeclarations = [{ name: TOOL, description: DESCRIPTION, parametersJsonSchema: INPUT }];

function params({ model, prompt, tools, think, stop, wrong, signal }: Ask): GenerateContentParameters {
  return {
    model,
    contents: prompt,
    config: {
      ...(tools && { tools: [{ functionDeclarations }] }),
      ...(think && { thinkingConfig: { includeThoughts: true, thinkingBudget: 1024 } }),
      ...(stop && { stopSequences: [...stop] }),
      ...(wrong && { httpOptions: { extraBody: { ...wrong } } }),
      ...(signal && { abortSignal: signal }),
    },
  };
}

/** Notes what one chunk says; a whole answer is one chunk. */
function take(chunk: GenerateContentResponse, ask: Ask, seen: Seen): void {
  const [candidate] = chunk.candidates ?? [];
  for (const part of candidate?.content?.parts ?? []) takePart(part, ask, seen);
  for (const { web } of candidate?.groundingMetadata?.groundingChunks ?? []) seen.citations.push(web?.uri ?? '');
  seen.finish = candidate?.finishReason ?? seen.finish;
  seen.model = chunk.modelVersion ?? seen.model;
  seen.usage = usageOf(chunk.usageMetadata) ?? seen.usage;
}

function takePart({ text, thought, thoughtSignature, functionCall }: Part, ask: Ask, seen: Seen): void {
  if (thought === true) seen.reasoning += text ?? '';
  else heard(text ?? '', ask, seen);
  if (thoughtSignature !== undefined) seen.signatures.push(thoughtSignature);
  if (functionCall !== undefined)
    seen.calls.push({ id: functionCall.id, name: functionCall.name ?? '', input: functionCall.args });
}

function usageOf(usage: GenerateContentResponse['usageMetadata']): Seen['usage'] {
  if (usage === undefined) return undefined;
  const reasoning = usage.thoughtsTokenCount ?? 0;
  return {
    input: (usage.promptTokenCount ?? 0) + (usage.toolUsePromptTokenCount ?? 0),
    output: (usage.candidatesTokenCount ?? 0) + reasoning,
    cached: usage.cachedContentTokenCount ?? 0,
    reasoning,
  };
}

async function read(stream: Promise<AsyncIterable<GenerateContentResponse>>, ask: Ask, seen: Seen): Promise<void> {
  for await (const chunk of await stream) take(chunk, ask, seen);
}

/** The part that answers a call; its id is there if the call had one. */
function resultOf({ id, name, args }: FunctionCall): Part {
  const response = { result: weatherIn(args) };
  return { functionResponse: { ...(id && { id }), ...(name && { name }), response } };
}

/** A session, which keeps what was said itself. It leaves the running of tools to its user. */
async function converse(ask: Ask, seen: Seen, send: (chat: Chat, message: PartListUnion) => Promise<void>) {
  const { model, config = {} } = params(ask);
  const chat = sdk(ask).chats.create({ model, config });
  await send(chat, ask.prompt);
  const calls = seen.calls.map(({ id, name, input }) => ({
    ...(id && { id }),
    name,
    args: input as Record<string, unknown>,
  }));
  if (ask.loop && calls.length > 0) await send(chat, calls.map(resultOf));
}

/** The tool as one that the SDK calls. */
const weather: CallableTool = {
  tool: () => Promise.resolve({ functionDeclarations }),
  callTool: (calls) => Promise.resolve(calls.map(resultOf)),
};

function running(ask: Ask): GenerateContentParameters {
  const { config, ...rest } = params({ ...ask, tools: false });
  return { ...rest, config: { ...config, tools: [weather] } };
}

/** What the model said before its last answer. */
function earlier({ automaticFunctionCallingHistory: history = [] }: GenerateContentResponse): readonly Part[] {
  return history.flatMap(({ role, parts = [] }: Content) => (role === 'model' ? parts : []));
}

const raw = client({ name: 'genai', ...family, loops: 'never' }, (ask, seen) =>
  read(sdk(ask).models.generateContentStream(params(ask)), ask, seen),
);

const whole = client({ name: 'genai, whole', ...family, loops: 'never', whole: true }, async (ask, seen) => {
  take(await sdk(ask).models.generateContent(params(ask)), ask, seen);
});

const chat = client({ name: 'genai chat', ...family, loops: 'asked' }, (ask, seen) =>
  converse(ask, seen, (session, message) => read(session.sendMessageStream({ message }), ask, seen)),
);

const chatWhole = client({ name: 'genai chat, whole', ...family, loops: 'asked', whole: true }, (ask, seen) =>
  converse(ask, seen, async (session, message) => take(await session.sendMessage({ message }), ask, seen)),
);

const calling = client({ name: 'genai calling', ...family, loops: 'always' }, (ask, seen) =>
  read(sdk(ask).models.generateContentStream(running(ask)), ask, seen),
);

const callingWhole = client(
  { name: 'genai calling, whole', ...family, loops: 'always', whole: true },
  async (ask, seen) => {
    const answer = await sdk(ask).models.generateContent(running(ask));
    for (const part of earlier(answer)) takePart(part, ask, seen);
    take(answer, ask, seen);
  },
);

/** The ways of Google's SDK to read Gemini. */
export const google: readonly Client[] = [raw, whole, chat, chatWhole, calling, callingWhole];
