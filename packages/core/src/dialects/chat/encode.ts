/** Events to Chat chunks, each written from a template that is ready when its block opens. */
import {
  asArray,
  asObject,
  asText,
  type BlockDelta,
  type BlockEnd,
  type BlockStart,
  type CanonicalError,
  type CanonicalEvent,
  dataEvent,
  type EncoderOptions,
  type Finish,
  type JsonObject,
  type Native,
  peek,
  type ResponseEnd,
  type ResponseStart,
  StreamEncoder,
  type Usage,
  wrapOpening,
} from '../../dialect.ts';
import { callWith, extraContent } from './carried.ts';
import { encodeAnnotation } from './citations.ts';
import { errorObject } from './error.ts';
import { isCustomTool } from './response.ts';
import { finishWords, lossyReasons, reasoningFields } from './terms.ts';
import { encodeUsage, mendCounts } from './usage.ts';
import { closeCall, END, type Writer, writeInput, writeReasoning, writeText } from './writer.ts';

const DONE = 'data: [DONE]\n\n';

/** Writes a Chat stream. */
export class ChatEncoder extends StreamEncoder {
  protected readonly dialect = 'chat';
  readonly #includeUsage: boolean | undefined;
  readonly #model: string | undefined;
  readonly #writers = new Map<number, Writer>();
  readonly #choices = new Map<number, Shown>();
  #head = '';
  #start: ResponseStart | undefined;
  /** The usage that the client has not seen. */
  #usage: Usage | undefined;
  /** Whether a choice ended for a reason that is no good ending. */
  #isGivenUp = false;

  constructor(options: EncoderOptions) {
    super(options);
    this.#includeUsage = options.includeUsage ?? options.context?.includeUsage;
    this.#model = options.context?.model;
  }

  protected write(event: CanonicalEvent): string {
    switch (event.type) {
      case 'response-start':
        return this.#begin(event);
      case 'block-start':
        return this.#open(event);
      case 'block-delta':
        return this.#delta(event);
      case 'block-end':
        return this.#close(event);
      case 'finish':
        return this.#finish(event);
      case 'metadata':
        if (event.key === 'system_fingerprint') this.#identify(event.value);
        return '';
      case 'usage':
        this.#usage = event.usage;
        return '';
      case 'response-end':
        return this.#complete(event);
      case 'error':
        return this.#error(event.error);
      default:
        return '';
    }
  }

  /** Text changes no state; usage in a relayed frame has been seen, wherever it stood. */
  protected override track(event: CanonicalEvent): void {
    if (event.type === 'usage') this.#usage = undefined;
    else if (event.type !== 'block-delta') this.write(event);
    else if (event.delta.type === 'input') this.#begun(event.block);
  }

  protected override frame(_name: string | undefined, payload: string, data: unknown): string {
    if (payload === '[DONE]') return this.#owed() + DONE;
    return this.#includeUsage === false && isUsageOnly(data) ? '' : dataEvent(payload);
  }

  /** Renames the model, shows usage as the client wants it, takes out an `error` that says nothing, at which clients throw, and notes what they see of each choice. */
  protected override adapt(native: Native): void {
    const data = asObject(peek(native));
    if (data === undefined) return;
    if (this.#model !== undefined && typeof data.model === 'string' && data.model !== '' && data.model !== this.#model)
      patched(native).model = this.#model;
    const usage = asObject(data.usage);
    if (usage !== undefined) this.#adaptUsage(native, data, usage);
    if (data.error) delete patched(native).error;
    if (this.options.context?.showReasoning === false) this.#hideReasoning(native);
    for (const choice of asArray(data.choices)) this.#noteChoice(choice as JsonObject);
  }

  #hideReasoning(native: Native): void {
    for (const choice of asArray((native.data as JsonObject).choices)) {
      const delta = asObject(asObject(choice)?.delta) ?? {};
      const said = reasoningFields.filter((name) => delta[name] !== undefined);
      if (said.length > 0) patched(native);
      for (const name of said) delete delta[name];
    }
  }

  #adaptUsage(native: Native, data: JsonObject, usage: JsonObject): void {
    if (mendCounts(usage)) patched(native);
    const alone = asArray(data.choices).length === 0;
    if (this.#includeUsage === undefined && alone) patched(native).choices = [emptyChoice];
    if (this.#includeUsage === false && !alone) delete patched(native).usage;
  }

  #noteChoice({ index, delta, finish_reason }: JsonObject): void {
    const role = asObject(delta)?.role;
    if (!role && !finish_reason) return;
    const shown = this.#shown(index as number);
    if (role) shown.role = true;
    if (finish_reason) shown.finish = true;
  }

  #begin(event: ResponseStart): string {
    this.#start = event;
    this.#usage = event.usage;
    this.#identify();
    return event.native?.relayed === true ? '' : this.#role(0);
  }

  /** The part that all chunks share. */
  #identify(fingerprint?: unknown): void {
    const { id, model, createdAt, serviceTier } = this.#start as ResponseStart;
    const identity = JSON.stringify({
      id: id ?? this.options.ids.invent('chatcmpl-'),
      object: 'chat.completion.chunk',
      created: createdAt ?? this.options.context?.startedAt ?? 0,
      model: this.#model ?? model ?? 'unknown',
      ...(serviceTier !== undefined && { service_tier: serviceTier }),
      ...(asText(fingerprint) !== undefined && { system_fingerprint: fingerprint }),
    });
    this.#head = `data: ${identity.slice(0, -1)},"choices":[`;
  }

  #shown(choice: number): Shown {
    const known = this.#choices.get(choice);
    if (known !== undefined) return known;
    const shown: Shown = { role: false, finish: false, calls: 0, refused: false };
    this.#choices.set(choice, shown);
    return shown;
  }

  #prefix(choice: number): string {
    return `${this.#head}{"index":${choice},"delta":`;
  }

  #chunk(choice: number, delta: JsonObject): string {
    return this.#prefix(choice) + JSON.stringify(delta) + END;
  }

  /** The first chunk of a choice. Clients keep choices in a list, so those before it begin before it. */
  #role(choice: number): string {
    const shown = this.#shown(choice);
    if (shown.role) return '';
    shown.role = true;
    const before = choice > 0 ? this.#role(choice - 1) : '';
    return before + this.#chunk(choice, { role: 'assistant', content: '' });
  }

  #open(event: BlockStart): string {
    const { block, choice, kind, toolCall } = event;
    if (kind === 'tool_call') return toolCall?.executor === 'client' ? this.#openCall(event) : this.#hide(event);
    const field = this.#fieldOf(kind);
    if (field === undefined) return this.#hide(event);
    if (kind === 'refusal') this.#shown(choice).refused = true;
    const both = kind === 'reasoning' && field === 'both';
    this.#writers.set(block, {
      choice,
      kind,
      head: `${this.#prefix(choice)}{"${both ? 'reasoning' : field}":`,
      between: both ? ',"reasoning_content":' : undefined,
      tail: `}${END}`,
      call: 0,
      begun: false,
      json: false,
      wrapped: false,
      part: undefined,
    });
    if (event.native?.relayed === true) return '';
    const id =
      kind === 'audio' && event.item?.id !== undefined ? this.#chunk(choice, { audio: { id: event.item.id } }) : '';
    return this.#role(choice) + id;
  }

  /** The member of a delta that carries a kind of block. */
  #fieldOf(kind: BlockStart['kind']): string | undefined {
    const { context, reasoningField = 'both' } = this.options;
    if (kind !== 'reasoning') return fields[kind];
    return context?.showReasoning === false || reasoningField === 'none' ? undefined : reasoningField;
  }

  #openCall({ block, choice, toolCall, native }: BlockStart): string {
    const { name = '', format = 'json' } = toolCall ?? {};
    const call = this.#shown(choice).calls++;
    const free = format === 'text';
    const wrapped = free && native?.dialect !== 'chat' && !isCustomTool(name, this.options.context);
    const [type, member] = free && !wrapped ? ['custom', 'input'] : ['function', 'arguments'];
    this.#writers.set(block, {
      choice,
      kind: 'tool_call',
      head: `${this.#prefix(choice)}{"tool_calls":[{"index":${call},"${type}":{"${member}":`,
      between: undefined,
      tail: `}}]}${END}`,
      call,
      begun: false,
      json: !free,
      wrapped,
      part: undefined,
    });
    if (native?.relayed === true) return '';
    const said = { name, [member as string]: wrapped ? wrapOpening : '' };
    const first = { index: call, ...callWith(toolCall, type as string, said) };
    return this.#role(choice) + this.#chunk(choice, { tool_calls: [first] });
  }

  /** What Chat has no place for: what a provider's own tools did, pictures, documents. Their candidate has begun all the same. */
  #hide({ kind, choice, native }: BlockStart): string {
    if (kind === 'image' || kind === 'video' || kind === 'document')
      this.lose(
        `choices[${choice}].message.${kind}`,
        `Chat Completions has no place for a ${kind} in an answer.`,
        'severe',
      );
    return native?.relayed === true ? '' : this.#role(choice);
  }

  #delta({ block, delta }: BlockDelta): string {
    const writer = this.#writers.get(block);
    if (writer === undefined) return '';
    switch (delta.type) {
      case 'text':
        return writeText(writer, delta.text, delta.logprobs);
      case 'reasoning':
        return writeReasoning(writer, delta.text, delta.part);
      case 'input':
        return writeInput(writer, delta.text);
      case 'signature':
        return writer.kind === 'tool_call' ? this.#sign(writer, delta.value) : '';
      case 'citation': {
        const annotation = encodeAnnotation(delta.citation);
        return annotation === undefined ? '' : this.#chunk(writer.choice, { annotations: [annotation] });
      }
      case 'data':
        return this.#chunk(writer.choice, { audio: { data: delta.base64 } });
      case 'transcript':
        return this.#chunk(writer.choice, { audio: { transcript: delta.text } });
      default:
        return '';
    }
  }

  #sign(writer: Writer, value: string): string {
    return this.#chunk(writer.choice, {
      tool_calls: [{ index: writer.call, function: { arguments: '' }, ...extraContent(value) }],
    });
  }

  #begun(block: number): void {
    const writer = this.#writers.get(block);
    if (writer !== undefined) writer.begun = true;
  }

  #close({ block, status, final }: BlockEnd): string {
    const writer = this.#writers.get(block);
    this.#writers.delete(block);
    if (writer?.kind === 'audio') return this.#expiry(writer.choice, final);
    return writer?.kind === 'tool_call' ? closeCall(writer, status, final) : '';
  }

  #expiry(choice: number, final: BlockEnd['final']): string {
    const expiresAt = asObject(final?.item)?.expires_at;
    return expiresAt === undefined ? '' : this.#chunk(choice, { audio: { expires_at: expiresAt } });
  }

  #finish(event: Finish): string {
    const { choice, reason } = event;
    const role = this.#role(choice);
    const shown = this.#shown(choice);
    const word = reason === 'tool_calls' && shown.calls === 0 ? 'stop' : finishWords[reason];
    this.#isGivenUp ||= word === undefined;
    if (shown.finish || word === undefined) return role;
    shown.finish = true;
    return reason === 'refusal' ? role + this.#refuse(event, shown.refused) : role + this.#end(event, word);
  }

  /** A refusal in words ends with `stop`; one without any is a filtered answer, and its reason stands where the words would. */
  #refuse(event: Finish, inWords: boolean): string {
    const { choice, details } = event;
    if (inWords) return this.#end(event, 'stop');
    const why = details?.message ? this.#chunk(choice, { refusal: details.message }) : '';
    return why + this.#end(event, 'content_filter');
  }

  #end({ choice, reason, nativeReason }: Finish, word: string): string {
    const native = nativeReason !== undefined && lossyReasons.has(reason) ? { native_finish_reason: nativeReason } : {};
    return `${this.#head}${JSON.stringify({ index: choice, delta: {}, finish_reason: word, ...native })}]}\n\n`;
  }

  /** An answer that was given up has no good end here, whatever was written of it. */
  #complete({ status, native }: ResponseEnd): string {
    if (native?.relayed === true) return '';
    const isGivenUp = this.#isGivenUp || status === 'cancelled' || status === 'failed';
    return isGivenUp ? this.abort(unfinished) : this.#gaps() + this.#owed() + DONE;
  }

  /** Places that the upstream left out among its candidates: they had to begin, so they have to end. */
  #gaps(): string {
    const open = [...this.#choices].filter(([, shown]) => !shown.finish);
    return open.map(([choice]) => this.#finish({ type: 'finish', choice, reason: 'stop' })).join('');
  }

  /** The usage chunk that the client has not seen yet. */
  #owed(): string {
    const usage = this.#usage;
    if (usage === undefined || this.#includeUsage === false) return '';
    this.#usage = undefined;
    const choices = this.#includeUsage === true ? '' : JSON.stringify(emptyChoice);
    return `${this.#head}${choices}],"usage":${JSON.stringify(encodeUsage(usage))}}\n\n`;
  }

  /** An error beside choices is silent in several clients; so is one that `[DONE]` follows. */
  #error(error: CanonicalError): string {
    return dataEvent(JSON.stringify({ error: errorObject(error), finish_reason: 'error' }));
  }
}

/** What the client has seen of a choice. */
interface Shown {
  role: boolean;
  finish: boolean;
  calls: number;
  refused: boolean;
}

const fields: Readonly<Partial<Record<BlockStart['kind'], string>>> = {
  text: 'content',
  refusal: 'refusal',
  transcript: 'content',
  audio: 'audio',
};

const emptyChoice = { index: 0, delta: {}, finish_reason: null } as const;

const unfinished: CanonicalError = { type: 'cancelled', code: 'cancelled', message: 'The answer was cancelled.' };

function patched(native: Native): JsonObject {
  native.text = undefined;
  return native.data as JsonObject;
}

function isUsageOnly(data: unknown): boolean {
  const chunk = asObject(data);
  return asObject(chunk?.usage) !== undefined && asArray(chunk?.choices).length === 0;
}
