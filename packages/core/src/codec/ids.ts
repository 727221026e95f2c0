/** Ids that no upstream gave: a pure function of seed, kind and number, so that any cut of the bytes gives the same. */

/** The ids of one stream, shared by its decoder and its encoder. */
export class Ids {
  #seed: string | undefined;
  readonly #seen = new Map<string, number>();

  constructor(seed?: string) {
    this.#seed = seed;
  }

  /** Seeds from the first text of the stream, unless the request has given a seed. */
  seedFrom(text: string): void {
    this.#seed ??= hash(text);
  }

  /** An id such as `call_1x9…` for the `number`th thing of its kind. */
  invent(prefix: string, number = 0): string {
    return prefix + hash(`${this.#seed ?? ''}/${prefix}/${number}`);
  }

  /** The id itself the first time, with a suffix each time that it comes again. */
  unique(id: string): string {
    const times = (this.#seen.get(id) ?? 0) + 1;
    this.#seen.set(id, times);
    return times === 1 ? id : this.unique(`${id}_${times}`);
  }
}

/** Whether an id has the form of an invented one. */
export function isInvented(id: string): boolean {
  return /^[a-z]+[-_][0-9a-z]{22}$/.test(id);
}

/** 106 bits of a text in 22 letters and digits (two rounds of cyrb53, public domain); not for secrets. */
function hash(text: string): string {
  return (round(text, 1) + round(text, 2)).padStart(22, '0');
}

/** 53 bits of a text in 11 letters and digits: tells a text that was cut or changed, not one that was forged. */
export function checksum(text: string): string {
  return round(text, 1);
}

function round(text: string, seed: number): string {
  let a = 0xdeadbeef ^ seed;
  let b = 0x41c6ce57 ^ seed;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return (4294967296 * (2097151 & b) + (a >>> 0)).toString(36).padStart(11, '0');
}
