/** The upstream streams that are measured: the same on every run, cut like a live stream or like a burst. */

/**
 * One upstream stream: its frames, and what it carries.
 * @typedef {{ frames: readonly string[], text: string, input: string }} Stream
 */

/** @typedef {(events: number) => Stream} StreamMaker */

const words =
  'the answer is read as it comes and every piece of it is one event of a stream that a client can show'.split(' ');
const oddities = ['.\n\n', ' "quoted"', ' back\\slash', ' naïve', ' 東京', ' 🚀', ',\n'];

/**
 * Pieces of text as models cut it: short words, now and then something that has to be escaped or takes several bytes.
 * @param {number} count
 */
function pieces(count) {
  return Array.from({ length: count }, (_, at) =>
    at % 11 === 10 ? (oddities[((at / 11) % oddities.length) | 0] ?? '') : ` ${words[(at * 7) % words.length]}`,
  );
}

/**
 * Fragments of one JSON document, as providers cut tool arguments.
 * @param {number} count
 */
function fragments(count) {
  const edits = pieces(count * 2).map((text, line) => ({ line, text }));
  const letters = [...JSON.stringify({ path: 'src/app.ts', edits })];
  const size = Math.ceil(letters.length / count);
  return Array.from({ length: Math.ceil(letters.length / size) }, (_, at) =>
    letters.slice(at * size, (at + 1) * size).join(''),
  );
}

/** Fragments that each of several calls has: an edit of a file, say. */
const CALL = 50;

/**
 * The arguments of several calls, each cut into fragments.
 * @param {number} count of all fragments
 */
function calls(count) {
  return Array.from({ length: Math.ceil(count / CALL) }, (_, at) => ({
    id: `call_bench${String(at).padStart(4, '0')}`,
    name: 'edit_file',
    parts: fragments(CALL),
  }));
}

/** @param {readonly { parts: readonly string[] }[]} made */
const inputOf = (made) => made.flatMap(({ parts }) => parts).join('');

/** @param {unknown} payload */
const data = (payload) => `data: ${JSON.stringify(payload)}\n\n`;

/**
 * @param {string} type
 * @param {object} rest
 */
const typed = (type, rest) => `event: ${type}\n${data({ type, ...rest })}`;

/**
 * @param {readonly { block: object, deltas: readonly object[] }[]} blocks
 * @param {string} reason
 */
function messagesFrames(blocks, reason) {
  const usage = { input_tokens: 25, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 1 };
  const message = { id: 'msg_bench0001', type: 'message', role: 'assistant', model: 'bench-model', content: [] };
  return [
    typed('message_start', { message: { ...message, stop_reason: null, stop_sequence: null, usage } }),
    ...blocks.flatMap(({ block, deltas }, index) => [
      typed('content_block_start', { index, content_block: block }),
      ...deltas.map((delta) => typed('content_block_delta', { index, delta })),
      typed('content_block_stop', { index }),
    ]),
    typed('message_delta', {
      delta: { stop_reason: reason, stop_sequence: null },
      usage: { output_tokens: blocks.reduce((sum, { deltas }) => sum + deltas.length, 0) },
    }),
    typed('message_stop', {}),
  ];
}

/**
 * @param {object} first
 * @param {readonly object[]} deltas
 * @param {string} reason
 */
function chatFrames(first, deltas, reason) {
  const head = { id: 'chatcmpl-bench0001', object: 'chat.completion.chunk', created: 1790000000, model: 'bench-model' };
  const more = { service_tier: 'default', system_fingerprint: 'fp_bench' };
  /**
   * @param {object} delta
   * @param {string | null} finish_reason
   */
  const chunk = (delta, finish_reason = null) =>
    data({ ...head, ...more, choices: [{ index: 0, delta, logprobs: null, finish_reason }], usage: null });
  const usage = { prompt_tokens: 25, completion_tokens: deltas.length, total_tokens: 25 + deltas.length };
  return [
    chunk(first),
    ...deltas.map((delta) => chunk(delta)),
    chunk({}, reason),
    data({ ...head, ...more, choices: [], usage }),
    'data: [DONE]\n\n',
  ];
}

/** @typedef {Record<string, unknown> & { type: string }} Typed */

/** @param {readonly { item: Typed, middle: readonly Typed[] }[]} items as they are when done */
function responsesFrames(items) {
  const response = { id: 'resp_bench0001', object: 'response', created_at: 1790000000, model: 'bench-model' };
  const begun = { ...response, status: 'in_progress', error: null, incomplete_details: null, output: [], usage: null };
  const usage = {
    input_tokens: 25,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: items.length,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 25 + items.length,
  };
  const events = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...items.flatMap(({ item, middle }, output_index) => [
      {
        type: 'response.output_item.added',
        output_index,
        item: { ...item, status: 'in_progress', ...(item.type === 'message' ? { content: [] } : { arguments: '' }) },
      },
      ...middle.map((event) => ({ ...event, item_id: item.id, output_index })),
      { type: 'response.output_item.done', output_index, item },
    ]),
    {
      type: 'response.completed',
      response: { ...begun, status: 'completed', output: items.map(({ item }) => item), usage },
    },
  ];
  return events.map(({ type, ...more }, at) => typed(type, { ...more, sequence_number: at }));
}

/**
 * @param {readonly { step: object, deltas: readonly object[] }[]} steps
 * @param {string} status
 */
function interactionsFrames(steps, status) {
  const head = { id: 'v1_bench0001', object: 'interaction', model: 'bench-model' };
  const count = steps.reduce((sum, { deltas }) => sum + deltas.length, 0);
  const usage = { total_input_tokens: 25, total_output_tokens: count, total_tokens: 25 + count };
  /**
   * @param {string} event_type
   * @param {object} rest
   */
  const event = (event_type, rest) => `event: ${event_type}\n${data({ ...rest, event_type })}`;
  return [
    event('interaction.created', { interaction: { ...head, status: 'in_progress' } }),
    ...steps.flatMap(({ step, deltas }, index) => [
      event('step.start', { index, step }),
      ...deltas.map((delta) => event('step.delta', { index, delta })),
      event('step.stop', { index }),
    ]),
    event('interaction.completed', { interaction: { ...head, status, usage } }),
    'event: done\ndata: [DONE]\n\n',
  ];
}

/** @param {{ id: string, name: string, parts: readonly string[] }} call */
function calledStep({ id, name, parts }) {
  const deltas = parts.map((part) => ({ arguments: part, type: 'arguments_delta' }));
  return { step: { id, name, arguments: {}, type: 'function_call' }, deltas };
}

/** @param {{ id: string, name: string, parts: readonly string[] }} call */
function calledItem({ id, name, parts }) {
  const input = parts.join('');
  const called = { id: `fc_${id}`, type: 'function_call', call_id: id, name };
  const middle = [
    ...parts.map((delta) => ({ type: 'response.function_call_arguments.delta', delta })),
    { type: 'response.function_call_arguments.done', arguments: input },
  ];
  return { item: { ...called, status: 'completed', arguments: input }, middle };
}

/** @param {readonly object[]} parts */
function geminiFrames(parts) {
  const head = { modelVersion: 'bench-model', responseId: 'gr_bench0001' };
  /**
   * @param {object} part
   * @param {number} at
   * @param {object} more
   */
  const chunk = (part, at, more = {}) => {
    const counts = { promptTokenCount: 25, candidatesTokenCount: at + 1, totalTokenCount: 26 + at };
    const usageMetadata = { ...counts, promptTokensDetails: [{ modality: 'TEXT', tokenCount: 25 }] };
    return data({
      candidates: [{ content: { parts: [part], role: 'model' }, ...more, index: 0 }],
      usageMetadata,
      ...head,
    });
  };
  return [...parts.map((part, at) => chunk(part, at)), chunk({ text: '' }, parts.length, { finishReason: 'STOP' })];
}

/**
 * What a stream carries: text, the arguments of one call, or those of several.
 * @typedef {'text' | 'tool' | 'calls'} Kind
 */

/** @type {Readonly<Record<string, Readonly<Partial<Record<Kind, StreamMaker>>>>>} */
export const streams = {
  gemini: {
    text(events) {
      const texts = pieces(events);
      return { frames: geminiFrames(texts.map((text) => ({ text }))), text: texts.join(''), input: '' };
    },
    /** Arguments come whole. */
    calls(events) {
      const made = calls(events);
      const parts = made.map(({ id, name, parts }) => ({
        functionCall: { id, name, args: JSON.parse(parts.join('')) },
      }));
      return { frames: geminiFrames(parts), text: '', input: inputOf(made) };
    },
  },
  interactions: {
    text(events) {
      const texts = pieces(events);
      const deltas = texts.map((text) => ({ text, type: 'text' }));
      const frames = interactionsFrames([{ step: { type: 'model_output' }, deltas }], 'completed');
      return { frames, text: texts.join(''), input: '' };
    },
    tool(events) {
      const parts = fragments(events);
      const step = calledStep({ id: 'call_bench0001', name: 'edit_file', parts });
      return { frames: interactionsFrames([step], 'requires_action'), text: '', input: parts.join('') };
    },
    calls(events) {
      const made = calls(events);
      return { frames: interactionsFrames(made.map(calledStep), 'requires_action'), text: '', input: inputOf(made) };
    },
  },
  chat: {
    text(events) {
      const texts = pieces(events);
      const first = { role: 'assistant', content: '', refusal: null };
      return {
        frames: chatFrames(
          first,
          texts.map((content) => ({ content })),
          'stop',
        ),
        text: texts.join(''),
        input: '',
      };
    },
    tool(events) {
      const parts = fragments(events);
      const call = { index: 0, id: 'call_bench0001', type: 'function', function: { name: 'edit_file', arguments: '' } };
      const first = { role: 'assistant', content: null, tool_calls: [call] };
      const deltas = parts.map((part) => ({ tool_calls: [{ index: 0, function: { arguments: part } }] }));
      return { frames: chatFrames(first, deltas, 'tool_calls'), text: '', input: parts.join('') };
    },
    calls(events) {
      const made = calls(events);
      const deltas = made.flatMap(({ id, name, parts }, index) => [
        { tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] },
        ...parts.map((part) => ({ tool_calls: [{ index, function: { arguments: part } }] })),
      ]);
      const first = { role: 'assistant', content: null };
      return { frames: chatFrames(first, deltas, 'tool_calls'), text: '', input: inputOf(made) };
    },
  },
  messages: {
    text(events) {
      const texts = pieces(events);
      const deltas = texts.map((text) => ({ type: 'text_delta', text }));
      return {
        frames: messagesFrames([{ block: { type: 'text', text: '' }, deltas }], 'end_turn'),
        text: texts.join(''),
        input: '',
      };
    },
    tool(events) {
      const parts = fragments(events);
      const deltas = parts.map((part) => ({ type: 'input_json_delta', partial_json: part }));
      const block = { type: 'tool_use', id: 'toolu_bench0001', name: 'edit_file', input: {} };
      return { frames: messagesFrames([{ block, deltas }], 'tool_use'), text: '', input: parts.join('') };
    },
    calls(events) {
      const made = calls(events);
      const blocks = made.map(({ id, name, parts }) => ({
        block: { type: 'tool_use', id, name, input: {} },
        deltas: parts.map((part) => ({ type: 'input_json_delta', partial_json: part })),
      }));
      return { frames: messagesFrames(blocks, 'tool_use'), text: '', input: inputOf(made) };
    },
  },
  responses: {
    text(events) {
      const texts = pieces(events);
      const text = texts.join('');
      const part = { type: 'output_text', text, annotations: [], logprobs: [] };
      const item = { id: 'msg_bench0001', type: 'message', status: 'completed', role: 'assistant', content: [part] };
      const middle = [
        { type: 'response.content_part.added', content_index: 0, part: { ...part, text: '' } },
        ...texts.map((delta) => ({ type: 'response.output_text.delta', content_index: 0, delta, logprobs: [] })),
        { type: 'response.output_text.done', content_index: 0, text, logprobs: [] },
        { type: 'response.content_part.done', content_index: 0, part },
      ];
      return { frames: responsesFrames([{ item, middle }]), text, input: '' };
    },
    tool(events) {
      const parts = fragments(events);
      const call = calledItem({ id: 'call_bench0001', name: 'edit_file', parts });
      return { frames: responsesFrames([call]), text: '', input: parts.join('') };
    },
    calls(events) {
      const made = calls(events);
      return { frames: responsesFrames(made.map(calledItem)), text: '', input: inputOf(made) };
    },
  },
};

/** How the bytes arrive: a chunk for each event, or 16 KiB at a time. */
export const reads = {
  /** @param {readonly string[]} frames */
  event: (frames) => frames.map((frame) => Buffer.from(frame)),
  /** @param {readonly string[]} frames */
  '16k': (frames) => {
    const all = Buffer.from(frames.join(''));
    return Array.from({ length: Math.ceil(all.length / 16384) }, (_, at) => all.subarray(at * 16384, (at + 1) * 16384));
  },
};

/**
 * The text and the tool input that a stream of a dialect carries; read outside of the clock.
 * @param {string} dialect
 * @param {string} body
 */
export function carried(dialect, body) {
  let text = '';
  let input = '';
  for (const [, payload = ''] of body.matchAll(/^data: ?(.*)$/gm)) {
    if (payload === '[DONE]') continue;
    const [more, part] = pieceOf(dialect, JSON.parse(payload));
    text += more ?? '';
    input += part ?? '';
  }
  return { text, input };
}

/**
 * @param {string} dialect
 * @param {any} event
 * @returns {[string | undefined, string | undefined]}
 */
function pieceOf(dialect, event) {
  if (dialect === 'interactions') return [event.delta?.text, event.delta?.arguments];
  if (dialect === 'messages') return [event.delta?.text, event.delta?.partial_json];
  if (dialect === 'chat')
    return [event.choices?.[0]?.delta?.content, event.choices?.[0]?.delta?.tool_calls?.[0]?.function?.arguments];
  if (dialect === 'responses')
    return [
      event.type === 'response.output_text.delta' ? event.delta : undefined,
      event.type === 'response.function_call_arguments.delta' ? event.delta : undefined,
    ];
  if (dialect === 'gemini') {
    const { text, functionCall } = event.candidates?.[0]?.content?.parts?.[0] ?? {};
    return [text, functionCall === undefined ? undefined : JSON.stringify(functionCall.args)];
  }
  throw new RangeError(`no reader for the streams of ${dialect}`);
}
