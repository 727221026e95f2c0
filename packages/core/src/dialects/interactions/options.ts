/** All of a request that is neither conversation nor tools, read and written. */
import {
  asObject,
  asText,
  type CanonicalRequest,
  compact,
  type JsonObject,
  type Losses,
  type OutputFormat,
  type RequestOptions,
  type Sampling,
} from '../../dialect.ts';
import { decodeReasoning, encodeReasoning, isUnread } from './reasoning.ts';
import { type InteractionsConfig, type InteractionsRequest, isKnown, isKnownOfConfig } from './schema.ts';

/** The dialect's names of the canonical members that are called otherwise. */
const fields: Readonly<Record<string, string>> = {
  maxOutputTokens: 'generation_config.max_output_tokens',
  toolChoice: 'generation_config.tool_choice',
  output: 'response_format',
  reasoning: 'generation_config.thinking_level',
  stop: 'generation_config.stop_sequences',
  'sampling.temperature': 'generation_config.temperature',
  'sampling.topP': 'generation_config.top_p',
  'sampling.topK': 'generation_config.top_k',
  'sampling.frequencyPenalty': 'generation_config.frequency_penalty',
  'sampling.presencePenalty': 'generation_config.presence_penalty',
  'sampling.seed': 'generation_config.seed',
  modalities: 'response_modalities',
  metadata: 'labels',
  serviceTier: 'service_tier',
  turns: 'input',
  system: 'system_instruction',
};

type Options = Omit<CanonicalRequest, 'model' | 'system' | 'turns' | 'tools' | 'native' | 'refers'>;

/** The options of a request. */
export function decodeOptions(body: InteractionsRequest): Options {
  const config = body.generation_config ?? {};
  const modalities = body.response_modalities?.map((word) => word.toLowerCase());
  return compact({
    output: decodeFormat(body),
    reasoning: decodeReasoning(config),
    maxOutputTokens: config.max_output_tokens ?? undefined,
    stop: config.stop_sequences?.length ? config.stop_sequences : undefined,
    sampling: decodeSampling(config),
    modalities: modalities?.length ? modalities : undefined,
    metadata: body.labels ?? undefined,
    serviceTier: body.service_tier ?? undefined,
    store: body.store ?? undefined,
    fields,
    untranslated: untranslated(body, config),
  });
}

/** Members without which the answer is another, or comes in another way. */
const grave: ReadonlySet<string> = new Set(['cached_content', 'continuation_token', 'environment']);

function untranslated(body: InteractionsRequest, config: InteractionsConfig): Options['untranslated'] {
  const unknown = Object.entries(body).filter(([name, value]) => value != null && !isKnown(name));
  const ofConfig = Object.entries(config).filter(([name, value]) => value != null && !isKnownOfConfig(name));
  const list = [
    ...unknown.map(([field]) => ({ field, severity: grave.has(field) ? 'severe' : 'minor' }) as const),
    ...ofConfig.map(([name]) => ({ field: `generation_config.${name}`, severity: 'minor' }) as const),
    ...severe('background', body.background === true),
    ...severe('agent', Boolean(body.agent)),
    ...severe('previous_interaction_id', Boolean(body.previous_interaction_id)),
    ...severe('response_format', isOtherFormat(body)),
    ...(isUnread(config) ? [{ field: 'generation_config.thinking_level', severity: 'minor' } as const] : []),
  ];
  return list.length > 0 ? list : undefined;
}

function severe(field: string, isAsked: boolean): { field: string; severity: 'severe' }[] {
  return isAsked ? [{ field, severity: 'severe' }] : [];
}

const JSON_TYPE = 'application/json';

/** The format of the answer's text among the formats asked for. */
function textFormat({ response_format: format }: InteractionsRequest): JsonObject | undefined {
  const formats = Array.isArray(format) ? format : format ? [format] : [];
  return formats.find(({ type }) => typeof type !== 'string' || !media.has(type));
}

const media: ReadonlySet<string> = new Set(['image', 'audio', 'video']);

function isOtherFormat(body: InteractionsRequest): boolean {
  const { response_format: format } = body;
  const formats = Array.isArray(format) ? format : format ? [format] : [];
  const type = asText(textFormat(body)?.mime_type) ?? body.response_mime_type;
  const isOther = Boolean(type) && type !== 'text/plain' && type !== JSON_TYPE;
  return isOther || formats.some(({ type: kind }) => typeof kind === 'string' && media.has(kind));
}

/** A format says its type; in the first revision it was a schema, beside `response_mime_type`. */
function decodeFormat(body: InteractionsRequest): OutputFormat | undefined {
  const format = textFormat(body);
  const isTyped = format?.type === 'text';
  const schema = isTyped ? asObject(format.schema) : format;
  const type = (isTyped ? asText(format.mime_type) : undefined) ?? body.response_mime_type;
  if (schema !== undefined) {
    const name = asText(schema.title)?.replace(/[^a-zA-Z0-9_-]/g, '_');
    return compact({ type: 'json_schema', name, schema, strict: false });
  }
  if (type === JSON_TYPE) return { type: 'json_object' };
  return isTyped || type === 'text/plain' ? { type: 'text' } : undefined;
}

function decodeSampling(config: InteractionsConfig): Sampling | undefined {
  const found = compact({
    temperature: config.temperature ?? undefined,
    topP: config.top_p ?? undefined,
    topK: config.top_k ?? undefined,
    frequencyPenalty: config.frequency_penalty ?? undefined,
    presencePenalty: config.presence_penalty ?? undefined,
    seed: config.seed ?? undefined,
  });
  return Object.keys(found).length > 0 ? found : undefined;
}

/** `generation_config` and what stands beside it. Nothing is stored that the client did not ask to be. */
export function encodeOptions(
  request: CanonicalRequest,
  choice: unknown,
  options: RequestOptions,
  losses: Losses,
): JsonObject {
  for (const [field, severity, asked] of lacking)
    if (asked(request)) losses[severity](field, 'Interactions has no such field');
  const config = compact({
    ...encodeSampling(request.sampling, options, losses),
    max_output_tokens: request.maxOutputTokens ?? options.maxOutputTokens,
    stop_sequences: request.stop,
    ...encodeReasoning(request.reasoning, losses),
    tool_choice: choice,
  });
  return compact({
    generation_config: Object.keys(config).length > 0 ? config : undefined,
    response_format: encodeFormat(request.output),
    response_modalities: request.modalities,
    store: request.store === true,
  });
}

/** What cannot be asked for, how much it matters, and whether it was asked for. */
const lacking: readonly (readonly [string, 'minor' | 'severe', (request: CanonicalRequest) => boolean])[] = [
  ['sampling.topK', 'minor', ({ sampling }) => sampling?.topK !== undefined],
  ['sampling.frequencyPenalty', 'minor', ({ sampling }) => Boolean(sampling?.frequencyPenalty)],
  ['sampling.presencePenalty', 'minor', ({ sampling }) => Boolean(sampling?.presencePenalty)],
  ['sampling.logitBias', 'minor', ({ sampling }) => Object.keys(sampling?.logitBias ?? {}).length > 0],
  ['choices', 'severe', ({ choices = 1 }) => choices > 1],
  ['logprobs', 'minor', ({ logprobs }) => logprobs !== undefined],
  ['verbosity', 'minor', ({ verbosity }) => verbosity !== undefined],
  ['audio', 'severe', ({ audio }) => audio !== undefined],
  ['prediction', 'minor', ({ prediction }) => prediction !== undefined],
  ['metadata', 'minor', ({ metadata }) => Object.keys(metadata ?? {}).length > 0],
  ['userId', 'minor', ({ userId }) => userId !== undefined],
  ['cacheKey', 'minor', ({ cacheKey }) => cacheKey !== undefined],
  ['cacheControl', 'minor', ({ cacheControl }) => cacheControl !== undefined],
  ['serviceTier', 'minor', ({ serviceTier }) => serviceTier !== undefined && serviceTier !== 'auto'],
];

function encodeFormat(output: OutputFormat | undefined): JsonObject | undefined {
  if (output === undefined || output.type === 'text') return undefined;
  const schema = output.type === 'json_schema' ? output.schema : undefined;
  return compact({ type: 'text', mime_type: JSON_TYPE, schema });
}

/** A seed is no matter of drawing at random, so it goes on where the rest may not. */
function encodeSampling(sampling: Sampling = {}, options: RequestOptions, losses: Losses): JsonObject {
  const { seed, temperature, topP } = sampling;
  if (options.sampling !== false) return compact({ temperature, top_p: topP, seed });
  for (const [name, value] of Object.entries({ temperature, topP }))
    if (value !== undefined) losses.minor(`sampling.${name}`, 'the upstream takes no sampling options');
  return compact({ seed });
}
