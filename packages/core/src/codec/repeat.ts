/** Payloads that repeat the one before but for a text or a number: read without being parsed anew. */
import type { DialectId, Native } from '../model/event.ts';
import type { Frame } from '../wire/frame.ts';
import { type JsonObject, parseJson } from './json.ts';
import { type Leaf, leavesOf } from './leaves.ts';

/** A place where payloads of one form differ: a leaf of the payload, and the text behind it up to the next such place. */
interface Hole {
  readonly holder: Record<string | number, unknown>;
  readonly member: string | number;
  readonly isText: boolean;
  readonly after: string;
}

type Value = string | number;

/** What the payloads of many frames have in common, and one object that is each of them in turn. */
class Form {
  readonly #payload: JsonObject;
  readonly #start: string;
  readonly #holes: readonly Hole[];
  /** Whether the object belongs to somebody now. */
  isTaken = false;
  /** Whose leaves are in the object. */
  #shown: RepeatedFrame | undefined;

  /** Takes a payload as text, and those of its leaves that differ. */
  constructor(text: string, leaves: readonly Leaf[]) {
    this.#payload = parseJson(text) as JsonObject;
    this.#start = text.slice(0, leaves[0]?.start);
    this.#holes = leaves.map(({ path, isText, end }, nth) => ({
      holder: holderOf(this.#payload, path),
      member: path.at(-1) as string | number,
      isText,
      after: text.slice(end, leaves[nth + 1]?.start),
    }));
  }

  /** The values that a text has where payloads differ; nothing where it is of another form. */
  valuesIn(text: string): readonly Value[] | undefined {
    let at = this.#start.length;
    if (text.slice(0, at) !== this.#start) return undefined;
    const values: Value[] = [];
    for (const { isText, after } of this.#holes) {
      const end = isText ? text.lastIndexOf(after) : endOfNumber(text, at, after);
      const value = end < at ? undefined : isText ? textBetween(text, at, end) : Number(text.slice(at, end));
      if (value === undefined) return undefined;
      values.push(value);
      at = end + after.length;
    }
    return isBlank(text, at) ? values : undefined;
  }

  /** The object as the payload of a frame, until it is asked for as that of another one. */
  as(frame: RepeatedFrame, values: readonly Value[]): JsonObject {
    if (this.#shown !== frame) this.#fill(values);
    this.#shown = frame;
    return this.#payload;
  }

  #fill(values: readonly Value[]): void {
    for (let nth = 0; nth < values.length; nth++) {
      const { holder, member } = this.#holes[nth] as Hole;
      holder[member] = values[nth];
    }
  }
}

/** A frame whose payload is one with those of other frames, until it has to have its own. */
export class RepeatedFrame implements Native {
  readonly dialect: DialectId;
  readonly name: string | undefined;
  text: string | undefined;
  relayed = false;
  readonly #raw: string;
  readonly #form: Form;
  readonly #values: readonly Value[];
  #isOwn = false;
  #data: unknown;

  constructor(dialect: DialectId, { name, data }: Frame, form: Form, values: readonly Value[]) {
    this.dialect = dialect;
    this.name = name;
    this.text = data;
    this.#raw = data;
    this.#form = form;
    this.#values = values;
  }

  /** The payload until that of another frame is looked at. */
  get view(): unknown {
    return this.#isOwn || this.#form.isTaken ? this.data : this.#form.as(this, this.#values);
  }

  get data(): unknown {
    if (!this.#isOwn) this.data = parseJson(this.#raw);
    return this.#data;
  }

  set data(payload: unknown) {
    this.#isOwn = true;
    this.#data = payload;
  }

  /** Keeps what `view` gives, with what has been changed in it already. */
  own(): void {
    if (this.#isOwn) return;
    this.data = this.view;
    this.#form.isTaken = true;
  }
}

/** A frame's payload, for who neither changes it nor keeps it while another one is looked at. */
export function peek(native: Native): unknown {
  return native instanceof RepeatedFrame ? native.view : native.data;
}

/** Longer payloads are mostly text that differs, and a stranger could make the search for its end slow. */
const LONGEST = 4096;
/** Forms that were looked for in vain, or taken at once, after which no more are looked for; each frame that had one makes up for one. */
const MOST_VAIN = 6;

/** Knows the last form of a stream's payloads. */
export class Repeats {
  readonly #dialect: DialectId;
  readonly #members: ReadonlySet<string>;
  #form: Form | undefined;
  #before = '';
  #vain = 0;

  /** `members` are the names of the leaves that may differ. */
  constructor(dialect: DialectId, members: ReadonlySet<string>) {
    this.#dialect = dialect;
    this.#members = members;
  }

  /** The frame, if its payload has the known form. */
  match(frame: Frame): RepeatedFrame | undefined {
    if (this.#form?.isTaken === true) this.#forget();
    const values = frame.data.length > LONGEST ? undefined : this.#form?.valuesIn(frame.data);
    if (this.#form === undefined || values === undefined) return undefined;
    if (this.#vain > 0) this.#vain--;
    return new RepeatedFrame(this.#dialect, frame, this.#form, values);
  }

  /** Takes a payload that has not the known form: it and the one before may show what the next ones look like. */
  learn(text: string): void {
    if (this.#vain >= MOST_VAIN || text.length > LONGEST || text.includes('\n')) return;
    const before = this.#before;
    this.#before = text;
    if (before === '' || before.slice(0, 16) !== text.slice(0, 16)) return;
    this.#vain++;
    const leaves = this.#differences(before, text);
    if (leaves !== undefined && leaves.length > 0) this.#form = new Form(text.trimEnd(), leaves);
  }

  /** A form that is taken again and again was not worth learning. */
  #forget(): void {
    this.#form = undefined;
    this.#before = '';
    this.#vain++;
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
  for (let at = start; at < text.length; at++) if (text.charCodeAt(at) !== 32) return false;
  return true;
}
