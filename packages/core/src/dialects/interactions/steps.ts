/** The steps of a stream while they are open: found by the upstream's index, numbered by their order, ended for certain. */
import {
  asArray,
  asCount,
  asObject,
  asText,
  type BlockKind,
  type CanonicalError,
  compact,
  type Delta,
  entryOf,
  type JsonObject,
  StreamDecoder,
  type ToolCallStart,
  tooLarge,
} from '../../dialect.ts';
import { decodeAnnotation, Said } from './citation.ts';
import { CallInput, inputOf } from './input.ts';
import { mediaKinds, serverTools } from './terms.ts';

/** A step between its start and its end. */
export interface Step {
  /** Its place in the order of all steps, which is its index for the client. */
  readonly number: number;
  readonly type: string;
  /** The block that its next content of the same kind belongs to. */
  block: number;
  kind: BlockKind;
  mimeType: string | undefined;
  /** The arguments of a call that the client is to run. */
  input: CallInput | undefined;
  /** Whether a call that the provider runs has told its arguments. */
  isAsked: boolean;
}

/** No block is open. */
const NONE = -1;

const crowded: CanonicalError = tooLarge('too_many_blocks', 'The answer has too many parts.');

const variable: ReadonlySet<string> = new Set(['text', 'arguments', 'event_id']);

/** The half of the decoder that knows steps and their content. */
export abstract class StepDecoder extends StreamDecoder {
  protected readonly dialect = 'interactions';
  protected readonly variable: ReadonlySet<string> = variable;
  readonly #open = new Map<number, Step>();
  readonly #said = new Said();
  #steps = 0;
  #calls = 0;
  #serverCalls = 0;
  /** The last of the indexes, below zero, that stand for those that were never said. */
  #unnumbered = 0;

  /** How many steps there were. */
  protected get steps(): number {
    return this.#steps;
  }

  /** How many calls the client has got to run. */
  protected get calls(): number {
    return this.#calls;
  }

  /** Whether some step has begun and not ended. */
  protected get hasOpen(): boolean {
    return this.#open.size > 0;
  }

  /** Begins a step. An index that is still in use is free again: its step was never ended. */
  protected enter(data: JsonObject, type: string): Step {
    const index = asCount(data.index) ?? --this.#unnumbered;
    const former = this.#open.get(index);
    if (former !== undefined) this.invent(() => this.#abandon(index, former));
    return this.#enter(index, type);
  }

  #enter(index: number, type: string): Step {
    if (this.#steps >= this.options.limits.maxBlocks) this.fail(crowded);
    const step: Step = {
      number: this.#steps++,
      type,
      block: NONE,
      kind: 'text',
      mimeType: undefined,
      input: undefined,
      isAsked: false,
    };
    this.#open.set(index, step);
    return step;
  }

  /** The step that a delta belongs to. A delta that has no step of its type gets a new one. */
  protected target(data: JsonObject, type: string): Step {
    const index = this.#indexOf(data);
    const found = this.#open.get(index);
    const step = found?.type === type ? found : this.#imply(index, type, found);
    this.place(data, step);
    return step;
  }

  /** The step at the index of an event, if it is open. */
  protected at(data: JsonObject): Step | undefined {
    return this.#open.get(this.#indexOf(data));
  }

  /** The call that a piece of arguments belongs to: by its index, else the last one that is open. */
  protected callAt(data: JsonObject): Step | undefined {
    const found = this.at(data);
    return found?.input !== undefined ? found : [...this.#open.values()].findLast(({ input }) => input !== undefined);
  }

  /** Ends the step at the index of an event; returns whether there was one. */
  protected leave(data: JsonObject): boolean {
    const index = this.#indexOf(data);
    const step = this.#open.get(index);
    if (step === undefined) return false;
    this.#open.delete(index);
    this.place(data, step);
    this.finishStep(step);
    return true;
  }

  /** Ends what is open, because no more of it can come; the client has to be told. */
  protected abandonAll(): void {
    if (this.#open.size === 0) return;
    this.invent(() => {
      for (const [index, step] of [...this.#open]) this.#abandon(index, step);
    });
  }

  /** Reads a step that is all there. */
  protected wholeStep(step: JsonObject): void {
    const type = asText(step.type) ?? '';
    const whole = this.#enter(--this.#unnumbered, type);
    this.fill(whole, step);
    for (const content of asArray(step.content)) this.content(whole, asObject(content) ?? {});
    this.#open.delete(this.#unnumbered);
    this.finishStep(whole);
  }

  /** What a step says when it starts, its content apart. */
  protected fill(step: Step, wire: JsonObject): void {
    const { type } = step;
    if (type === 'model_output') return;
    if (type === 'thought') return this.#thought(step, wire);
    if (type === 'function_call') return this.#call(step, wire);
    if (type.endsWith('_call')) this.#serverCall(step, wire);
    else if (type.endsWith('_result')) this.#result(step, wire);
    else this.#begin(step, 'item', {});
    this.tell(step, wire);
  }

  #thought(step: Step, wire: JsonObject): void {
    const summary = typeof wire.summary === 'string' ? [{ type: 'text', text: wire.summary }] : asArray(wire.summary);
    for (const content of summary) this.summary(step, asObject(content) ?? {});
    this.sign(step, wire.signature);
  }

  #call(step: Step, wire: JsonObject): void {
    const { ids } = this.options;
    const given = asText(wire.id);
    const id = ids.unique(given ?? ids.invent('call_', this.#calls));
    if (given !== undefined && id !== given) this.warn('id_repeated', 'Two tool calls with the same id.');
    if (id !== wire.id) {
      this.mend();
      wire.id = id;
    }
    this.#calls++;
    step.input = new CallInput(wire);
    const name = asText(wire.name) ?? '';
    this.#begin(step, 'tool_call', { id, name, format: 'json', executor: 'client', kind: 'function' });
    this.sign(step, wire.signature);
  }

  #serverCall(step: Step, wire: JsonObject): void {
    const kind = entryOf(serverTools, step.type) ?? step.type;
    const id = asText(wire.id) ?? this.options.ids.invent('srv_', this.#serverCalls++);
    const name = asText(wire.name) ?? kind;
    const serverName = asText(wire.server_name);
    const more = serverName === undefined ? {} : { serverName };
    this.#begin(step, 'tool_call', { id, name, format: 'json', executor: 'server', kind, ...more });
  }

  #result(step: Step, wire: JsonObject): void {
    const isError = typeof wire.is_error === 'boolean' ? wire.is_error : undefined;
    const toolResult = { callId: asText(wire.call_id) ?? '', ...compact({ name: asText(wire.name), isError }) };
    const item = { index: step.number, type: step.type };
    step.block = this.open(0, 'tool_result', { item, toolResult });
    step.kind = 'tool_result';
  }

  #begin(step: Step, kind: 'tool_call' | 'item', call: ToolCallStart | Record<string, never>): void {
    const item = { index: step.number, type: step.type };
    step.block = this.open(0, kind, 'id' in call ? { item, toolCall: call as ToolCallStart } : { item });
    step.kind = kind;
  }

  /** Passes on what only the dialect's own clients understand; the start of such a step comes first. */
  protected tell(step: Step, value: JsonObject): void {
    const args = step.kind === 'tool_call' && !step.isAsked ? inputOf(value.arguments) : undefined;
    if (args !== undefined) step.isAsked = true;
    if (args !== undefined) this.put(step.block, { type: 'input', text: args });
    this.put(step.block, { type: 'output', value });
  }

  /** One content of the model's output. */
  protected content(step: Step, content: JsonObject): void {
    const type = asText(content.type) ?? 'text';
    const kind = entryOf(mediaKinds, type);
    if (kind !== undefined) return this.medium(step, content, kind);
    if (typeof content.text === 'string') this.say(step, content.text);
    this.annotate(step, content.annotations);
  }

  /** Text of the answer. */
  protected say(step: Step, text: string): void {
    if (text === '') return;
    const block = this.#run(step, 'text');
    this.#said.add(block, text);
    this.put(block, { type: 'text', text });
  }

  /** What the model thought, in words or in a picture. */
  protected summary(step: Step, content: JsonObject): void {
    const text = asText(content.text);
    const base64 = asText(content.data);
    const mimeType = asText(content.mime_type);
    if (text !== undefined) this.put(this.#run(step, 'reasoning'), { type: 'reasoning', text, form: 'summary' });
    if (base64 !== undefined)
      this.put(this.#run(step, 'reasoning'), compact({ type: 'data', base64, mimeType }) as Delta);
  }

  /** A signature that must come back with its thought or call; servers send empty ones in between. */
  protected sign(step: Step, signature: unknown): void {
    const value = asText(signature);
    if (value === undefined) return;
    const block = step.kind === 'tool_call' ? step.block : this.#run(step, 'reasoning');
    this.put(block, { type: 'signature', value, mode: 'set' });
  }

  /** Sources of the text that came last; those of a text that is over are kept beside it. */
  protected annotate(step: Step, annotations: unknown): void {
    for (const wire of asArray(annotations)) {
      const citation = decodeAnnotation(asObject(wire) ?? {}, step.block, this.#said);
      if (citation === undefined) continue;
      this.keep((citation.url?.length ?? 0) + (citation.title?.length ?? 0));
      if (step.block !== NONE && step.kind === 'text') this.put(step.block, { type: 'citation', citation });
      else this.note('sources', wire);
    }
  }

  /** A picture or the like, whole; sound comes in many pieces that are one. */
  protected medium(step: Step, content: JsonObject, kind: BlockKind): void {
    const mimeType = asText(content.mime_type);
    const uri = asText(content.uri);
    const goesOn = kind === 'audio' && step.block !== NONE && step.kind === kind && step.mimeType === mimeType;
    if (!goesOn) {
      this.#stop(step);
      const sampleRate = asCount(content.sample_rate) ?? asCount(content.rate);
      const media = compact({ mimeType, uri, sampleRate });
      step.block = this.open(0, kind, { item: { index: step.number, type: step.type }, media });
      step.kind = kind;
      step.mimeType = mimeType;
    }
    const base64 = asText(content.data);
    if (base64 !== undefined) this.put(step.block, compact({ type: 'data', base64, mimeType }) as Delta);
    if (kind !== 'audio') this.#stop(step);
  }

  #run(step: Step, kind: 'text' | 'reasoning'): number {
    if (step.block !== NONE && step.kind === kind) return step.block;
    this.#stop(step);
    step.kind = kind;
    step.block = this.open(0, kind, { item: { index: step.number, type: step.type } });
    return step.block;
  }

  /** The next text is a block of its own, in which places are counted anew. */
  #stop(step: Step): void {
    if (step.block === NONE) return;
    this.shut(step.block);
    this.#said.end(step.block);
    step.block = NONE;
  }

  /** Arguments that came whole in the start come after it, because clients read deltas only. */
  protected finishStep(step: Step): void {
    const rest = step.input?.rest() ?? '';
    if (rest !== '') this.invent(() => this.put(step.block, { type: 'input', text: rest }));
    if (step.input?.isBroken === true)
      this.warn('tool_arguments_invalid', 'The arguments of a tool call are not a whole JSON object.', step.block);
    this.#stop(step);
  }

  /** Clients number steps by their order, so an event must carry the number of its step. */
  protected place(data: JsonObject, step: Step): void {
    if (data.index !== step.number) this.mend().index = step.number;
  }

  /** Gives the first event if nothing has yet. */
  protected ensureStarted(): void {
    if (!this.started) this.invent(() => this.start({}));
  }

  /** Runs an action whose events stand for no frame, only for the dialect. */
  protected invent<T>(action: () => T): T {
    const { native } = this;
    this.native = { dialect: this.dialect };
    const result = action();
    this.native = native;
    return result;
  }

  /** The index that an event names, or that of the last step that is open. */
  #indexOf({ index }: JsonObject): number {
    const named = asCount(index);
    if (named === undefined) return [...this.#open.keys()].at(-1) ?? --this.#unnumbered;
    if (this.#unnumbered < 0 && !this.#open.has(named)) this.#number(named);
    return named;
  }

  /** The first event that names an index tells that of the step whose start did not. */
  #number(index: number): void {
    const nameless = [...this.#open].find(([key]) => key < 0);
    if (nameless === undefined) return;
    this.#open.delete(nameless[0]);
    this.#open.set(index, nameless[1]);
  }

  #imply(index: number, type: string, former: Step | undefined): Step {
    this.ensureStarted();
    this.warn('block_not_closed', 'A delta for a step that was not begun.');
    if (former !== undefined) this.invent(() => this.#abandon(index, former));
    return this.#enter(index, type);
  }

  /** A step without content ends as well: the client may have seen its start. */
  #abandon(index: number, step: Step): void {
    this.warn('block_not_closed', 'A step that was never ended.');
    this.#open.delete(index);
    if (step.block === NONE) step.block = this.open(0, 'text', { item: { index: step.number, type: step.type } });
    this.finishStep(step);
  }
}
