/** The words of the dialect beside the canonical ones: data only. */
import type { BlockKind, Citation, ErrorType, FinishReason } from '../../dialect.ts';

/** What a `stop_reason` means; the last four are words of look-alike servers. Unknown words mean `other`. */
export const finishReasons: ReadonlyMap<string, FinishReason> = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['max_tokens', 'length'],
  ['tool_use', 'tool_calls'],
  ['pause_turn', 'pause'],
  ['refusal', 'refusal'],
  ['model_context_window_exceeded', 'context_overflow'],
  ['compaction', 'compaction'],
  ['stop', 'stop'],
  ['length', 'length'],
  ['tool_calls', 'tool_calls'],
  ['content_filter', 'content_filter'],
]);

/** The `stop_reason` for an answer that another dialect ended. `compaction` is a beta word of this dialect alone. */
export const stopReasons: Readonly<Record<FinishReason, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
  refusal: 'refusal',
  pause: 'pause_turn',
  context_overflow: 'model_context_window_exceeded',
  compaction: 'end_turn',
  continue: 'max_tokens',
  cancelled: 'end_turn',
  error: 'end_turn',
  other: 'end_turn',
};

/** What an `error.type` or `error.details.error_code` means; the last five are words of look-alike servers. */
export const errorTypes: ReadonlyMap<string, ErrorType> = new Map([
  ['invalid_request_error', 'invalid_request'],
  ['authentication_error', 'authentication'],
  ['billing_error', 'billing'],
  ['permission_error', 'permission'],
  ['not_found_error', 'not_found'],
  ['conflict_error', 'conflict'],
  ['request_too_large', 'too_large'],
  ['rate_limit_error', 'rate_limit'],
  ['timeout_error', 'timeout'],
  ['api_error', 'api_error'],
  ['overloaded_error', 'overloaded'],
  ['server_error', 'api_error'],
  ['internal_server_error', 'api_error'],
  ['insufficient_quota', 'billing'],
  ['rate_limit_exceeded', 'rate_limit'],
  ['context_length_exceeded', 'invalid_request'],
]);

/** The `error.type` and HTTP status for each kind of failure. */
export const errorWords: Readonly<Record<ErrorType, { type: string; status: number }>> = {
  invalid_request: { type: 'invalid_request_error', status: 400 },
  authentication: { type: 'authentication_error', status: 401 },
  billing: { type: 'billing_error', status: 402 },
  permission: { type: 'permission_error', status: 403 },
  not_found: { type: 'not_found_error', status: 404 },
  conflict: { type: 'conflict_error', status: 409 },
  too_large: { type: 'request_too_large', status: 413 },
  rate_limit: { type: 'rate_limit_error', status: 429 },
  cancelled: { type: 'api_error', status: 499 },
  timeout: { type: 'timeout_error', status: 504 },
  overloaded: { type: 'overloaded_error', status: 529 },
  upstream: { type: 'api_error', status: 502 },
  api_error: { type: 'api_error', status: 500 },
  unimplemented: { type: 'api_error', status: 501 },
};

/** What a `content_block.type` holds. Types ending in `_tool_result` are results; all others are `item` blocks. */
export const blockKinds: ReadonlyMap<string, BlockKind> = new Map([
  ['text', 'text'],
  ['thinking', 'reasoning'],
  ['redacted_thinking', 'reasoning'],
  ['tool_use', 'tool_call'],
  ['server_tool_use', 'tool_call'],
  ['mcp_tool_use', 'tool_call'],
]);

/** The form of a call's id in an answer, of any length; requests are stricter with their own. */
export const idForm: RegExp = /^[a-zA-Z0-9_-]+$/;

/** The kind of a tool that the provider runs, by its name; others go by their name. */
export const serverTools: ReadonlyMap<string, string> = new Map([
  ['code_execution', 'code'],
  ['bash_code_execution', 'code'],
  ['text_editor_code_execution', 'code'],
]);

/** Counters of `usage.server_tool_use`, and what they count. */
export const serverToolCounters: readonly (readonly [wire: string, tool: string])[] = [
  ['web_search_requests', 'webSearch'],
  ['web_fetch_requests', 'webFetch'],
];

/** Where the members of a citation are, by its `type`. */
export interface CitationTerms {
  kind: Citation['kind'];
  title: string;
  url?: string;
  start?: string;
  end?: string;
  unit?: NonNullable<Citation['unit']>;
}

/** Every `citation.type`. */
export const citationTypes: ReadonlyMap<string, CitationTerms> = new Map<string, CitationTerms>([
  ['web_search_result_location', { kind: 'url', title: 'title', url: 'url' }],
  [
    'search_result_location',
    { kind: 'search_result', title: 'title', url: 'source', ...between('block_index', 'block') },
  ],
  ['char_location', { kind: 'document', title: 'document_title', ...between('char_index', 'codepoint') }],
  ['page_location', { kind: 'document', title: 'document_title', ...between('page_number', 'page') }],
  ['content_block_location', { kind: 'document', title: 'document_title', ...between('block_index', 'block') }],
]);

function between(member: string, unit: NonNullable<Citation['unit']>): Pick<CitationTerms, 'start' | 'end' | 'unit'> {
  return { start: `start_${member}`, end: `end_${member}`, unit };
}

/** The `error_code` at which a client with a message thread sends its whole history instead (official client 1.14, 2026-11-29). */
export const threadUnsupported = 'thread_unsupported_request';
