/** Arguments of a call that come as values at JSON paths (Vertex, `streamFunctionCallArguments`). */
import { asArray, asObject, asText, type Delta, type JsonObject } from '../../dialect.ts';
import { GrowingText, type Step } from './growth.ts';

type Patch = Extract<Delta, { type: 'input_patch' }>;

/** A value at its path, and the text by which the arguments have grown with it. */
export interface Grown {
  readonly patch: Patch;
  readonly text: string;
}

type Holder = Record<string | number, unknown>;

/** The members of a path such as `$.rows[0].name`. */
const member = /\.([^.[\]]+)|\[(\d{1,9})\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/y;

/** Puts values where their paths say. */
export class Arguments {
  readonly #root = holder();
  readonly #maxDepth: number;
  readonly #text = new GrowingText();

  constructor(maxDepth: number) {
    this.#maxDepth = maxDepth;
  }

  /** Takes the `partialArgs` of one part; nothing where a path leads nowhere. */
  add(partialArgs: unknown): readonly Grown[] | undefined {
    const grown: Grown[] = [];
    for (const wire of asArray(partialArgs)) {
      const piece = this.#put(asObject(wire) ?? {});
      if (piece === undefined) return undefined;
      grown.push(piece);
    }
    return grown;
  }

  /** Takes arguments that come as an object after all; returns their text. */
  assign(args: JsonObject): string {
    let text = '';
    for (const [name, value] of Object.entries(args)) {
      this.#root[name] = value;
      text += this.#text.set(name, value);
    }
    return text;
  }

  /** The rest of the text, where no more arguments come; a call that was cut off has no end. */
  end(isCut: boolean): string {
    return isCut ? this.#text.cut() : this.#text.end();
  }

  #put(wire: JsonObject): Grown | undefined {
    const path = asText(wire.jsonPath) ?? '';
    const steps = stepsOf(path);
    if (steps === undefined || steps.length > this.#maxDepth) return undefined;
    const place = this.#placeOf(steps);
    const last = steps.at(-1) as string | number;
    if (place === undefined || !fits(place, last)) return undefined;
    const value = saidIn(wire);
    const before = place[last];
    const append = typeof before === 'string' && typeof value === 'string';
    place[last] = append ? before + value : value;
    const text = this.#text.add(steps, value, this.#root[steps[0] as Step]);
    return { patch: { type: 'input_patch', path, value, ...(append && { append }) }, text };
  }

  #placeOf(steps: readonly (string | number)[]): Holder | undefined {
    let place: Holder = this.#root;
    for (const [nth, step] of steps.slice(0, -1).entries()) {
      if (!fits(place, step)) return undefined;
      place[step] ??= typeof steps[nth + 1] === 'number' ? [] : holder();
      const next = place[step];
      if (typeof next !== 'object' || next === null) return undefined;
      place = next as Holder;
    }
    return place;
  }
}

/** An object that has no names but its own, whatever they are. */
function holder(): Holder {
  return Object.create(null) as Holder;
}

/** Arrays grow one by one: a place far behind the end would fill memory. */
function fits(place: Holder, step: string | number): boolean {
  return Array.isArray(place) ? typeof step === 'number' && step <= place.length : typeof step === 'string';
}

function stepsOf(path: string): readonly (string | number)[] | undefined {
  const steps: (string | number)[] = [];
  member.lastIndex = path.startsWith('$') ? 1 : 0;
  while (member.lastIndex < path.length) {
    const found = member.exec(path);
    if (found === null) return undefined;
    const [, name, index, single, double] = found;
    steps.push(index === undefined ? (name ?? unescaped(single ?? double ?? '')) : Number(index));
  }
  return steps.length > 0 ? steps : undefined;
}

function unescaped(name: string): string {
  return name.replace(/\\(.)/g, '$1');
}

/** The value of a piece: one of four members, by its kind. */
function saidIn(wire: JsonObject): unknown {
  return wire.stringValue ?? wire.numberValue ?? wire.boolValue ?? null;
}
