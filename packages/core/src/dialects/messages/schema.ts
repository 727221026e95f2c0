/** The Messages request on the wire: what we read of it, and its check, which lets members pass that we do not know. */
import * as z from 'zod/mini';
import { validate } from '../../dialect.ts';

/** Absent and null are two ways to leave an optional member out. */
type Maybe<T> = T | null | undefined;

/** The body of `POST /messages` (platform.claude.com/docs/en/api/messages, seen 2026-11-29). */
export interface MessagesRequest {
  model: string;
  messages: MessagesMessage[];
  system?: Maybe<string | MessagesBlock[]>;
  /** Demanded by the API; a request without it is given one. */
  max_tokens?: Maybe<number>;
  stream?: Maybe<boolean>;
  tools?: Maybe<MessagesTool[]>;
  tool_choice?: Maybe<{ type: string; name?: Maybe<string>; disable_parallel_tool_use?: Maybe<boolean> }>;
  thinking?: Maybe<{ type: string; budget_tokens?: Maybe<number>; display?: Maybe<string> }>;
  output_config?: Maybe<{ effort?: Maybe<string>; format?: Maybe<MessagesFormat> }>;
  /** The older place of `output_config.format`. */
  output_format?: Maybe<MessagesFormat>;
  stop_sequences?: Maybe<string[]>;
  temperature?: Maybe<number>;
  top_p?: Maybe<number>;
  top_k?: Maybe<number>;
  metadata?: Maybe<{ user_id?: Maybe<string> }>;
  service_tier?: Maybe<string>;
  cache_control?: Maybe<MessagesCacheControl>;
}

/** One message; `system` among the turns came with the models of 2026. */
export interface MessagesMessage {
  role: 'user' | 'assistant' | 'system';
  content: string | MessagesBlock[];
}

/** One content block; which members it needs depends on its type. */
export interface MessagesBlock {
  type: string;
  text?: Maybe<string>;
  /** Citations of a text, or whether a document is to be cited. */
  citations?: unknown;
  /** Where a medium is; for a search result, the name of its source. */
  source?: Maybe<string | MessagesSource>;
  title?: Maybe<string>;
  context?: Maybe<string>;
  id?: Maybe<string>;
  name?: Maybe<string>;
  input?: unknown;
  tool_use_id?: Maybe<string>;
  /** Of a tool result: a text or blocks; other results have forms of their own. */
  content?: unknown;
  is_error?: Maybe<boolean>;
  thinking?: Maybe<string>;
  signature?: Maybe<string>;
  data?: Maybe<string>;
  cache_control?: Maybe<MessagesCacheControl>;
}

/** Where the bytes of an image or a document are. */
export interface MessagesSource {
  type: string;
  media_type?: Maybe<string>;
  data?: Maybe<string>;
  url?: Maybe<string>;
  file_id?: Maybe<string>;
  content?: unknown;
}

/** A breakpoint of the prompt cache. */
export interface MessagesCacheControl {
  type: string;
  ttl?: Maybe<string>;
}

/** A tool with a schema, or one that Anthropic defined and named by its type. */
export interface MessagesTool {
  type?: Maybe<string>;
  name?: Maybe<string>;
  description?: Maybe<string>;
  input_schema?: Maybe<Record<string, unknown>>;
  strict?: Maybe<boolean>;
  eager_input_streaming?: Maybe<boolean>;
  cache_control?: Maybe<MessagesCacheControl>;
}

/** The form of the answer's text. */
export interface MessagesFormat {
  type: string;
  schema?: Maybe<Record<string, unknown>>;
}

const text = z.nullish(z.string());
const number = z.nullish(z.number());
const count = z.nullish(z.int());
const flag = z.nullish(z.boolean());
const object = z.nullish(z.record(z.string(), z.unknown()));
const cacheControl = z.nullish(z.looseObject({ type: z.string(), ttl: text }));

const source = z.looseObject({ type: z.string(), media_type: text, data: text, url: text, file_id: text });

const block = z.looseObject({
  type: z.string(),
  text,
  source: z.nullish(z.union([z.string(), source])),
  title: text,
  context: text,
  id: text,
  name: text,
  tool_use_id: text,
  is_error: flag,
  thinking: text,
  signature: text,
  data: text,
  cache_control: cacheControl,
});

const content = z.union([z.string(), z.array(block)], { error: 'expected a string or an array of blocks' });

const tool = z.looseObject({
  type: text,
  name: text,
  description: text,
  input_schema: object,
  strict: flag,
  eager_input_streaming: flag,
  cache_control: cacheControl,
});

const format = z.nullish(z.looseObject({ type: z.string(), schema: object }));

const request = z.looseObject({
  model: z.string().check(z.minLength(1, 'expected the name of a model')),
  messages: z
    .array(z.looseObject({ role: z.enum(['user', 'assistant', 'system']), content }))
    .check(z.minLength(1, 'expected at least one message')),
  system: z.nullish(content),
  max_tokens: count,
  stream: flag,
  tools: z.nullish(z.array(tool)),
  tool_choice: z.nullish(z.looseObject({ type: z.string(), name: text, disable_parallel_tool_use: flag })),
  thinking: z.nullish(z.looseObject({ type: z.string(), budget_tokens: count, display: text })),
  output_config: z.nullish(z.looseObject({ effort: text, format })),
  output_format: format,
  stop_sequences: z.nullish(z.array(z.string())),
  temperature: number,
  top_p: number,
  top_k: number,
  metadata: z.nullish(z.looseObject({ user_id: text })),
  service_tier: text,
  cache_control: cacheControl,
});

/** The body as a Messages request. Throws `GatewayError` (400) that names the field. */
export function parseRequest(body: unknown): MessagesRequest {
  return validate(request, body);
}

/** The content of a tool result or of a document. Throws `GatewayError` (400) that names the field. */
export function parseContent(value: unknown, at: string): string | MessagesBlock[] {
  return validate(content, value, at);
}

/** Whether a member of the request is one that we read. */
export function isKnown(member: string): boolean {
  return Object.hasOwn(request.shape, member);
}

/** Whether a member of a tool with a schema is one that we read. */
export function isKnownOfTool(member: string): boolean {
  return Object.hasOwn(tool.shape, member);
}
