/** The Responses request on the wire: what we read of it, and its check, which lets members pass that we do not know. */
import * as z from 'zod/mini';
import { validate } from '../../dialect.ts';

/** Absent, null and a value are three ways to write an optional member; OpenAI takes all three. */
type Maybe<T> = T | null | undefined;

/** The body of `POST /responses` (platform.openai.com/docs/api-reference/responses/create, seen 2026-11-29). */
export interface ResponsesRequest {
  model: string;
  input?: Maybe<string | ResponsesItem[]>;
  instructions?: Maybe<string | ResponsesItem[]>;
  stream?: Maybe<boolean>;
  stream_options?: Maybe<Record<string, unknown>>;
  tools?: Maybe<ResponsesTool[]>;
  tool_choice?: Maybe<string | ResponsesChoice>;
  parallel_tool_calls?: Maybe<boolean>;
  max_tool_calls?: Maybe<number>;
  text?: Maybe<{ format?: Maybe<ResponsesFormat>; verbosity?: Maybe<string> }>;
  reasoning?: Maybe<{ effort?: Maybe<string>; summary?: Maybe<string>; generate_summary?: Maybe<string> }>;
  include?: Maybe<string[]>;
  max_output_tokens?: Maybe<number>;
  temperature?: Maybe<number>;
  top_p?: Maybe<number>;
  top_logprobs?: Maybe<number>;
  metadata?: Maybe<Record<string, unknown>>;
  store?: Maybe<boolean>;
  previous_response_id?: Maybe<string>;
  conversation?: Maybe<string | { id: string }>;
  prompt?: Maybe<Record<string, unknown>>;
  background?: Maybe<boolean>;
  truncation?: Maybe<string>;
  service_tier?: Maybe<string>;
  prompt_cache_key?: Maybe<string>;
  safety_identifier?: Maybe<string>;
  user?: Maybe<string>;
}

/** One item of the input, of any type; a message may leave its type out. */
export interface ResponsesItem {
  type?: Maybe<string>;
  id?: Maybe<string>;
  role?: Maybe<string>;
  content?: Maybe<string | ResponsesPart[]>;
  call_id?: Maybe<string>;
  name?: Maybe<string>;
  arguments?: unknown;
  input?: unknown;
  output?: unknown;
  summary?: Maybe<{ text?: Maybe<string> }[]>;
  encrypted_content?: Maybe<string>;
}

/** One piece of a content or of a tool's output; which members it needs depends on its type. */
export interface ResponsesPart {
  type: string;
  text?: Maybe<string>;
  refusal?: Maybe<string>;
  image_url?: Maybe<string>;
  file_id?: Maybe<string>;
  detail?: Maybe<string>;
  file_data?: Maybe<string>;
  file_url?: Maybe<string>;
  filename?: Maybe<string>;
  input_audio?: Maybe<{ data: string; format: string }>;
}

/** A tool of any kind, its members beside its type. */
export interface ResponsesTool {
  type: string;
  name?: Maybe<string>;
  description?: Maybe<string>;
  parameters?: Maybe<Record<string, unknown>>;
  strict?: Maybe<boolean>;
  format?: Maybe<Record<string, unknown>>;
}

/** A choice among tools in its object form. */
export interface ResponsesChoice {
  type: string;
  name?: Maybe<string>;
  mode?: Maybe<'auto' | 'required'>;
  tools?: Maybe<Record<string, unknown>[]>;
}

/** The form of the answer's text. */
export interface ResponsesFormat {
  type: string;
  name?: Maybe<string>;
  description?: Maybe<string>;
  schema?: Maybe<Record<string, unknown>>;
  strict?: Maybe<boolean>;
}

const text = z.nullish(z.string());
const number = z.nullish(z.number());
const count = z.nullish(z.int());
const flag = z.nullish(z.boolean());
const object = z.nullish(z.record(z.string(), z.unknown()));

const part = z.looseObject({
  type: z.string(),
  text,
  refusal: text,
  image_url: text,
  file_id: text,
  detail: text,
  file_data: text,
  file_url: text,
  filename: text,
  input_audio: z.nullish(z.looseObject({ data: z.string(), format: z.string() })),
});

const parts = z.array(part);

/** The pieces of a tool's output. Throws `GatewayError` (400) that names the field. */
export function parseParts(value: unknown, at: string): ResponsesPart[] {
  return validate(parts, value, at);
}

const item = z.looseObject({
  type: text,
  id: text,
  role: text,
  content: z.nullish(z.union([z.string(), parts], { error: 'expected a string or an array of parts' })),
  call_id: text,
  name: text,
  summary: z.nullish(z.array(z.looseObject({ text }))),
  encrypted_content: text,
});

const tool = z.looseObject({ type: z.string(), name: text, description: text, parameters: object, strict: flag });

const choice = z.looseObject({
  type: z.string(),
  name: text,
  mode: z.nullish(z.enum(['auto', 'required'])),
  tools: z.nullish(z.array(z.record(z.string(), z.unknown()))),
});

const format = z.looseObject({ type: z.string(), name: text, description: text, schema: object, strict: flag });

const request = z.looseObject({
  model: z.string().check(z.minLength(1, 'expected the name of a model')),
  input: z.nullish(z.union([z.string(), z.array(item)], { error: 'expected a string or an array of items' })),
  instructions: z.nullish(z.union([z.string(), z.array(item)])),
  stream: flag,
  stream_options: object,
  tools: z.nullish(z.array(tool)),
  tool_choice: z.nullish(z.union([z.string(), choice])),
  parallel_tool_calls: flag,
  max_tool_calls: count,
  text: z.nullish(z.looseObject({ format: z.nullish(format), verbosity: text })),
  reasoning: z.nullish(z.looseObject({ effort: text, summary: text, generate_summary: text })),
  include: z.nullish(z.array(z.string())),
  max_output_tokens: count,
  temperature: number,
  top_p: number,
  top_logprobs: count,
  metadata: object,
  store: flag,
  previous_response_id: text,
  conversation: z.nullish(z.union([z.string(), z.looseObject({ id: z.string() })])),
  prompt: object,
  background: flag,
  truncation: text,
  service_tier: text,
  prompt_cache_key: text,
  safety_identifier: text,
  user: text,
});

/** The body as a Responses request. Throws `GatewayError` (400) that names the field. */
export function parseRequest(body: unknown): ResponsesRequest {
  return validate(request, body);
}

/** Whether a member of the request is one that we read or may leave out in silence. */
export function isKnown(member: string): boolean {
  return Object.hasOwn(request.shape, member);
}
