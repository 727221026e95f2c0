/** Canonical events to a Gemini stream: each chunk is an answer of its own, and the last one says why it ended. */
import {
  type BlockDelta,
  type BlockEnd,
  type BlockStart,
  type CanonicalError,
  type CanonicalEvent,
  type Delta,
  type EncoderOptions,
  type Finish,
  givenUp,
  isCarrier,
  type JsonObject,
  type Metadata,
  type Native,
  peek,
  type ResponseEnd,
  type ResponseStart,
  StreamEncoder,
  type TokenLogprob,
  torn,
  type Usage,
} from '../../dialect.ts';
import { callPart, finishMembers, mediaPart, mimeTypes, noteMember, promptFeedback } from './content.ts';
import { finishOf, writeError } from './error.ts';
import { type Frames, framesOf } from './frames.ts';
import { encodeLogprobs } from './logprobs.ts';
import { CallQueue, type WholeCall } from './queue.ts';
import { Said, Sources } from './sources.ts';
import { exclusive } from './usage.ts';

/** A block of text whose pieces go out at once. */
interface Writer {
  readonly choice: number;
  /** What stands before and behind a piece. */
  readonly head: string;
  readonly tail: string;
  readonly signatureHead: string;
  /** The text of its candidate, and where in that the block begins; absent where nothing will be cited by its place. */
  readonly said: Said | undefined;
  readonly from: number;
  part: number | undefined;
}

/** Writes Gemini streams. */
export class GeminiEncoder extends StreamEncoder {
  protected readonly dialect = 'gemini';
  readonly #frames: Frames;
  readonly #calls: CallQueue;
  readonly #writers = new Map<number, Writer>();
  readonly #media = new Map<number, BlockStart>();
  /** Calls whose beginning went out as its upstream wrote it: their pieces have to follow. */
  readonly #pieces = new Map<number, number>();
  /** Blocks of the upstream's own that are told whole. */
  readonly #whole = new Map<number, number>();
  readonly #finishes = new Map<number, Finish>();
  readonly #sources = new Map<number, Sources>();
  readonly #said = new Map<number, Said>();
  #shown = 0;
  /** The members that each chunk ends with. */
  #identity = '';
  #usage: Usage | undefined;
  /** Whether the client has not seen the last usage. */
  #isOwed = false;

  constructor(options: EncoderOptions) {
    super(options);
    this.#calls = new CallQueue(options.limits);
    this.#frames = framesOf(options.framing);
  }

  protected write(event: CanonicalEvent): string {
    switch (event.type) {
      case 'block-delta':
        return this.#delta(event);
      case 'block-start':
        return this.#start(event);
      case 'block-end':
        return this.#end(event);
      case 'response-start':
        this.#begin(event);
        return '';
      case 'usage':
        if (event.scope !== 'block') this.#count(event.usage, true);
        return '';
      case 'metadata':
        return isOwn(event) ? this.#note(event) : '';
      case 'finish':
        this.#finishes.set(event.choice, event);
        return '';
      case 'response-end':
        return this.#complete(event);
      case 'error':
        return this.#rest() + this.#fail(event.error);
      default:
        return '';
    }
  }

  /** Follows a frame that went out as its upstream wrote it: the client has seen all of it. */
  protected override track(event: CanonicalEvent): void {
    if (event.type === 'block-delta') return;
    if (event.type === 'block-start') this.#follow(event);
    else if (event.type === 'block-end') this.#pieces.delete(event.block);
    else if (event.type === 'response-start') this.#begin(event);
    else if (event.type === 'usage') this.#count(event.usage, false);
    else if (event.type === 'finish') this.#shown++;
  }

  /** Clients read server-sent events of one line only; a payload of an array may have many. */
  protected frame(_name: string | undefined, payload: string, data: unknown): string {
    const isLong = !this.#frames.takesLines && /[\r\n]/.test(payload);
    return this.#frames.payload(isLong ? JSON.stringify(data) : payload);
  }

  protected override adapt(native: Native): void {
    const model = this.options.context?.model;
    const seen = peek(native) as JsonObject;
    if (model === undefined || typeof seen.modelVersion !== 'string' || seen.modelVersion === model) return;
    (native.data as JsonObject).modelVersion = model;
    native.text = undefined;
  }

  #begin(event: ResponseStart): void {
    const { context, ids } = this.options;
    const model = context?.model ?? event.model ?? (isOwn(event) ? undefined : 'unknown');
    const id = event.id ?? (isOwn(event) ? undefined : ids.invent('resp_'));
    const members = {
      ...(model !== undefined && { modelVersion: model }),
      ...(id !== undefined && { responseId: id }),
    };
    const text = JSON.stringify(members).slice(1, -1);
    this.#identity = text === '' ? '}' : `,${text}}`;
    this.#count(event.usage, true);
  }

  #count(usage: Usage | undefined, isOwed: boolean): void {
    this.#usage = usage ?? this.#usage;
    this.#isOwed = isOwed && this.#usage !== undefined;
  }

  /** A chunk with one candidate, whose members are JSON text. */
  #chunk(choice: number, candidate: string): string {
    return this.#frames.payload(`{"candidates":[{${candidate},"index":${choice}}]${this.#identity}`);
  }

  #part(choice: number, part: string): string {
    return this.#chunk(choice, `${CONTENT}${part}${CONTENT_END}`);
  }

  #start(event: BlockStart): string {
    const { block, kind, toolCall } = event;
    if (toolCall?.executor === 'client') {
      this.#calls.start(event);
      return '';
    }
    if (kind === 'tool_call' || kind === 'tool_result' || kind === 'item') return this.#hide(event);
    if (kind === 'audio' || kind === 'image' || kind === 'video' || kind === 'document') return this.#medium(event);
    const isHidden = kind === 'reasoning' && !isOwn(event) && this.options.context?.showReasoning === false;
    if (!isHidden) this.#writers.set(block, this.#writer(event));
    return '';
  }

  /** A block of which the client has seen the beginning. */
  #follow(event: BlockStart): void {
    const { block, choice, toolCall, kind } = event;
    if (toolCall?.executor === 'client') this.#pieces.set(block, choice);
    else if (kind === 'text' || kind === 'reasoning') this.#writers.set(block, this.#writer(event));
    else if (kind === 'audio') this.#media.set(block, event);
  }

  #writer(event: BlockStart): Writer {
    const { choice, kind } = event;
    const said = kind === 'reasoning' || isOwn(event) ? undefined : this.#saidIn(choice);
    const thought = kind === 'reasoning' ? '"thought":true,' : '';
    return {
      choice,
      head: `{"candidates":[{${CONTENT}{${thought}"text":`,
      tail: `}${CONTENT_END},"index":${choice}}]${this.#identity}`,
      signatureHead: `{${thought}"text":"","thoughtSignature":`,
      said,
      from: said?.length ?? 0,
      part: undefined,
    };
  }

  #saidIn(choice: number): Said {
    const said = this.#said.get(choice) ?? new Said(this.options.limits);
    this.#said.set(choice, said);
    return said;
  }

  /** What the provider's own tools did is worth something only to a client of that provider. */
  #hide(event: BlockStart): string {
    const { block, choice, toolCall } = event;
    if (isOwn(event)) this.#whole.set(block, choice);
    else if (toolCall !== undefined) this.lose(`tool_call.${toolCall.kind}`, 'a call that its provider runs', 'minor');
    return '';
  }

  #medium(event: BlockStart): string {
    const { choice, kind, media } = event;
    this.#media.set(event.block, event);
    if (media?.uri === undefined) return '';
    const part = mediaPart(media.mimeType ?? mimeTypes[kind] ?? '', { uri: media.uri });
    return this.#part(choice, JSON.stringify(part));
  }

  #delta(event: BlockDelta): string {
    const { block, delta } = event;
    switch (delta.type) {
      case 'text':
        return this.#text(block, delta.text, delta.logprobs);
      case 'transcript':
        return this.#text(block, delta.text, undefined);
      case 'reasoning':
        return this.#reasoning(block, delta);
      case 'input':
        return this.#input(block, delta.text);
      case 'input_patch':
        return this.#patch(block, delta);
      case 'signature':
        return isOwn(event) || isCarrier(delta.value) ? this.#sign(block, delta.value) : '';
      case 'data':
        return this.#data(block, delta);
      case 'output':
        return this.#output(block, delta.value);
      case 'citation':
        return isOwn(event) ? '' : this.#cite(block, delta);
    }
  }

  #text(block: number, text: string, logprobs: readonly TokenLogprob[] | undefined): string {
    const writer = this.#writers.get(block) ?? this.#spoken(block);
    if (writer === undefined || (text === '' && logprobs === undefined)) return '';
    writer.said?.add(text);
    const calls = this.#calls.waits ? this.#settle(true) : '';
    if (logprobs === undefined) return calls + this.#frames.payload(writer.head + JSON.stringify(text) + writer.tail);
    const content = `${CONTENT}{"text":${JSON.stringify(text)}}${CONTENT_END}`;
    const measured = `"logprobsResult":${JSON.stringify(encodeLogprobs(logprobs))}`;
    return calls + this.#chunk(writer.choice, `${content},${measured}`);
  }

  /** What is said in a sound goes out as text. */
  #spoken(block: number): Writer | undefined {
    const start = this.#media.get(block);
    return start === undefined ? undefined : this.#writer({ ...start, kind: 'text' });
  }

  /** Parts of a summary have no border here; a blank line stands for it. */
  #reasoning(block: number, { text, part }: Delta & { type: 'reasoning' }): string {
    const writer = this.#writers.get(block);
    if (writer === undefined || text === '') return '';
    const isNext = part !== undefined && writer.part !== undefined && part !== writer.part;
    if (part !== undefined) writer.part = part;
    const calls = this.#calls.waits ? this.#settle(true) : '';
    return calls + this.#frames.payload(writer.head + JSON.stringify(isNext ? `\n\n${text}` : text) + writer.tail);
  }

  #input(block: number, text: string): string {
    this.#calls.add(block, text);
    return this.#faulty();
  }

  #patch(block: number, { path, value }: Delta & { type: 'input_patch' }): string {
    const choice = this.#pieces.get(block);
    if (choice === undefined) return '';
    const member = valueMembers[typeof value] ?? 'nullValue';
    const partialArgs = [{ jsonPath: path, [member]: value ?? null }];
    return this.#part(choice, JSON.stringify({ functionCall: { partialArgs, willContinue: true } }));
  }

  #sign(block: number, value: string): string {
    const writer = this.#writers.get(block);
    if (writer === undefined) this.#calls.sign(block, value);
    return writer === undefined ? '' : this.#part(writer.choice, `${writer.signatureHead}${JSON.stringify(value)}}`);
  }

  /** Pictures that are not finished yet have no place here. */
  #data(block: number, { base64, mimeType, partial }: Delta & { type: 'data' }): string {
    const start = this.#media.get(block);
    if (start === undefined || partial === true) return '';
    const type = mimeType ?? start.media?.mimeType ?? mimeTypes[start.kind] ?? '';
    return this.#settle(true) + this.#part(start.choice, JSON.stringify(mediaPart(type, { base64 })));
  }

  #output(block: number, value: unknown): string {
    const choice = this.#whole.get(block);
    if (choice === undefined || value === undefined) return '';
    return this.#settle(true) + this.#part(choice, JSON.stringify(value));
  }

  #cite(block: number, { citation }: Delta & { type: 'citation' }): string {
    const { choice = 0, said, from = 0 } = this.#writers.get(block) ?? {};
    const sources = this.#sources.get(choice) ?? new Sources();
    this.#sources.set(choice, sources);
    if (!sources.add(citation, said?.text, from))
      this.lose('citation', 'a source whose place in the text cannot be told for certain', 'minor');
    return '';
  }

  #end({ block, status, final, native }: BlockEnd): string {
    this.#writers.delete(block);
    this.#whole.delete(block);
    const choice = this.#pieces.get(block);
    this.#pieces.delete(block);
    if (choice !== undefined) return native === undefined ? '' : this.#part(choice, '{"functionCall":{}}');
    this.#calls.end(block, final?.input, status === 'incomplete');
    return this.#settle(false);
  }

  /** Writes the calls that are whole. */
  #settle(forced: boolean): string {
    if (!this.#calls.waits) return '';
    const out = this.#calls.take(forced).map((call) => this.#call(call));
    if (this.#calls.isShort) this.lose('tool_call', 'a call whose arguments have no end', 'severe');
    return out.join('') + this.#faulty();
  }

  /** Calls that are whole by their text, when an error ends them all. */
  #rest(): string {
    const calls = this.#calls.take(true).map((call) => this.#call(call));
    return calls.join('');
  }

  #call({ start, args, signature }: WholeCall): string {
    return this.#part(start.choice, callPart(start.toolCall, args, signature, isOwn(start)));
  }

  #faulty(): string {
    const { fault } = this.#calls;
    return fault === undefined ? '' : this.abort(fault);
  }

  #note(event: Metadata): string {
    const member = noteMember(event);
    return member === undefined ? '' : this.#chunk(event.choice ?? 0, `"${member}":${JSON.stringify(event.value)}`);
  }

  /** The last chunk says all that the client has not seen. */
  #complete({ status }: ResponseEnd): string {
    const finishes = [...this.#finishes.values()];
    const isGivenUp = finishes.some(({ reason }) => reason === 'cancelled' || reason === 'error');
    if (status === 'failed' || status === 'cancelled' || isGivenUp) return this.abort(givenUp);
    const isWhole = finishes.every(({ reason }) => reason === 'stop' || reason === 'tool_calls');
    if (this.#calls.torn && isWhole) return this.abort(torn);
    return this.#last(finishes) + this.#frames.end();
  }

  #fail(error: CanonicalError): string {
    const finish = finishOf(error);
    if (finish !== undefined) return this.#last([finish]) + this.#frames.end();
    return this.#frames.payload(JSON.stringify(writeError(error))) + this.#frames.fail();
  }

  #last(finishes: readonly Finish[]): string {
    const blocked = finishes.find(({ details }) => details?.blocked === 'prompt');
    const ends = finishes.length === 0 && this.#shown === 0 ? [STOPPED] : finishes;
    const candidates = ends.map((finish) => this.#ended(finish));
    const members = {
      ...(blocked !== undefined && isOwn(blocked) ? { promptFeedback: promptFeedback(blocked) } : {}),
      ...(candidates.length > 0 && (blocked === undefined || !isOwn(blocked)) && { candidates }),
      ...(this.#usage !== undefined && (this.#isOwed || ends.length > 0) && { usageMetadata: exclusive(this.#usage) }),
    };
    if (Object.keys(members).length === 0) return '';
    return this.#frames.payload(JSON.stringify(members).slice(0, -1) + this.#identity);
  }

  #ended(finish: Finish): JsonObject {
    return {
      content: { parts: [{ text: '' }], role: 'model' },
      ...finishMembers(finish, isOwn(finish)),
      ...this.#sources.get(finish.choice)?.members,
      index: finish.choice,
    };
  }
}

const CONTENT = '"content":{"parts":[';
const CONTENT_END = '],"role":"model"}';
const STOPPED: Finish = { type: 'finish', choice: 0, reason: 'stop' };

const valueMembers: Readonly<Record<string, string>> = {
  string: 'stringValue',
  number: 'numberValue',
  boolean: 'boolValue',
};

/** Whether an event came in this dialect: only then is what is bound to a provider worth something to the client. */
function isOwn({ native }: CanonicalEvent): boolean {
  return native?.dialect === 'gemini';
}
