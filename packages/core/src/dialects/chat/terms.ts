/** The words of Chat Completions and what they mean, as tables read in both directions. */
import type { ErrorType, FinishReason } from '../../dialect.ts';

/** What each finish word means. The first five are the protocol's own; the others are seen from compatible servers. Compared in lower case. */
export const finishReasons: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
  content_filter: 'content_filter',
  end_turn: 'stop',
  endturn: 'stop',
  eos: 'stop',
  eos_token: 'stop',
  completed: 'stop',
  complete: 'stop',
  stop_sequence: 'stop',
  stopsequence: 'stop',
  max_tokens: 'length',
  maxtokens: 'length',
  max_output_tokens: 'length',
  model_length: 'length',
  length_limit: 'length',
  max_length: 'length',
  tool_call: 'tool_calls',
  tool_use: 'tool_calls',
  tooluse: 'tool_calls',
  toolcalls: 'tool_calls',
  safety: 'content_filter',
  content_filtered: 'content_filter',
  contentfilter: 'content_filter',
  guardrail_intervened: 'content_filter',
  sensitive: 'content_filter',
  recitation: 'content_filter',
  refusal: 'refusal',
  pause_turn: 'pause',
  model_context_window_exceeded: 'context_overflow',
  error: 'error',
  network_error: 'error',
  insufficient_system_resource: 'error',
  abort: 'error',
  cancelled: 'error',
};

/** The word for each finish; a refusal has two (see the encoder), and what is absent here is no good ending. */
export const finishWords: Readonly<Partial<Record<FinishReason, string>>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  content_filter: 'content_filter',
  refusal: 'content_filter',
  pause: 'stop',
  context_overflow: 'length',
  compaction: 'stop',
  continue: 'length',
  other: 'stop',
};

/** Reasons whose word says less than the upstream did: its own goes out beside, as `native_finish_reason`. */
export const lossyReasons: ReadonlySet<FinishReason> = new Set(['pause', 'context_overflow', 'compaction', 'other']);

/** Where a call carries its opaque signature, as a path below the call. */
export const signaturePath: readonly [string, string, string] = ['extra_content', 'google', 'thought_signature'];

/** Where a call carries opaque reasoning of other dialects. */
export const carrierPath: readonly [string, string, string] = ['extra_content', 'streamglot', 'reasoning'];

/** The counters of a usage object and the names under which servers send them; a dot leads into an object. */
export const usageFields: Readonly<Record<UsageCounter, readonly string[]>> = {
  input: ['prompt_tokens', 'input_tokens'],
  output: ['completion_tokens', 'output_tokens'],
  total: ['total_tokens'],
  cacheRead: [
    'prompt_tokens_details.cached_tokens',
    'input_tokens_details.cached_tokens',
    'prompt_cache_hit_tokens',
    'cache_read_input_tokens',
    'cached_tokens',
  ],
  cacheWrite: [
    'prompt_tokens_details.cache_write_tokens',
    'prompt_tokens_details.cache_creation_tokens',
    'cache_creation_input_tokens',
  ],
  inputText: ['prompt_tokens_details.text_tokens'],
  inputImage: ['prompt_tokens_details.image_tokens'],
  inputAudio: ['prompt_tokens_details.audio_tokens'],
  inputVideo: ['prompt_tokens_details.video_tokens'],
  reasoning: [
    'completion_tokens_details.reasoning_tokens',
    'output_tokens_details.reasoning_tokens',
    'reasoning_tokens',
  ],
  outputText: ['completion_tokens_details.text_tokens'],
  outputAudio: ['completion_tokens_details.audio_tokens'],
  outputImage: ['completion_tokens_details.image_tokens'],
  acceptedPrediction: ['completion_tokens_details.accepted_prediction_tokens'],
  rejectedPrediction: ['completion_tokens_details.rejected_prediction_tokens'],
  cost: ['cost', 'cost.total_cost', 'cost_in_usd_ticks', 'estimated_cost'],
};

/** A counter by its short name. */
export type UsageCounter =
  | 'input'
  | 'output'
  | 'total'
  | 'cacheRead'
  | 'cacheWrite'
  | 'inputText'
  | 'inputImage'
  | 'inputAudio'
  | 'inputVideo'
  | 'reasoning'
  | 'outputText'
  | 'outputAudio'
  | 'outputImage'
  | 'acceptedPrediction'
  | 'rejectedPrediction'
  | 'cost';

/** What is written for an error: status, `type`, and the `code` where the error has none of its own. */
export const errorWords: Readonly<Record<ErrorType, { status: number; type: string; code?: string }>> = {
  invalid_request: { status: 400, type: 'invalid_request_error' },
  authentication: { status: 401, type: 'authentication_error', code: 'invalid_api_key' },
  billing: { status: 429, type: 'insufficient_quota', code: 'insufficient_quota' },
  permission: { status: 403, type: 'permission_error', code: 'permission_denied' },
  not_found: { status: 404, type: 'invalid_request_error', code: 'not_found' },
  conflict: { status: 409, type: 'conflict_error', code: 'conflict' },
  too_large: { status: 413, type: 'invalid_request_error', code: 'too_large' },
  rate_limit: { status: 429, type: 'rate_limit_error', code: 'rate_limit_exceeded' },
  cancelled: { status: 499, type: 'cancelled_error', code: 'cancelled' },
  timeout: { status: 504, type: 'timeout_error', code: 'timeout' },
  overloaded: { status: 503, type: 'overloaded_error', code: 'overloaded' },
  upstream: { status: 502, type: 'upstream_error', code: 'upstream_error' },
  api_error: { status: 500, type: 'server_error', code: 'server_error' },
  unimplemented: { status: 501, type: 'unimplemented_error', code: 'unimplemented' },
};

/** What the `code` or `type` of an error says, by what the word contains; the first that fits counts. */
export const errorMeanings: readonly (readonly [words: RegExp, type: ErrorType])[] = [
  [/rate.?limit|too.?many.?requests|resource_exhausted|throttl/, 'rate_limit'],
  [/insufficient_(quota|balance|funds|credits)|billing|payment|quota_exceeded|spend_limit/, 'billing'],
  [/api_key|authentication|unauthenticated|unauthorized/, 'authentication'],
  [/permission|forbidden|access_denied|unsupported_country/, 'permission'],
  [/not_found/, 'not_found'],
  [/overloaded|unavailable|capacity/, 'overloaded'],
  [/timeout|timed_out|deadline/, 'timeout'],
  [/too_large|payload_too/, 'too_large'],
  [/conflict|already_exists/, 'conflict'],
  [
    /invalid|context_length|context_window|bad_request|unsupported|failed_precondition|content_policy/,
    'invalid_request',
  ],
];

/** Numeric codes of `base_resp`, an envelope in which some servers answer errors under 200. */
export const envelopeCodes: Readonly<Record<number, ErrorType>> = {
  1001: 'timeout',
  1002: 'rate_limit',
  1004: 'authentication',
  1008: 'billing',
  1013: 'api_error',
  1026: 'invalid_request',
  1027: 'invalid_request',
  1039: 'rate_limit',
  2013: 'invalid_request',
};

/** The members in which servers send reasoning (reference, dialects, seen 2026-11-29). */
export const reasoningFields: readonly string[] = ['reasoning', 'reasoning_content', 'reasoning_details'];
