/** The words of the dialect beside the canonical ones: data only. */
import type { BlockKind, ErrorType, FinishReason } from '../../dialect.ts';

/** What the status of an interaction that is over means (types of the official client 2.32.0, seen 2026-11-29). Unknown words mean `other`. */
export const finishReasons: ReadonlyMap<string, FinishReason> = new Map<string, FinishReason>([
  ['completed', 'stop'],
  ['requires_action', 'tool_calls'],
  ['incomplete', 'length'],
  ['budget_exceeded', 'length'],
  ['requires_continuation', 'continue'],
  ['cancelled', 'cancelled'],
  ['failed', 'error'],
]);

/** Statuses of an interaction that still runs. */
export const running: ReadonlySet<string> = new Set(['in_progress', 'queued']);

/** The codes by which a failed interaction says that its answer was withheld; there is no status for it. */
export const withheld: ReadonlyMap<string, FinishReason> = new Map<string, FinishReason>([
  ['content_filter', 'content_filter'],
  ['refusal', 'refusal'],
]);

/** The status of an answer that another dialect ended. A continuation has a token that only its upstream can give. */
export const statusWords: Readonly<Record<FinishReason, string>> = {
  stop: 'completed',
  length: 'incomplete',
  tool_calls: 'requires_action',
  content_filter: 'failed',
  refusal: 'failed',
  pause: 'incomplete',
  context_overflow: 'incomplete',
  compaction: 'completed',
  continue: 'incomplete',
  cancelled: 'cancelled',
  error: 'failed',
  other: 'completed',
};

/** What an `error.code` means, in HTTP answers and in streams (reference, errors, seen 2026-11-29). */
export const errorTypes: ReadonlyMap<string, ErrorType> = new Map<string, ErrorType>([
  ['invalid_request', 'invalid_request'],
  ['invalid_argument', 'invalid_request'],
  ['parameter_unknown', 'invalid_request'],
  ['failed_precondition', 'invalid_request'],
  ['out_of_range', 'invalid_request'],
  ['context_length_exceeded', 'invalid_request'],
  ['authentication', 'authentication'],
  ['unauthenticated', 'authentication'],
  ['payment_required', 'billing'],
  ['permission_denied', 'permission'],
  ['not_found', 'not_found'],
  ['model_not_found', 'not_found'],
  ['already_exists', 'conflict'],
  ['aborted', 'conflict'],
  ['rate_limit_exceeded', 'rate_limit'],
  ['resource_exhausted', 'rate_limit'],
  ['quota_exceeded', 'rate_limit'],
  ['cancelled', 'cancelled'],
  ['deadline_exceeded', 'timeout'],
  ['unavailable', 'overloaded'],
  ['overloaded', 'overloaded'],
  ['internal', 'api_error'],
  ['internal_error', 'api_error'],
  ['unimplemented', 'unimplemented'],
]);

/** The `error.code` for each kind of failure. */
export const errorWords: Readonly<Record<ErrorType, string>> = {
  invalid_request: 'invalid_request',
  authentication: 'authentication',
  billing: 'payment_required',
  permission: 'permission_denied',
  not_found: 'not_found',
  conflict: 'aborted',
  too_large: 'invalid_request',
  rate_limit: 'rate_limit_exceeded',
  cancelled: 'cancelled',
  timeout: 'deadline_exceeded',
  overloaded: 'unavailable',
  upstream: 'internal',
  api_error: 'internal',
  unimplemented: 'unimplemented',
};

/** The type of the step that a delta belongs to; all other deltas have the type of their step. */
export const stepOfDelta: Readonly<Record<string, string>> = {
  text: 'model_output',
  image: 'model_output',
  audio: 'model_output',
  video: 'model_output',
  document: 'model_output',
  text_annotation_delta: 'model_output',
  text_annotation: 'model_output',
  thought_summary: 'thought',
  thought_signature: 'thought',
  arguments_delta: 'function_call',
};

/** The kinds of media by the type of their content. */
export const mediaKinds: Readonly<Record<string, BlockKind>> = {
  image: 'image',
  audio: 'audio',
  video: 'video',
  document: 'document',
};

/** The type of a medium that came without one. */
export const mimeTypes: Readonly<Record<string, string>> = {
  image: 'image/png',
  audio: 'audio/wav',
  video: 'video/mp4',
  document: 'application/pdf',
};

/** The canonical kinds of the tools that the provider runs, by the type of their call. */
export const serverTools: Readonly<Record<string, string>> = {
  code_execution_call: 'code',
  google_search_call: 'web_search',
  url_context_call: 'web_fetch',
  file_search_call: 'file_search',
  google_maps_call: 'maps',
  mcp_server_tool_call: 'mcp',
  retrieval_call: 'retrieval',
  processing_call: 'processing',
};

/** The canonical details of a count by `modality`. */
export const modalities: ReadonlyMap<string, 'text' | 'image' | 'audio' | 'video' | 'document'> = new Map([
  ['text', 'text'],
  ['image', 'image'],
  ['audio', 'audio'],
  ['video', 'video'],
  ['document', 'document'],
]);
