/** Reading JSON that a stranger wrote: shapes are asked for, never assumed. */

/** A parsed JSON object. */
export type JsonObject = Record<string, unknown>;

/** The value if it is an object (not an array), else nothing. */
export function asObject(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}

/** The value if it is an array, else an empty one. */
export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The value if it is a text of at least one character, else nothing. */
export function asText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The value if it is a finite number, else nothing. */
export function asNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** The value if it counts or numbers something: a whole number from 0 on, also one in digits, as some servers write it; else nothing. */
export function asCount(value: unknown): number | undefined {
  if (typeof value === 'string') return /^\d{1,15}$/.test(value) ? Number(value) : undefined;
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;
}

/** The entry of a table for a word that a stranger wrote; `constructor` and its kin are in none. */
export function entryOf<T>(table: Readonly<Record<string, T>>, word: string): T | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined;
}

/** The parsed text, or nothing where it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A piece of argument text, where `null` in its place stands for no arguments: clients pass on what they parse. */
export function argumentText(piece: string): string {
  return piece.trim() === 'null' ? '{}' : piece;
}

/** An object without the members that are undefined. */
export function compact<const T extends object>(value: T): Compact<T> {
  const members: JsonObject = {};
  for (const [name, member] of Object.entries(value)) if (member !== undefined) members[name] = member;
  return members as Compact<T>;
}

/** `T` whose possibly undefined members may be left out instead. */
export type Compact<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Whether brackets nest deeper than `limit`; texts too short for that, or with too few of them, are not read. */
export function isDeeper(text: string, limit: number): boolean {
  if (text.length < 2 * limit || !opensMore(text, limit)) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 34) at = endOfString(text, at);
    else if ((code === 91 || code === 123) && ++depth > limit) return true;
    else if (code === 93 || code === 125) depth--;
  }
  return false;
}

/** Whether there are more opening brackets than `limit`, those in strings included. */
function opensMore(text: string, limit: number): boolean {
  let left = limit;
  for (let at = text.indexOf('{'); at >= 0; at = text.indexOf('{', at + 1)) if (--left < 0) return true;
  for (let at = text.indexOf('['); at >= 0; at = text.indexOf('[', at + 1)) if (--left < 0) return true;
  return false;
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 92) at++;
    else if (code === 34) return at;
  }
  return text.length;
}

/** Says, while a text grows, whether it is one balanced JSON object or array. */
export class Balance {
  #depth = 0;
  #begun = false;
  /** In a string, or behind a backslash in one. */
  #place: 'outside' | 'string' | 'escape' = 'outside';

  /** Takes the next piece; returns whether all so far is one balanced value. */
  add(text: string): boolean {
    let place = this.#place;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (place === 'outside') {
        if (code === 34) place = 'string';
        else if (code === 123 || code === 91) this.#open();
        else if (code === 125 || code === 93) this.#depth--;
      } else if (place === 'escape') place = 'string';
      else if (code === 34) place = 'outside';
      else if (code === 92) place = 'escape';
    }
    this.#place = place;
    return this.whole;
  }

  /** Whether a value has begun and every bracket of it is closed. */
  get whole(): boolean {
    return this.#begun && this.#depth === 0 && this.#place === 'outside';
  }

  #open(): void {
    this.#depth++;
    this.#begun = true;
  }
}

/** An object that has members, or nothing. */
export function unlessEmpty<T extends object>(members: T): T | undefined {
  return Object.keys(members).length === 0 ? undefined : members;
}
