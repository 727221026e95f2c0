/** Synthetic Responses streams, made of the events that a clean upstream sends. */

type Wire = Record<string, unknown>;

/** The response in a state. */
export function response(status: string, more: Wire = {}): Wire {
  return {
    id: 'resp_1',
    object: 'response',
    created_at: 1_700_000_000,
    status,
    model: 'demo-model',
    error: null,
    incomplete_details: null,
    output: [],
    usage: null,
    ...more,
  };
}

/** The usage that every stream here ends with. */
export const usage: Wire = {
  input_tokens: 9,
  input_tokens_details: { cached_tokens: 2, cache_write_tokens: 0 },
  output_tokens: 7,
  output_tokens_details: { reasoning_tokens: 3 },
  total_tokens: 16,
};

/** The two events that open a stream. */
export const opening: readonly Wire[] = [
  { type: 'response.created', response: response('in_progress') },
  { type: 'response.in_progress', response: response('in_progress') },
];

/** The last event of a stream with this output. */
export function completed(output: readonly Wire[], more: Wire = {}): Wire {
  return { type: 'response.completed', response: response('completed', { output, usage, ...more }) };
}

const textPart = (text: string, more: Wire = {}): Wire => ({ type: 'output_text', text, annotations: [], ...more });

/** A message of text in pieces. */
export function message(index: number, pieces: readonly string[], id = `msg_${index}`): Wire[] {
  const at = { item_id: id, output_index: index, content_index: 0 };
  const text = pieces.join('');
  return [
    { type: 'response.output_item.added', output_index: index, item: begun(id) },
    { type: 'response.content_part.added', ...at, part: textPart('') },
    ...pieces.map((delta) => ({ type: 'response.output_text.delta', ...at, delta, logprobs: [] })),
    { type: 'response.output_text.done', ...at, text, logprobs: [] },
    { type: 'response.content_part.done', ...at, part: textPart(text) },
    { type: 'response.output_item.done', output_index: index, item: said(id, [textPart(text)]) },
  ];
}

/** A message of a text and a refusal. */
function twoParts(index: number): Wire[] {
  const at = { item_id: 'msg_two', output_index: index };
  const refusal = { type: 'refusal', refusal: 'No.' };
  return [
    { type: 'response.output_item.added', output_index: index, item: begun('msg_two') },
    { type: 'response.content_part.added', ...at, content_index: 0, part: textPart('') },
    { type: 'response.output_text.delta', ...at, content_index: 0, delta: 'Well.', logprobs: [] },
    { type: 'response.output_text.done', ...at, content_index: 0, text: 'Well.', logprobs: [] },
    { type: 'response.content_part.done', ...at, content_index: 0, part: textPart('Well.') },
    { type: 'response.content_part.added', ...at, content_index: 1, part: { type: 'refusal', refusal: '' } },
    { type: 'response.refusal.delta', ...at, content_index: 1, delta: 'No.' },
    { type: 'response.refusal.done', ...at, content_index: 1, refusal: 'No.' },
    { type: 'response.content_part.done', ...at, content_index: 1, part: refusal },
    { type: 'response.output_item.done', output_index: index, item: said('msg_two', [textPart('Well.'), refusal]) },
  ];
}

const begun = (id: string): Wire => ({ id, type: 'message', status: 'in_progress', role: 'assistant', content: [] });

const said = (id: string, content: readonly Wire[]): Wire => ({
  id,
  type: 'message',
  status: 'completed',
  role: 'assistant',
  content,
});

/** Reasoning in summary parts, encrypted content only at its end. */
export function reasoning(index: number, parts: readonly string[]): Wire[] {
  const at = { item_id: `rs_${index}`, output_index: index };
  const summary = parts.map((text) => ({ type: 'summary_text', text }));
  const item = { id: at.item_id, type: 'reasoning', summary: [] };
  return [
    { type: 'response.output_item.added', output_index: index, item },
    ...parts.flatMap((text, part) => {
      const where = { ...at, summary_index: part };
      return [
        { type: 'response.reasoning_summary_part.added', ...where, part: { type: 'summary_text', text: '' } },
        { type: 'response.reasoning_summary_text.delta', ...where, delta: text.slice(0, 3) },
        { type: 'response.reasoning_summary_text.delta', ...where, delta: text.slice(3) },
        { type: 'response.reasoning_summary_text.done', ...where, text },
        { type: 'response.reasoning_summary_part.done', ...where, part: { type: 'summary_text', text } },
      ];
    }),
    {
      type: 'response.output_item.done',
      output_index: index,
      item: { ...item, summary, encrypted_content: 'ENC' },
    },
  ];
}

/** Raw reasoning, as open models send it. */
export function rawReasoning(index: number, pieces: readonly string[]): Wire[] {
  const at = { item_id: `rs_${index}`, output_index: index, content_index: 0 };
  const text = pieces.join('');
  const item = { id: at.item_id, type: 'reasoning', summary: [], content: [] };
  return [
    { type: 'response.output_item.added', output_index: index, item },
    { type: 'response.content_part.added', ...at, part: { type: 'reasoning_text', text: '' } },
    ...pieces.map((delta) => ({ type: 'response.reasoning_text.delta', ...at, delta })),
    { type: 'response.reasoning_text.done', ...at, text },
    { type: 'response.content_part.done', ...at, part: { type: 'reasoning_text', text } },
    {
      type: 'response.output_item.done',
      output_index: index,
      item: { ...item, content: [{ type: 'reasoning_text', text }] },
    },
  ];
}

/** A call of a function, or of a custom tool. */
export function call(index: number, pieces: readonly string[], custom = false): Wire[] {
  const [type, field, event] = custom
    ? ['custom_tool_call', 'input', 'response.custom_tool_call_input']
    : ['function_call', 'arguments', 'response.function_call_arguments'];
  const at = { item_id: `fc_${index}`, output_index: index };
  const item = { id: at.item_id, type, call_id: `call_${index}`, name: custom ? 'patch' : 'look_up' };
  const whole = pieces.join('');
  return [
    {
      type: 'response.output_item.added',
      output_index: index,
      item: { ...item, status: 'in_progress', [field as string]: '' },
    },
    ...pieces.map((delta) => ({ type: `${event}.delta`, ...at, delta })),
    { type: `${event}.done`, ...at, [field as string]: whole },
    {
      type: 'response.output_item.done',
      output_index: index,
      item: { ...item, status: 'completed', [field as string]: whole },
    },
  ];
}

/** A search that the provider runs. */
export function search(index: number): Wire[] {
  const at = { item_id: `ws_${index}`, output_index: index };
  const item = { id: at.item_id, type: 'web_search_call', action: { type: 'search', query: 'weather' } };
  return [
    { type: 'response.output_item.added', output_index: index, item: { ...item, status: 'in_progress' } },
    { type: 'response.web_search_call.in_progress', ...at },
    { type: 'response.web_search_call.searching', ...at },
    { type: 'response.web_search_call.completed', ...at },
    { type: 'response.output_item.done', output_index: index, item: { ...item, status: 'completed' } },
  ];
}

/** The items that a list of events makes done. */
export function outputOf(events: readonly Wire[]): Wire[] {
  return events.filter((event) => event.type === 'response.output_item.done').map((event) => event.item as Wire);
}

/** A whole clean stream around the events of its items. */
export function clean(items: readonly Wire[]): Wire[] {
  const all = [...opening, ...items];
  return [...all, completed(outputOf(items))].map((event, at) => ({ ...event, sequence_number: at }));
}

/** Events as the text of a stream. */
export function text(events: readonly Wire[]): string {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

/** Clean streams by what they hold. */
export const streams: Readonly<Record<string, Wire[]>> = {
  text: clean(message(0, ['Hel', 'lo', ' 🛠️'])),
  'text and refusal': clean(twoParts(0)),
  'reasoning, then text': clean([...reasoning(0, ['First part.', 'Second part.']), ...message(1, ['Done.'])]),
  'raw reasoning, then text': clean([...rawReasoning(0, ['think', 'ing']), ...message(1, ['Done.'])]),
  'two calls': clean([...call(0, ['{"a"', ':1}']), ...call(1, ['{}'])]),
  'a custom call': clean(call(0, ['*** Begin\n', '+say "hi"'], true)),
  'a search and text': clean([...search(0), ...message(1, ['Sunny.'])]),
};
