/** One candidate of an answer: what each of its parts says, where a change of kind ends the block before. */
import {
  asArray,
  asObject,
  asText,
  type BlockKind,
  compact,
  type Delta,
  entryOf,
  type JsonObject,
  type TokenLogprob,
} from '../../dialect.ts';
import { Calls } from './calls.ts';
import { Grounding } from './grounding.ts';
import { decodeLogprobs } from './logprobs.ts';
import type { Sink } from './sink.ts';
import { candidateNotes, mediaKinds, partKinds } from './terms.ts';

const NO_BLOCK = -1;

/** Reads the parts of one candidate. */
export class Candidate {
  readonly index: number;
  readonly calls: Calls;
  readonly #sink: Sink;
  readonly #grounding: Grounding;
  readonly #noted = new Map<string, string>();
  /** The block that the next part of its kind belongs to. */
  #block = NO_BLOCK;
  #kind: BlockKind = 'text';
  #mimeType: string | undefined;
  /** The call that the provider runs, until its result is there. */
  #serverCall = '';
  #serverCalls = 0;

  constructor(index: number, sink: Sink) {
    this.index = index;
    this.#sink = sink;
    this.calls = new Calls(index, sink);
    this.#grounding = new Grounding((length) => sink.keep(length));
  }

  /** Reads a chunk of it; returns whether it said anything of the answer. */
  read(wire: JsonObject): boolean {
    const parts = asArray(asObject(wire.content)?.parts);
    let spoke = false;
    for (const part of parts) if (this.#part(asObject(part) ?? {})) spoke = true;
    if (wire.logprobsResult !== undefined) this.#measure(decodeLogprobs(wire.logprobsResult));
    if (wire.groundingMetadata !== undefined || wire.citationMetadata !== undefined) this.#cite(wire);
    this.#note(wire);
    return spoke;
  }

  #part(part: JsonObject): boolean {
    const signature = asText(part.thoughtSignature);
    const call = asObject(part.functionCall);
    if (typeof part.text === 'string') return this.#text(part, part.text, signature);
    if (call !== undefined) return this.#call(call, signature);
    const data = asObject(part.inlineData);
    if (data !== undefined) return this.#medium(part, data, signature);
    if (asObject(part.fileData) !== undefined) return this.#file(part.fileData as JsonObject);
    const name = Object.keys(part).find((member) => Object.hasOwn(partKinds, member));
    if (name !== undefined) return this.#tool(name, part, signature);
    if (signature !== undefined) this.#sign(signature);
    else if (Object.keys(part).length > 0) this.#unknown(part);
    return false;
  }

  /** An empty text ends nothing and begins nothing; with a signature it signs what came last. */
  #text(part: JsonObject, text: string, signature: string | undefined): boolean {
    if (text !== '') this.#say(part.thought === true ? 'reasoning' : 'text', text);
    if (signature !== undefined) this.#sign(signature);
    return text !== '';
  }

  #say(kind: 'text' | 'reasoning', text: string): void {
    const block = this.#run(kind);
    if (kind === 'reasoning') return this.#sink.put(block, { type: 'reasoning', text, form: 'summary' });
    this.#grounding.say(text);
    this.#sink.put(block, { type: 'text', text });
  }

  #sign(value: string): void {
    const block = this.#block === NO_BLOCK ? this.#run('text') : this.#block;
    this.#sink.put(block, { type: 'signature', value, mode: 'set' });
  }

  #call(call: JsonObject, signature: string | undefined): boolean {
    this.#stop();
    this.calls.read(call, signature);
    return true;
  }

  /** Sound comes in many parts that are one. */
  #medium(part: JsonObject, data: JsonObject, signature: string | undefined): boolean {
    const mimeType = asText(data.mimeType);
    const kind = part.thought === true ? 'item' : kindOf(mimeType);
    if (kind === 'item') return this.#unknown(part);
    const goesOn = kind === 'audio' && this.#block !== NO_BLOCK && this.#kind === kind && this.#mimeType === mimeType;
    if (!goesOn) {
      this.#stop();
      this.#open(kind, this.#sink.open(this.index, kind, mimeType === undefined ? {} : { media: { mimeType } }));
      this.#mimeType = mimeType;
    }
    this.#sink.put(this.#block, compact({ type: 'data', base64: asText(data.data) ?? '', mimeType }) as Delta);
    if (signature !== undefined) this.#sign(signature);
    if (kind !== 'audio') this.#stop();
    return true;
  }

  #file(file: JsonObject): boolean {
    const mimeType = asText(file.mimeType);
    const media = compact({ mimeType, uri: asText(file.fileUri) });
    this.#stop();
    this.#sink.shut(this.#sink.open(this.index, kindOf(mimeType), { media }));
    return true;
  }

  /** What the provider's own tools were asked and gave; each is told whole, so that its dialect can write it again. */
  #tool(name: string, part: JsonObject, signature: string | undefined): boolean {
    this.#stop();
    const { kind, tool } = entryOf(partKinds, name) ?? { kind: 'item' as const };
    const value = asObject(part[name]) ?? {};
    const block = kind === 'tool_call' ? this.#serverTool(name, value, tool) : this.#serverResult(name, value);
    this.#sink.put(block, { type: 'output', value: part });
    if (signature !== undefined) this.#sink.put(block, { type: 'signature', value: signature, mode: 'set' });
    this.#sink.shut(block);
    return true;
  }

  #serverTool(name: string, value: JsonObject, tool: string | undefined): number {
    const { ids } = this.#sink.options;
    const kind = tool ?? asText(value.toolType)?.toLowerCase() ?? name;
    this.#serverCall = asText(value.id) ?? ids.invent('srv_', this.#serverCalls++);
    const format = name === 'executableCode' ? ('text' as const) : ('json' as const);
    const toolCall = { id: this.#serverCall, name: kind, format, executor: 'server' as const, kind };
    const block = this.#sink.open(this.index, 'tool_call', { toolCall, item: { type: name } });
    const text = asText(value.code) ?? JSON.stringify(asObject(value.args) ?? {});
    this.#sink.put(block, { type: 'input', text });
    return block;
  }

  #serverResult(name: string, value: JsonObject): number {
    const outcome = asText(value.outcome);
    const isError = outcome === undefined ? undefined : outcome !== 'OUTCOME_OK';
    const toolResult = compact({ callId: asText(value.id) ?? this.#serverCall, isError });
    return this.#sink.open(this.index, 'tool_result', { toolResult, item: { type: name } });
  }

  /** A part that no rule knows, and a picture that the model only thought of. */
  #unknown(part: JsonObject): boolean {
    if (known.some((member) => part[member] !== undefined)) {
      this.#sink.warn('content_dropped', 'A part whose content is not of its kind was left out.');
      return false;
    }
    this.#stop();
    const block = this.#sink.open(this.index, 'item', { item: { type: Object.keys(part)[0] ?? '' } });
    this.#sink.put(block, { type: 'output', value: part });
    this.#sink.shut(block);
    return true;
  }

  #measure(logprobs: readonly TokenLogprob[] | undefined): void {
    if (logprobs === undefined || this.#block === NO_BLOCK || this.#kind !== 'text') return;
    this.#sink.put(this.#block, { type: 'text', text: '', logprobs });
  }

  /** Sources whose text is over are in the metadata only. */
  #cite(wire: JsonObject): void {
    const citations = this.#grounding.read(wire);
    if (this.#block === NO_BLOCK || this.#kind !== 'text') return;
    for (const citation of citations) this.#sink.put(this.#block, { type: 'citation', citation });
  }

  /** What stands beside the content, each as often as it changes. */
  #note(wire: JsonObject): void {
    for (const [member, key] of candidateNotes) {
      const value = wire[member];
      if (value === undefined || isEmpty(value)) continue;
      const text = JSON.stringify(value);
      if (this.#noted.get(key) === text) continue;
      this.#noted.set(key, text);
      this.#sink.note(key, value, this.index);
    }
  }

  #run(kind: 'text' | 'reasoning'): number {
    if (this.#block !== NO_BLOCK && this.#kind === kind) return this.#block;
    this.#stop();
    if (kind === 'text') this.#grounding.begin();
    return this.#open(kind, this.#sink.open(this.index, kind));
  }

  #open(kind: BlockKind, block: number): number {
    this.#kind = kind;
    this.#block = block;
    return block;
  }

  #stop(): void {
    if (this.#block !== NO_BLOCK) this.#sink.shut(this.#block);
    this.#block = NO_BLOCK;
  }
}

/** Members that are read wherever they hold what they should. */
const known: readonly string[] = ['text', 'functionCall', 'fileData', ...Object.keys(partKinds)];

function kindOf(mimeType = ''): BlockKind {
  return entryOf(mediaKinds, mimeType.split('/')[0] ?? '') ?? 'document';
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && (value === null || Object.keys(value).length === 0);
}
