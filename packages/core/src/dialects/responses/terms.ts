/** The words of Responses and ours, as data: finish reasons, item types, event names, error codes. */
import type { ErrorType, FinishReason } from '../../dialect.ts';

/** What an `incomplete_details.reason` means (reference, seen 2026-11-29); others read as `other`. */
export const reasonOfIncomplete: Readonly<Record<string, FinishReason>> = {
  max_output_tokens: 'length',
  max_tokens: 'length',
  content_filter: 'content_filter',
  max_prompt_tokens: 'context_overflow',
  pause: 'pause',
  pause_turn: 'pause',
  cancelled: 'cancelled',
};

/** The `incomplete_details.reason` of a finish; those that are not here complete the response. */
export const incompleteOfReason: Readonly<Partial<Record<FinishReason, string>>> = {
  length: 'max_output_tokens',
  content_filter: 'content_filter',
  pause: 'pause',
  context_overflow: 'max_output_tokens',
  continue: 'max_output_tokens',
  cancelled: 'cancelled',
};

/** The `response.*` events that end a stream, by the status of their response. */
export const terminalOfStatus: Readonly<Record<string, string>> = {
  completed: 'response.completed',
  incomplete: 'response.incomplete',
  failed: 'response.failed',
  cancelled: 'response.cancelled',
};

/** How one type of item is read as a tool call. */
export interface ToolItem {
  /** The canonical kind of tool. */
  readonly kind: string;
  /** Who runs it. Calls that only a client of this dialect can answer are no tool calls for others. */
  readonly executor: 'client' | 'server';
  readonly format: 'json' | 'text';
  /** The member of the item that holds its input, and the events that stream it. */
  readonly input?: { readonly field: string; readonly event: string };
}

/** The item types that no other dialect can answer, though the client has to act on them: they end an answer as calls do (reference, finish reasons). */
export const clientItems: ReadonlySet<string> = new Set([
  'function_call',
  'custom_tool_call',
  'computer_call',
  'shell_call',
  'local_shell_call',
  'apply_patch_call',
  'mcp_approval_request',
]);

/** The item types that read as a tool call; all others are text, reasoning, or kept whole. */
export const toolItems: Readonly<Record<string, ToolItem>> = {
  function_call: {
    kind: 'function',
    executor: 'client',
    format: 'json',
    input: { field: 'arguments', event: 'response.function_call_arguments' },
  },
  custom_tool_call: {
    kind: 'custom',
    executor: 'client',
    format: 'text',
    input: { field: 'input', event: 'response.custom_tool_call_input' },
  },
  mcp_call: {
    kind: 'mcp',
    executor: 'server',
    format: 'json',
    input: { field: 'arguments', event: 'response.mcp_call_arguments' },
  },
  code_interpreter_call: {
    kind: 'code',
    executor: 'server',
    format: 'text',
    input: { field: 'code', event: 'response.code_interpreter_call_code' },
  },
  web_search_call: { kind: 'web_search', executor: 'server', format: 'json' },
  file_search_call: { kind: 'file_search', executor: 'server', format: 'json' },
  image_generation_call: { kind: 'image_generation', executor: 'server', format: 'json' },
  tool_search_call: { kind: 'tool_search', executor: 'server', format: 'json' },
  x_search_call: { kind: 'x_search', executor: 'server', format: 'json' },
  code_execution_call: { kind: 'code', executor: 'server', format: 'text' },
  view_image_call: { kind: 'view_image', executor: 'server', format: 'json' },
  view_x_video_call: { kind: 'view_video', executor: 'server', format: 'json' },
};

/** The beginning of an invented item id. */
export const itemPrefixes: Readonly<Record<string, string>> = {
  message: 'msg_',
  reasoning: 'rs_',
  function_call: 'fc_',
  custom_tool_call: 'ctc_',
  image_generation_call: 'ig_',
};

/** The progress events that the official SDK knows, and the status that each tells. */
export const progressEvents: Readonly<Record<string, string>> = {
  'response.web_search_call.in_progress': 'in_progress',
  'response.web_search_call.searching': 'searching',
  'response.web_search_call.completed': 'completed',
  'response.file_search_call.in_progress': 'in_progress',
  'response.file_search_call.searching': 'searching',
  'response.file_search_call.completed': 'completed',
  'response.code_interpreter_call.in_progress': 'in_progress',
  'response.code_interpreter_call.interpreting': 'interpreting',
  'response.code_interpreter_call.completed': 'completed',
  'response.image_generation_call.in_progress': 'in_progress',
  'response.image_generation_call.generating': 'generating',
  'response.image_generation_call.completed': 'completed',
  'response.mcp_call.in_progress': 'in_progress',
  'response.mcp_call.completed': 'completed',
  'response.mcp_call.failed': 'failed',
  'response.mcp_list_tools.in_progress': 'in_progress',
  'response.mcp_list_tools.completed': 'completed',
  'response.mcp_list_tools.failed': 'failed',
  'response.compaction.compacting': 'compacting',
};

/** Progress events that some servers add; the official SDK's helper throws on their names, so they are read and not relayed. */
export const foreignProgress: Readonly<Record<string, string>> = {
  'response.x_search_call.in_progress': 'in_progress',
  'response.x_search_call.searching': 'searching',
  'response.x_search_call.completed': 'completed',
  'response.code_execution_call.in_progress': 'in_progress',
  'response.code_execution_call.executing': 'executing',
  'response.code_execution_call.completed': 'completed',
  'response.code_interpreter_call.executing': 'executing',
  'response.mcp_call.executing': 'executing',
};

/** What an upstream's error code or type means, where it is more than its HTTP status. */
export const errorOfCode: Readonly<Record<string, ErrorType>> = {
  context_length_exceeded: 'invalid_request',
  invalid_prompt: 'invalid_request',
  invalid_request_error: 'invalid_request',
  bio_policy: 'invalid_request',
  misalignment_policy_violation: 'invalid_request',
  data_residency_mismatch: 'invalid_request',
  invalid_api_key: 'authentication',
  authentication_error: 'authentication',
  insufficient_quota: 'billing',
  billing_hard_limit_reached: 'billing',
  permission_error: 'permission',
  model_not_found: 'not_found',
  not_found_error: 'not_found',
  rate_limit_exceeded: 'rate_limit',
  rate_limit_error: 'rate_limit',
  requests: 'rate_limit',
  tokens: 'rate_limit',
  server_is_overloaded: 'overloaded',
  overloaded: 'overloaded',
  overloaded_error: 'overloaded',
  slow_down: 'overloaded',
  service_unavailable: 'overloaded',
  timeout: 'timeout',
  vector_store_timeout: 'timeout',
  server_error: 'api_error',
  internal_error: 'api_error',
};

/** Our error types in OpenAI's words: the `type` of an error, and the `code` that stands where the upstream gave none. */
export const errorWords: Readonly<Record<ErrorType, { readonly type: string; readonly code: string }>> = {
  invalid_request: { type: 'invalid_request_error', code: 'invalid_request' },
  authentication: { type: 'authentication_error', code: 'invalid_api_key' },
  billing: { type: 'insufficient_quota', code: 'insufficient_quota' },
  permission: { type: 'permission_error', code: 'permission_denied' },
  not_found: { type: 'not_found_error', code: 'not_found' },
  conflict: { type: 'conflict_error', code: 'conflict' },
  too_large: { type: 'invalid_request_error', code: 'request_too_large' },
  rate_limit: { type: 'rate_limit_error', code: 'rate_limit_exceeded' },
  cancelled: { type: 'cancelled', code: 'cancelled' },
  timeout: { type: 'timeout_error', code: 'timeout' },
  overloaded: { type: 'overloaded_error', code: 'server_is_overloaded' },
  upstream: { type: 'server_error', code: 'server_error' },
  api_error: { type: 'server_error', code: 'server_error' },
  unimplemented: { type: 'invalid_request_error', code: 'unimplemented' },
};

/** How one kind of content part or summary part is streamed. */
export interface PartTerm {
  readonly added: string;
  readonly delta: string;
  readonly textDone: string;
  readonly done: string;
  /** The member of an event that says which part it is. */
  readonly index: 'content_index' | 'summary_index';
  /** The member that holds the text. */
  readonly field: 'text' | 'refusal';
}

const contentPart = {
  added: 'response.content_part.added',
  done: 'response.content_part.done',
  index: 'content_index',
} as const;

/** The kinds of part that are written, by their `type`. */
export const partTerms: Readonly<Record<PartKind, PartTerm>> = {
  output_text: {
    ...contentPart,
    delta: 'response.output_text.delta',
    textDone: 'response.output_text.done',
    field: 'text',
  },
  refusal: { ...contentPart, delta: 'response.refusal.delta', textDone: 'response.refusal.done', field: 'refusal' },
  reasoning_text: {
    ...contentPart,
    delta: 'response.reasoning_text.delta',
    textDone: 'response.reasoning_text.done',
    field: 'text',
  },
  summary_text: {
    added: 'response.reasoning_summary_part.added',
    delta: 'response.reasoning_summary_text.delta',
    textDone: 'response.reasoning_summary_text.done',
    done: 'response.reasoning_summary_part.done',
    index: 'summary_index',
    field: 'text',
  },
};

/** The `type` of a part. */
export type PartKind = 'output_text' | 'refusal' | 'reasoning_text' | 'summary_text';
