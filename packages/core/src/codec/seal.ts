/** Makes opaque reasoning of an answer ready for a client of another dialect: a stage behind the decoder. */
import type { RequestContext } from '../model/context.ts';
import type { BlockDelta, BlockEnd, BlockStart, CanonicalEvent, Delta, FrameEvents, Metadata } from '../model/event.ts';
import type { Stage } from '../stage.ts';
import { type Blob, encodeCarrier, type Origin } from './carrier.ts';
import { asObject, asText } from './json.ts';
import { Pieces } from './pieces.ts';

/** Who makes the reasoning, and where the client sends it back. */
export interface Sealing {
  readonly origin: Origin;
  readonly carries: NonNullable<RequestContext['carries']>;
  /** Whether servers of the dialect want thinking in plain words back with the calls that it led to. */
  readonly replays: boolean;
}

/** How the answer to a request is sealed for a client of another dialect; not at all for one of the upstream's own. */
export function sealing(origin: Origin, { dialect, carries }: RequestContext, replays = false): Sealing | undefined {
  return dialect === origin.dialect || carries === undefined ? undefined : { origin, carries, replays };
}

/**
 * The stage. Behind it a signature is a carrier or is not there: on a block of reasoning for clients that send thoughts
 * back, in the start of a call for those that send calls back, and behind the start of one where it came too late.
 */
export function sealer(sealing: Sealing): Stage<FrameEvents, FrameEvents> {
  return new Sealer(sealing);
}

/** A block of reasoning, until its end. */
interface Thought {
  readonly redacted: string | undefined;
  readonly said: Pieces;
  signature: string | undefined;
}

/** A call, until its end. */
interface Call {
  readonly id: string;
  blobs: readonly Blob[];
}

class Sealer implements Stage<FrameEvents, FrameEvents> {
  readonly #sealing: Sealing;
  readonly #thoughts = new Map<number, Thought>();
  readonly #calls = new Map<number, Call>();
  /** What waits for a call that the client sends back. */
  #waiting: Blob[] = [];
  /** The last block of the one answer that is carried. */
  #last: number | undefined;
  /** The number that a block behind all others has. */
  #next = 0;
  #out: CanonicalEvent[] = [];

  constructor(sealing: Sealing) {
    this.#sealing = sealing;
  }

  push(events: FrameEvents): readonly FrameEvents[] {
    if (!events.some(concerns)) return [events];
    const out: CanonicalEvent[] = [];
    this.#out = out;
    for (const [at, event] of events.entries()) this.#pass(event, events, at);
    return [out];
  }

  end(): readonly FrameEvents[] {
    return [];
  }

  #pass(event: CanonicalEvent, events: FrameEvents, at: number): void {
    switch (event.type) {
      case 'block-start':
        return this.#start(event, events, at);
      case 'block-delta':
        return this.#delta(event);
      case 'block-end':
        return this.#end(event);
      case 'metadata':
        return this.#note(event);
      case 'finish':
        if (event.choice === 0) this.#rest();
    }
    this.#out.push(event);
  }

  #start(event: BlockStart, events: FrameEvents, at: number): void {
    const { block, choice, kind, toolCall, reasoning, ...rest } = event;
    if (choice === 0) this.#last = block;
    this.#next = Math.max(this.#next, block + 1);
    if (kind === 'reasoning') {
      const redacted = reasoning?.redacted;
      if (choice === 0) this.#thoughts.set(block, { redacted, said: new Pieces(), signature: undefined });
      this.#out.push({ ...rest, block, choice, kind });
    } else if (toolCall?.executor !== 'client' || choice !== 0) this.#out.push(event);
    else this.#call(event, toolCall, signatureAhead(events, at, block));
  }

  /** A signature that stands in the frame of its call's start is known in time. */
  #call(event: BlockStart, toolCall: NonNullable<BlockStart['toolCall']>, ahead: string | undefined): void {
    const { id } = toolCall;
    const blobs = [...this.#waiting, ...(ahead === undefined ? [] : [signed('call', ahead, id)])];
    this.#waiting = [];
    this.#calls.set(event.block, { id, blobs });
    const signature = blobs.length === 0 ? undefined : this.#carrier(blobs);
    this.#out.push(signature === undefined ? event : { ...event, toolCall: { ...toolCall, signature } });
  }

  #delta(event: BlockDelta): void {
    const { block, delta } = event;
    const thought = this.#thoughts.get(block);
    if (delta.type === 'signature') this.#sign(event, delta, thought);
    else {
      if (delta.type === 'reasoning') thought?.said.add(delta.text);
      this.#out.push(event);
    }
  }

  #sign(event: BlockDelta, { value, mode }: Delta & { type: 'signature' }, thought: Thought | undefined): void {
    const call = this.#calls.get(event.block);
    if (thought !== undefined) thought.signature = (mode === 'append' ? (thought.signature ?? '') : '') + value;
    else if (call !== undefined) this.#late(event, call, value);
    else if (event.block === this.#last) this.#waiting.push(signed('text', value));
  }

  /** A signature behind its call; the carrier that has gone out with the start is told again, for clients that know the last one only. */
  #late(event: BlockDelta, call: Call, value: string): void {
    if (call.blobs.some((blob) => blob.on === 'call' && blob.value === value)) return;
    call.blobs = [...call.blobs, signed('call', value, call.id)];
    const told = this.#sealing.carries === 'calls' ? call.blobs : call.blobs.slice(-1);
    const carrier = this.#carrier(told);
    if (carrier !== undefined) this.#out.push({ ...event, delta: { type: 'signature', value: carrier, mode: 'set' } });
  }

  #end(event: BlockEnd): void {
    this.#calls.delete(event.block);
    const thought = this.#thoughts.get(event.block);
    this.#thoughts.delete(event.block);
    if (thought !== undefined) this.#keep(thought, event);
    this.#out.push(event);
  }

  /** Thinking that its maker does not want back is marked as its maker's all the same: nobody else wants it either. */
  #keep(thought: Thought, event: BlockEnd): void {
    const blob = this.#blobOf(thought, event);
    const blobs = blob === undefined ? [] : [blob];
    if (this.#sealing.carries === 'calls') this.#waiting.push(...blobs);
    else if (blob !== undefined || thought.said.text !== '') this.#mark(blobs, event);
  }

  #mark(blobs: readonly Blob[], { block, native }: BlockEnd): void {
    const value = this.#carrier(blobs);
    if (value !== undefined)
      this.#out.push({ type: 'block-delta', block, delta: { type: 'signature', value, mode: 'set' }, native });
  }

  #blobOf({ redacted, said, signature }: Thought, { final }: BlockEnd): Blob | undefined {
    if (redacted !== undefined) return { kind: 'redacted', value: redacted, on: 'thought' };
    if (signature !== undefined) return { kind: 'signature', value: signature, on: 'thought', text: said.text };
    const item = asObject(final?.item);
    const encrypted = asText(item?.encrypted_content);
    if (encrypted === undefined) return this.#plain(said.text);
    const id = asText(item?.id);
    return { kind: 'encrypted', value: encrypted, on: 'thought', ...(id !== undefined && { id }) };
  }

  #plain(text: string): Blob | undefined {
    return this.#sealing.replays && text !== '' ? { kind: 'plain', value: text, on: 'thought' } : undefined;
  }

  /** Reasoning that some servers send encrypted and beside all blocks. */
  #note(event: Metadata): void {
    this.#out.push(event);
    if (event.key === 'reasoning_encrypted' && (event.choice ?? 0) === 0)
      this.#waiting.push({ kind: 'encrypted', value: JSON.stringify(event.value), on: 'thought' });
  }

  /** What no call followed. No provider demands it back, but a client that has a place for it, on an empty text, may keep it. */
  #rest(): void {
    const isKept = this.#sealing.carries === 'calls' && this.#waiting.length > 0;
    const value = isKept ? this.#carrier(this.#waiting) : undefined;
    this.#waiting = [];
    if (value === undefined) return;
    const block = this.#next++;
    this.#out.push({ type: 'block-start', block, choice: 0, kind: 'text' });
    this.#out.push({ type: 'block-delta', block, delta: { type: 'signature', value, mode: 'set' } });
    this.#out.push({ type: 'block-end', block });
  }

  #carrier(blobs: readonly Blob[]): string | undefined {
    const carrier = encodeCarrier({ ...this.#sealing.origin, blobs });
    if (carrier === undefined) {
      const message = 'Opaque reasoning that is too large for its client was left out.';
      this.#out.push({ type: 'warning', code: 'content_dropped', message });
    }
    return carrier;
  }
}

function signed(on: Blob['on'], value: string, id?: string): Blob {
  return { kind: 'signature', value, on, ...(id !== undefined && { id }) };
}

/** Text and arguments pass as they are. */
function concerns(event: CanonicalEvent): boolean {
  if (event.type !== 'block-delta') return event.type !== 'ping' && event.type !== 'usage';
  return event.delta.type === 'signature' || event.delta.type === 'reasoning';
}

function signatureAhead(events: FrameEvents, at: number, block: number): string | undefined {
  for (let next = at + 1; next < events.length; next++) {
    const event = events[next] as CanonicalEvent;
    if (event.type === 'block-delta' && event.block === block && event.delta.type === 'signature')
      return event.delta.value;
  }
  return undefined;
}
