/** The grammar of a Responses stream, as strict as its strictest reader. */
import { framesOf, type WireFrame } from './frames.ts';
import { type Grammar, isFilled, isObject, Report } from './report.ts';

interface Wire {
  [member: string]: unknown;
}

/** What follows `response.` in the types of events that the official SDK knows (openai 7.59, seen 2026-11-29). */
const types: ReadonlySet<string> = new Set(
  `apply_patch_call_operation_diff.delta apply_patch_call_operation_diff.done audio.delta audio.done
   audio.transcript.delta audio.transcript.done code_interpreter_call.completed
   code_interpreter_call.in_progress code_interpreter_call.interpreting code_interpreter_call_code.delta
   code_interpreter_call_code.done compaction.compacting completed content_part.added content_part.done created
   custom_tool_call_input.delta custom_tool_call_input.done failed file_search_call.completed
   file_search_call.in_progress file_search_call.searching function_call_arguments.delta
   function_call_arguments.done image_generation_call.completed image_generation_call.generating
   image_generation_call.in_progress image_generation_call.partial_image in_progress incomplete
   mcp_call.completed mcp_call.failed mcp_call.in_progress mcp_call_arguments.delta mcp_call_arguments.done
   mcp_list_tools.completed mcp_list_tools.failed mcp_list_tools.in_progress output_item.added output_item.done
   output_text.annotation.added output_text.delta output_text.done queued reasoning_summary_part.added
   reasoning_summary_part.done reasoning_summary_text.delta reasoning_summary_text.done reasoning_text.delta
   reasoning_text.done refusal.delta refusal.done shell_call_command.added shell_call_command.delta
   shell_call_command.done shell_call_output_content.delta shell_call_output_content.done
   web_search_call.completed web_search_call.in_progress web_search_call.searching`.split(/\s+/),
);

interface PartState {
  type: string;
  text: string;
  textDone: boolean;
  done: boolean;
  annotations: number;
}

interface ItemState {
  id: string;
  type: string;
  added: Wire;
  content: PartState[];
  summary: PartState[];
  input: string;
  inputDone: boolean;
  done?: Wire;
}

/** The payloads of a stream's text. */
export function eventsOf(text: string): Wire[] {
  return framesOf(text, new Report()).flatMap(({ json }) => (json === undefined ? [] : [json]));
}

const inputFields: Record<string, [type: string, field: string]> = {
  function_call_arguments: ['function_call', 'arguments'],
  custom_tool_call_input: ['custom_tool_call', 'input'],
  mcp_call_arguments: ['mcp_call', 'arguments'],
  code_interpreter_call_code: ['code_interpreter_call', 'code'],
};

const textFields: Record<string, string> = {
  output_text: 'text',
  refusal: 'refusal',
  reasoning_text: 'text',
  summary_text: 'text',
};

class ResponsesReader {
  readonly report = new Report();
  readonly items: ItemState[] = [];
  #events = 0;
  #id: unknown;
  #errored = false;
  #terminal: string | undefined;

  frame({ event, data, json }: WireFrame): void {
    if (data === undefined || json === undefined) return this.#expect(data !== '[DONE]', 'a [DONE]');
    const type = String(json.type);
    this.#expect(isKnown(type), `an event of the unknown type ${type}`);
    this.#expect(event === type, `event line ${event} for ${type}`);
    this.#expect(json.sequence_number === this.#events, `${type} numbered ${json.sequence_number} at ${this.#events}`);
    this.#expect(this.#terminal === undefined, `${type} after ${this.#terminal}`);
    this.#expect(!this.#errored || type === 'response.failed', `${type} between error and response.failed`);
    this.#expect(this.#events > 0 || type === 'response.created', `${type} comes first`);
    this.#events++;
    this.#route(type, json);
  }

  end(): void {
    this.report.frame = undefined;
    this.#expect(this.#terminal !== undefined, 'there is no terminal event');
  }

  #route(type: string, data: Wire): void {
    if (type === 'error') return this.#error(data);
    if (type === 'keepalive') return;
    if (data.response !== undefined) return this.#lifecycle(type, wired(data.response));
    if (type === 'response.output_item.added') return this.#added(data);
    if (type.startsWith('response.audio.')) return;
    const item = this.items[data.output_index as number];
    if (item === undefined) return this.#expect(false, `${type} for the unknown item ${data.output_index}`);
    if (type === 'response.output_item.done') return this.#done(item, wired(data.item));
    this.#expect(item.done === undefined, `${type} after its item was done`);
    if (!type.startsWith('response.shell_call_command'))
      this.#expect(data.item_id === item.id, `${type} names ${data.item_id}, not ${item.id}`);
    this.#content(type, item, data);
  }

  #content(type: string, item: ItemState, data: Wire): void {
    const [, subject = '', verb = ''] = /^response\.(.+)\.(\w+)$/.exec(type) ?? [];
    const summary = subject.startsWith('reasoning_summary');
    const list = summary ? item.summary : item.content;
    const index = (summary ? data.summary_index : data.content_index) as number;
    if (verb === 'added' && subject.endsWith('part')) return this.#partAdded(type, list, index, wired(data.part));
    if (subject.endsWith('part')) return this.#partDone(type, list[index], wired(data.part));
    if (subject === 'output_text.annotation') return this.#annotation(list[index], data);
    const input = inputFields[subject];
    if (input !== undefined) return this.#input(type, verb, item, input, data);
    const partType = subject === 'reasoning_summary_text' ? 'summary_text' : subject;
    if (textFields[partType] !== undefined) this.#text(type, verb, list[index], partType, data);
  }

  #partAdded(type: string, list: PartState[], index: number, part: Wire): void {
    this.#expect(index === list.length, `${type} at ${index}, expected ${list.length}`);
    this.#expect(
      list.every((known) => known.done),
      `${type} while another part is open`,
    );
    const text = part[textFields[String(part.type)] ?? ''];
    this.#expect(typeof text === 'string', `${type} without its text`);
    if (part.type === 'output_text') this.#expect(Array.isArray(part.annotations), `${type} without annotations`);
    list.push({ type: String(part.type), text: String(text), textDone: false, done: false, annotations: 0 });
  }

  #partDone(type: string, part: PartState | undefined, wire: Wire): void {
    if (part === undefined || part.done) return this.#expect(false, `${type} for a part that is not open`);
    part.done = true;
    this.#expect(part.textDone, `${type} before its text was done`);
    this.#expect(wire.type === part.type, `${type} as ${wire.type}, was ${part.type}`);
    this.#expect(wire[textFields[part.type] ?? ''] === part.text, `${type} with another text than its deltas`);
  }

  #text(type: string, verb: string, part: PartState | undefined, partType: string, data: Wire): void {
    if (part === undefined || part.done) return this.#expect(false, `${type} for a part that is not open`);
    this.#expect(part.type === partType, `${type} in a part of type ${part.type}`);
    this.#expect(!part.textDone, `${type} after the text was done`);
    if (verb === 'delta') part.text += String(data.delta);
    else {
      part.textDone = true;
      this.#expect(data[textFields[partType] ?? ''] === part.text, `${type} with another text than its deltas`);
    }
  }

  #annotation(part: PartState | undefined, data: Wire): void {
    if (part === undefined || part.done) return this.#expect(false, 'an annotation outside a part');
    this.#expect(data.annotation_index === part.annotations, `annotation ${data.annotation_index} out of order`);
    part.annotations++;
  }

  #input(type: string, verb: string, item: ItemState, [owner, field]: [string, string], data: Wire): void {
    this.#expect(item.type === owner, `${type} in an item of type ${item.type}`);
    this.#expect(!item.inputDone, `${type} after the input was done`);
    if (verb === 'delta') item.input += String(data.delta);
    else {
      item.inputDone = true;
      this.#expect(data[field] === item.input, `${type} with another input than its deltas`);
    }
  }

  #added(data: Wire): void {
    const wire = wired(data.item);
    this.#expect(data.output_index === this.items.length, `an item at ${data.output_index}`);
    this.#expect(typeof wire.id === 'string' && wire.id !== '', 'an item without id');
    this.#expect(
      this.items.every((item) => item.id !== wire.id),
      `the id ${wire.id} came twice`,
    );
    if (wire.type === 'message') {
      this.#expect(Array.isArray(wire.content) && wire.content.length === 0, 'a message that begins with content');
      this.#expect(wire.role === 'assistant', 'a message without its role');
    }
    if (wire.type === 'reasoning') this.#expect(Array.isArray(wire.summary), 'reasoning without a summary');
    if (wire.type === 'function_call' || wire.type === 'custom_tool_call')
      this.#expect(typeof wire.call_id === 'string' && typeof wire.name === 'string', 'a call without call_id or name');
    const field = Object.values(inputFields).find(([type]) => type === wire.type)?.[1] ?? '';
    this.items.push({
      id: String(wire.id),
      type: String(wire.type),
      added: wire,
      content: [],
      summary: [],
      input: typeof wire[field] === 'string' && wire.type !== 'mcp_call' ? String(wire[field]) : '',
      inputDone: false,
    });
  }

  #done(item: ItemState, wire: Wire): void {
    this.#expect(item.done === undefined, `the item ${item.id} was done twice`);
    item.done = wire;
    this.#expect(wire.id === item.id && wire.type === item.type, `the item ${item.id} is done as ${wire.id}`);
    this.#expect(
      [...item.content, ...item.summary].every((part) => part.done),
      `the item ${item.id} is done with a part open`,
    );
    const { content } = wire;
    if (item.type === 'message') this.#repeats(item.content, content, `message ${item.id}`);
    if (item.type === 'reasoning') this.#repeats(item.summary, wire.summary, `reasoning ${item.id}`);
    const field = Object.values(inputFields).find(([type]) => type === item.type)?.[1];
    if (item.type === 'function_call' || item.type === 'custom_tool_call') {
      this.#expect(item.inputDone, `the call ${item.id} is done before its input`);
      this.#expect(wire[field ?? ''] === item.input, `the call ${item.id} repeats another input`);
      this.#expect(wire.call_id === item.added.call_id, `the call ${item.id} changes its call_id`);
      this.#expect(wire.name === item.added.name, `the call ${item.id} changes its name`);
    }
  }

  #repeats(parts: PartState[], wire: unknown, what: string): void {
    const texts = (Array.isArray(wire) ? wire : []).map(wired).map((part) => part.text ?? part.refusal);
    const said = parts.map((part) => part.text);
    this.#expect(JSON.stringify(texts) === JSON.stringify(said), `${what} repeats ${texts} for ${said}`);
  }

  #lifecycle(type: string, response: Wire): void {
    this.#id ??= response.id;
    this.#expect(typeof response.id === 'string' && response.id === this.#id, `${type} with the id ${response.id}`);
    this.#expect(response.object === 'response', `${type} without object`);
    this.#expect(typeof response.created_at === 'number', `${type} without created_at`);
    this.#expect(typeof response.model === 'string' && response.model !== '', `${type} without a model`);
    this.#expect(Array.isArray(response.output), `${type} without output`);
    if (!/^response\.(completed|incomplete|failed)$/.test(type)) return;
    this.#terminal = type;
    this.#expect(response.status === type.slice(9), `${type} with the status ${response.status}`);
    this.#expect('usage' in response, `${type} without usage`);
    if (type === 'response.failed') return this.#expect(hasText(response.error, 'code', 'message'), 'no error inside');
    if (type === 'response.incomplete')
      this.#expect(hasText(response.incomplete_details, 'reason'), 'no reason for being incomplete');
    this.#expect(
      this.items.every((item) => item.done !== undefined),
      `${type} with an item that is not done`,
    );
    const output = (Array.isArray(response.output) ? response.output : []).map(plain);
    const done = this.items.map((item) => plain(item.done));
    this.#expect(JSON.stringify(output) === JSON.stringify(done), `${type} with another output than its items`);
  }

  #error(data: Wire): void {
    this.#errored = true;
    const isFlat = hasText(data, 'code', 'message') && 'param' in data;
    this.#expect(isFlat || hasText(data.error, 'code', 'message', 'type'), 'an error that is whole in neither shape');
    if ('code' in data) this.#expect(isFlat, 'an error whose flat shape is not whole');
  }

  #expect(holds: boolean, broken: string): void {
    this.report.need(holds, broken);
  }
}

function wired(value: unknown): Wire {
  return isObject(value) ? value : {};
}

function isKnown(type: string): boolean {
  return type === 'error' || type === 'keepalive' || (type.startsWith('response.') && types.has(type.slice(9)));
}

function hasText(value: unknown, ...members: string[]): boolean {
  return isObject(value) && members.every((member) => isFilled(value[member]));
}

/** Members in one order, nulls left out: providers differ in both. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, member]) => [key, plain(member)]));
}

/** What is wrong with a Responses stream. */
export const responses: Grammar = {
  violations(text) {
    const reader = new ResponsesReader();
    framesOf(text, reader.report).forEach((frame, at) => {
      reader.report.frame = at;
      reader.frame(frame);
    });
    reader.end();
    return reader.report.violations;
  },
  fails: (text) => /^event: response\.failed$/m.test(text) && !/^event: response\.(completed|incomplete)$/m.test(text),
};
