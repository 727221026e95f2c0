/** Google's official SDK: its stream of chunks and its whole answer. */
import { type GenerateContentParameters, type GenerateContentResponse, GoogleGenAI } from '@google/genai';
import { TOOL } from '../scenes.ts';
import { type Ask, type Client, client, DESCRIPTION, heard, INPUT, type Seen } from './client.ts';

const family = { dialect: 'gemini', family: 'google', loops: 'never' } as const;

function sdk({ base }: Ask): GoogleGenAI {
  return new GoogleGenAI({ apiKey: 'test-key', httpOptions: { baseUrl: base } });
}

function params({ model, prompt, tools, think, stop, wrong, signal }: Ask): GenerateContentParameters {
  const functions = [{ name: TOOL, description: DESCRIPTION, parametersJsonSchema: INPUT }];
  return {
    model,
    contents: prompt,
    config: {
      ...(tools && { tools: [{ functionDeclarations: functions }] }),
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
  for (const { text, thought, thoughtSignature, functionCall } of candidate?.content?.parts ?? []) {
    if (thought === true) seen.reasoning += text ?? '';
    else heard(text ?? '', ask, seen);
    if (thoughtSignature !== undefined) seen.signatures.push(thoughtSignature);
    if (functionCall !== undefined)
      seen.calls.push({ id: functionCall.id, name: functionCall.name ?? '', input: functionCall.args });
  }
  for (const { web } of candidate?.groundingMetadata?.groundingChunks ?? []) seen.citations.push(web?.uri ?? '');
  seen.finish = candidate?.finishReason ?? seen.finish;
  seen.model = chunk.modelVersion ?? seen.model;
  seen.usage = usageOf(chunk.usageMetadata) ?? seen.usage;
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

const raw = client({ name: 'genai', ...family }, async (ask, seen) => {
  for await (const chunk of await sdk(ask).models.generateContentStream(params(ask))) take(chunk, ask, seen);
});

const whole = client({ name: 'genai, whole', ...family, whole: true }, async (ask, seen) => {
  take(await sdk(ask).models.generateContent(params(ask)), ask, seen);
});

/** The ways of Google's SDK to read Gemini. */
export const google: readonly Client[] = [raw, whole];
