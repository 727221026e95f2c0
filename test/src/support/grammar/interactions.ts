/** The grammar of an Interactions stream, as strict as its strictest reader. */
import { framesOf, type WireFrame } from './frames.ts';
import { type Grammar, isCount, isFilled, isObject, parsed, Report, type Wired } from './report.ts';

interface Step {
  type: string;
  name: unknown;
  isOpen: boolean;
  input: string;
}

/** The deltas that each step takes; those of the provider's own tools have the type of their step. */
const fitting: Readonly<Record<string, readonly string[]>> = {
  model_output: ['text', 'image', 'audio', 'video', 'document', 'text_annotation_delta'],
  thought: ['thought_summary', 'thought_signature'],
  function_call: ['arguments_delta', 'thought_signature'],
};

const statuses = new Set([
  'completed',
  'requires_action',
  'incomplete',
  'failed',
  'cancelled',
  'budget_exceeded',
  'requires_continuation',
]);

class InteractionsReader {
  readonly report = new Report();
  readonly #steps: Step[] = [];
  readonly #ids = new Set<unknown>();
  #id: unknown;
  #isCreated = false;
  #status: unknown;
  #isDone = false;
  failed = false;

  frame({ event, data, json }: WireFrame): void {
    const { report } = this;
    if (data === undefined) return;
    report.need(!this.#isDone, 'a frame after the end');
    if (json === undefined) return this.#done(event);
    report.need(event === json.event_type, `event line "${event}" over type "${json.event_type}"`);
    report.need(!this.failed && this.#status === undefined, `${json.event_type} after the end`);
    if (json.event_type !== 'error')
      report.need(
        this.#isCreated === (json.event_type !== 'interaction.created'),
        'interaction.created is not the first, or not the only one',
      );
    this.#event(json);
  }

  #done(event: string | undefined): void {
    this.report.need(event === 'done', `[DONE] under event line "${event}"`);
    this.report.need(this.#status !== undefined, '[DONE] before the completed interaction');
    this.#isDone = true;
  }

  #event(json: Wired): void {
    switch (json.event_type) {
      case 'interaction.created':
        return this.#create(json.interaction);
      case 'interaction.status_update':
        return void this.report.need(isFilled(json.status), 'a status update without a status');
      case 'step.start':
        return this.#start(json);
      case 'step.delta':
        return this.#delta(json);
      case 'step.stop':
        return this.#stop(json);
      case 'interaction.completed':
        return this.#complete(json.interaction);
      case 'error':
        return this.#error(json.error);
      default:
        this.report.need(false, `an event of type ${json.event_type}`);
    }
  }

  #create(interaction: unknown): void {
    this.#isCreated = true;
    const { id, status, object, model } = isObject(interaction) ? interaction : {};
    this.report.need(isFilled(id) && isFilled(status), 'an interaction without id or status');
    this.report.need(object === 'interaction' && isFilled(model), 'an interaction without object or model');
    this.#id = id;
  }

  #start({ index, step }: Wired): void {
    const { report } = this;
    report.need(index === this.#steps.length, `step ${index} where ${this.#steps.length} was next`);
    const { type, id, name } = isObject(step) ? step : {};
    report.need(isFilled(type), 'a step without a type');
    this.#steps.push({ type: String(type), name, isOpen: true, input: '' });
    if (type !== 'function_call') return;
    report.need(isFilled(id) && isFilled(name), 'a call without id or name');
    report.need(!this.#ids.has(id), `tool call id ${id} twice`);
    this.#ids.add(id);
  }

  #delta({ index, delta }: Wired): void {
    const { report } = this;
    const step = this.#steps[Number(index)];
    if (!report.need(step?.isOpen === true, `a delta for step ${index}, which is not open`) || step === undefined)
      return;
    const { type, ...rest } = isObject(delta) ? delta : {};
    const fits = (fitting[step.type] ?? [step.type]).includes(String(type));
    report.need(fits, `${type} in a ${step.type} step`);
    if (type === 'text') report.need(typeof rest.text === 'string', 'a text delta without its text');
    if (type === 'thought_signature') report.need(isFilled(rest.signature), 'an empty signature');
    if (type === 'thought_summary')
      report.need(isObject(rest.content) && isFilled(rest.content.type), 'a summary without content');
    if (type === 'text_annotation_delta') report.need(Array.isArray(rest.annotations), 'annotations that are no list');
    if (type !== 'arguments_delta') return;
    report.need(typeof rest.arguments === 'string', 'arguments that are no text');
    step.input += rest.arguments;
  }

  #stop({ index }: Wired): void {
    const step = this.#steps[Number(index)];
    this.report.need(step?.isOpen === true, `the end of step ${index}, which is not open`);
    if (step !== undefined) step.isOpen = false;
  }

  #complete(interaction: unknown): void {
    const { report } = this;
    const { id, status, usage, errors } = isObject(interaction) ? interaction : {};
    this.#status = status ?? '';
    report.need(statuses.has(status as string), `the status is ${status}`);
    report.need(id === this.#id, `the id at the end is ${id}`);
    report.need(
      status !== 'failed' || (Array.isArray(errors) && errors.length > 0),
      'it failed, and no error says why',
    );
    for (const [index, step] of this.#steps.entries()) report.need(!step.isOpen, `step ${index} has no end`);
    if (usage !== undefined) this.#usage(usage);
    const calls = this.#steps.filter(({ type }) => type === 'function_call');
    report.need(status !== 'requires_action' || calls.length > 0, 'an action is required, and there is no call');
    if (status !== 'requires_action' && status !== 'completed') return;
    for (const { name, input } of calls)
      report.need(input === '' || isObject(parsed(input)), `the arguments of ${name} are no whole object`);
  }

  #usage(usage: unknown): void {
    const counts = isObject(usage) ? usage : {};
    for (const name of ['total_input_tokens', 'total_output_tokens', 'total_tokens'])
      this.report.need(isCount(counts[name]), `usage.${name} is ${counts[name]}`);
  }

  #error(error: unknown): void {
    this.failed = true;
    const { code, message } = isObject(error) ? error : {};
    this.report.need(isFilled(code) && isFilled(message), 'an error without code or message');
  }

  end(): void {
    this.report.frame = undefined;
    if (!this.failed)
      this.report.need(this.#status !== undefined && this.#isDone, 'neither completed and done nor an error');
  }
}

function read(text: string): InteractionsReader {
  const reader = new InteractionsReader();
  for (const [at, frame] of framesOf(text, reader.report).entries()) {
    reader.report.frame = at;
    reader.frame(frame);
  }
  reader.end();
  return reader;
}

/** What is wrong with an Interactions stream. */
export const interactions: Grammar = {
  violations: (text) => read(text).report.violations,
  fails: (text) => read(text).failed,
};
