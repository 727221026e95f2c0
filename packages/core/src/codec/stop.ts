/** Stop strings for upstreams that take none: the answer ends where the first of them would have ended it. */
import type { BlockDelta, BlockEnd, BlockStart, CanonicalEvent, Finish } from '../model/event.ts';
import { rewrite } from '../model/event.ts';

/** Cuts the text of an answer at the first stop string. Text waits only while it may be the beginning of one. */
export class StopCutter {
  readonly #stops: readonly string[];
  /** The open text blocks, each with what it holds back. */
  readonly #held = new Map<number, string>();
  readonly #open = new Set<number>();
  #found: string | undefined;

  constructor(stops: readonly string[]) {
    this.#stops = stops.filter((stop) => stop !== '');
  }

  /** Takes one event; returns what goes on. */
  pass(event: CanonicalEvent): readonly CanonicalEvent[] {
    switch (event.type) {
      case 'block-start':
        return this.#start(event);
      case 'block-delta':
        return this.#delta(event);
      case 'block-end':
        return this.#end(event);
      case 'finish':
        return [this.#found === undefined ? event : this.#finish(event)];
      case 'response-end':
        return [this.#found === undefined ? event : changed({ ...event, status: 'completed' })];
      case 'error':
        return this.#found === undefined ? [...this.#release(), event] : this.#complete();
      default:
        return [event];
    }
  }

  #start(event: BlockStart): readonly CanonicalEvent[] {
    if (this.#found !== undefined) return dropped(event);
    this.#open.add(event.block);
    if (event.kind === 'text') this.#held.set(event.block, '');
    return [event];
  }

  #delta(event: BlockDelta): readonly CanonicalEvent[] {
    if (this.#found !== undefined) return dropped(event);
    const held = this.#held.get(event.block);
    if (held === undefined || event.delta.type !== 'text') return [event];
    const text = held + event.delta.text;
    const end = this.#endOf(text);
    this.#held.set(event.block, this.#found === undefined ? text.slice(end) : '');
    if (held === '' && end === text.length) return [event];
    rewrite(event.native);
    return end === 0 ? [] : [{ ...event, delta: { ...event.delta, text: text.slice(0, end) } }];
  }

  /** Where the text that may go out ends: before a stop string, or before what may become one. */
  #endOf(text: string): number {
    let first = text.length;
    for (const stop of this.#stops) {
      const at = text.indexOf(stop);
      if (at === -1 || at > first || (at === first && this.#found !== undefined)) continue;
      first = at;
      this.#found = stop;
    }
    return this.#found === undefined ? text.length - this.#pending(text) : first;
  }

  /** Length of the longest end of the text that begins a stop string. */
  #pending(text: string): number {
    const longest = Math.max(0, ...this.#stops.map((stop) => stop.length - 1));
    for (let length = Math.min(longest, text.length); length > 0; length--) {
      const tail = text.slice(-length);
      if (this.#stops.some((stop) => stop.startsWith(tail))) return length;
    }
    return 0;
  }

  #end(event: BlockEnd): readonly CanonicalEvent[] {
    if (!this.#open.delete(event.block)) return dropped(event);
    const rest = this.#rest(event.block);
    if (this.#found === undefined && rest.length === 0) return [event];
    const { final: _final, ...end } = event;
    return [...rest, changed(end)];
  }

  #rest(block: number): readonly CanonicalEvent[] {
    const text = this.#held.get(block) ?? '';
    this.#held.delete(block);
    return text === '' ? [] : [{ type: 'block-delta', block, delta: { type: 'text', text } }];
  }

  #release(): readonly CanonicalEvent[] {
    return [...this.#held.keys()].flatMap((block) => this.#rest(block));
  }

  #finish(event: Finish): Finish {
    const { nativeReason: _native, ...finish } = event;
    return changed({ ...finish, reason: 'stop', stopSequence: this.#found as string });
  }

  /** The answer was whole for its client before its upstream failed. */
  #complete(): readonly CanonicalEvent[] {
    const ends = [...this.#open].map((block) => ({ type: 'block-end', block }) as const);
    this.#open.clear();
    return [
      ...ends,
      { type: 'finish', choice: 0, reason: 'stop', stopSequence: this.#found as string },
      { type: 'response-end', status: 'completed' },
    ];
  }
}

function changed<E extends CanonicalEvent>(event: E): E {
  rewrite(event.native);
  return event;
}

function dropped(event: CanonicalEvent): readonly CanonicalEvent[] {
  rewrite(event.native);
  return [];
}
