/** Canonical events to an Interactions stream: steps under their indexes, the completed interaction, the mark of the end. */
import {
  asObject,
  asText,
  type BlockDelta,
  type BlockEnd,
  type BlockStart,
  type CanonicalEvent,
  compact,
  type Delta,
  entryOf,
  type Finish,
  givenUp,
  isCarrier,
  type JsonObject,
  type Native,
  namedEvent,
  peek,
  type ResponseEnd,
  type ResponseStart,
  rewrite,
  type Status,
  StreamEncoder,
  torn,
  type Usage,
  wrapClosing,
  wrapOpening,
  wrapPiece,
} from '../../dialect.ts';
import { encodeAnnotation } from './citation.ts';
import { endMembers, timeOf } from './end.ts';
import { errorBody, notJson } from './error.ts';
import { mediaKinds, mimeTypes } from './terms.ts';
import { exclusive } from './usage.ts';
import {
  callWriter,
  deltaEvent,
  piece,
  Steps,
  startEvent,
  stopEvent,
  textWriter,
  thoughtWriter,
  type Writer,
} from './wire.ts';

/** Writes Interactions streams. */
export class InteractionsEncoder extends StreamEncoder {
  protected readonly dialect = 'interactions';
  readonly #steps = new Steps();
  readonly #writers = new Map<number, Writer>();
  /** The steps of the provider's own tools, whose start waits for the step as it came. */
  readonly #waiting = new Map<number, number>();
  readonly #media = new Map<number, BlockStart>();
  /** Thoughts of which the client gets no more than what it has to send back. */
  readonly #silent = new Set<number>();
  /** The next step of our own. */
  #ownStep = Number.MIN_SAFE_INTEGER;
  /** What every event that holds the interaction repeats. */
  #identity: JsonObject = {};
  #createdAt: number | undefined;
  #usage: Usage | undefined;
  #finish: Finish | undefined;
  #calls = 0;
  /** Whether the arguments of a call that has ended were cut off. */
  #isCut = false;
  /** Whether the client has seen the completed interaction. */
  #isCompleted = false;

  protected write(event: CanonicalEvent): string {
    switch (event.type) {
      case 'block-delta':
        return this.#delta(event);
      case 'block-start':
        return this.#start(event);
      case 'block-end':
        return this.#end(event);
      case 'response-start':
        return this.#create(event);
      case 'response-end':
        return this.#complete(event);
      case 'status':
        return this.#progress(event);
      case 'error':
        return named('error', { error: errorBody(event.error) });
      default:
        this.#remember(event);
        return '';
    }
  }

  /** Follows a frame that went out as its upstream wrote it: the client has seen all of it. */
  protected override track(event: CanonicalEvent): void {
    if (event.type === 'block-delta') {
      if (event.delta.type === 'input') this.#writers.get(event.block)?.json?.add(event.delta.text);
    } else if (event.type === 'block-start') this.#follow(event);
    else if (event.type === 'block-end') this.#forget(event.block);
    else if (event.type === 'response-start') this.#identify(event);
    else if (event.type === 'finish') this.#isCompleted = true;
    else this.#remember(event);
  }

  protected frame(name: string | undefined, payload: string, data: unknown): string {
    const type = typeof data === 'string' ? 'done' : asText(asObject(data)?.event_type);
    return namedEvent(type ?? name ?? 'message', payload);
  }

  protected override adapt(native: Native): void {
    const data = asObject(peek(native));
    switch (data?.event_type) {
      case 'step.start':
        return renumber(native, data, this.#steps.open(data.index as number));
      case 'step.delta':
        return renumber(native, data, this.#steps.indexOf(data.index as number));
      case 'step.stop':
        return renumber(native, data, this.#steps.close(data.index as number));
      case undefined:
        if (!this.#isCompleted) rewrite(native);
        return;
      case 'interaction.completed':
        if (this.#steps.isOpen) return rewrite(native);
        return this.#rename(native, data);
      default:
        this.#rename(native, data as JsonObject);
    }
  }

  /** The model's name is the one that the client knows, and the id is the same in all events. */
  #rename(native: Native, data: JsonObject): void {
    const interaction = asObject(data.interaction);
    if (interaction === undefined) return;
    const id = asText(this.#identity.id);
    const model = this.options.context?.model;
    const isOther = id !== undefined && asText(interaction.id) !== undefined && interaction.id !== id;
    const isRenamed = model !== undefined && typeof interaction.model === 'string' && interaction.model !== model;
    if (isOther) interaction.id = id;
    if (isRenamed) interaction.model = model;
    if (isOther || isRenamed) native.text = undefined;
  }

  #remember(event: CanonicalEvent): void {
    if (event.type === 'usage' && event.scope !== 'block') this.#usage = event.usage;
    else if (event.type === 'finish' && event.choice === 0) this.#finish = event;
  }

  /** Clients name an interaction later, so it has an id that nobody else gave: the upstream's own, or ours. */
  #identify(event: ResponseStart): void {
    const { context, ids } = this.options;
    const own = event.native?.dialect === undefined || isOwn(event);
    const known = own ? event.id : undefined;
    const id = known ?? (isOwn(event) && event.native?.data !== undefined ? '' : ids.invent('int_'));
    this.#identity = compact({ id, object: 'interaction', model: context?.model ?? event.model ?? 'unknown' });
    this.#createdAt = event.createdAt ?? context?.startedAt;
    this.#usage = event.usage;
  }

  #create(event: ResponseStart): string {
    this.#identify(event);
    const { id, ...rest } = this.#identity;
    const interaction = compact({ id, status: 'in_progress', created: timeOf(this.#createdAt), ...rest });
    return named('interaction.created', { interaction });
  }

  #progress(event: Status): string {
    if (!isOwn(event)) return '';
    return named('interaction.status_update', { interaction_id: this.#identity.id, status: event.status });
  }

  /** The step of a block: in this dialect's own frames the one that its upstream says, else one for each block. */
  #stepOf(event: BlockStart): number {
    const index = isOwn(event) ? event.item?.index : undefined;
    return index ?? -1 - event.block;
  }

  #follow(event: BlockStart): void {
    const step = this.#stepOf(event);
    const writer = this.#writerOf(event, step);
    if (writer === undefined) this.#waiting.set(event.block, step);
    else this.#writers.set(event.block, writer);
    if (event.kind in mediaKinds) this.#media.set(event.block, event);
  }

  /** A call is there from its start; texts and thoughts appear with their first piece, so that no step is empty. */
  #start(event: BlockStart): string {
    if (event.choice !== 0) return this.#loseChoice(event.choice);
    const step = this.#stepOf(event);
    const writer = this.#writerOf(event, step);
    if (writer === undefined) return this.#hide(event, step);
    this.#writers.set(event.block, writer);
    if (event.kind in mediaKinds) return this.#medium(event, writer);
    if (writer.json === undefined) return '';
    const started = this.#carry(event.toolCall?.signature) + this.#open(writer);
    return writer.isWrapped ? started + this.#write(writer, wrapOpening) : started;
  }

  /** A thought for what the client has to send back with a call. */
  #carry(signature: string | undefined): string {
    if (signature === undefined) return '';
    const step = this.#ownStep++;
    const signed = this.#whole(thoughtWriter(step), { type: 'thought_signature', signature });
    return signed + stopEvent(this.#steps.close(step) as number);
  }

  #sign(event: BlockDelta, writer: Writer, signature: string): string {
    if (!isOwn(event) && !isCarrier(signature)) return '';
    if (!isOwn(event) && writer.json !== undefined) return this.#carry(signature);
    return this.#whole(writer, { type: 'thought_signature', signature });
  }

  #writerOf(event: BlockStart, step: number): Writer | undefined {
    const { kind, toolCall, block } = event;
    if (kind === 'tool_call' && toolCall?.executor === 'client') {
      this.#calls++;
      return callWriter(step, event, toolCall.id || this.options.ids.invent('call_', block));
    }
    if (kind === 'tool_call' || kind === 'tool_result' || kind === 'item') return undefined;
    if (kind !== 'reasoning') return textWriter(step);
    if (!isOwn(event) && this.options.context?.showReasoning === false) this.#silent.add(block);
    return thoughtWriter(step);
  }

  #loseChoice(choice: number): string {
    this.lose(`choices[${choice}]`, 'an interaction is one answer', 'severe');
    return '';
  }

  /** What the provider's own tools did is worth something only to a client of that provider. */
  #hide(event: BlockStart, step: number): string {
    const { block, toolCall } = event;
    if (isOwn(event)) this.#waiting.set(block, step);
    else if (toolCall !== undefined) this.lose(`tool_call.${toolCall.kind}`, 'a call that its provider runs', 'minor');
    return '';
  }

  #medium(event: BlockStart, writer: Writer): string {
    const { kind, media } = event;
    this.#media.set(event.block, event);
    if (media?.uri === undefined) return '';
    const mime_type = media.mimeType ?? entryOf(mimeTypes, kind);
    return this.#whole(writer, { type: kind, uri: media.uri, mime_type });
  }

  #delta(event: BlockDelta): string {
    const { block, delta } = event;
    const writer = this.#writers.get(block);
    if (writer === undefined) return delta.type === 'output' ? this.#output(block, delta.value) : '';
    switch (delta.type) {
      case 'text':
      case 'transcript':
        return delta.text === '' ? '' : this.#write(writer, delta.text);
      case 'reasoning':
        return this.#silent.has(block) ? '' : this.#reasoning(writer, delta);
      case 'input':
        return this.#input(writer, delta.text);
      case 'signature':
        return this.#sign(event, writer, delta.value);
      case 'data':
        return this.#data(block, writer, delta);
      case 'citation':
        return this.#cite(event, writer, delta);
      default:
        return '';
    }
  }

  /** The start of a step, if the client has not seen it. */
  #open(writer: Writer): string {
    if (this.#steps.indexOf(writer.step) !== undefined) return '';
    return startEvent(this.#steps.open(writer.step), writer.start);
  }

  #write(writer: Writer, text: string): string {
    const index = this.#steps.indexOf(writer.step);
    if (index !== undefined) return piece(writer, index, text);
    const opened = this.#steps.open(writer.step);
    return startEvent(opened, writer.start) + piece(writer, opened, text);
  }

  #whole(writer: Writer, delta: JsonObject): string {
    const started = this.#open(writer);
    return started + deltaEvent(this.#steps.indexOf(writer.step) as number, JSON.stringify(delta));
  }

  /** Parts of a summary have no border here; a blank line stands for it. */
  #reasoning(writer: Writer, { text, part }: Delta & { type: 'reasoning' }): string {
    if (text === '') return '';
    const isNext = part !== undefined && writer.part !== undefined && part !== writer.part;
    if (part !== undefined) writer.part = part;
    return this.#write(writer, isNext ? `\n\n${text}` : text);
  }

  #input(writer: Writer, text: string): string {
    if (text === '') return '';
    if (!writer.isWrapped) writer.json?.add(text);
    return this.#write(writer, writer.isWrapped ? wrapPiece(text) : text);
  }

  /** Pictures that are not finished yet have no place here. */
  #data(block: number, writer: Writer, { base64, mimeType, partial }: Delta & { type: 'data' }): string {
    if (partial === true || this.#silent.has(block)) return '';
    const start = this.#media.get(block);
    const mime_type = mimeType ?? start?.media?.mimeType;
    if (start === undefined)
      return this.#whole(writer, { type: 'thought_summary', content: { type: 'image', data: base64, mime_type } });
    const { kind, media } = start;
    const sample_rate = media?.sampleRate;
    return this.#whole(writer, {
      type: kind,
      data: base64,
      mime_type: mime_type ?? entryOf(mimeTypes, kind),
      sample_rate,
    });
  }

  #cite(event: BlockDelta, writer: Writer, { citation }: Delta & { type: 'citation' }): string {
    const own = isOwn(event);
    if (!own) this.lose('citation', 'sources are named, but not the place at which they are cited', 'minor');
    const annotation = encodeAnnotation(citation, own);
    if (annotation === undefined) return '';
    return this.#whole(writer, { type: 'text_annotation_delta', annotations: [annotation] });
  }

  /** The first value of such a block is its step as it started, later ones are deltas. */
  #output(block: number, value: unknown): string {
    const step = this.#waiting.get(block);
    if (step === undefined || value === undefined) return '';
    const index = this.#steps.indexOf(step);
    if (index !== undefined) return deltaEvent(index, JSON.stringify(value));
    return startEvent(this.#steps.open(step), JSON.stringify(value));
  }

  #forget(block: number): number | undefined {
    const step = this.#writers.get(block)?.step ?? this.#waiting.get(block);
    this.#writers.delete(block);
    this.#waiting.delete(block);
    this.#media.delete(block);
    return step;
  }

  /** Some upstreams say arguments only when they end. */
  #end({ block, final, status }: BlockEnd): string {
    const writer = this.#writers.get(block);
    let out = '';
    if (writer?.isWrapped === true) out = this.#write(writer, wrapClosing);
    else if (writer?.json?.state === 'empty' && final?.input !== undefined) out = this.#input(writer, final.input);
    const step = this.#forget(block);
    if (writer?.isWrapped === false && writer.json?.state === 'malformed') return out + this.abort(notJson);
    if (writer?.isWrapped === false && writer.json?.state === 'cut') this.#isCut ||= status !== 'incomplete';
    const index = step === undefined ? undefined : this.#steps.close(step);
    return index === undefined ? out : out + stopEvent(index);
  }

  #complete({ status, native }: ResponseEnd): string {
    if (this.#isCompleted) return DONE;
    const finish = status === 'cancelled' ? CANCELLED : this.#finish;
    const reason = finish?.reason ?? 'stop';
    if (status === 'failed' || reason === 'error') return this.abort(givenUp);
    const own = native?.dialect === 'interactions' || (finish !== undefined && isOwn(finish));
    if (this.#isCut && !own && (reason === 'stop' || reason === 'tool_calls')) return this.abort(torn);
    return this.#rest() + this.#last(finish, own) + DONE;
  }

  /** Steps whose end the client has not seen, because nothing was in them. */
  #rest(): string {
    return this.#steps.closeAll().map(stopEvent).join('');
  }

  #last(finish: Finish | undefined, own: boolean): string {
    const created = timeOf(this.#createdAt);
    const { id, ...rest } = this.#identity;
    const ended = endMembers(finish, own, this.#calls > 0);
    const interaction = compact({ id, ...ended, usage: exclusive(this.#usage), created, updated: created, ...rest });
    return named('interaction.completed', { interaction });
  }
}

const CANCELLED: Finish = { type: 'finish', choice: 0, reason: 'cancelled' };
const DONE = 'event: done\ndata: [DONE]\n\n';

/** Whether an event came in this dialect: only then is what is bound to a provider worth something to the client. */
function isOwn({ native }: CanonicalEvent): boolean {
  return native?.dialect === 'interactions';
}

function named(type: string, data: JsonObject): string {
  return namedEvent(type, JSON.stringify({ ...data, event_type: type }));
}

/** Gives a frame the index that its step has for the client; one of a step that the client does not see open is written anew. */
function renumber(native: Native, data: JsonObject, index: number | undefined): void {
  if (index === data.index) return;
  if (index === undefined) return rewrite(native);
  (native.data as JsonObject).index = index;
  native.text = undefined;
}
