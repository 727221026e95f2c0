/** JSON that stands between the events of a stream, on one line or on many: some upstreams write their errors so. */
import { parsed } from './wrapped.ts';

/** Characters of such a text; whatever is longer is no error. */
const longest = 1 << 16;

/** Puts stray lines together. */
export class StrayJson {
  #text = '';

  /** Takes a line that is no field of an event; gives the JSON object that ends with it. */
  add(line: string): string | undefined {
    if (this.#text === '' && line.charCodeAt(0) !== 123) return undefined;
    this.#text += `${line}\n`;
    if (this.#text.length > longest) this.#text = '';
    // An object on many lines closes in the column in which it began.
    if (line.charCodeAt(0) !== 123 && line.charCodeAt(0) !== 125) return undefined;
    const text = this.#text;
    if (parsed(text) === undefined) return undefined;
    this.#text = '';
    return text;
  }

  /** An event has come: what is not whole by now is none. */
  clear(): void {
    this.#text = '';
  }
}
