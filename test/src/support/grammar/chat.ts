/** The grammar of a Chat stream, as strict as its strictest reader. */
import { framesOf, type WireFrame } from './frames.ts';
import { type Grammar, isCount, isFilled, isObject, parsed, Report, type Wired } from './report.ts';

interface Call {
  id: string;
  kind: 'function' | 'custom';
  input: string;
}

interface Choice {
  calls: Map<number, Call>;
  finish: string | undefined;
}

const finishes = new Set(['stop', 'length', 'tool_calls', 'content_filter']);
const texts = ['content', 'refusal', 'reasoning_content', 'reasoning'] as const;
const constant = ['id', 'created', 'model'] as const;

class ChatReader {
  readonly report = new Report();
  readonly #choices = new Map<number, Choice>();
  #first: Wired | undefined;
  #usage = false;
  #done = false;
  #failed = false;

  frame({ event, data, json }: WireFrame): void {
    if (data === undefined) return;
    const { report } = this;
    report.need(!this.#done && !this.#failed, 'a frame after the end');
    report.need(event === undefined, `an event line: ${event}`);
    if (data === '[DONE]') this.#done = true;
    else if (json !== undefined && 'error' in json) this.#error(json.error);
    else if (json !== undefined) this.#chunk(json);
  }

  #error(error: unknown): void {
    this.#failed = true;
    this.report.need(isObject(error) && isFilled(error.message), 'an error without a message');
  }

  #chunk(chunk: Wired): void {
    const { report } = this;
    report.need(chunk.object === 'chat.completion.chunk', `object is ${chunk.object}`);
    report.need(
      isFilled(chunk.id) && isFilled(chunk.model) && isCount(chunk.created),
      'id, model or created is missing',
    );
    this.#first ??= chunk;
    for (const member of constant) report.need(chunk[member] === this.#first[member], `${member} changes`);
    if (!report.need(Array.isArray(chunk.choices), 'choices is no array')) return;
    const choices = chunk.choices as unknown[];
    if (isObject(chunk.usage)) this.#count(chunk.usage, choices);
    else report.need(choices.length > 0, 'no choice in a chunk without usage');
    for (const choice of choices)
      if (report.need(isObject(choice), 'a choice that is no object')) this.#choice(choice as Wired);
  }

  #count(usage: Wired, choices: readonly unknown[]): void {
    const { report } = this;
    report.need(!this.#usage, 'usage twice');
    this.#usage = true;
    for (const member of ['prompt_tokens', 'completion_tokens', 'total_tokens'])
      report.need(isCount(usage[member]), `usage.${member} is no count`);
    const finished = [...this.#choices.values()].every(({ finish }) => finish !== undefined);
    report.need(this.#choices.size > 0 && finished, 'usage before the finish');
    if (choices.length > 0) report.need(this.#isIdle(choices[0]), 'usage beside content');
  }

  /** Without `include_usage` the usage rides on a choice that says nothing. */
  #isIdle(choice: unknown): boolean {
    return (
      isObject(choice) &&
      isObject(choice.delta) &&
      Object.keys(choice.delta).length === 0 &&
      choice.finish_reason === null
    );
  }

  #choice(wired: Wired): void {
    const { report } = this;
    const { index, delta, finish_reason: finish } = wired;
    if (!report.need(isCount(index) && isObject(delta), 'a choice without index or delta')) return;
    const known = this.#choices.get(index as number);
    const choice = known ?? { calls: new Map(), finish: undefined };
    if (known === undefined) report.need(index === this.#choices.size, `choice ${index} comes too early`);
    this.#choices.set(index as number, choice);
    if (this.#usage && this.#isIdle(wired)) return;
    report.need(choice.finish === undefined, `choice ${index} goes on after its finish`);
    this.#delta(delta as Wired, choice, known === undefined);
    report.need(finish === null || finishes.has(finish as string), `finish_reason is ${finish}`);
    if (isFilled(finish)) choice.finish = finish;
  }

  #delta(delta: Wired, choice: Choice, first: boolean): void {
    const { report } = this;
    if (first) report.need(delta.role === 'assistant', 'the first delta has no role');
    else report.need(!('role' in delta), 'a role again');
    for (const member of texts)
      report.need(
        delta[member] === undefined || delta[member] === null || typeof delta[member] === 'string',
        `${member} is no text`,
      );
    if (delta.tool_calls === undefined) return;
    if (report.need(Array.isArray(delta.tool_calls), 'tool_calls is no array'))
      for (const call of delta.tool_calls as unknown[]) this.#fragment(call, choice);
  }

  #fragment(fragment: unknown, { calls }: Choice): void {
    const { report } = this;
    if (!report.need(isObject(fragment) && isCount(fragment.index), 'a tool call without an index')) return;
    const { index, id, type, ...rest } = fragment as Wired & { index: number };
    const known = calls.get(index);
    const kind = known?.kind ?? (type === 'custom' ? 'custom' : 'function');
    const body = rest[kind];
    if (!report.need(isObject(body), `tool call ${index} without ${kind}`)) return;
    const { name, arguments: json, input = json } = body as Wired;
    report.need(typeof input === 'string', `tool call ${index}: its input is no text`);
    if (known === undefined) this.#begin(index, { id, type, name }, calls, { id: String(id), kind, input: '' });
    else report.need(id === undefined && type === undefined && name === undefined, `tool call ${index} begins again`);
    const call = calls.get(index);
    if (call !== undefined) call.input += input;
  }

  #begin(index: number, said: { id: unknown; type: unknown; name: unknown }, calls: Choice['calls'], call: Call): void {
    const { report } = this;
    report.need(index === calls.size, `tool call ${index} where ${calls.size} was next`);
    report.need(isFilled(said.id) && isFilled(said.name), `tool call ${index} begins without id or name`);
    report.need(said.type === 'function' || said.type === 'custom', `tool call ${index} has type ${said.type}`);
    report.need(![...calls.values()].some(({ id }) => id === said.id), `tool call id ${said.id} twice`);
    calls.set(index, call);
  }

  end(): void {
    const { report } = this;
    report.frame = undefined;
    if (this.#failed) return;
    report.need(this.#done, 'the end is neither [DONE] nor an error');
    report.need(this.#choices.size > 0, 'no choice at all');
    for (const [index, choice] of this.#choices) this.#ended(index, choice);
  }

  #ended(index: number, { finish, calls }: Choice): void {
    const { report } = this;
    report.need(finish !== undefined, `choice ${index} has no finish`);
    if (finish !== 'tool_calls') return;
    report.need(calls.size > 0, `choice ${index} says tool_calls and has none`);
    for (const { id, kind, input } of calls.values()) {
      report.need(kind === 'custom' || input !== '', `${id} has no arguments`);
      report.need(
        kind === 'custom' || input === '' || isObject(parsed(input)),
        `the arguments of ${id} are no whole object`,
      );
    }
  }
}

/** What is wrong with a Chat stream. */
export const chat: Grammar = {
  violations(text) {
    const reader = new ChatReader();
    framesOf(text, reader.report).forEach((frame, at) => {
      reader.report.frame = at;
      reader.frame(frame);
    });
    reader.end();
    return reader.report.violations;
  },
  fails: (text) => /^data: \{"error":/m.test(text) && !/^data: \[DONE\]$/m.test(text),
};
