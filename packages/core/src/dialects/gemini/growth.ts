/** The JSON text of an object that grows with the values that come for its members, in whatever order they come. */

/** A member of an object, or a place in an array. */
export type Step = string | number;

/** An object or array whose end is not written yet. */
interface Level {
  readonly isArray: boolean;
  readonly members: Set<Step>;
}

/** Writes the text piece by piece. What comes too late for its place is written anew with the root's member that it is in. */
export class GrowingText {
  /** The steps to the innermost level. */
  readonly #open: Step[] = [];
  readonly #levels: Level[] = [{ isArray: false, members: new Set() }];
  /** The member of the innermost level whose text may go on. */
  #unfinished: Step | undefined;

  /** The piece for a value at a place; a text there goes on. `whole` is all that the root's member is by now. */
  add(steps: readonly Step[], value: unknown, whole: unknown): string {
    if (typeof value === 'string' && this.#goesOn(steps)) return inner(value);
    const shared = this.#sharedWith(steps);
    const [first = ''] = steps;
    if (this.#isLate(steps[shared] as Step, shared)) return this.set(first, whole);
    const last = steps.length - 1;
    let out = this.#close(shared);
    for (let at = shared; at < last; at++) out += this.#begin(steps[at] as Step) + this.#enter(steps, at);
    out += this.#begin(steps[last] as Step);
    if (typeof value !== 'string') return out + JSON.stringify(value);
    this.#unfinished = steps[last];
    return `${out}"${inner(value)}`;
  }

  /** The piece for a member of the root that is whole; of two of one name the later one counts. */
  set(name: Step, value: unknown): string {
    return this.#close(0) + this.#begin(name) + JSON.stringify(value);
  }

  /** The rest. */
  end(): string {
    const before = this.cut();
    return `${before}${this.#close(0)}}`;
  }

  /** What is missing of a text that has no end: its beginning, where nothing has come. */
  cut(): string {
    return this.#levels[0]?.members.size === 0 ? '{' : '';
  }

  #goesOn(steps: readonly Step[]): boolean {
    const isDeep = steps.length === this.#open.length + 1 && this.#sharedWith(steps) === this.#open.length;
    return isDeep && this.#unfinished !== undefined && steps.at(-1) === this.#unfinished;
  }

  /** How many of the steps lead to levels that are open. */
  #sharedWith(steps: readonly Step[]): number {
    let at = 0;
    while (at < steps.length - 1 && at < this.#open.length && this.#open[at] === steps[at]) at++;
    return at;
  }

  #isLate(step: Step, depth: number): boolean {
    const { members } = this.#levels[depth] as Level;
    return typeof step === 'number' ? step !== members.size : members.has(step);
  }

  #begin(step: Step): string {
    const { isArray, members } = this.#levels.at(-1) as Level;
    const before = members.size > 0 ? ',' : this.#open.length === 0 ? '{' : '';
    members.add(step);
    return isArray ? before : `${before}${JSON.stringify(String(step))}:`;
  }

  #enter(steps: readonly Step[], at: number): string {
    const isArray = typeof steps[at + 1] === 'number';
    this.#open.push(steps[at] as Step);
    this.#levels.push({ isArray, members: new Set() });
    return isArray ? '[' : '{';
  }

  /** Ends the text that may go on, and the levels below a depth. */
  #close(depth: number): string {
    let out = this.#unfinished === undefined ? '' : '"';
    this.#unfinished = undefined;
    while (this.#open.length > depth) {
      this.#open.pop();
      out += this.#levels.pop()?.isArray ? ']' : '}';
    }
    return out;
  }
}

/** A text as it stands between the quotes. */
function inner(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
