/** All of a request that is neither conversation nor tools, read and written. */
import {
  type CanonicalRequest,
  compact,
  type JsonObject,
  type Losses,
  type RequestOptions,
  type Sampling,
} from '../../dialect.ts';
import { decodeFormat, encodeFormat, foreignFormats } from './format.ts';
import { decodeReasoning, encodeReasoning, isUnread } from './reasoning.ts';
import { type GeminiConfig, type GeminiRequest, isKnown, isKnownOfConfig } from './schema.ts';

/** Gemini's names of the canonical members that are called otherwise. */
const fields: Readonly<Record<string, string>> = {
  maxOutputTokens: 'generationConfig.maxOutputTokens',
  toolChoice: 'toolConfig.functionCallingConfig',
  output: 'generationConfig.responseMimeType',
  reasoning: 'generationConfig.thinkingConfig',
  stop: 'generationConfig.stopSequences',
  'sampling.temperature': 'generationConfig.temperature',
  'sampling.topP': 'generationConfig.topP',
  'sampling.topK': 'generationConfig.topK',
  'sampling.frequencyPenalty': 'generationConfig.frequencyPenalty',
  'sampling.presencePenalty': 'generationConfig.presencePenalty',
  'sampling.seed': 'generationConfig.seed',
  choices: 'generationConfig.candidateCount',
  logprobs: 'generationConfig.responseLogprobs',
  modalities: 'generationConfig.responseModalities',
  metadata: 'labels',
  turns: 'contents',
  system: 'systemInstruction',
};

type Options = Omit<CanonicalRequest, 'model' | 'system' | 'turns' | 'tools' | 'native'>;

/** The options of a request. */
export function decodeOptions(body: GeminiRequest): Options {
  const config = body.generationConfig ?? {};
  return compact({
    output: decodeFormat(config),
    reasoning: decodeReasoning(body),
    maxOutputTokens: config.maxOutputTokens ?? undefined,
    stop: config.stopSequences?.length ? config.stopSequences : undefined,
    sampling: decodeSampling(config),
    choices: config.candidateCount ?? undefined,
    logprobs: config.responseLogprobs === true ? compact({ top: config.logprobs ?? undefined }) : undefined,
    modalities: config.responseModalities?.length
      ? config.responseModalities.map((word) => word.toLowerCase())
      : undefined,
    metadata: body.labels ?? undefined,
    serviceTier: body.serviceTier ?? undefined,
    fields,
    untranslated: untranslated(body, config),
  });
}

/** Members that hold a part of the conversation; without them the answer is another. */
const grave: readonly string[] = ['cachedContent', 'continuationToken'];
/** Members that are read, yet mean something to this dialect alone. */
const alone: readonly string[] = ['cachedContent', 'safetySettings'];

function untranslated(body: GeminiRequest, config: GeminiConfig): Options['untranslated'] {
  const unknown = Object.entries(body).filter(
    ([name, value]) => value !== null && value !== undefined && (!isKnown(name) || alone.includes(name)),
  );
  const ofConfig = Object.entries(config).filter(([name, value]) => value !== null && !isKnownOfConfig(name));
  const list = [
    ...unknown.map(([field]) => ({ field, severity: grave.includes(field) ? 'severe' : 'minor' }) as const),
    ...ofConfig.map(([name]) => ({ field: `generationConfig.${name}`, severity: 'minor' }) as const),
    ...foreignFormats(config).map((field) => ({ field, severity: 'severe' }) as const),
    ...(isUnread(body) ? [{ field: 'generationConfig.thinkingConfig', severity: 'minor' } as const] : []),
  ];
  return list.length > 0 ? list : undefined;
}

function decodeSampling(config: GeminiConfig): Sampling | undefined {
  const found = compact({
    temperature: config.temperature ?? undefined,
    topP: config.topP ?? undefined,
    topK: config.topK ?? undefined,
    frequencyPenalty: config.frequencyPenalty ?? undefined,
    presencePenalty: config.presencePenalty ?? undefined,
    seed: config.seed ?? undefined,
  });
  return Object.keys(found).length > 0 ? found : undefined;
}

/** `generationConfig` and what stands beside it. */
export function encodeOptions(request: CanonicalRequest, options: RequestOptions, losses: Losses): JsonObject {
  for (const [field, severity, asked] of lacking)
    if (asked(request)) losses[severity](field, 'Gemini has no such field');
  const config = compact({
    maxOutputTokens: request.maxOutputTokens ?? options.maxOutputTokens,
    ...encodeFormat(request.output),
    stopSequences: encodeStop(request.stop, losses),
    ...encodeSampling(request.sampling, options, losses),
    candidateCount: request.choices,
    responseLogprobs: request.logprobs === undefined ? undefined : true,
    logprobs: request.logprobs?.top,
    responseModalities: request.modalities?.map((word) => word.toUpperCase()),
    thinkingConfig: encodeReasoning(request.reasoning, options, losses),
  });
  return Object.keys(config).length > 0 ? { generationConfig: config } : {};
}

/** What Gemini cannot be asked for, how much it matters, and whether it was asked for. */
const lacking: readonly (readonly [string, 'minor' | 'severe', (request: CanonicalRequest) => boolean])[] = [
  ['sampling.logitBias', 'minor', ({ sampling }) => Object.keys(sampling?.logitBias ?? {}).length > 0],
  ['verbosity', 'minor', ({ verbosity }) => verbosity !== undefined],
  ['audio', 'severe', ({ audio }) => audio !== undefined],
  ['prediction', 'minor', ({ prediction }) => prediction !== undefined],
  ['metadata', 'minor', ({ metadata }) => Object.keys(metadata ?? {}).length > 0],
  ['userId', 'minor', ({ userId }) => userId !== undefined],
  ['cacheKey', 'minor', ({ cacheKey }) => cacheKey !== undefined],
  ['cacheControl', 'minor', ({ cacheControl }) => cacheControl !== undefined],
  ['serviceTier', 'minor', ({ serviceTier }) => serviceTier !== undefined && serviceTier !== 'auto'],
  ['store', 'minor', ({ store }) => store === true],
];

/** Gemini takes five stop strings (ai.google.dev/api/generate-content, seen 2026-11-29). */
function encodeStop(stop: readonly string[] | undefined, losses: Losses): readonly string[] | undefined {
  if (stop !== undefined && stop.length > 5) losses.severe('stop', 'Gemini takes at most five stop strings');
  return stop?.slice(0, 5);
}

/** A seed is no matter of drawing at random, so it goes on where the rest may not. */
function encodeSampling(sampling: Sampling = {}, options: RequestOptions, losses: Losses): JsonObject {
  const { seed, logitBias: _, ...drawn } = sampling;
  if (options.sampling === false)
    for (const name of Object.keys(drawn)) losses.minor(`sampling.${name}`, 'the upstream takes no sampling options');
  return { ...(options.sampling === false ? {} : drawn), seed };
}
