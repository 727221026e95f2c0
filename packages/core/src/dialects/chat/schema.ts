/** The Chat request on the wire: what we read of it, and its check, which lets members pass that we do not know. */
import * as z from 'zod/mini';
import { validate } from '../../dialect.ts';

/** Absent, null and a value are three ways to write an optional member; OpenAI takes all three. */
type Maybe<T> = T | null | undefined;

/** The body of `POST /chat/completions` (platform.openai.com/docs/api-reference/chat/create, seen 2026-11-29). */
export interface ChatRequest {
  model: string;
  messages: ChatMessage[];
  stream?: Maybe<boolean>;
  stream_options?: Maybe<{ include_usage?: Maybe<boolean> }>;
  tools?: Maybe<ChatTool[]>;
  tool_choice?: Maybe<string | ChatChoice>;
  parallel_tool_calls?: Maybe<boolean>;
  functions?: Maybe<ChatFunction[]>;
  function_call?: Maybe<string | { name: string }>;
  response_format?: Maybe<ChatFormat>;
  reasoning_effort?: Maybe<string>;
  /** Of gateways and compatible servers: effort or tokens. */
  reasoning?: Maybe<ChatReasoning>;
  /** Of compatible servers: the Messages form of the same. */
  thinking?: Maybe<{ type?: Maybe<string>; budget_tokens?: Maybe<number> }>;
  enable_thinking?: Maybe<boolean>;
  include_reasoning?: Maybe<boolean>;
  max_tokens?: Maybe<number>;
  max_completion_tokens?: Maybe<number>;
  stop?: Maybe<string | string[]>;
  temperature?: Maybe<number>;
  top_p?: Maybe<number>;
  /** Of compatible servers. */
  top_k?: Maybe<number>;
  frequency_penalty?: Maybe<number>;
  presence_penalty?: Maybe<number>;
  seed?: Maybe<number>;
  logit_bias?: Maybe<Record<string, number>>;
  n?: Maybe<number>;
  logprobs?: Maybe<boolean>;
  top_logprobs?: Maybe<number>;
  verbosity?: Maybe<string>;
  modalities?: Maybe<string[]>;
  audio?: Maybe<Record<string, unknown>>;
  prediction?: unknown;
  metadata?: Maybe<Record<string, unknown>>;
  user?: Maybe<string>;
  safety_identifier?: Maybe<string>;
  prompt_cache_key?: Maybe<string>;
  cache_control?: Maybe<ChatCacheControl>;
  service_tier?: Maybe<string>;
  store?: Maybe<boolean>;
  web_search_options?: Maybe<Record<string, unknown>>;
}

/** One message of any role. */
export interface ChatMessage {
  role: 'system' | 'developer' | 'user' | 'assistant' | 'tool' | 'function';
  content?: Maybe<string | ChatPart[]>;
  name?: Maybe<string>;
  refusal?: Maybe<string>;
  tool_calls?: Maybe<ChatCall[]>;
  tool_call_id?: Maybe<string>;
  function_call?: Maybe<{ name: string; arguments: string }>;
  /** Reasoning as compatible servers send it, and take it back. */
  reasoning_content?: unknown;
  reasoning?: unknown;
  audio?: unknown;
  cache_control?: Maybe<ChatCacheControl>;
}

/** One piece of a message's content; which members it needs depends on its type. */
export interface ChatPart {
  type: string;
  text?: Maybe<string>;
  refusal?: Maybe<string>;
  image_url?: Maybe<string | { url: string; detail?: Maybe<string> }>;
  input_audio?: Maybe<{ data: string; format: string }>;
  file?: Maybe<{ file_data?: Maybe<string>; file_id?: Maybe<string>; filename?: Maybe<string> }>;
  /** Of gateways: the Messages form of a breakpoint. */
  cache_control?: Maybe<ChatCacheControl>;
  prompt_cache_breakpoint?: unknown;
}

/** A breakpoint as Messages has it. */
export interface ChatCacheControl {
  type: string;
  ttl?: Maybe<string>;
}

/** A call that the assistant made; `type` is absent on some servers. */
export interface ChatCall {
  id: string;
  type?: Maybe<string>;
  function?: Maybe<{ name: string; arguments?: Maybe<string> }>;
  custom?: Maybe<{ name: string; input: string }>;
}

/** A tool of any kind; types other than these two belong to one server. */
export interface ChatTool {
  type: string;
  function?: Maybe<ChatFunction>;
  custom?: Maybe<{ name: string; description?: Maybe<string>; format?: unknown }>;
  cache_control?: Maybe<ChatCacheControl>;
}

/** A function's declaration. */
export interface ChatFunction {
  name: string;
  description?: Maybe<string>;
  parameters?: Maybe<Record<string, unknown>>;
  strict?: Maybe<boolean>;
}

/** A choice among tools in its object form. */
export interface ChatChoice {
  type: string;
  function?: Maybe<{ name: string }>;
  custom?: Maybe<{ name: string }>;
  name?: Maybe<string>;
  allowed_tools?: Maybe<{ mode: 'auto' | 'required'; tools: Record<string, unknown>[] }>;
}

/** The form of the answer's text. */
export interface ChatFormat {
  type: string;
  json_schema?: Maybe<{
    name?: Maybe<string>;
    description?: Maybe<string>;
    schema?: Maybe<Record<string, unknown>>;
    strict?: Maybe<boolean>;
  }>;
}

/** Reasoning as gateways ask for it. */
export interface ChatReasoning {
  effort?: Maybe<string>;
  max_tokens?: Maybe<number>;
  enabled?: Maybe<boolean>;
  exclude?: Maybe<boolean>;
}

const text = z.nullish(z.string());
const number = z.nullish(z.number());
const count = z.nullish(z.int());
const flag = z.nullish(z.boolean());
const object = z.nullish(z.record(z.string(), z.unknown()));
const named = z.nullish(z.looseObject({ name: z.string() }));
const cacheControl = z.nullish(z.looseObject({ type: z.string(), ttl: text }));

const part = z.looseObject({
  type: z.string(),
  text,
  refusal: text,
  image_url: z.nullish(z.union([z.string(), z.looseObject({ url: z.string(), detail: text })])),
  input_audio: z.nullish(z.looseObject({ data: z.string(), format: z.string() })),
  file: z.nullish(z.looseObject({ file_data: text, file_id: text, filename: text })),
  cache_control: cacheControl,
});

const call = z.looseObject({
  id: z.string(),
  type: text,
  function: z.nullish(z.looseObject({ name: z.string(), arguments: text })),
  custom: z.nullish(z.looseObject({ name: z.string(), input: z.string() })),
});

const message = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
  content: z.nullish(z.union([z.string(), z.array(part)], { error: 'expected a string or an array of parts' })),
  name: text,
  refusal: text,
  tool_calls: z.nullish(z.array(call)),
  tool_call_id: text,
  function_call: z.nullish(z.looseObject({ name: z.string(), arguments: z.string() })),
  cache_control: cacheControl,
});

const fn = z.looseObject({ name: z.string(), description: text, parameters: object, strict: flag });

const tool = z.looseObject({
  type: z.string(),
  function: z.nullish(fn),
  custom: z.nullish(z.looseObject({ name: z.string(), description: text })),
  cache_control: cacheControl,
});

const choice = z.looseObject({
  type: z.string(),
  function: named,
  custom: named,
  name: text,
  allowed_tools: z.nullish(
    z.looseObject({ mode: z.enum(['auto', 'required']), tools: z.array(z.record(z.string(), z.unknown())) }),
  ),
});

const format = z.looseObject({
  type: z.string(),
  json_schema: z.nullish(z.looseObject({ name: text, description: text, schema: object, strict: flag })),
});

const request = z.looseObject({
  model: z.string().check(z.minLength(1, 'expected the name of a model')),
  messages: z.array(message).check(z.minLength(1, 'expected at least one message')),
  stream: flag,
  stream_options: z.nullish(z.looseObject({ include_usage: flag })),
  tools: z.nullish(z.array(tool)),
  tool_choice: z.nullish(z.union([z.string(), choice])),
  parallel_tool_calls: flag,
  functions: z.nullish(z.array(fn)),
  function_call: z.nullish(z.union([z.string(), z.looseObject({ name: z.string() })])),
  response_format: z.nullish(format),
  reasoning_effort: text,
  reasoning: z.nullish(z.looseObject({ effort: text, max_tokens: count, enabled: flag, exclude: flag })),
  thinking: z.nullish(z.looseObject({ type: text, budget_tokens: count })),
  enable_thinking: flag,
  include_reasoning: flag,
  max_tokens: count,
  max_completion_tokens: count,
  stop: z.nullish(z.union([z.string(), z.array(z.string())])),
  temperature: number,
  top_p: number,
  top_k: number,
  frequency_penalty: number,
  presence_penalty: number,
  seed: number,
  logit_bias: z.nullish(z.record(z.string(), z.number())),
  n: count,
  logprobs: flag,
  top_logprobs: count,
  verbosity: text,
  modalities: z.nullish(z.array(z.string())),
  audio: object,
  metadata: object,
  user: text,
  safety_identifier: text,
  prompt_cache_key: text,
  cache_control: cacheControl,
  service_tier: text,
  store: flag,
  web_search_options: object,
});

/** The body as a Chat request. Throws `GatewayError` (400) that names the field. */
export function parseRequest(body: unknown): ChatRequest {
  return validate(request, body);
}

/** Whether a member of the request is one that we read or may leave out in silence. */
export function isKnown(member: string): boolean {
  return Object.hasOwn(request.shape, member) || member === 'prediction';
}
