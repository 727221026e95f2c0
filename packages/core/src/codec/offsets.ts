/** Places in a text: protocols count them in bytes, in code points or in the units of a string. */

/** A text with the bytes and code points that stand before each of its characters. */
export class Offsets {
  readonly text: string;
  readonly #bytes: Uint32Array;
  readonly #points: Uint32Array;

  constructor(text: string) {
    this.text = text;
    this.#bytes = new Uint32Array(text.length + 1);
    this.#points = new Uint32Array(text.length + 1);
    let bytes = 0;
    let points = 0;
    for (let at = 0; at < text.length; at++) {
      this.#bytes[at] = bytes;
      this.#points[at] = points;
      const code = text.codePointAt(at) as number;
      points++;
      bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
      if (code < 0x10000) continue;
      this.#bytes[++at] = bytes;
      this.#points[at] = points;
    }
    this.#bytes[text.length] = bytes;
    this.#points[text.length] = points;
  }

  /** The characters between two places that are given in UTF-8 bytes. */
  between(start: number, end: number): [number, number] {
    return [this.#characterAt(start), this.#characterAt(end)];
  }

  /** Code points before a character. */
  codePoints(character: number): number {
    return this.#points[Math.min(character, this.text.length)] as number;
  }

  #characterAt(byte: number): number {
    let low = 0;
    let high = this.text.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#bytes[middle] as number) < byte) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
