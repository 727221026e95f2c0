/** Makes opaque reasoning of an answer ready for a client of its own dialect that others answer in that dialect too. */
import type { RequestContext } from '../model/context.ts';
import type { BlockDelta, BlockEnd, BlockStart, CanonicalEvent, FrameEvents, Native } from '../model/event.ts';
import type { Stage } from '../stage.ts';
import { type Blob, encodeCarrier, isCarrier, type Origin } from './carrier.ts';
import { asObject, asText, type JsonObject } from './json.ts';
import { peek } from './repeat.ts';

/** A member that holds what only its maker can read. */
export interface Place extends Omit<Blob, 'value' | 'text'> {
  readonly holder: JsonObject;
  readonly member: string;
}

/** Where such members are in a payload of a dialect: of a stream, of a whole answer, or a part of either. */
export type Places = (payload: JsonObject) => readonly Place[];

/**
 * A stage that puts a carrier in place of each such value and lets everything else go on as it came: what the client has
 * read of the thinking it sends back by itself. A value that is too large for a carrier stays as it is.
 */
export class Stamper implements Stage<FrameEvents, FrameEvents> {
  readonly #origin: Origin;
  readonly #places: Places;
  /** The blocks that are thoughts or calls. */
  readonly #kinds = new Map<number, Blob['on']>();

  constructor(origin: Origin, places: Places) {
    this.#origin = origin;
    this.#places = places;
  }

  push(events: FrameEvents): readonly FrameEvents[] {
    if (!events.some(mayHold)) return [events];
    for (const event of events) if (event.native !== undefined && mayHold(event)) this.#stampNative(event.native);
    return [events.map((event) => this.#stamped(event))];
  }

  end(): readonly FrameEvents[] {
    return [];
  }

  #stampNative(native: Native): void {
    const payload = asObject(peek(native));
    if (payload !== undefined && this.#places(payload).some(isRaw)) {
      this.#stamp(native.data);
      native.text = undefined;
    }
    this.#stamp(native.whole);
  }

  #stamp(value: unknown): void {
    const payload = asObject(value);
    for (const place of payload === undefined ? [] : this.#places(payload))
      if (isRaw(place)) place.holder[place.member] = this.#carrier(place, String(place.holder[place.member]));
  }

  #stamped(event: CanonicalEvent): CanonicalEvent {
    switch (event.type) {
      case 'block-start':
        return this.#start(event);
      case 'block-delta':
        return this.#delta(event);
      case 'block-end':
        return this.#end(event);
      case 'metadata':
        this.#stamp(event.value);
        return event;
      default:
        return event;
    }
  }

  #start(event: BlockStart): BlockStart {
    const { block, kind, reasoning } = event;
    if (kind === 'reasoning') this.#kinds.set(block, 'thought');
    if (kind === 'tool_call') this.#kinds.set(block, 'call');
    const redacted = reasoning?.redacted;
    if (redacted === undefined) return event;
    return {
      ...event,
      reasoning: { ...reasoning, redacted: this.#carrier({ kind: 'redacted', on: 'thought' }, redacted) },
    };
  }

  #delta(event: BlockDelta): BlockDelta {
    const { block, delta } = event;
    if (delta.type === 'output') this.#stamp(delta.value);
    if (delta.type !== 'signature') return event;
    const on = this.#kinds.get(block) ?? 'text';
    return { ...event, delta: { ...delta, value: this.#carrier({ kind: 'signature', on }, delta.value) } };
  }

  #end(event: BlockEnd): BlockEnd {
    this.#stamp(event.final?.item);
    return event;
  }

  #carrier({ kind, on, id }: Omit<Blob, 'value'>, value: string): string {
    if (isCarrier(value)) return value;
    const blob = { kind, value, on, ...(id !== undefined && { id }) };
    return encodeCarrier({ ...this.#origin, blobs: [blob] }) ?? value;
  }
}

/** The stage for an answer to a request; none where no other maker answers the client in this dialect. */
export function stamper(origin: Origin, { dialect, seals }: RequestContext, places: Places): Stamper | undefined {
  return dialect === origin.dialect && seals === true ? new Stamper(origin, places) : undefined;
}

function isRaw({ holder, member }: Place): boolean {
  const value = asText(holder[member]);
  return value !== undefined && !isCarrier(value);
}

/** What comes piece by piece holds nothing of the kind, a signature and what is told whole apart. */
function mayHold(event: CanonicalEvent): boolean {
  if (event.type !== 'block-delta') return event.type !== 'ping' && event.type !== 'usage';
  return event.delta.type === 'signature' || event.delta.type === 'output';
}
