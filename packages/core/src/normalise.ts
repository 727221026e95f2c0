/** The normal form of a stream: what it says, apart from how it was cut into events, and from whom it came. */
import { isInvented } from './codec/ids.ts';
import type {
  BlockDelta,
  BlockEnd,
  BlockStart,
  CanonicalEvent,
  Delta,
  ErrorEvent,
  Finish,
  Metadata,
  ResponseEnd,
  ResponseStart,
} from './model/event.ts';
import type { Usage } from './model/usage.ts';

/**
 * The events of a stream in normal form: one start, each block whole and one after another, metadata, the last usage,
 * one finish for each choice, the ending. Pieces are merged; natives, invented ids, blocks that say nothing, and events
 * that say nothing of the answer (pings, states, warnings, unknown frames) are left out. Two streams say the same if
 * their normal forms are equal.
 */
export function normalise(events: Iterable<CanonicalEvent>): CanonicalEvent[] {
  const stream = new NormalStream();
  for (const event of events) stream.add(event);
  return stream.events();
}

class NormalStream {
  #start: ResponseStart | undefined;
  readonly #blocks = new Map<number, NormalBlock>();
  readonly #notes: Metadata[] = [];
  readonly #finishes = new Map<number, Finish>();
  #usage: Usage | undefined;
  #ending: ResponseEnd | ErrorEvent | undefined;

  add(event: CanonicalEvent): void {
    switch (event.type) {
      case 'response-start':
        return this.#begin(event);
      case 'block-start':
        this.#blocks.set(event.block, new NormalBlock(event));
        return;
      case 'block-delta':
        return this.#blocks.get(event.block)?.add(event);
      case 'block-end':
        return this.#blocks.get(event.block)?.end(event);
      case 'metadata':
        this.#notes.push(plain(event));
        return;
      case 'usage':
        if (event.scope !== 'block') this.#usage = event.usage;
        return;
      case 'finish':
        return this.#finish(event);
      case 'response-end':
      case 'error':
        this.#ending ??= event;
    }
  }

  events(): CanonicalEvent[] {
    const blocks = [...this.#blocks.values()].filter((block) => block.speaks);
    const finishes = [...this.#finishes.values()].sort((a, b) => a.choice - b.choice);
    return [
      ...(this.#start === undefined ? [] : [this.#start]),
      ...blocks.flatMap((block, number) => block.events(number)),
      ...this.#notes,
      ...(this.#usage === undefined ? [] : [counted(this.#usage)]),
      ...finishes,
      ...(this.#ending === undefined ? [] : [ended(this.#ending)]),
    ];
  }

  #begin(event: ResponseStart): void {
    const { usage, id, ...start } = plain(event);
    this.#usage ??= usage;
    this.#start = id === undefined || isInvented(id) ? start : { ...start, id };
  }

  #finish(event: Finish): void {
    const { nativeReason: _, ...finish } = plain(event);
    this.#finishes.set(event.choice, finish);
  }
}

/** Kinds that are nothing without pieces. */
const spoken: ReadonlySet<BlockStart['kind']> = new Set(['text', 'refusal', 'reasoning', 'transcript']);

class NormalBlock {
  readonly #start: BlockStart;
  readonly #pieces: Delta[] = [];
  #signature: string | undefined;
  #end: BlockEnd | undefined;

  constructor(start: BlockStart) {
    this.#start = start;
  }

  add({ delta }: BlockDelta): void {
    if (delta.type === 'signature') this.#sign(delta);
    else if (!isEmpty(delta)) this.#put(bare(delta));
  }

  end(event: BlockEnd): void {
    this.#end = event;
  }

  get speaks(): boolean {
    const { kind, reasoning } = this.#start;
    return !spoken.has(kind) || reasoning !== undefined || this.#deltas().length > 0;
  }

  events(block: number): CanonicalEvent[] {
    const { item: _, toolCall, ...start } = plain(this.#start);
    const { status } = this.#end ?? {};
    return [
      { ...start, block, ...(toolCall !== undefined && { toolCall: identified(toolCall) }) },
      ...this.#deltas().map((delta): BlockDelta => ({ type: 'block-delta', block, delta })),
      { type: 'block-end', block, ...(status !== undefined && status !== 'completed' && { status }) },
    ];
  }

  #sign({ value, mode }: Delta & { type: 'signature' }): void {
    this.#signature = mode === 'append' ? (this.#signature ?? '') + value : value;
  }

  #put(delta: Delta): void {
    const last = this.#pieces.at(-1);
    const merged = last === undefined ? undefined : mergeOf(last, delta);
    if (merged === undefined) this.#pieces.push(delta);
    else this.#pieces[this.#pieces.length - 1] = merged;
  }

  /** What an upstream only says at the end counts as said; a call without arguments has an empty object. */
  #deltas(): readonly Delta[] {
    const { input, text } = this.#end?.final ?? {};
    let deltas: readonly Delta[] = this.#pieces;
    if (input !== undefined)
      deltas = [...deltas.filter(({ type }) => type !== 'input'), { type: 'input', text: input }];
    if (text && spoken.has(this.#start.kind) && deltas.length === 0) deltas = [this.#said(text)];
    if (this.#start.toolCall?.format === 'json') deltas = deltas.filter((delta) => !isNoInput(delta));
    const signature = this.#signature;
    return signature === undefined ? deltas : [...deltas, { type: 'signature', value: signature, mode: 'set' }];
  }

  #said(text: string): Delta {
    return this.#start.kind === 'reasoning' ? { type: 'reasoning', text, form: 'raw' } : { type: 'text', text };
  }
}

function isEmpty(delta: Delta): boolean {
  switch (delta.type) {
    case 'text':
      return delta.text === '' && delta.logprobs === undefined;
    case 'reasoning':
    case 'input':
    case 'transcript':
      return delta.text === '';
    default:
      return false;
  }
}

/** No arguments are written in two ways. */
function isNoInput(delta: Delta): boolean {
  return delta.type === 'input' && /^\s*(?:\{\s*\})?\s*$/.test(delta.text);
}

/** A piece without what belongs to its place in a stream or to its provider. */
function bare(delta: Delta): Delta {
  if (delta.type === 'reasoning') {
    const { boundary: _, ...rest } = delta;
    return rest;
  }
  if (delta.type !== 'citation') return delta;
  const { native: _, ...citation } = delta.citation;
  return { type: 'citation', citation };
}

/** Two pieces as one, where that loses nothing. */
function mergeOf(a: Delta, b: Delta): Delta | undefined {
  if (a.type === 'text' && b.type === 'text') {
    const logprobs = [...(a.logprobs ?? []), ...(b.logprobs ?? [])];
    return { type: 'text', text: a.text + b.text, ...(logprobs.length > 0 && { logprobs }) };
  }
  if (a.type === 'reasoning' && b.type === 'reasoning' && a.form === b.form && a.part === b.part)
    return { ...a, text: a.text + b.text };
  if (a.type === 'input' && b.type === 'input' && a.part === b.part) return { ...a, text: a.text + b.text };
  if (a.type === 'transcript' && b.type === 'transcript') return { type: 'transcript', text: a.text + b.text };
  return undefined;
}

function identified<T extends { id: string; itemId?: string }>({ itemId: _, ...call }: T): Omit<T, 'itemId'> {
  return isInvented(call.id) ? { ...call, id: '' } : call;
}

function counted({ raw: _, ...usage }: Usage): CanonicalEvent {
  return { type: 'usage', usage, final: true };
}

function ended(event: ResponseEnd | ErrorEvent): CanonicalEvent {
  if (event.type === 'response-end') return plain(event);
  const { native: _, ...error } = event.error;
  return { type: 'error', error };
}

function plain<E extends CanonicalEvent>({ native: _native, ext: _ext, ...event }: E): Omit<E, 'native' | 'ext'> {
  return event;
}
