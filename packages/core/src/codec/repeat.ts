/** Payloads that repeat the one before but for a text or a number: read without being parsed anew. */
import type { DialectId, Native } from '../model/event.ts';
import type { Frame } from '../wire/frame.ts';
import { type JsonObject, parseJson } from './json.ts';
import { type Leaf, leavesOf } from './leaves.ts';

/** A place where payloads differ: a leaf of the known payload, and the text behind it up to the next such place. */
interface Hole {
  readonly holder: Record<string | number, unknown>;
  readonly member: string | number;
  readonly isText: boolean;
  readonly after: string;
}

/** Longer payloads are mostly text that differs. */
const LONGEST = 4096;
/** Comparisons in a row that led to nothing, after which no more are made. */
const MOST_VAIN = 6;

/**
 * Knows the last form of a stream's payloads. A payload of that form is given as the known one with other leaves: the
 * same object each time, so whoever keeps or changes it has to call `release`.
 */
export class Repeats {
  readonly #members: ReadonlySet<string>;
  readonly #values: (string | number)[] = [];
  #known: JsonObject | undefined;
  #start = '';
  #holes: readonly Hole[] = [];
  #before = '';
  #vain = 0;

  /** `members` are the names of the leaves that may differ. */
  constructor(members: ReadonlySet<string>) {
    this.#members = members;
  }

  /** The payload of a text, if it has the known form. */
  match(text: string): JsonObject | undefined {
    const known = this.#known;
    if (known === undefined || text.slice(0, this.#start.length) !== this.#start) return undefined;
    if (!isBlank(text, this.#measure(text))) return undefined;
    this.#vain = 0;
    const holes = this.#holes;
    for (let nth = 0; nth < holes.length; nth++) {
      const { holder, member } = holes[nth] as Hole;
      holder[member] = this.#values[nth];
    }
    return known;
  }

  /** Reads the values of the holes; returns where the form ends, or -1 where the text has another one. */
  #measure(text: string): number {
    let at = this.#start.length;
    for (let nth = 0; nth < this.#holes.length; nth++) {
      const { isText, after } = this.#holes[nth] as Hole;
      const end = isText ? text.lastIndexOf(after) : endOfNumber(text, at, after);
      if (end < at) return -1;
      const value = isText ? textBetween(text, at, end) : Number(text.slice(at, end));
      if (value === undefined) return -1;
      this.#values[nth] = value;
      at = end + after.length;
    }
    return at;
  }

  /** Takes a payload that has not the known form: it and the one before may show what the next ones look like. */
  learn(text: string): void {
    if (this.#vain >= MOST_VAIN || text.length > LONGEST || text.includes('\n')) return;
    const before = this.#before;
    this.#before = text;
    if (before === '' || before.slice(0, 16) !== text.slice(0, 16)) return;
    this.#vain++;
    const holes = this.#differences(before, text);
    if (holes !== undefined) this.#keep(text.trimEnd(), holes);
  }

  /** Gives the known payload away: it belongs to the caller from now on, and another one has to be learned. */
  release(): JsonObject | undefined {
    const known = this.#known;
    this.#known = undefined;
    this.#before = '';
    return known;
  }

  /** The leaves that differ between two texts that are otherwise equal. */
  #differences(before: string, text: string): readonly Leaf[] | undefined {
    const old = leavesOf(before);
    const leaves = leavesOf(text);
    if (old === undefined || leaves === undefined || old.length !== leaves.length) return undefined;
    const holes: Leaf[] = [];
    let at = 0;
    let atOld = 0;
    for (const [nth, leaf] of leaves.entries()) {
      const other = old[nth] as Leaf;
      if (leaf.isText !== other.isText || before.slice(atOld, other.start) !== text.slice(at, leaf.start)) return;
      if (before.slice(other.start, other.end) !== text.slice(leaf.start, leaf.end)) holes.push(leaf);
      at = leaf.end;
      atOld = other.end;
    }
    const isEqual = before.slice(atOld).trimEnd() === text.slice(at).trimEnd();
    return isEqual && holes.every(({ path }) => this.#members.has(String(path.at(-1)))) ? holes : undefined;
  }

  #keep(text: string, leaves: readonly Leaf[]): void {
    const known = parseJson(text);
    this.#start = text.slice(0, leaves[0]?.start);
    this.#holes = leaves.map(({ path, isText, end }, nth) => ({
      holder: holderOf(known, path),
      member: path.at(-1) as string | number,
      isText,
      after: text.slice(end, leaves[nth + 1]?.start),
    }));
    this.#known = leaves.length === 0 ? undefined : (known as JsonObject);
  }
}

function holderOf(value: unknown, path: readonly (string | number)[]): Record<string | number, unknown> {
  let holder = value as Record<string | number, unknown>;
  for (const member of path.slice(0, -1)) holder = holder[member] as Record<string | number, unknown>;
  return holder;
}

/** Where digits end; -1 where there are none, more than a count has, or something else behind them. */
function endOfNumber(text: string, start: number, after: string): number {
  let at = start;
  while (text.charCodeAt(at) >= 48 && text.charCodeAt(at) <= 57) at++;
  const length = at - start;
  const isCount = length > 0 && length <= 15 && (length === 1 || text.charCodeAt(start) !== 48);
  return isCount && text.startsWith(after, at) ? at : -1;
}

/** The text that stands between two quotation marks, which is one JSON string or nothing. */
function textBetween(text: string, start: number, end: number): string | undefined {
  const raw = text.slice(start, end);
  return special.test(raw) ? (parseJson(text.slice(start - 1, end + 1)) as string | undefined) : raw;
}

/** What a JSON string does not hold as it is. */
const special = /["\\\p{Cc}]/u;

/** Whether only blanks follow, which some servers pad their payloads with. */
function isBlank(text: string, start: number): boolean {
  if (start < 0) return false;
  for (let at = start; at < text.length; at++) if (text.charCodeAt(at) !== 32) return false;
  return true;
}

/** A frame whose payload is shared with those before and after it; it gets one of its own when somebody asks for it. */
export class RepeatedFrame implements Native {
  readonly dialect: DialectId;
  readonly name: string | undefined;
  text: string | undefined;
  relayed = false;
  readonly #raw: string;
  #shared: JsonObject | undefined;
  #data: unknown;
  #isOwn = false;

  constructor(dialect: DialectId, { name, data }: Frame, shared: JsonObject) {
    this.dialect = dialect;
    this.name = name;
    this.text = data;
    this.#raw = data;
    this.#shared = shared;
  }

  /** The payload as it is until the next frame is read. */
  get view(): unknown {
    return this.#shared ?? this.data;
  }

  get data(): unknown {
    if (!this.#isOwn) this.data = parseJson(this.#raw);
    return this.#data;
  }

  set data(payload: unknown) {
    this.#isOwn = true;
    this.#shared = undefined;
    this.#data = payload;
  }

  /** The next frame is read. */
  part(): void {
    this.#shared = undefined;
  }
}

/** A frame's payload, for who neither changes it nor keeps it longer than the frame is passed on. */
export function peek(native: Native): unknown {
  return native instanceof RepeatedFrame ? native.view : native.data;
}
