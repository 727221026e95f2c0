/** Undoes in an answer what had to be done to its request: names, wrapped inputs, forced tools, stop strings. */
import type { BlockDelta, BlockStart, CanonicalEvent, FrameEvents } from '../model/event.ts';
import { rewrite } from '../model/event.ts';
import { pipe, type Stage } from '../stage.ts';
import { type Sealing, sealer } from './seal.ts';
import type { Stamper } from './stamp.ts';
import { StopCutter } from './stop.ts';
import { InputUnwrapper } from './wrap.ts';

/** What was changed on the way to the upstream. */
export interface Changes {
  /** Tool names as sent, with the client's own. */
  names?: ReadonlyMap<string, string>;
  /** Names, as sent, of custom tools that travel as functions with one `input` text. */
  custom?: ReadonlySet<string>;
  /** Name of the function that stands for a JSON answer; its arguments are the answer's text. */
  jsonTool?: string;
  /** Stop strings that the upstream does not take. */
  stop?: readonly string[];
  /** How opaque reasoning gets through a client of another dialect. */
  seal?: Sealing | undefined;
  /** Binds opaque reasoning to its maker for a client of the same dialect. */
  stamp?: Stamper | undefined;
}

/** A stage that undoes the changes, or nothing where there are none. */
export function restorer(changes: Changes): Stage<FrameEvents, FrameEvents> | undefined {
  const none = !changes.names?.size && !changes.custom?.size && changes.jsonTool === undefined && !changes.stop?.length;
  const seal = changes.seal === undefined ? changes.stamp : sealer(changes.seal);
  if (none) return seal;
  return seal === undefined ? new Restorer(changes) : pipe(new Restorer(changes), seal);
}

class Restorer implements Stage<FrameEvents, FrameEvents> {
  readonly #changes: Changes;
  readonly #unwrapping = new Map<number, InputUnwrapper>();
  readonly #answers = new Set<number>();
  readonly #cutter: StopCutter | undefined;

  constructor(changes: Changes) {
    this.#changes = changes;
    if (changes.stop?.length) this.#cutter = new StopCutter(changes.stop);
  }

  push(events: FrameEvents): readonly FrameEvents[] {
    const restored = events.flatMap((event) => this.#restore(event));
    const cutter = this.#cutter;
    return [cutter === undefined ? restored : restored.flatMap((event) => cutter.pass(event))];
  }

  end(): readonly FrameEvents[] {
    return [];
  }

  #restore(event: CanonicalEvent): readonly CanonicalEvent[] {
    switch (event.type) {
      case 'block-start':
        return [this.#start(event)];
      case 'block-delta':
        return this.#delta(event);
      case 'finish':
        return [this.#answers.size > 0 && event.reason === 'tool_calls' ? edited({ ...event, reason: 'stop' }) : event];
      default:
        return [event];
    }
  }

  #start(event: BlockStart): BlockStart {
    const call = event.toolCall;
    if (call === undefined || call.executor !== 'client') return event;
    if (call.name === this.#changes.jsonTool) return this.#answer(event);
    const name = this.#changes.names?.get(call.name) ?? call.name;
    const custom = this.#changes.custom?.has(call.name) === true;
    if (custom) this.#unwrapping.set(event.block, new InputUnwrapper());
    if (!custom && name === call.name) return event;
    return edited({
      ...event,
      toolCall: { ...call, name, ...(custom && ({ kind: 'custom', format: 'text' } as const)) },
    });
  }

  #answer({ toolCall: _call, ...event }: BlockStart): BlockStart {
    this.#answers.add(event.block);
    return edited({ ...event, kind: 'text' });
  }

  #delta(event: BlockDelta): readonly CanonicalEvent[] {
    if (event.delta.type !== 'input') return [event];
    if (this.#answers.has(event.block)) return [edited({ ...event, delta: { type: 'text', text: event.delta.text } })];
    const unwrapper = this.#unwrapping.get(event.block);
    if (unwrapper === undefined) return [event];
    const text = unwrapper.push(event.delta.text);
    return text === '' ? [] : [edited({ ...event, delta: { ...event.delta, text } })];
  }
}

function edited<E extends CanonicalEvent>(event: E): E {
  rewrite(event.native);
  return event;
}
