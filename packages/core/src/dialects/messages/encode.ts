/** Canonical events to a Messages stream: one message, one block after another, one ending. */
import {
  asObject,
  asText,
  type BlockDelta,
  type BlockEnd,
  type BlockStart,
  type CanonicalEvent,
  type Delta,
  type EncoderOptions,
  type Finish,
  isCarrier,
  type JsonObject,
  type Native,
  namedEvent,
  peek,
  type ResponseEnd,
  type ResponseStart,
  rewrite,
  StreamEncoder,
  type Usage,
  wrapClosing,
  wrapOpening,
  wrapPiece,
} from '../../dialect.ts';
import { encodeStart, encodeWhole, mediaKinds, wholeKinds } from './blocks.ts';
import { encodeCitation } from './citation.ts';
import { torn, writeError } from './error.ts';
import { emptyMessage, stopDelta } from './message.ts';
import { BlockQueue, type Shape } from './queue.ts';
import { exclusive, fullUsage, tierOf } from './usage.ts';

/** What a `message_delta` repeats of this dialect's own metadata. */
interface Notes {
  container?: unknown;
  context_management?: unknown;
}

/** Writes Messages streams. */
export class MessagesEncoder extends StreamEncoder {
  protected readonly dialect = 'messages';
  readonly #queue: BlockQueue;
  /** Provider-made blocks that wait for the value that their start must hold. */
  readonly #valueless = new Map<number, BlockStart>();
  /** Calls whose input is free text: it travels as the one member of an object. */
  readonly #wrapped = new Set<number>();
  /** Open blocks of foreign thinking, and whether the client gets no more of it than what it has to send back. */
  readonly #thinking = new Map<number, 'shown' | 'hidden'>();
  /** Blocks of our own so far; their numbers are below those of the answer. */
  #thoughts = 0;
  /** The part of a summary that each reasoning block has come to. */
  readonly #parts = new Map<number, number>();
  readonly #notes: Notes = {};
  #usage: Usage | undefined;
  #finish: Finish | undefined;
  #calls = 0;
  #isStarted = false;
  /** The upstream's own `message_delta` with its stop reason has gone out. */
  #isStopped = false;

  constructor(options: EncoderOptions) {
    super(options);
    this.#queue = new BlockQueue(options.limits);
  }

  protected write(event: CanonicalEvent): string {
    switch (event.type) {
      case 'block-delta':
        return this.#settle(this.#delta(event));
      case 'block-start':
        return this.#settle(this.#blockStart(event));
      case 'block-end':
        return this.#settle(this.#blockEnd(event));
      case 'response-start':
        return this.#start(event);
      case 'response-end':
        return this.#end(event);
      case 'ping':
        return this.#isStarted ? PING : '';
      case 'error':
        return named('error', writeError(event.error));
      case 'finish':
        return this.#stop(event);
      default:
        this.#remember(event);
        return '';
    }
  }

  /** Follows a frame that went out as its upstream wrote it: the client has seen all of it. */
  protected override track(event: CanonicalEvent): void {
    if (event.type === 'block-delta') {
      if (event.delta.type === 'input') this.#queue.sawInput(event.block, event.delta.text);
    } else if (event.type === 'block-start') this.#queue.sawStart(event.block, this.#shapeOf(event) ?? HIDDEN);
    else if (event.type === 'block-end') this.#queue.sawEnd(event.block);
    else if (event.type === 'response-start') this.#isStarted = true;
    else this.#remember(event);
  }

  protected frame(name: string | undefined, payload: string, data: unknown): string {
    return namedEvent(asText(asObject(data)?.type) ?? name ?? 'message', payload);
  }

  protected override adapt(native: Native): void {
    const data = peek(native) as JsonObject;
    if (data.type === 'message_start') this.#rename(native);
    else if (data.type === 'message_delta') this.#isStopped ||= asText(asObject(data.delta)?.stop_reason) !== undefined;
    else if (data.type === 'content_block_stop' && this.#queue.isMalformed(data.index as number)) rewrite(native);
    else if (this.#queue.shifted && typeof data.index === 'number') this.#renumber(native, data);
  }

  #rename(native: Native): void {
    const model = this.options.context?.model;
    const message = asObject((native.data as JsonObject).message);
    if (message === undefined || model === undefined || message.model === model) return;
    message.model = model;
    native.text = undefined;
  }

  #renumber(native: Native, data: JsonObject): void {
    const isStart = data.type === 'content_block_start';
    const index = isStart ? this.#queue.next : this.#queue.indexOf(data.index as number);
    if (index === undefined || index === data.index) return;
    Object.assign(native.data as JsonObject, { index });
    native.text = undefined;
  }

  #remember(event: CanonicalEvent): void {
    if (event.type === 'usage' && event.scope !== 'block') this.#usage = event.usage;
    else if (event.type === 'finish' && event.choice === 0) this.#finish = event;
    else if (event.type === 'metadata' && isOwn(event) && event.key in noteKeys)
      this.#notes[event.key as keyof Notes] = event.value;
  }

  /** What the queue wrote, and the error if it cannot go on. */
  #settle(out: string): string {
    const { fault } = this.#queue;
    return fault === undefined ? out : out + this.abort(fault);
  }

  #start(event: ResponseStart): string {
    this.#isStarted = true;
    this.#usage = event.usage;
    const { context, ids, messageStartUsage } = this.options;
    const message = emptyMessage(event.id ?? ids.invent('msg_'), context?.model ?? event.model ?? 'unknown');
    const tier = isOwn(event) ? tierOf(event.serviceTier) : {};
    message.usage = { ...fullUsage(event.usage, messageStartUsage), output_tokens: 0, ...tier };
    return named('message_start', { type: 'message_start', message });
  }

  #blockStart(event: BlockStart): string {
    const shape = this.#shapeOf(event);
    if (mediaKinds.has(event.kind)) this.lose(event.kind, 'an answer holds no media', 'severe');
    const thought = this.#think(event.toolCall?.signature);
    if (shape !== undefined) return thought + this.#queue.start(event.block, shape) + this.#wrap(event);
    if (isOwn(event) && wholeKinds.has(event.kind)) this.#valueless.set(event.block, event);
    else this.#loseBlock(event);
    return '';
  }

  /** A block of thinking for what the client has to send back with a call. */
  #think(signature: string | undefined): string {
    if (signature === undefined) return '';
    const block = -1 - this.#thoughts++;
    const queue = this.#queue;
    return queue.start(block, THOUGHT) + queue.add(block, 'signature', signature) + queue.end(block);
  }

  /** A signature where it stands, or a carrier: in a block of its own, if it is not one of thinking that it came on. */
  #sign(event: BlockDelta, value: string): string {
    if (isOwn(event)) return this.#queue.add(event.block, 'signature', value);
    if (!isCarrier(value)) return '';
    return this.#thinking.has(event.block) ? this.#queue.add(event.block, 'signature', value) : this.#think(value);
  }

  #wrap({ block, toolCall }: BlockStart): string {
    if (toolCall?.format !== 'text') return '';
    this.#wrapped.add(block);
    return this.#queue.add(block, 'input', wrapOpening);
  }

  /** Some upstreams say an input only when it ends. */
  #blockEnd({ block, final }: BlockEnd): string {
    const late = final?.input;
    let out = '';
    if (this.#wrapped.delete(block)) out = this.#queue.add(block, 'input', wrapClosing);
    else if (late !== undefined && this.#queue.isFresh(block)) out = this.#queue.add(block, 'input', late);
    this.#thinking.delete(block);
    return out + this.#queue.end(block);
  }

  /** How a block starts here. A block of this dialect's own frames is there from its start, as their indexes say. */
  #shapeOf(event: BlockStart): Shape | undefined {
    if (event.choice !== 0) return undefined;
    const own = isOwn(event);
    if (event.kind === 'reasoning' && !own) {
      this.#thinking.set(event.block, this.options.context?.showReasoning === false ? 'hidden' : 'shown');
    }
    const isCall = event.toolCall?.executor === 'client';
    const shape = encodeStart(event, own, this.options.ids);
    if (isCall && shape !== undefined) this.#calls++;
    return shape !== undefined && own ? { ...shape, eager: true } : shape;
  }

  #loseBlock({ choice, toolCall, reasoning }: BlockStart): void {
    if (choice !== 0) this.lose(`choices[${choice}]`, 'a message is one answer', 'severe');
    else if (toolCall !== undefined) this.lose(`tool_call.${toolCall.kind}`, 'a call that its provider runs', 'minor');
    else if (reasoning !== undefined) this.lose('reasoning', 'thinking that only its provider can read', 'minor');
  }

  #delta(event: BlockDelta): string {
    const { block, delta } = event;
    switch (delta.type) {
      case 'text':
      case 'transcript':
        return delta.text === '' ? '' : this.#queue.add(block, 'text', delta.text);
      case 'input':
        return delta.text === '' ? '' : this.#queue.add(block, 'input', this.#inputOf(block, delta.text));
      case 'reasoning':
        return this.#reasoning(block, delta);
      case 'signature':
        return this.#sign(event, delta.value);
      case 'citation':
        return this.#citation(event, delta);
      case 'output':
        return this.#output(block, delta);
      default:
        return '';
    }
  }

  #inputOf(block: number, text: string): string {
    return this.#wrapped.has(block) ? wrapPiece(text) : text;
  }

  /** Parts of a summary have no border here; a blank line stands for it. */
  #reasoning(block: number, { text, part }: Delta & { type: 'reasoning' }): string {
    if (text === '' || this.#thinking.get(block) === 'hidden') return '';
    const former = this.#parts.get(block);
    if (part !== undefined) this.#parts.set(block, part);
    const isNext = part !== undefined && former !== undefined && part !== former;
    return this.#queue.add(block, 'thinking', isNext ? `\n\n${text}` : text);
  }

  #citation(event: BlockDelta, { citation }: Delta & { type: 'citation' }): string {
    const own = isOwn(event);
    const wire = encodeCitation(citation, own);
    if (wire !== undefined && (own || this.#queue.isPresent(event.block)))
      return this.#queue.add(event.block, 'citation', wire);
    this.lose('citation', 'a citation without a URL, or one that came after its text', 'minor');
    return '';
  }

  #output(block: number, { value, text }: Delta & { type: 'output' }): string {
    const waiting = this.#valueless.get(block);
    if (waiting === undefined) return text === undefined ? '' : this.#queue.add(block, 'compaction', text);
    this.#valueless.delete(block);
    return this.#queue.start(block, encodeWhole(waiting, value));
  }

  /** Usage may still come, except in a frame of this dialect, whose `message_stop` may be relayed next. */
  #stop(event: Finish): string {
    this.#remember(event);
    if (event.choice !== 0 || this.#isStopped || !isOwn(event)) return '';
    this.#isStopped = true;
    return this.#messageDelta(event);
  }

  #end({ status }: ResponseEnd): string {
    const finish = this.#finish;
    const reason = finish?.reason ?? 'stop';
    if (status === 'failed' || status === 'cancelled' || reason === 'error' || reason === 'cancelled')
      return this.abort({ type: 'upstream', code: `answer_${status}`, message: 'The upstream gave up its answer.' });
    if (this.#isStopped) return STOP;
    const isTorn = this.#queue.cut && (reason === 'tool_calls' || reason === 'stop');
    if (isTorn && finish !== undefined && !isOwn(finish)) return this.abort(torn);
    return this.#messageDelta(finish) + STOP;
  }

  #messageDelta(finish: Finish | undefined): string {
    const { container, ...beside } = this.#notes;
    const delta = stopDelta(finish, finish !== undefined && isOwn(finish), this.#calls > 0);
    if (container !== undefined) delta.container = container;
    return named('message_delta', { type: 'message_delta', delta, usage: exclusive(this.#usage ?? {}), ...beside });
  }
}

/** A block of thinking without text. */
const THOUGHT: Shape = { start: '{"type":"thinking","thinking":"","signature":""}', call: false, eager: false };

/** A block that has no place here; only its number counts, because the client has seen it. */
const HIDDEN: Shape = { start: '', call: false, eager: false };
const PING = 'event: ping\ndata: {"type":"ping"}\n\n';
const STOP = 'event: message_stop\ndata: {"type":"message_stop"}\n\n';

const noteKeys: Readonly<Record<keyof Notes, true>> = { container: true, context_management: true };

/** Whether an event came in this dialect: only then is what is bound to a provider worth something to the client. */
function isOwn({ native }: CanonicalEvent): boolean {
  return native?.dialect === 'messages';
}

function named(name: string, data: JsonObject): string {
  return namedEvent(name, JSON.stringify(data));
}
