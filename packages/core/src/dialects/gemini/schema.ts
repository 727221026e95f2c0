/** The request on the wire, as far as we read it, and its check; members we do not know pass. */
import * as z from 'zod/mini';
import { validate } from '../../dialect.ts';

/** Absent and null are two ways to leave an optional member out. */
type Maybe<T> = T | null | undefined;
type Obj = Record<string, unknown>;

/** The body of `:generateContent` (ai.google.dev/api/generate-content, seen 2026-11-29). */
export interface GeminiRequest {
  contents: GeminiContent[];
  systemInstruction?: Maybe<string | GeminiContent>;
  tools?: Maybe<GeminiTool[]>;
  toolConfig?: Maybe<{
    functionCallingConfig?: Maybe<{ mode?: Maybe<string>; allowedFunctionNames?: Maybe<string[]> }>;
  }>;
  generationConfig?: Maybe<GeminiConfig>;
  safetySettings?: Maybe<unknown[]>;
  cachedContent?: Maybe<string>;
  labels?: Maybe<Obj>;
  serviceTier?: Maybe<string>;
  /** Repeats the model of the path. */
  model?: Maybe<string>;
}

/** What one side said; without a role it is the user. */
export interface GeminiContent {
  role?: Maybe<string>;
  parts?: Maybe<GeminiPart[]>;
}

/** One part; exactly one of its members says what it is. */
export interface GeminiPart {
  text?: Maybe<string>;
  thought?: Maybe<boolean>;
  thoughtSignature?: Maybe<string>;
  inlineData?: Maybe<GeminiBlob>;
  fileData?: Maybe<{ mimeType?: Maybe<string>; fileUri: string }>;
  functionCall?: Maybe<{ id?: Maybe<string>; name: string; args?: Maybe<Obj> }>;
  functionResponse?: Maybe<GeminiResult>;
}

/** Bytes with their type. */
interface GeminiBlob {
  mimeType: string;
  data: string;
}

/** What a function gave back; pictures stand in parts of its own. */
export interface GeminiResult {
  id?: Maybe<string>;
  name: string;
  response?: Maybe<Obj>;
  parts?: Maybe<{ inlineData?: Maybe<GeminiBlob> }[]>;
}

/** Functions of the client, or one tool of the provider's own. */
export interface GeminiTool {
  functionDeclarations?: Maybe<GeminiFunction[]>;
}

/** A function; its schema is JSON Schema or, in the older member, a dialect of OpenAPI's. */
export interface GeminiFunction {
  name: string;
  description?: Maybe<string>;
  parameters?: Maybe<Obj>;
  parametersJsonSchema?: Maybe<Obj>;
}

/** How the answer is made. */
export interface GeminiConfig {
  maxOutputTokens?: Maybe<number>;
  temperature?: Maybe<number>;
  topP?: Maybe<number>;
  topK?: Maybe<number>;
  candidateCount?: Maybe<number>;
  stopSequences?: Maybe<string[]>;
  presencePenalty?: Maybe<number>;
  frequencyPenalty?: Maybe<number>;
  seed?: Maybe<number>;
  responseLogprobs?: Maybe<boolean>;
  logprobs?: Maybe<number>;
  responseMimeType?: Maybe<string>;
  responseSchema?: Maybe<Obj>;
  responseJsonSchema?: Maybe<Obj>;
  /** Stands for the three above, and for the settings of media. */
  responseFormat?: Maybe<{ text?: Maybe<{ mimeType?: Maybe<string>; schema?: Maybe<Obj> }> }[]>;
  responseModalities?: Maybe<string[]>;
  thinkingConfig?: Maybe<{
    includeThoughts?: Maybe<boolean>;
    thinkingBudget?: Maybe<number>;
    thinkingLevel?: Maybe<string>;
  }>;
}

const text = z.nullish(z.string());
const number = z.nullish(z.number());
const count = z.nullish(z.int());
const flag = z.nullish(z.boolean());
const object = z.nullish(z.record(z.string(), z.unknown()));
const blob = z.nullish(z.looseObject({ mimeType: z.string(), data: z.string() }));

const part = z.looseObject({
  text,
  thought: flag,
  thoughtSignature: text,
  inlineData: blob,
  fileData: z.nullish(z.looseObject({ mimeType: text, fileUri: z.string() })),
  functionCall: z.nullish(z.looseObject({ id: text, name: z.string(), args: object })),
  functionResponse: z.nullish(
    z.looseObject({
      id: text,
      name: z.string(),
      response: object,
      parts: z.nullish(z.array(z.looseObject({ inlineData: blob }))),
    }),
  ),
});

const content = z.looseObject({ role: text, parts: z.nullish(z.array(part)) });

const fn = z.looseObject({ name: z.string(), description: text, parameters: object, parametersJsonSchema: object });

const config = z.looseObject({
  maxOutputTokens: count,
  temperature: number,
  topP: number,
  topK: number,
  candidateCount: count,
  stopSequences: z.nullish(z.array(z.string())),
  presencePenalty: number,
  frequencyPenalty: number,
  seed: count,
  responseLogprobs: flag,
  logprobs: count,
  responseMimeType: text,
  responseSchema: object,
  responseJsonSchema: object,
  responseFormat: z.nullish(
    z.array(z.looseObject({ text: z.nullish(z.looseObject({ mimeType: text, schema: object })) })),
  ),
  responseModalities: z.nullish(z.array(z.string())),
  thinkingConfig: z.nullish(z.looseObject({ includeThoughts: flag, thinkingBudget: count, thinkingLevel: text })),
});

const request = z.looseObject({
  contents: z.array(content).check(z.minLength(1, 'expected at least one content')),
  systemInstruction: z.nullish(z.union([z.string(), content])),
  tools: z.nullish(z.array(z.looseObject({ functionDeclarations: z.nullish(z.array(fn)) }))),
  toolConfig: z.nullish(
    z.looseObject({
      functionCallingConfig: z.nullish(
        z.looseObject({ mode: text, allowedFunctionNames: z.nullish(z.array(z.string())) }),
      ),
    }),
  ),
  generationConfig: z.nullish(config),
  safetySettings: z.nullish(z.array(z.unknown())),
  cachedContent: text,
  labels: object,
  serviceTier: text,
  model: text,
});

/** The body as a request. Throws `GatewayError` (400) that names the field. */
export function parseRequest(body: unknown): GeminiRequest {
  return validate(request, body);
}

/** Whether a member of the request is one that we read. */
export function isKnown(member: string): boolean {
  return Object.hasOwn(request.shape, member);
}

/** Whether a member of `generationConfig` is one that we read. */
export function isKnownOfConfig(member: string): boolean {
  return Object.hasOwn(config.shape, member);
}
