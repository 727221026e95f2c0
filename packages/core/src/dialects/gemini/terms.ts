/** The words of the dialect beside the canonical ones: data only. */
import type { BlockKind, ErrorType, FinishReason } from '../../dialect.ts';

/** What a `finishReason` means (types of the official client 3.3.0, seen 2026-11-29). Unknown words mean `other`. */
export const finishReasons: ReadonlyMap<string, FinishReason> = new Map<string, FinishReason>([
  ['STOP', 'stop'],
  ['MAX_TOKENS', 'length'],
  ['CONTINUATION', 'continue'],
  ['SAFETY', 'content_filter'],
  ['RECITATION', 'content_filter'],
  ['LANGUAGE', 'content_filter'],
  ['BLOCKLIST', 'content_filter'],
  ['PROHIBITED_CONTENT', 'content_filter'],
  ['SPII', 'content_filter'],
  ['ESCALATION', 'content_filter'],
  ['PUP_LIMITED_DISABLED', 'content_filter'],
  ['MODEL_ARMOR', 'content_filter'],
  ['IMAGE_SAFETY', 'content_filter'],
  ['IMAGE_PROHIBITED_CONTENT', 'content_filter'],
  ['IMAGE_RECITATION', 'content_filter'],
  ['MALFORMED_FUNCTION_CALL', 'error'],
  ['UNEXPECTED_TOOL_CALL', 'error'],
  ['MALFORMED_RESPONSE', 'error'],
  ['MISSING_THOUGHT_SIGNATURE', 'error'],
  ['TOO_MANY_TOOL_CALLS', 'pause'],
  ['OTHER', 'other'],
  ['IMAGE_OTHER', 'other'],
  ['NO_IMAGE', 'other'],
  ['FINISH_REASON_UNSPECIFIED', 'other'],
]);

/** The words by their number, which some servers write instead; later numbers differ between the two services. */
export const finishNumbers: readonly string[] = [
  'FINISH_REASON_UNSPECIFIED',
  'STOP',
  'MAX_TOKENS',
  'SAFETY',
  'RECITATION',
  'OTHER',
];

/** The code of the error that a `finishReason` is; for the others the word itself in lower case. */
export const failureCodes: ReadonlyMap<string, string> = new Map([
  ['MALFORMED_FUNCTION_CALL', 'malformed_tool_arguments'],
  ['UNEXPECTED_TOOL_CALL', 'malformed_tool_arguments'],
]);

/** The `finishReason` for an answer that another dialect ended. A continuation has a token that only its upstream can give. */
export const finishWords: Readonly<Record<FinishReason, string>> = {
  stop: 'STOP',
  length: 'MAX_TOKENS',
  tool_calls: 'STOP',
  content_filter: 'SAFETY',
  refusal: 'SAFETY',
  pause: 'STOP',
  context_overflow: 'MAX_TOKENS',
  compaction: 'STOP',
  continue: 'MAX_TOKENS',
  cancelled: 'OTHER',
  error: 'OTHER',
  other: 'OTHER',
};

/** What an `error.status` means (google.rpc.Code, cloud.google.com/apis/design/errors, seen 2026-11-29). */
export const errorTypes: ReadonlyMap<string, ErrorType> = new Map<string, ErrorType>([
  ['INVALID_ARGUMENT', 'invalid_request'],
  ['FAILED_PRECONDITION', 'invalid_request'],
  ['OUT_OF_RANGE', 'invalid_request'],
  ['UNAUTHENTICATED', 'authentication'],
  ['PERMISSION_DENIED', 'permission'],
  ['NOT_FOUND', 'not_found'],
  ['ALREADY_EXISTS', 'conflict'],
  ['ABORTED', 'conflict'],
  ['RESOURCE_EXHAUSTED', 'rate_limit'],
  ['CANCELLED', 'cancelled'],
  ['INTERNAL', 'api_error'],
  ['UNKNOWN', 'api_error'],
  ['DATA_LOSS', 'api_error'],
  ['UNAVAILABLE', 'overloaded'],
  ['DEADLINE_EXCEEDED', 'timeout'],
  ['UNIMPLEMENTED', 'unimplemented'],
]);

/** The `error.status` and HTTP status for each kind of failure; the code must be a number, or clients see no error. */
export const errorWords: Readonly<Record<ErrorType, { status: string; code: number }>> = {
  invalid_request: { status: 'INVALID_ARGUMENT', code: 400 },
  authentication: { status: 'UNAUTHENTICATED', code: 401 },
  billing: { status: 'RESOURCE_EXHAUSTED', code: 429 },
  permission: { status: 'PERMISSION_DENIED', code: 403 },
  not_found: { status: 'NOT_FOUND', code: 404 },
  conflict: { status: 'ABORTED', code: 409 },
  too_large: { status: 'INVALID_ARGUMENT', code: 413 },
  rate_limit: { status: 'RESOURCE_EXHAUSTED', code: 429 },
  cancelled: { status: 'CANCELLED', code: 499 },
  timeout: { status: 'DEADLINE_EXCEEDED', code: 504 },
  overloaded: { status: 'UNAVAILABLE', code: 503 },
  upstream: { status: 'INTERNAL', code: 502 },
  api_error: { status: 'INTERNAL', code: 500 },
  unimplemented: { status: 'UNIMPLEMENTED', code: 501 },
};

/** What a part holds that neither text nor call nor medium is, by its member; the tools are the provider's own. */
export const partKinds: Readonly<Record<string, { kind: BlockKind; tool?: string }>> = {
  executableCode: { kind: 'tool_call', tool: 'code' },
  toolCall: { kind: 'tool_call' },
  codeExecutionResult: { kind: 'tool_result' },
  toolResponse: { kind: 'tool_result' },
  functionResponse: { kind: 'tool_result' },
};

/** The kind of a medium by the first half of its type; all else is a document. */
export const mediaKinds: Readonly<Record<string, BlockKind>> = { image: 'image', audio: 'audio', video: 'video' };

/** Members of a candidate that stand beside its content, and the keys under which they are kept. */
export const candidateNotes: readonly (readonly [member: string, key: string])[] = [
  ['safetyRatings', 'safety'],
  ['groundingMetadata', 'grounding'],
  ['citationMetadata', 'citations'],
  ['urlContextMetadata', 'url_context'],
  ['avgLogprobs', 'avg_logprobs'],
  ['tokenCount', 'token_count'],
];

/** The canonical details of a count by `modality`. */
export const modalities: ReadonlyMap<string, 'text' | 'image' | 'audio' | 'video' | 'document'> = new Map([
  ['TEXT', 'text'],
  ['IMAGE', 'image'],
  ['AUDIO', 'audio'],
  ['VIDEO', 'video'],
  ['DOCUMENT', 'document'],
]);
