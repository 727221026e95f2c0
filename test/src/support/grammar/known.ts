/** Every event that a Responses client knows: the official accumulator throws at any other (openai 6.49, seen 2026-11-29). */

/** What happens to each subject. */
const verbs: Readonly<Record<string, string>> = {
  response: 'created queued in_progress completed incomplete failed',
  'response.output_item': 'added done',
  'response.content_part': 'added done',
  'response.output_text': 'delta done',
  'response.output_text.annotation': 'added',
  'response.refusal': 'delta done',
  'response.function_call_arguments': 'delta done',
  'response.custom_tool_call_input': 'delta done',
  'response.reasoning_summary_part': 'added done',
  'response.reasoning_summary_text': 'delta done',
  'response.reasoning_text': 'delta done',
  'response.audio': 'delta done',
  'response.audio.transcript': 'delta done',
  'response.code_interpreter_call_code': 'delta done',
  'response.code_interpreter_call': 'in_progress interpreting completed',
  'response.compaction': 'compacting',
  'response.file_search_call': 'in_progress searching completed',
  'response.web_search_call': 'in_progress searching completed',
  'response.image_generation_call': 'in_progress generating partial_image completed',
  'response.mcp_call_arguments': 'delta done',
  'response.mcp_call': 'in_progress completed failed',
  'response.mcp_list_tools': 'in_progress completed failed',
  'response.shell_call_command': 'added delta done',
  'response.shell_call_output_content': 'delta done',
};

/** The types of all events. */
export const knownEvents: ReadonlySet<string> = new Set([
  'error',
  'keepalive',
  ...Object.entries(verbs).flatMap(([subject, list]) => list.split(' ').map((verb) => `${subject}.${verb}`)),
]);
