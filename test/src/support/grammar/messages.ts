/** The grammar of a Messages stream, as strict as its strictest reader. */
import { framesOf, type WireFrame } from './frames.ts';
import { type Grammar, isCount, isFilled, isObject, parsed, Report, type Wired } from './report.ts';

interface Block {
  index: number;
  type: string;
  id: string | undefined;
  input: string;
  signed: boolean;
}

/** Members that a block must begin with, and what may follow. */
const blocks: Readonly<Record<string, { begins: (block: Wired) => boolean; deltas: readonly string[] }>> = {
  text: { begins: ({ text }) => typeof text === 'string', deltas: ['text_delta', 'citations_delta'] },
  thinking: { begins: ({ thinking }) => typeof thinking === 'string', deltas: ['thinking_delta', 'signature_delta'] },
  redacted_thinking: { begins: ({ data }) => isFilled(data), deltas: [] },
  tool_use: { begins: beginsCall, deltas: ['input_json_delta'] },
  server_tool_use: { begins: beginsCall, deltas: ['input_json_delta'] },
};

function ruleOf(type: string): (typeof blocks)[string] | undefined {
  return Object.hasOwn(blocks, type) ? blocks[type] : undefined;
}

/** The member that each delta carries. */
const members: Readonly<Record<string, string>> = {
  text_delta: 'text',
  thinking_delta: 'thinking',
  signature_delta: 'signature',
  input_json_delta: 'partial_json',
};

const stops = new Set([
  'end_turn',
  'max_tokens',
  'stop_sequence',
  'tool_use',
  'pause_turn',
  'refusal',
  'model_context_window_exceeded',
]);

function beginsCall({ id, name, input }: Wired): boolean {
  return isFilled(id) && isFilled(name) && isObject(input) && Object.keys(input).length === 0;
}

class MessagesReader {
  readonly report = new Report();
  readonly #calls: Block[] = [];
  #open: Block | undefined;
  #blocks = 0;
  #started = false;
  #stop: string | undefined;
  #over: 'stopped' | 'failed' | undefined;

  frame({ event, data, json }: WireFrame): void {
    const { report } = this;
    if (data === undefined || json === undefined) return void report.need(data !== '[DONE]', 'a [DONE]');
    report.need(event === json.type, `event line "${event}" over type "${json.type}"`);
    report.need(this.#over === undefined, `${json.type} after the end`);
    const outside = json.type === 'message_start' || json.type === 'error';
    report.need(this.#started || outside, `${json.type} before message_start`);
    this.#event(json);
  }

  #event(json: Wired): void {
    switch (json.type) {
      case 'message_start':
        return this.#start(json.message);
      case 'content_block_start':
        return this.#begin(json);
      case 'content_block_delta':
        return this.#delta(json);
      case 'content_block_stop':
        return this.#close(json);
      case 'message_delta':
        return this.#finish(json);
      case 'message_stop':
        return this.#complete();
      case 'error':
        return this.#error(json.error);
      default:
        this.report.need(json.type === 'ping', `an event of type ${json.type}`);
    }
  }

  #start(message: unknown): void {
    const { report } = this;
    report.need(!this.#started, 'message_start twice');
    this.#started = true;
    if (!report.need(isObject(message), 'message_start without a message')) return;
    const { id, type, role, model, content, stop_reason, stop_sequence, usage } = message as Wired;
    report.need(isFilled(id) && isFilled(model), 'a message without id or model');
    report.need(type === 'message' && role === 'assistant', 'a message of another type or role');
    report.need(Array.isArray(content) && content.length === 0, 'a message that begins with content');
    report.need(stop_reason === null && stop_sequence === null, 'a message that begins with its end');
    report.need(isObject(usage) && isCount(usage.input_tokens) && isCount(usage.output_tokens), 'usage is not whole');
  }

  #begin({ index, content_block: block }: Wired): void {
    const { report } = this;
    report.need(this.#open === undefined, `block ${index} begins inside block ${this.#open?.index}`);
    report.need(this.#stop === undefined, `block ${index} begins after the stop reason`);
    report.need(index === this.#blocks, `block ${index} where ${this.#blocks} was next`);
    this.#blocks += 1;
    const { type: wireType, id } = isObject(block) ? block : {};
    const type = typeof wireType === 'string' ? wireType : JSON.stringify(wireType);
    const rule = ruleOf(type);
    report.need(rule !== undefined, `a block of unknown type ${type}`);
    report.need(rule?.begins(block as Wired) !== false, `a ${type} block that does not begin as it should`);
    this.#open = { index: Number(index), type, id: JSON.stringify(id), input: '', signed: false };
    if (type !== 'tool_use') return;
    report.need(!this.#calls.some((call) => call.id === JSON.stringify(id)), `tool call id ${id} twice`);
    this.#calls.push(this.#open);
  }

  #delta({ index, delta }: Wired): void {
    const { report } = this;
    const open = this.#open;
    if (!report.need(open !== undefined && open.index === index, `a delta for block ${index}, which is not open`))
      return;
    if (!report.need(isObject(delta), 'a delta that is no object')) return;
    const { type, ...rest } = delta as Wired & { type: string };
    const block = open as Block;
    report.need(ruleOf(block.type)?.deltas.includes(type) === true, `${type} in a ${block.type} block`);
    const piece = rest[members[type] ?? ''];
    report.need(type === 'citations_delta' || typeof piece === 'string', `${type} without its text`);
    if (type === 'thinking_delta') report.need(!block.signed, 'thinking after its signature');
    if (type === 'signature_delta') report.need(!block.signed, 'a second signature');
    block.signed ||= type === 'signature_delta';
    if (type === 'input_json_delta') block.input += piece;
  }

  #close({ index }: Wired): void {
    this.report.need(this.#open?.index === index, `the end of block ${index}, which is not open`);
    this.#open = undefined;
  }

  #finish({ delta, usage }: Wired): void {
    const { report } = this;
    report.need(this.#open === undefined, 'message_delta inside a block');
    report.need(this.#stop === undefined, 'message_delta twice');
    const { stop_reason, stop_sequence } = isObject(delta) ? delta : {};
    report.need(stops.has(stop_reason as string), `stop_reason is ${stop_reason}`);
    report.need(stop_sequence === null || isFilled(stop_sequence), 'stop_sequence is neither null nor a text');
    report.need((stop_reason === 'stop_sequence') === isFilled(stop_sequence), 'stop_sequence and stop_reason differ');
    report.need(isObject(usage) && isCount(usage.output_tokens), 'message_delta without output_tokens');
    this.#stop = String(stop_reason);
  }

  #complete(): void {
    this.report.need(this.#stop !== undefined && this.#open === undefined, 'message_stop before the stop reason');
    this.#over = 'stopped';
  }

  #error(error: unknown): void {
    this.#over = 'failed';
    this.report.need(
      isObject(error) && isFilled(error.type) && isFilled(error.message),
      'an error without type or message',
    );
  }

  end(): void {
    const { report } = this;
    report.frame = undefined;
    report.need(this.#over !== undefined, 'the end is neither message_stop nor an error');
    if (this.#over === 'failed') return;
    report.need(this.#stop !== 'tool_use' || this.#calls.length > 0, 'stop_reason tool_use without a call');
    if (this.#stop === 'max_tokens') return;
    for (const { id, input } of this.#calls)
      report.need(input === '' || isObject(parsed(input)), `the input of ${id} is no whole object`);
  }
}

/** What is wrong with a Messages stream. */
export const messages: Grammar = {
  violations(text) {
    const reader = new MessagesReader();
    framesOf(text, reader.report).forEach((frame, at) => {
      reader.report.frame = at;
      reader.frame(frame);
    });
    reader.end();
    return reader.report.violations;
  },
  fails: (text) => /^event: error$/m.test(text) && !/^event: message_stop$/m.test(text),
};
