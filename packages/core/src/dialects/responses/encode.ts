/** Canonical events to a Responses stream. */
import {
  asObject,
  asText,
  type BlockDelta,
  type CanonicalError,
  type CanonicalEvent,
  dataEvent,
  type EncoderOptions,
  entryOf,
  type Finish,
  type JsonObject,
  type Native,
  parseJson,
  peek,
  type ResponseEnd,
  type ResponseStart,
  type Status,
  StreamEncoder,
  tooLarge,
  type Usage,
} from '../../dialect.ts';
import { Blocks } from './blocks.ts';
import { completeEnd, completeReport, completeState } from './ends.ts';
import { Envelope, type State } from './envelope.ts';
import { errorBody } from './error.ts';
import { Output, partOf } from './output.ts';
import { isSoundItem } from './shape.ts';
import { incompleteOfReason, partTerms, progressEvents } from './terms.ts';
import { frameOf, Writer } from './write.ts';

/** Writes the events of a Responses stream; frames of a Responses upstream pass, counted anew where needed. */
export class ResponsesEncoder extends StreamEncoder {
  protected readonly dialect = 'responses';
  readonly #writer = new Writer();
  readonly #output = new Output();
  readonly #blocks: Blocks;
  readonly #envelope: Envelope;
  #begun = false;
  #inProgress = false;
  #reason: Finish | undefined;
  #usage: Usage | undefined;
  #final: State | undefined;
  /** The last response, where its upstream wrote it. */
  #relayed: JsonObject | undefined;
  #repairs = '';

  constructor(options: EncoderOptions) {
    super(options);
    this.#blocks = new Blocks(options, this.#writer, this.#output, (...loss) => this.lose(...loss));
    this.#envelope = new Envelope(options);
  }

  /** The last response that was written, as an object. */
  get response(): JsonObject {
    if (this.#relayed !== undefined) return this.#relayed;
    return asObject(parseJson(this.#envelope.json(this.#final ?? { status: 'in_progress' }))) ?? {};
  }

  protected write(event: CanonicalEvent): string {
    switch (event.type) {
      case 'response-start':
        return this.#start(event);
      case 'status':
        return this.#status(event);
      case 'block-start':
        return this.#blocks.open(event);
      case 'block-delta':
        return this.#delta(event);
      case 'block-end':
        return this.#blocks.close(event);
      case 'usage':
        this.#usage = event.usage;
        return '';
      case 'finish':
        this.#note(event);
        return event.choice === 0 ? this.#refusal(event) + this.#blocks.settleAll() : '';
      case 'response-end':
        return this.#complete(event);
      case 'error':
        return this.#fail(event.error);
      default:
        return '';
    }
  }

  /** A relayed frame has changed the output already; only what later events refer to is left. */
  protected override track(event: CanonicalEvent): void {
    if (event.type === 'block-start') this.#blocks.attach(event);
    else if (event.type === 'usage') this.#usage = event.usage;
    else if (event.type === 'finish') this.#note(event);
    else if (event.type === 'response-start') this.#begin(event);
  }

  /** Counts a frame, completes its response, and writes in front of it what the grammar wants there. */
  protected override adapt(native: Native): void {
    const seen = asObject(peek(native));
    const data = seen?.response === undefined ? seen : asObject(native.data);
    if (data === undefined) return;
    this.#repairs = this.#before(data);
    const response = asObject(data.response);
    const item = data.delta === undefined ? this.#output.items[data.output_index as number] : undefined;
    let changed = completeEnd(native, data.type as string, item);
    if (response !== undefined) changed = this.#completeResponse(data.type as string, response);
    if (response !== undefined && this.#envelope.restate(response)) changed = true;
    if (data.sequence_number !== this.#writer.sequence) {
      Object.assign(native.data as JsonObject, { sequence_number: this.#writer.sequence });
      changed = true;
    }
    if (changed) native.text = undefined;
    this.#writer.sequence++;
  }

  protected frame(_name: string | undefined, payload: string, data: unknown): string {
    const wire = asObject(data);
    if (wire === undefined) return '';
    const type = wire.type as string;
    const out = this.#repairs + frameOf(type, payload);
    this.#output.observe(wire);
    if (type === 'response.in_progress' || type === 'response.queued') this.#inProgress = true;
    if (this.#isTooLarge()) return out + this.#overflow();
    return terminals.has(type) ? out + this.#closed() : out;
  }

  /** What must go out before a relayed frame: whatever its upstream left out. */
  #before(data: JsonObject): string {
    const type = data.type as string;
    const item = this.#output.items[data.output_index as number];
    if (terminals.has(type)) return this.#blocks.settleAll();
    const out = this.#blocks.closing === item ? '' : this.#blocks.settle();
    if (type === 'response.output_item.added' || data.output_index === undefined) return out;
    if (item === undefined) return out + this.#unannounced(type, data);
    const part = partEnds.has(type) ? partOf(item, data) : undefined;
    if (part !== undefined) return out + this.#writer.textDone(item, part);
    return type === 'response.output_item.done' ? out + this.#writer.settled(item) : out;
  }

  /** The start of an item whose upstream gave none. */
  #unannounced(type: string, data: JsonObject): string {
    const reasoning = type.startsWith('response.reasoning') || asObject(data.part)?.type === 'reasoning_text';
    const wire = asObject(data.item) ?? { id: data.item_id, type: reasoning ? 'reasoning' : 'message' };
    const { id, type: kind, status: _status, role: _role, content: _content, summary: _summary, ...fixed } = wire;
    return this.#writer.added(this.#output.add(asText(id) ?? '', asText(kind) ?? '', fixed));
  }

  #completeResponse(type: string, response: JsonObject): boolean {
    const ends = terminals.has(type);
    if (ends) this.#relayed = response;
    let changed = completeState(type, response);
    if (ends && !this.#isWhole(response.output)) {
      response.output = parseJson(this.#output.json());
      changed = true;
    }
    if (completeReport(response, ends)) changed = true;
    return this.#envelope.complete(response, this.options.context?.model !== undefined) || changed;
  }

  /** Whether the upstream's own repetition of the output can stand: it is sound, and none of its items was written by us. Some servers repeat nothing. */
  #isWhole(output: unknown): boolean {
    if (!Array.isArray(output) || !output.every(isSoundItem)) return false;
    return !this.#output.items.some((item) => typeof item.done === 'string');
  }

  /** Other dialects' ids are not always one of their kind; whoever keeps answers needs that. */
  #begin({ id, model, createdAt, serviceTier, usage, native }: ResponseStart): void {
    this.#begun = true;
    this.#usage = usage;
    const own = (native?.dialect ?? this.dialect) === this.dialect ? id : undefined;
    this.#envelope.begin(own ?? this.options.ids.invent('resp_'), model, createdAt, serviceTier);
  }

  #start(event: ResponseStart): string {
    this.#begin(event);
    this.#inProgress = true;
    return this.#lifecycle('response.created') + this.#lifecycle('response.in_progress');
  }

  #lifecycle(type: string, state: State = { status: 'in_progress' }): string {
    this.#final = state;
    return this.#writer.event(type, `"response":${this.#envelope.json(state)}`);
  }

  #status({ status, block }: Status): string {
    if (block === undefined) {
      if (status !== 'in_progress' || this.#inProgress || this.#output.items.length > 0) return '';
      this.#inProgress = true;
      return this.#lifecycle('response.in_progress');
    }
    const item = this.#blocks.itemOf(block);
    const type = `response.${item?.type}.${status}`;
    return item === undefined || entryOf(progressEvents, type) === undefined
      ? ''
      : this.#writer.event(type, item.address);
  }

  /** The answer may become too large to be repeated at its end. */
  #delta(event: BlockDelta): string {
    const { delta } = event;
    if ('text' in delta && delta.text !== undefined) this.#output.size += delta.text.length;
    else if (delta.type === 'citation') this.#output.size += JSON.stringify(delta.citation).length;
    return this.#isTooLarge() ? this.#overflow() : this.#blocks.delta(event);
  }

  #isTooLarge(): boolean {
    return this.#output.size > this.options.limits.maxAccumulatedBytes;
  }

  #overflow(): string {
    return this.abort(tooLarge('answer_too_large', 'The answer is too large to be repeated at its end.'));
  }

  #note(finish: Finish): void {
    if (finish.choice !== 0) return;
    this.#reason = finish;
    this.#blocks.reason = finish.reason;
  }

  /** An answer that was given up is no complete one; one that was cancelled has a word of its own. */
  #complete({ status }: ResponseEnd): string {
    if (status === 'failed' || this.#reason?.reason === 'error') return this.abort(givenUp);
    const incomplete = this.#incompleteness(status);
    const usage = this.#usage;
    const out = this.#blocks.settleAll();
    const output = this.#output.json();
    if (incomplete === undefined) return out + this.#end('response.completed', { status: 'completed', output, usage });
    return out + this.#end('response.incomplete', { status: 'incomplete', output, usage, incomplete });
  }

  /** Where the upstream told why it refused beside the answer, it is told in the answer. */
  #refusal({ reason, details }: Finish): string {
    const why = reason === 'refusal' && !this.#isRefused() ? details?.message : undefined;
    return why === undefined ? '' : this.#blocks.refuse(why);
  }

  #isRefused(): boolean {
    return this.#output.items.some((item) => item.parts.some((part) => part.kind === 'refusal'));
  }

  /** Why the response is not complete; nothing where it is. A refusal without words of its own is a filter's. */
  #incompleteness(status: ResponseEnd['status']): string | undefined {
    const { reason = 'stop', nativeReason } = this.#reason ?? {};
    if (reason === 'refusal' && !this.#isRefused()) return 'content_filter';
    if (reason === 'pause') return nativeReason ?? 'pause';
    const known = incompleteOfReason[reason];
    if (known !== undefined || status !== 'incomplete') return known;
    return nativeReason ?? 'max_output_tokens';
  }

  #end(type: string, state: State): string {
    return this.#lifecycle(type, state) + this.#closed();
  }

  #closed(): string {
    return this.options.responsesDone === true ? dataEvent('[DONE]') : '';
  }

  /** Some clients see only an `error` event, others only a failed response. */
  #fail(error: CanonicalError): string {
    let out = this.#begun ? '' : this.#start({ type: 'response-start' });
    const { message, param, code, type } = errorBody(error);
    const flat = JSON.stringify({ code, message, param, error: { type, code, message, param } }).slice(1, -1);
    out += this.#writer.event('error', flat);
    const state: State = { status: 'failed', output: this.#output.json(), usage: this.#usage, error };
    return out + this.#end('response.failed', state);
  }
}

const givenUp: CanonicalError = {
  type: 'upstream',
  code: 'answer_failed',
  message: 'The upstream gave up its answer.',
};

const partEnds: ReadonlySet<string> = new Set(Object.values(partTerms).map((term) => term.done));

const terminals: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete', 'response.failed']);
