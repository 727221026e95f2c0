/** All of a request that is neither conversation nor tools, read and written. */
import {
  type CanonicalRequest,
  compact,
  type Effort,
  effortOf,
  entryOf,
  Ids,
  type Losses,
  type OutputFormat,
  type ReasoningRequest,
  type RequestOptions,
  type Sampling,
} from '../../dialect.ts';
import { isKnown, type ResponsesRequest } from './schema.ts';

/** Responses' names of the canonical members that are called otherwise. */
const fields: Readonly<Record<string, string>> = {
  maxOutputTokens: 'max_output_tokens',
  toolChoice: 'tool_choice',
  parallelToolCalls: 'parallel_tool_calls',
  output: 'text.format',
  verbosity: 'text.verbosity',
  'sampling.temperature': 'temperature',
  'sampling.topP': 'top_p',
  logprobs: 'top_logprobs',
  userId: 'user',
  cacheKey: 'prompt_cache_key',
  serviceTier: 'service_tier',
  turns: 'input',
  system: 'instructions',
};

type Options = Omit<CanonicalRequest, 'model' | 'system' | 'turns' | 'tools' | 'native' | 'refers'>;

/** The options of a request. */
export function decodeOptions(body: ResponsesRequest): Options {
  return compact({
    parallelToolCalls: body.parallel_tool_calls ?? undefined,
    output: decodeFormat(body),
    verbosity: body.text?.verbosity ?? undefined,
    reasoning: decodeReasoning(body),
    maxOutputTokens: body.max_output_tokens ?? undefined,
    sampling: decodeSampling(body),
    logprobs: decodeLogprobs(body),
    metadata: body.metadata ?? undefined,
    userId: body.safety_identifier ?? body.user ?? undefined,
    cacheKey: body.prompt_cache_key ?? undefined,
    serviceTier: body.service_tier ?? undefined,
    store: body.store ?? undefined,
    fields: { ...fields, ...(body.safety_identifier && { userId: 'safety_identifier' }) },
    untranslated: untranslated(body),
  });
}

/** Fields whose loss changes the answer, where they are set to anything at all. */
const stateful: readonly (keyof ResponsesRequest)[] = ['background', 'previous_response_id', 'conversation', 'prompt'];

/** What can be asked to be included without which the answer is still whole: the encodings of our own stream. */
const spared: ReadonlySet<string> = new Set(['reasoning.encrypted_content', 'message.output_text.logprobs']);

function untranslated(body: ResponsesRequest): Options['untranslated'] {
  const unknown = Object.entries(body).filter(([name, value]) => value !== null && !isKnown(name));
  const found = [
    ...unknown.map(([field]) => ({ field, severity: 'minor' }) as const),
    ...stateful.filter((name) => body[name]).map((field) => ({ field, severity: 'severe' }) as const),
    ...(body.text?.format && decodeFormat(body) === undefined
      ? [{ field: 'text.format', severity: 'severe' } as const]
      : []),
    ...(body.reasoning?.effort && decodeEffort(body.reasoning.effort) === undefined
      ? [{ field: 'reasoning.effort', severity: 'minor' } as const]
      : []),
    ...(body.include?.some((what) => !spared.has(what)) ? [{ field: 'include', severity: 'minor' } as const] : []),
    ...(body.truncation === 'auto' ? [{ field: 'truncation', severity: 'minor' } as const] : []),
    ...(body.max_tool_calls != null ? [{ field: 'max_tool_calls', severity: 'minor' } as const] : []),
  ];
  return found.length > 0 ? found : undefined;
}

function decodeFormat({ text }: ResponsesRequest): OutputFormat | undefined {
  const { type, name, description, schema, strict } = text?.format ?? {};
  if (type === 'text' || type === 'json_object') return { type };
  if (type !== 'json_schema' || !schema) return undefined;
  return compact({ type, name: name ?? undefined, description: description ?? undefined, schema, strict });
}

const efforts: readonly string[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

function decodeEffort(word: string): Effort | 'none' | undefined {
  return efforts.includes(word) ? (word as Effort | 'none') : undefined;
}

const summaries: readonly string[] = ['auto', 'concise', 'detailed'];

function decodeReasoning({ reasoning }: ResponsesRequest): ReasoningRequest | undefined {
  const summary = reasoning?.summary ?? reasoning?.generate_summary ?? '';
  const found = compact({
    effort: reasoning?.effort ? decodeEffort(reasoning.effort) : undefined,
    summary: summaries.includes(summary) ? (summary as 'auto' | 'concise' | 'detailed') : undefined,
  });
  return Object.keys(found).length > 0 ? found : undefined;
}

function decodeSampling(body: ResponsesRequest): Sampling | undefined {
  const found = compact({ temperature: body.temperature ?? undefined, topP: body.top_p ?? undefined });
  return Object.keys(found).length > 0 ? found : undefined;
}

/** Either of the two ways to ask for them. */
function decodeLogprobs({ top_logprobs: top, include }: ResponsesRequest): CanonicalRequest['logprobs'] {
  if (top) return { top };
  return include?.includes('message.output_text.logprobs') ? {} : undefined;
}

/** OpenAI refuses fewer (seen in public reports, 2026-11-29). */
const fewestTokens = 16;

/** Members of the body for the options of a request. */
export function encodeOptions(
  request: CanonicalRequest,
  options: RequestOptions,
  losses: Losses,
): Record<string, unknown> {
  reportLost(request, losses);
  const text = compact({ format: encodeFormat(request.output), verbosity: request.verbosity });
  return compact({
    max_output_tokens: encodeLimit(request.maxOutputTokens, losses),
    text: Object.keys(text).length > 0 ? text : undefined,
    reasoning: encodeReasoning(request.reasoning, losses),
    ...encodeSampling(request.sampling, options, losses),
    top_logprobs: request.logprobs?.top,
    metadata: request.metadata,
    user: encodeUser(request.userId),
    prompt_cache_key: request.cacheKey,
    service_tier: encodeTier(request.serviceTier, losses),
    store: request.store ?? false,
  });
}

function reportLost(request: CanonicalRequest, losses: Losses): void {
  if ((request.choices ?? 1) > 1) losses.severe('choices', 'a response is one answer');
  if (request.modalities?.some((kind) => kind !== 'text')) losses.severe('modalities', 'Responses answers with text');
  if (request.prediction !== undefined) losses.minor('prediction', 'Responses takes no prediction');
  if (request.cacheControl !== undefined) losses.minor('cacheControl', 'Responses caches by itself');
  if (request.stop !== undefined && request.stop.length > 0)
    losses.minor('stop', 'Responses has no stop strings: the answer is cut on its way back');
}

function encodeLimit(tokens: number | undefined, losses: Losses): number | undefined {
  if (tokens === undefined || tokens >= fewestTokens) return tokens;
  losses.minor('maxOutputTokens', `Responses takes ${fewestTokens} at the least`);
  return fewestTokens;
}

function encodeFormat(output: OutputFormat | undefined): unknown {
  if (output?.type !== 'json_schema') return output;
  const { type, name = 'answer', description, schema, strict = true } = output;
  return compact({ type, name, description, schema, strict: strict ?? undefined });
}

/** Tokens become the nearest word; models without reasoning refuse the field, so `none` asks for nothing. */
function encodeReasoning(reasoning: ReasoningRequest | undefined, losses: Losses): unknown {
  const { effort, budgetTokens, summary } = reasoning ?? {};
  if (effort === 'none') losses.minor('reasoning', 'left to the upstream: many models refuse "none"');
  else if (effort === undefined && budgetTokens !== undefined)
    losses.minor('reasoning', 'Responses knows efforts, not tokens: the nearest one is asked for');
  const word = effort ?? (budgetTokens === undefined ? undefined : effortOf(budgetTokens));
  const found = compact({
    effort: word === 'none' ? undefined : word,
    summary: summary === 'none' || effort === 'none' ? undefined : summary,
  });
  return Object.keys(found).length > 0 ? found : undefined;
}

function encodeSampling(sampling: Sampling = {}, options: RequestOptions, losses: Losses): Record<string, unknown> {
  const { temperature, topP, ...others } = sampling;
  for (const name of Object.keys(others)) losses.minor(`sampling.${name}`, 'Responses has no such option');
  if (options.sampling !== false) return { temperature, top_p: topP };
  for (const name of Object.keys(compact({ temperature, topP })))
    losses.minor(`sampling.${name}`, 'the upstream takes no sampling options');
  return {};
}

/** OpenAI refuses names over 64 characters; a long one becomes a short one that is as stable. */
function encodeUser(userId: string | undefined): string | undefined {
  return userId !== undefined && userId.length > 64 ? new Ids(userId).invent('user_') : userId;
}

const tiers: Readonly<Record<string, string>> = {
  auto: 'auto',
  standard_only: 'default',
  default: 'default',
  flex: 'flex',
  scale: 'scale',
  priority: 'priority',
};

function encodeTier(tier: string | undefined, losses: Losses): string | undefined {
  if (tier === undefined) return undefined;
  const known = entryOf(tiers, tier);
  if (known === undefined) losses.minor('serviceTier', 'Responses has no such tier');
  return known;
}
