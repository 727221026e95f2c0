/** The request on the wire, as far as we read it, and its check; members we do not know pass. */
import * as z from 'zod/mini';
import { validate } from '../../dialect.ts';

/** Absent and null are two ways to leave an optional member out. */
type Maybe<T> = T | null | undefined;
type Obj = Record<string, unknown>;

/** The body of `POST /interactions` (types of the official client 2.32.0, seen 2026-11-29). */
export interface InteractionsRequest {
  model?: Maybe<string>;
  agent?: Maybe<string>;
  input?: Maybe<string | Entry | Entry[]>;
  system_instruction?: Maybe<string>;
  tools?: Maybe<InteractionsTool[]>;
  generation_config?: Maybe<InteractionsConfig>;
  response_format?: Maybe<Obj | Obj[]>;
  response_mime_type?: Maybe<string>;
  response_modalities?: Maybe<string[]>;
  previous_interaction_id?: Maybe<string>;
  store?: Maybe<boolean>;
  stream?: Maybe<boolean>;
  background?: Maybe<boolean>;
  labels?: Maybe<Obj>;
  service_tier?: Maybe<string>;
}

/** A content, a step, or the turn of one side; its type says which, and a turn has a role instead. */
export interface Entry {
  type?: Maybe<string>;
  role?: Maybe<string>;
  content?: Maybe<string | Entry[]>;
  text?: Maybe<string>;
  data?: Maybe<string>;
  uri?: Maybe<string>;
  mime_type?: Maybe<string>;
  resolution?: Maybe<string>;
  summary?: Maybe<string | Entry[]>;
  signature?: Maybe<string>;
  id?: Maybe<string>;
  call_id?: Maybe<string>;
  name?: Maybe<string>;
  arguments?: Maybe<string | Obj>;
  is_error?: Maybe<boolean>;
  result?: unknown;
}

/** A function of the client, or one of the provider's own tools. */
export interface InteractionsTool {
  type: string;
  name?: Maybe<string>;
  description?: Maybe<string>;
  parameters?: Maybe<Obj>;
}

/** How the answer is made. */
export interface InteractionsConfig {
  max_output_tokens?: Maybe<number>;
  temperature?: Maybe<number>;
  top_p?: Maybe<number>;
  top_k?: Maybe<number>;
  presence_penalty?: Maybe<number>;
  frequency_penalty?: Maybe<number>;
  seed?: Maybe<number>;
  stop_sequences?: Maybe<string[]>;
  thinking_level?: Maybe<string>;
  thinking_summaries?: Maybe<string>;
  tool_choice?: Maybe<string | { allowed_tools?: Maybe<{ mode?: Maybe<string>; tools?: Maybe<string[]> }> }>;
}

const text = z.nullish(z.string());
const number = z.nullish(z.number());
const count = z.nullish(z.int());
const flag = z.nullish(z.boolean());
const object = z.nullish(z.record(z.string(), z.unknown()));

const leaf = {
  type: text,
  text,
  data: text,
  uri: text,
  mime_type: text,
  resolution: text,
  signature: text,
  id: text,
  call_id: text,
  name: text,
  arguments: z.nullish(z.union([z.string(), z.record(z.string(), z.unknown())])),
  is_error: flag,
};
const piece = z.looseObject({ ...leaf, summary: z.nullish(z.union([z.string(), z.array(z.looseObject(leaf))])) });
const pieces = z.nullish(z.union([z.string(), z.array(piece)]));
const entry = z.looseObject({ ...leaf, role: text, content: pieces, summary: pieces });

const config = z.looseObject({
  max_output_tokens: count,
  temperature: number,
  top_p: number,
  top_k: number,
  presence_penalty: number,
  frequency_penalty: number,
  seed: count,
  stop_sequences: z.nullish(z.array(z.string())),
  thinking_level: text,
  thinking_summaries: text,
  tool_choice: z.nullish(
    z.union([
      z.string(),
      z.looseObject({
        allowed_tools: z.nullish(z.looseObject({ mode: text, tools: z.nullish(z.array(z.string())) })),
      }),
    ]),
  ),
});

const request = z.looseObject({
  model: text,
  agent: text,
  input: z.nullish(z.union([z.string(), z.array(entry), entry])),
  system_instruction: text,
  tools: z.nullish(z.array(z.looseObject({ type: z.string(), name: text, description: text, parameters: object }))),
  generation_config: z.nullish(config),
  response_format: z.nullish(z.union([z.record(z.string(), z.unknown()), z.array(z.record(z.string(), z.unknown()))])),
  response_mime_type: text,
  response_modalities: z.nullish(z.array(z.string())),
  previous_interaction_id: text,
  store: flag,
  stream: flag,
  background: flag,
  labels: object,
  service_tier: text,
});

/** The body as a request. Throws `GatewayError` (400) that names the field. */
export function parseRequest(body: unknown): InteractionsRequest {
  return validate(request, body);
}

/** Whether a member of the request is one that we read. */
export function isKnown(member: string): boolean {
  return Object.hasOwn(request.shape, member);
}

/** Whether a member of `generation_config` is one that we read. */
export function isKnownOfConfig(member: string): boolean {
  return Object.hasOwn(config.shape, member);
}
