/** The floor: split the frames, parse each payload, stringify one object for each event, concatenate. */

/**
 * The parts of a floor, in the form of ../shared/bench: a splitter, readers and writers by dialect.
 * A reader tells the kind of what it read: 1 text, 2 tool input, 3 start, 4 finish, 5 end, 6 a call that came whole.
 * @typedef {{
 *   StrSplit: new (on: (event: string, data: string) => void) => { push(chunk: Uint8Array): void },
 *   D: Record<string, (payload: any, on: (kind: number, text: string) => void) => void>,
 *   E_OBJ: Record<string, (kind: number, text: string) => string>,
 * }} FloorParts
 */

/**
 * Makes the floor of one pair: takes chunks, returns the bytes that it made of them.
 * @param {FloorParts} parts
 * @param {string} from
 * @param {string} to
 * @returns {(chunks: readonly Uint8Array[]) => number}
 */
export function floorOf({ StrSplit, D, E_OBJ }, from, to) {
  const read = D[from];
  const write = E_OBJ[to];
  if (read === undefined || write === undefined) throw new RangeError(`the floor does not know ${from} to ${to}`);
  const eventsOf = wholeCalls[to] ?? ((input) => [input]);
  return (chunks) => {
    let out = '';
    let bytes = 0;
    /** @param {number} kind @param {string} text */
    const on = (kind, text) => {
      if (kind === 6) for (const piece of eventsOf(text)) out += write(2, piece);
      else out += write(kind, text);
    };
    const splitter = new StrSplit((_event, data) => (data === '[DONE]' ? on(5, '') : read(JSON.parse(data), on)));
    for (const chunk of chunks) {
      splitter.push(chunk);
      if (out !== '') bytes += Buffer.from(out, 'utf8').length;
      out = '';
    }
    return bytes;
  };
}

/**
 * The events that tell of a call which came whole, each by what it holds of the arguments: one says that the call begins, and
 * in some dialects others say that it ends, with the arguments once more.
 * @type {Readonly<Record<string, (input: string) => readonly string[]>>}
 */
const wholeCalls = {
  chat: (input) => ['', input],
  messages: (input) => ['', input, ''],
  responses: (input) => ['', input, input, input],
};

/** Splits an event stream by hand: lines that end in LF or CRLF, one `data` line in each frame. */
class StrSplit {
  #on;
  #rest = '';
  #event = '';
  #data = '';
  #utf8 = new TextDecoder();

  /** @param {(event: string, data: string) => void} on */
  constructor(on) {
    this.#on = on;
  }

  /** @param {Uint8Array} chunk */
  push(chunk) {
    const text = this.#rest + this.#utf8.decode(chunk, { stream: true });
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      this.#line(text.slice(start, text[end - 1] === '\r' ? end - 1 : end));
      start = end + 1;
    }
    this.#rest = text.slice(start);
  }

  /** @param {string} line */
  #line(line) {
    if (line === '') {
      if (this.#data !== '') this.#on(this.#event, this.#data);
      this.#event = this.#data = '';
    } else if (line.startsWith('data: ')) this.#data = line.slice(6);
    else if (line.startsWith('event: ')) this.#event = line.slice(7);
  }
}

/**
 * One literal with every member in place: a spread would lift the floor by half.
 * @param {object} delta
 * @param {string | null} finish_reason
 */
const chunk = (delta, finish_reason = null) =>
  `data: ${JSON.stringify({ id: 'chatcmpl-floor', object: 'chat.completion.chunk', created: 1790000000, model: 'bench-model', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;

/**
 * @param {object} part
 * @param {string} [finishReason]
 */
const answered = (part, finishReason) =>
  `data: ${JSON.stringify({ candidates: [{ content: { parts: [part], role: 'model' }, finishReason, index: 0 }], modelVersion: 'bench-model', responseId: 'gr-floor' })}\n\n`;

/**
 * @param {string} event_type
 * @param {object} delta
 */
const stepped = (event_type, delta) =>
  `event: ${event_type}\ndata: ${JSON.stringify({ index: 0, delta, event_type })}\n\n`;

/**
 * @param {string} event_type
 * @param {object} interaction
 */
const lived = (event_type, interaction) =>
  `event: ${event_type}\ndata: ${JSON.stringify({ interaction, event_type })}\n\n`;

/** @param {{ type: string } & Record<string, unknown>} event */
const typed = (event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

/** @type {FloorParts} */
export const ownParts = {
  StrSplit,
  D: {
    chat({ id, choices: [choice] }, on) {
      if (choice === undefined) return;
      const { delta, finish_reason } = choice;
      if (delta.role !== undefined) on(3, id);
      if (delta.content) on(1, delta.content);
      if (delta.tool_calls) on(2, delta.tool_calls[0].function.arguments);
      if (finish_reason) on(4, finish_reason);
    },
    gemini({ candidates: [candidate] }, on) {
      const [{ text, functionCall }] = candidate.content.parts;
      if (functionCall) on(6, JSON.stringify(functionCall.args));
      else if (text) on(1, text);
      if (candidate.finishReason) on(4, candidate.finishReason);
    },
    interactions({ event_type, delta, interaction }, on) {
      if (event_type === 'step.delta') delta.type === 'text' ? on(1, delta.text) : on(2, delta.arguments);
      else if (event_type === 'interaction.created') on(3, interaction.id);
      else if (event_type === 'interaction.completed') on(4, interaction.status);
    },
    messages(event, on) {
      const { delta } = event;
      if (event.type === 'content_block_delta')
        delta.type === 'text_delta' ? on(1, delta.text) : on(2, delta.partial_json);
      else if (event.type === 'message_start') on(3, event.message.id);
      else if (event.type === 'message_delta') on(4, delta.stop_reason);
      else if (event.type === 'message_stop') on(5, '');
    },
    responses(event, on) {
      if (event.type === 'response.output_text.delta') on(1, event.delta);
      else if (event.type === 'response.function_call_arguments.delta') on(2, event.delta);
      else if (event.type === 'response.created') on(3, event.response.id);
      else if (event.type === 'response.completed') on(4, event.response.status);
    },
  },
  E_OBJ: {
    chat(kind, text) {
      if (kind === 1) return chunk({ content: text });
      if (kind === 2) return chunk({ tool_calls: [{ index: 0, function: { arguments: text } }] });
      if (kind === 3) return chunk({ role: 'assistant', content: '' });
      return kind === 4 ? chunk({}, text) : 'data: [DONE]\n\n';
    },
    gemini(kind, text) {
      if (kind === 1) return answered({ text });
      if (kind === 2) return answered({ functionCall: { name: 'edit_file', args: text } });
      return kind === 4 ? answered({ text: '' }, text) : '';
    },
    interactions(kind, text) {
      if (kind === 1) return stepped('step.delta', { text, type: 'text' });
      if (kind === 2) return stepped('step.delta', { arguments: text, type: 'arguments_delta' });
      if (kind === 3) return lived('interaction.created', { id: text });
      return kind === 4 ? lived('interaction.completed', { status: text }) : 'event: done\ndata: [DONE]\n\n';
    },
    messages(kind, text) {
      if (kind === 1) return typed({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } });
      if (kind === 2)
        return typed({
          type: 'content_block_delta',
          index: 0,
          delta: { type: 'input_json_delta', partial_json: text },
        });
      if (kind === 3) return typed({ type: 'message_start', message: { id: text } });
      return kind === 4
        ? typed({ type: 'message_delta', delta: { stop_reason: text } })
        : typed({ type: 'message_stop' });
    },
    responses(kind, text) {
      const [type, index] = kind === 1 ? ['output_text', 0] : ['function_call_arguments', undefined];
      if (kind <= 2)
        return typed({
          type: `response.${type}.delta`,
          item_id: 'msg_floor',
          output_index: 0,
          content_index: index,
          delta: text,
          logprobs: [],
          sequence_number: 0,
        });
      if (kind === 3) return typed({ type: 'response.created', response: { id: text } });
      return kind === 4 ? typed({ type: 'response.completed', response: { status: text } }) : '';
    },
  },
};
