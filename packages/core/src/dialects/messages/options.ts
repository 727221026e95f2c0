/** All of a request that is neither conversation, tools nor thinking, read and written. */
import {
  type CanonicalRequest,
  compact,
  type JsonObject,
  type Losses,
  type OutputFormat,
  type RequestOptions,
  type Sampling,
} from '../../dialect.ts';
import { decodeCacheControl } from './parts.ts';
import { decodeReasoning, isUnread } from './reasoning.ts';
import { isKnown, type MessagesRequest } from './schema.ts';
import { untranslatedOfTools } from './tools.ts';

/** Messages' names of the canonical members that are called otherwise. */
const fields: Readonly<Record<string, string>> = {
  maxOutputTokens: 'max_tokens',
  toolChoice: 'tool_choice',
  parallelToolCalls: 'tool_choice.disable_parallel_tool_use',
  output: 'output_config.format',
  reasoning: 'thinking',
  stop: 'stop_sequences',
  'sampling.temperature': 'temperature',
  'sampling.topP': 'top_p',
  'sampling.topK': 'top_k',
  userId: 'metadata.user_id',
  cacheControl: 'cache_control',
  serviceTier: 'service_tier',
  turns: 'messages',
};

type Options = Omit<CanonicalRequest, 'model' | 'system' | 'turns' | 'tools' | 'native'>;

/** The options of a request. */
export function decodeOptions(body: MessagesRequest): Options {
  const single = body.tool_choice?.disable_parallel_tool_use;
  return compact({
    parallelToolCalls: typeof single === 'boolean' ? !single : undefined,
    output: decodeFormat(body),
    reasoning: decodeReasoning(body),
    maxOutputTokens: body.max_tokens ?? undefined,
    stop: body.stop_sequences?.length ? body.stop_sequences : undefined,
    sampling: decodeSampling(body),
    userId: body.metadata?.user_id ?? undefined,
    cacheControl: decodeCacheControl(body.cache_control),
    serviceTier: body.service_tier ?? undefined,
    fields: body.thinking ? fields : { ...fields, reasoning: 'output_config.effort' },
    untranslated: untranslated(body),
  });
}

/** Members that bring tools along; without them the answer is another. */
const grave: readonly string[] = ['mcp_servers', 'container'];

function untranslated(body: MessagesRequest): Options['untranslated'] {
  const of = (holder: object | null | undefined, known: (name: string) => boolean, prefix = '') =>
    Object.entries(holder ?? {})
      .filter(([name, value]) => value !== null && !known(name))
      .map(([name]) => ({ field: prefix + name, severity: grave.includes(name) ? 'severe' : 'minor' }) as const);
  const list = [
    ...of(body, isKnown),
    ...of(body.output_config, (name) => name === 'effort' || name === 'format', 'output_config.'),
    ...of(body.metadata, (name) => name === 'user_id', 'metadata.'),
    ...untranslatedOfTools(body),
    ...unknownForms(body),
  ];
  return list.length > 0 ? list : undefined;
}

/** Values that we cannot read, in members that we can. */
function unknownForms(body: MessagesRequest): { field: string; severity: 'minor' | 'severe' }[] {
  const format = body.output_config?.format ?? body.output_format;
  return [
    ...(format && decodeFormat(body) === undefined
      ? [{ field: 'output_config.format', severity: 'severe' } as const]
      : []),
    ...(isUnread(body) ? [{ field: 'thinking', severity: 'minor' } as const] : []),
  ];
}

function decodeFormat({ output_config: config, output_format: older }: MessagesRequest): OutputFormat | undefined {
  const format = config?.format ?? older;
  return format?.type === 'json_schema' && format.schema ? { type: 'json_schema', schema: format.schema } : undefined;
}

function decodeSampling(body: MessagesRequest): Sampling | undefined {
  const found = compact({
    temperature: body.temperature ?? undefined,
    topP: body.top_p ?? undefined,
    topK: body.top_k ?? undefined,
  });
  return Object.keys(found).length > 0 ? found : undefined;
}

/** Members of the body for the options of a request. */
export function encodeOptions(
  request: CanonicalRequest,
  options: RequestOptions,
  thinks: boolean,
  losses: Losses,
): JsonObject {
  for (const [field, severity, asked] of lacking)
    if (asked(request)) losses[severity](field, 'Messages has no such field');
  return compact({
    stop_sequences: encodeStop(request.stop, losses),
    ...encodeSampling(request.sampling, options, thinks, losses),
    metadata: request.userId === undefined ? undefined : { user_id: request.userId },
    service_tier: encodeTier(request.serviceTier, losses),
    cache_control: request.cacheControl,
  });
}

/** What Messages cannot be asked for, how much it matters, and whether it was asked for. */
const lacking: readonly (readonly [string, 'minor' | 'severe', (request: CanonicalRequest) => boolean])[] = [
  ['choices', 'severe', ({ choices = 1 }) => choices > 1],
  ['modalities', 'severe', ({ modalities = [] }) => modalities.some((kind) => kind !== 'text')],
  ['sampling.frequencyPenalty', 'minor', ({ sampling }) => Boolean(sampling?.frequencyPenalty)],
  ['sampling.presencePenalty', 'minor', ({ sampling }) => Boolean(sampling?.presencePenalty)],
  ['sampling.seed', 'minor', ({ sampling }) => sampling?.seed !== undefined],
  ['sampling.logitBias', 'minor', ({ sampling }) => Object.keys(sampling?.logitBias ?? {}).length > 0],
  ['logprobs', 'minor', ({ logprobs }) => logprobs !== undefined],
  ['verbosity', 'minor', ({ verbosity }) => verbosity !== undefined],
  ['prediction', 'minor', ({ prediction }) => prediction !== undefined],
  ['metadata', 'minor', ({ metadata }) => Object.keys(metadata ?? {}).length > 0],
  ['cacheKey', 'minor', ({ cacheKey }) => cacheKey !== undefined],
  ['store', 'minor', ({ store }) => store === true],
];

/** The API refuses stop strings of nothing but white space. */
function encodeStop(stop: readonly string[] | undefined, losses: Losses): readonly string[] | undefined {
  const kept = stop?.filter((text) => text.trim() !== '');
  if (kept?.length !== stop?.length) losses.severe('stop', 'Messages takes no stop string of white space alone');
  return kept?.length ? kept : undefined;
}

/** Temperature ends at 1 here; thinking excludes it and its kin; and newer models take one of temperature and top_p. */
function encodeSampling(sampling: Sampling = {}, options: RequestOptions, thinks: boolean, losses: Losses): JsonObject {
  const { temperature, topP, topK } = sampling;
  const drop = (name: keyof Sampling, reason: string): undefined =>
    losses.minor(`sampling.${name}`, reason) as undefined;
  const reason =
    options.sampling === false ? 'the upstream takes no sampling options' : thinks ? 'excluded by thinking' : undefined;
  if (reason !== undefined) {
    for (const name of ['temperature', 'topP', 'topK'] as const)
      if (sampling[name] !== undefined && (name === 'topK' || sampling[name] !== 1)) drop(name, reason);
    return {};
  }
  if (temperature !== undefined && temperature > 1) drop('temperature', 'Messages ends at 1: sent as 1');
  const both = temperature !== undefined && topP !== undefined;
  if (both && topP !== 1) drop('topP', 'Messages takes one of temperature and top_p');
  return {
    temperature: temperature === undefined ? undefined : Math.min(temperature, 1),
    top_p: both ? undefined : topP,
    top_k: topK,
  };
}

const tiers: Readonly<Record<string, string>> = {
  auto: 'auto',
  default: 'standard_only',
  standard_only: 'standard_only',
};

function encodeTier(tier: string | undefined, losses: Losses): string | undefined {
  if (tier === undefined) return undefined;
  if (tiers[tier] === undefined) losses.minor('serviceTier', 'Messages has no such tier');
  return tiers[tier];
}
