/** All of a request that is neither conversation nor tools, read and written. */
import {
  type CanonicalRequest,
  compact,
  Ids,
  type Losses,
  type OutputFormat,
  type RequestOptions,
  type Sampling,
} from '../../dialect.ts';
import { decodeCacheControl } from './parts.ts';
import { decodeEffort, decodeReasoning, encodeReasoning } from './reasoning.ts';
import { type ChatRequest, isKnown } from './schema.ts';

/** Chat's names of the canonical members that are called otherwise. */
const fields: Readonly<Record<string, string>> = {
  maxOutputTokens: 'max_completion_tokens',
  toolChoice: 'tool_choice',
  parallelToolCalls: 'parallel_tool_calls',
  output: 'response_format',
  reasoning: 'reasoning_effort',
  'sampling.temperature': 'temperature',
  'sampling.topP': 'top_p',
  'sampling.topK': 'top_k',
  'sampling.frequencyPenalty': 'frequency_penalty',
  'sampling.presencePenalty': 'presence_penalty',
  'sampling.seed': 'seed',
  'sampling.logitBias': 'logit_bias',
  choices: 'n',
  userId: 'user',
  cacheKey: 'prompt_cache_key',
  cacheControl: 'cache_control',
  serviceTier: 'service_tier',
  turns: 'messages',
  system: 'messages',
};

type Options = Omit<CanonicalRequest, 'model' | 'system' | 'turns' | 'tools' | 'native'>;

/** The options of a request. */
export function decodeOptions(body: ChatRequest): Options {
  return compact({
    parallelToolCalls: body.parallel_tool_calls ?? undefined,
    output: decodeFormat(body),
    reasoning: decodeReasoning(body),
    maxOutputTokens: body.max_completion_tokens ?? body.max_tokens ?? undefined,
    stop: typeof body.stop === 'string' ? [body.stop] : filled(body.stop),
    sampling: decodeSampling(body),
    choices: body.n ?? undefined,
    logprobs: body.logprobs === true ? compact({ top: body.top_logprobs ?? undefined }) : undefined,
    verbosity: body.verbosity ?? undefined,
    modalities: filled(body.modalities),
    audio: body.audio ?? undefined,
    prediction: body.prediction ?? undefined,
    metadata: body.metadata ?? undefined,
    userId: body.safety_identifier ?? body.user ?? undefined,
    cacheKey: body.prompt_cache_key ?? undefined,
    cacheControl: decodeCacheControl(body.cache_control),
    serviceTier: body.service_tier ?? undefined,
    store: body.store ?? undefined,
    fields: fieldsOf(body),
    untranslated: untranslated(body),
  });
}

function filled<T>(list: readonly T[] | null | undefined): readonly T[] | undefined {
  return list && list.length > 0 ? list : undefined;
}

function fieldsOf(body: ChatRequest): Readonly<Record<string, string>> {
  return {
    ...fields,
    ...(body.max_completion_tokens == null && { maxOutputTokens: 'max_tokens' }),
    ...(body.safety_identifier && { userId: 'safety_identifier' }),
    ...(body.reasoning && { reasoning: 'reasoning' }),
    ...(body.thinking && { reasoning: 'thinking' }),
  };
}

function untranslated(body: ChatRequest): Options['untranslated'] {
  const unknown = Object.entries(body).filter(([name, value]) => value !== null && !isKnown(name));
  return filled([
    ...unknown.map(([field]) => ({ field, severity: 'minor' }) as const),
    ...(body.response_format && decodeFormat(body) === undefined
      ? [{ field: 'response_format', severity: 'severe' } as const]
      : []),
    ...(body.reasoning_effort && decodeEffort(body.reasoning_effort) === undefined
      ? [{ field: 'reasoning_effort', severity: 'minor' } as const]
      : []),
  ]);
}

function decodeFormat({ response_format: format }: ChatRequest): OutputFormat | undefined {
  if (format?.type === 'text') return { type: 'text' };
  const { name, description, schema, strict } = format?.json_schema ?? {};
  if (format?.type === 'json_object' || (format?.type === 'json_schema' && !schema)) return { type: 'json_object' };
  if (format?.type !== 'json_schema' || !schema) return undefined;
  return compact({
    type: 'json_schema',
    name: name ?? undefined,
    description: description ?? undefined,
    schema,
    strict,
  });
}

function decodeSampling(body: ChatRequest): Sampling | undefined {
  const found = compact({
    temperature: body.temperature ?? undefined,
    topP: body.top_p ?? undefined,
    topK: body.top_k ?? undefined,
    frequencyPenalty: body.frequency_penalty ?? undefined,
    presencePenalty: body.presence_penalty ?? undefined,
    seed: body.seed ?? undefined,
    logitBias: body.logit_bias ?? undefined,
  });
  return Object.keys(found).length > 0 ? found : undefined;
}

/** Members of the body for the options of a request. */
export function encodeOptions(
  request: CanonicalRequest,
  options: RequestOptions,
  losses: Losses,
): Record<string, unknown> {
  const limit = options.oldTokenLimit === true ? 'max_tokens' : 'max_completion_tokens';
  return compact({
    [limit]: request.maxOutputTokens,
    response_format: encodeFormat(request.output),
    reasoning_effort: encodeReasoning(request.reasoning, losses),
    stop: encodeStop(request.stop, losses),
    ...encodeSampling(request.sampling, options, losses),
    n: request.choices,
    logprobs: request.logprobs === undefined ? undefined : true,
    top_logprobs: request.logprobs?.top,
    verbosity: request.verbosity,
    modalities: request.modalities,
    audio: request.audio,
    prediction: request.prediction,
    metadata: request.metadata,
    user: encodeUser(request.userId),
    prompt_cache_key: request.cacheKey,
    service_tier: encodeTier(request.serviceTier, losses),
    store: request.store,
  });
}

function encodeFormat(output: OutputFormat | undefined): unknown {
  if (output?.type !== 'json_schema') return output;
  const { name = 'answer', description, schema, strict = true } = output;
  return { type: 'json_schema', json_schema: compact({ name, description, schema, strict: strict ?? undefined }) };
}

/** Chat takes four stop strings. */
function encodeStop(stop: readonly string[] | undefined, losses: Losses): readonly string[] | undefined {
  if (stop !== undefined && stop.length > 4) losses.severe('stop', 'Chat takes at most four stop strings');
  return stop?.slice(0, 4);
}

/** A seed is no matter of drawing at random, so it goes on where the rest may not. */
function encodeSampling(sampling: Sampling = {}, options: RequestOptions, losses: Losses): Record<string, unknown> {
  const { seed, topK, ...drawn } = sampling;
  if (topK !== undefined) losses.minor('sampling.topK', 'Chat has no top_k');
  if (options.sampling === false)
    for (const name of Object.keys(drawn)) losses.minor(`sampling.${name}`, 'the upstream takes no sampling options');
  const kept = options.sampling === false ? {} : drawn;
  return {
    temperature: kept.temperature,
    top_p: kept.topP,
    frequency_penalty: kept.frequencyPenalty,
    presence_penalty: kept.presencePenalty,
    logit_bias: kept.logitBias,
    seed,
  };
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
  if (tiers[tier] === undefined) losses.minor('serviceTier', 'Chat has no such tier');
  return tiers[tier];
}
