/** The blocks of a stream while they are open: found by the upstream's index, numbered by their order, ended for certain. */
import {
  ArgumentText,
  argumentText,
  asArray,
  asCount,
  asObject,
  asText,
  type BlockKind,
  canBeObject,
  type JsonObject,
  type Native,
  StreamDecoder,
} from '../../dialect.ts';
import { completeStart, completeType, decodeStart, isAnonymousCall, kindOf, wholeInput } from './blocks.ts';
import { decodeCitation } from './citation.ts';

/** A block between its start and its end. */
interface OpenBlock {
  readonly block: number;
  readonly kind: BlockKind;
  readonly type: string;
  /** The input that came with the start; deltas win over it. */
  whole: string | undefined;
  /** Whether a piece of input has come. */
  fed: boolean;
  /** The first and the last piece of its input that say something. */
  first: string;
  last: string;
  /** Its input, until that is known to need no cleaning. */
  input: ArgumentText | undefined;
}

/** An empty input, which perhaps only keeps the place of the real one: the next frame tells. */
interface Placeholder {
  readonly open: OpenBlock;
  readonly native: Native | undefined;
  readonly text: string;
}

const variable: ReadonlySet<string> = new Set(['text', 'partial_json', 'thinking']);

/** What a delta without a block is taken to belong to; a call without a name is none. */
const impliedTypes: Readonly<Partial<Record<BlockKind, string>>> = {
  text: 'text',
  reasoning: 'thinking',
  item: 'compaction',
};

/** The half of the decoder that knows blocks. */
export abstract class BlockDecoder extends StreamDecoder {
  protected readonly dialect = 'messages';
  protected readonly variable: ReadonlySet<string> = variable;
  readonly #open = new Map<number, OpenBlock>();
  #calls = 0;
  #placeholder: Placeholder | undefined;
  /** The last of the indexes, below zero, that stand for those that were never said. */
  #unnumbered = 0;

  /** How many calls the client has got to run. */
  protected get calls(): number {
    return this.#calls;
  }

  /** Whether some block has begun and not ended. */
  protected get hasOpen(): boolean {
    return this.#open.size > 0;
  }

  /** Reads a `content_block_start`. An index that is still in use is free again: its block was never ended. */
  protected startBlock(data: JsonObject, content: JsonObject): void {
    if (completeType(content)) this.mend();
    if (isAnonymousCall(content)) return this.drop('content_dropped', 'A tool call without a name was left out.');
    const index = asCount(data.index) ?? --this.#unnumbered;
    const former = this.#open.get(index);
    if (former !== undefined) this.invent(() => this.#abandon(index, former));
    if (this.#completeCall(content)) this.mend();
    const whole = wholeInput(content);
    if (completeStart(content)) this.mend();
    const open = this.#begin(content, whole);
    this.#open.set(index, open);
    this.#place(data, open);
  }

  /** Reads a `content_block_stop`. */
  protected stopBlock(data: JsonObject): void {
    const index = this.#indexOf(data);
    const open = this.#open.get(index);
    if (open === undefined) return this.drop('frame_ignored', 'The end of a block that is not open.');
    this.#open.delete(index);
    this.#place(data, open);
    const content = asObject(data.content_block);
    if (content !== undefined && !open.fed && open.kind === 'tool_call') open.whole ??= wholeInput(content);
    if (open.type === 'tool_use' && open.first !== '' && !canBeObject(open.first, open.last))
      this.warn('tool_arguments_invalid', 'The input of a tool call is not a whole JSON object.', open.block);
    this.#finish(open);
  }

  /** Reads a block that is all there: in the start of a message, or in a message that is not streamed. */
  protected wholeBlock(content: JsonObject | undefined): void {
    if (content !== undefined) this.#finish(this.#begin(content));
  }

  /** Ends what is open, because no more of it can come. */
  protected abandonAll(status?: 'incomplete'): void {
    if (this.#open.size === 0) return;
    this.invent(() => {
      for (const [index, open] of [...this.#open]) this.#abandon(index, open, status);
    });
  }

  /** The number of the block that a delta belongs to. A delta that has no block of its kind gets a new one. */
  protected target(data: JsonObject, kind: BlockKind): number {
    const index = this.#indexOf(data);
    const found = this.#open.get(index);
    const fits = found !== undefined && (found.kind === kind || found.kind === 'item');
    const open = fits ? found : this.#imply(index, kind, found);
    this.#place(data, open);
    return open.block;
  }

  /** Reads a fragment of a call's input. */
  protected takeInput(data: JsonObject, delta: JsonObject): void {
    const open = this.#callOf(data);
    if (open === undefined) return this.drop('content_dropped', 'Input for a call that was not begun.');
    this.#place(data, open);
    if (delta.partial_json === undefined && delta.input !== undefined) {
      this.mend();
      delta.partial_json = delta.input;
    }
    const piece = this.textOf(delta, 'partial_json');
    if (piece === '') return;
    if (!open.fed && piece.trim() === '{}') return this.#keepPlace(open, piece);
    const text = this.#cleaned(open, piece, delta);
    open.fed = true;
    open.whole = undefined;
    if (text === '') return;
    if (open.first === '') open.first = text.trimStart();
    if (text.charCodeAt(text.length - 1) > 32 || text.trim() !== '') open.last = text;
    this.put(open.block, { type: 'input', text });
  }

  #cleaned(open: OpenBlock, piece: string, delta: JsonObject): string {
    if (open.input === undefined) return piece;
    const text = open.input.add(open.fed ? piece : argumentText(piece));
    if (text !== piece) this.mend();
    if (text !== piece) delta.partial_json = text;
    if (open.input.plain) open.input = undefined;
    return text;
  }

  #keepPlace(open: OpenBlock, text: string): void {
    this.hold();
    this.#placeholder = { open, native: this.native, text };
  }

  /** Gives the empty input that waits, unless this frame brings the real one. */
  protected settleInput(data?: JsonObject): void {
    const held = this.#placeholder;
    if (held === undefined || data?.type === 'ping') return;
    this.#placeholder = undefined;
    const { open, native, text } = held;
    const piece = asText(asObject(data?.delta)?.partial_json)?.trim();
    if (piece && data !== undefined && this.#callOf(data) === open)
      return this.warn('tool_call_repaired', 'An empty input in front of the real one was left out.', open.block);
    open.fed = true;
    open.whole = undefined;
    open.input = undefined;
    this.give({ type: 'block-delta', block: open.block, delta: { type: 'input', text }, native });
  }

  /** Reads a delta that no rule knows. */
  protected passDelta(data: JsonObject): void {
    const open = this.#open.get(this.#indexOf(data));
    if (open !== undefined) this.#place(data, open);
  }

  /** Adds a citation. */
  protected cite(block: number, citation: JsonObject | undefined): void {
    if (citation !== undefined) this.put(block, { type: 'citation', citation: decodeCitation(citation) });
  }

  /** A text member that clients read without looking whether it is there. */
  protected textOf(delta: JsonObject, member: string): string {
    const value = delta[member];
    if (typeof value === 'string') return value;
    const listed = member === 'partial_json' ? [] : asArray(value).map((part) => asText(asObject(part)?.text) ?? '');
    const text =
      value === undefined || value === null ? '' : listed.length > 0 ? listed.join('') : JSON.stringify(value);
    this.mend();
    delta[member] = text;
    return text;
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

  /** The index that a frame names. Look-alikes write it as text, or leave it out: then it is that of the last block that is open. */
  #indexOf({ index }: JsonObject): number {
    const named = asCount(index);
    if (named === undefined) return [...this.#open.keys()].at(-1) ?? --this.#unnumbered;
    if (this.#unnumbered < 0 && !this.#open.has(named)) this.#number(named);
    return named;
  }

  /** The first frame that names an index tells that of the block whose start did not. */
  #number(index: number): void {
    const nameless = [...this.#open].find(([key]) => key < 0);
    if (nameless === undefined) return;
    this.#open.delete(nameless[0]);
    this.#open.set(index, nameless[1]);
  }

  /** The call that a piece of input belongs to: by its index, else the last one that is open. Nobody could answer one without a name. */
  #callOf(data: JsonObject): OpenBlock | undefined {
    const found = this.#open.get(this.#indexOf(data));
    if (found?.kind === 'tool_call' || found?.kind === 'item') return found;
    return [...this.#open.values()].findLast(({ kind }) => kind === 'tool_call');
  }

  #imply(index: number, kind: BlockKind, former: OpenBlock | undefined): OpenBlock {
    this.ensureStarted();
    this.warn('block_not_closed', 'A delta for a block that was not begun.');
    return this.invent(() => {
      if (former !== undefined) this.#abandon(index, former);
      const open = this.#begin({ type: impliedTypes[kind] });
      this.#open.set(index, open);
      return open;
    });
  }

  #begin(content: JsonObject, whole: string | undefined = wholeInput(content)): OpenBlock {
    const type = asText(content.type) ?? '';
    const kind = kindOf(content);
    if (type === 'tool_use' && kind === 'tool_call') this.#calls++;
    const block = this.open(0, kind, decodeStart(content, kind));
    this.#fill(block, kind, content);
    return { block, kind, type, whole, fed: false, first: '', last: '', input: new ArgumentText() };
  }

  /** What a block already holds when it starts. */
  #fill(block: number, kind: BlockKind, content: JsonObject): void {
    switch (kind) {
      case 'text':
        return this.#fillText(block, content);
      case 'reasoning':
        return this.#fillThinking(block, content);
      case 'tool_result':
        return this.put(block, { type: 'output', value: content.content });
      case 'item':
        return this.put(block, { type: 'output', value: content });
    }
  }

  #fillText(block: number, content: JsonObject): void {
    const text = asText(content.text);
    if (text !== undefined) this.put(block, { type: 'text', text });
    for (const citation of asArray(content.citations)) this.cite(block, asObject(citation));
  }

  #fillThinking(block: number, content: JsonObject): void {
    const text = asText(content.thinking);
    const value = asText(content.signature);
    if (text !== undefined) this.put(block, { type: 'reasoning', text, form: 'raw' });
    if (value !== undefined) this.put(block, { type: 'signature', value, mode: 'set' });
  }

  /** A call needs an id, and one that no other call has. */
  #completeCall(content: JsonObject): boolean {
    if (content.type !== 'tool_use') return false;
    const { ids } = this.options;
    const given = asText(content.id);
    const id = ids.unique(given ?? ids.invent('toolu_', this.#calls));
    if (id === given) return false;
    if (given !== undefined) this.warn('id_repeated', 'Two tool calls with the same id.');
    content.id = id;
    return true;
  }

  #abandon(index: number, open: OpenBlock, status?: 'incomplete'): void {
    this.warn('block_not_closed', 'A block that was never ended.', open.block);
    this.#open.delete(index);
    this.#finish(open, status);
  }

  /** Input that came whole in a start was taken out of it, because clients read deltas only; here it comes after. */
  #finish({ block, type, whole, input }: OpenBlock, status?: 'incomplete'): void {
    const rest = input?.rest() ?? '';
    const give = (text: string): void => this.put(block, { type: 'input', text });
    if (whole !== undefined && type === 'mcp_tool_use') give(whole);
    else if (whole !== undefined) this.invent(() => give(whole));
    if (rest !== '') this.invent(() => give(rest));
    this.shut(block, status);
  }

  /** Clients number blocks by their order, so a frame must carry the number of its block. */
  #place(data: JsonObject, open: OpenBlock): void {
    if (data.index !== open.block) this.mend().index = open.block;
  }
}
