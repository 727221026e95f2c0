/** Blocks in single file: this wire has one block open at a time, so what overlaps upstream takes turns here. */
import { type CanonicalError, JsonText, type Limits, tooLarge } from '../../dialect.ts';
import { notJson } from './error.ts';

/** How a block looks on the wire. */
export interface Shape {
  /** Its `content_block`, as JSON text. */
  start: string;
  /** Whether it is a call, whose input must not be torn: others wait for its end. */
  call: boolean;
  /** Whether it is written at once; others appear with their first delta, so that no block is empty. */
  eager: boolean;
}

/** The deltas of this wire: JSON text before the one value. */
const deltas = {
  text: '{"type":"text_delta","text":',
  thinking: '{"type":"thinking_delta","thinking":',
  signature: '{"type":"signature_delta","signature":',
  input: '{"type":"input_json_delta","partial_json":',
  citation: '{"type":"citations_delta","citation":',
  compaction: '{"type":"compaction_delta","content":',
} as const;

/** The name of a delta. */
export type DeltaName = keyof typeof deltas;

/** A block from its start to its end. */
interface Entry {
  readonly block: number;
  readonly shape: Shape;
  /** How far the input of a call has come: clients take one that was cut, and throw on what is no JSON. */
  readonly input: JsonText | undefined;
  /** Its number on the wire, while it is open there. */
  index: number | undefined;
  /** The text before each of its deltas, while it is open on the wire. */
  head: string;
  /** What waits for its turn. */
  pieces: string[];
  /** Whether a waiting piece is more than white space. */
  solid: boolean;
  /** Whether nothing has been added yet. */
  fresh: boolean;
  waits: boolean;
  ended: boolean;
  /** A call that was taken for whole before its end was told. */
  closed: boolean;
}

/** Puts blocks in order. Every method returns what to write. */
export class BlockQueue {
  /** Why the stream cannot go on, once it cannot. */
  fault: CanonicalError | undefined;
  /** Whether the input of a call that has ended was cut off. */
  cut = false;
  /** Whether the numbers on the wire differ from the numbers of the blocks. */
  shifted = false;
  readonly #limits: Pick<Limits, 'maxQueuedBytes'>;
  readonly #entries = new Map<number, Entry>();
  #open: Entry | undefined;
  #waiting: Entry[] = [];
  #queued = 0;
  #next = 0;

  constructor(limits: Pick<Limits, 'maxQueuedBytes'>) {
    this.#limits = limits;
  }

  /** The number that the next block gets on the wire. */
  get next(): number {
    return this.#next;
  }

  /** The number of a block on the wire, while it is open there. */
  indexOf(block: number): number | undefined {
    return this.#entries.get(block)?.index;
  }

  /** Whether something of a block is open or about to be. */
  isPresent(block: number): boolean {
    const entry = this.#entries.get(block);
    return entry !== undefined && (entry.index !== undefined || entry.waits);
  }

  /** Whether a block has begun and nothing has been added to it. */
  isFresh(block: number): boolean {
    return this.#entries.get(block)?.fresh === true;
  }

  /** Whether the input of a call is no JSON, which clients throw on. */
  isMalformed(block: number): boolean {
    return this.#entries.get(block)?.input?.state === 'malformed';
  }

  /** A block begins. */
  start(block: number, shape: Shape): string {
    const entry = this.#enter(block, shape);
    if (!shape.eager) return '';
    this.#enqueue(entry);
    return this.#flush();
  }

  /** A block goes on. */
  add(block: number, name: DeltaName, value: unknown): string {
    const entry = this.#entries.get(block);
    if (entry === undefined) return '';
    entry.fresh = false;
    if (name === 'input') entry.input?.add(value as string);
    if (entry.index === undefined) return this.#later(entry, name, value);
    const out = `${entry.head}${deltas[name]}${JSON.stringify(value)}}}\n\n`;
    return this.#waiting.length === 0 ? out : out + this.#flush();
  }

  /** A block is over. */
  end(block: number): string {
    const entry = this.#entries.get(block);
    if (entry === undefined) return '';
    this.#entries.delete(block);
    entry.ended = true;
    return entry.index === undefined ? '' : this.#close(entry) + this.#flush();
  }

  /** Follows a start that went out as the upstream wrote it. */
  sawStart(block: number, shape: Shape): void {
    this.#show(this.#enter(block, shape));
  }

  /** Follows a fragment of input that went out as the upstream wrote it. */
  sawInput(block: number, text: string): void {
    const entry = this.#entries.get(block);
    if (entry === undefined) return;
    entry.fresh = false;
    entry.input?.add(text);
  }

  /** Follows an end that went out as the upstream wrote it. */
  sawEnd(block: number): void {
    const entry = this.#entries.get(block);
    this.#entries.delete(block);
    if (entry !== undefined && this.#open === entry) this.#open = undefined;
  }

  #enter(block: number, shape: Shape): Entry {
    const entry: Entry = {
      block,
      shape,
      input: shape.call ? new JsonText() : undefined,
      index: undefined,
      head: '',
      pieces: [],
      solid: false,
      fresh: true,
      waits: false,
      ended: false,
      closed: false,
    };
    this.#entries.set(block, entry);
    return entry;
  }

  #later(entry: Entry, name: DeltaName, value: unknown): string {
    const blank = typeof value === 'string' && value.trim() === '';
    if (entry.closed) return blank ? '' : this.#refuse();
    const piece = JSON.stringify(value);
    this.#queued += piece.length;
    if (this.#queued > this.#limits.maxQueuedBytes)
      this.fault = tooLarge('queue_too_large', 'Too much of the answer waits for a tool call to end.');
    entry.pieces.push(`${deltas[name]}${piece}`);
    entry.solid ||= !blank;
    this.#enqueue(entry);
    return this.#flush();
  }

  #enqueue(entry: Entry): void {
    if (!entry.waits) this.#waiting.push(entry);
    entry.waits = true;
  }

  /** Writes who waits, as long as the open block lets them. */
  #flush(): string {
    let out = '';
    while (this.#waiting.length > 0) {
      const next = this.#waiting[0] as Entry;
      const room = this.#makeRoom(next);
      if (room === undefined || this.fault !== undefined) break;
      this.#waiting.shift();
      out += room + this.#begin(next);
      if (next.ended) out += this.#close(next);
    }
    return out;
  }

  /** Ends the open block for another one; nothing where it has to be waited for. */
  #makeRoom(next: Entry): string | undefined {
    const open = this.#open;
    if (open === undefined) return '';
    if (open.input === undefined) return this.#close(open);
    const ended = open.input.ended || (open.fresh && !next.shape.call && next.solid);
    if (!ended) return undefined;
    open.closed = true;
    return this.#close(open);
  }

  #begin(entry: Entry): string {
    this.#show(entry);
    const pieces = entry.pieces.map((piece) => `${entry.head}${piece}}}\n\n`);
    this.#queued = entry.pieces.reduce((queued, piece) => queued - piece.length, this.#queued);
    Object.assign(entry, { pieces: [], solid: false, waits: false });
    const start = `{"type":"content_block_start","index":${entry.index},"content_block":${entry.shape.start}}`;
    return `event: content_block_start\ndata: ${start}\n\n${pieces.join('')}`;
  }

  /** The block is open on the wire from now on. */
  #show(entry: Entry): void {
    entry.index = this.#next++;
    entry.head = `event: content_block_delta\ndata: {"type":"content_block_delta","index":${entry.index},"delta":`;
    if (entry.index !== entry.block) this.shifted = true;
    this.#open = entry;
  }

  /** Ends a block on the wire. Text and thinking may come back as a new block; a call may not. */
  #close(entry: Entry): string {
    const { index } = entry;
    const state = entry.input?.state;
    if (state === 'malformed') return this.#refuse();
    if (state === 'cut') this.cut = true;
    entry.index = undefined;
    if (this.#open === entry) this.#open = undefined;
    return `event: content_block_stop\ndata: {"type":"content_block_stop","index":${index}}\n\n`;
  }

  #refuse(): string {
    this.fault = notJson;
    return '';
  }
}
