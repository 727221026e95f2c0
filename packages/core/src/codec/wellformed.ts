/** Whether a text is JSON, told without building its values: several times faster than parsing for long texts (RFC 8259). */

/** Whether a text is exactly one JSON value; the same answer as that of `JSON.parse`. */
export function isJson(text: string): boolean {
  return new Scan(text).whole();
}

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const BACKSLASH = 92;
const words: Readonly<Record<number, string>> = { 102: 'false', 110: 'null', 116: 'true' };
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const escaped = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

/** One walk over a text; every step returns whether it is JSON so far. */
class Scan {
  readonly #text: string;
  readonly #open: number[] = [];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  whole(): boolean {
    while (this.#value()) {
      while (this.#open.length > 0 && this.#closes()) this.#at++;
      if (this.#open.length === 0) return this.#isEnd();
      if (!this.#goesOn()) return false;
    }
    return false;
  }

  #isEnd(): boolean {
    this.#next();
    return this.#at === this.#text.length;
  }

  /** The next character that is no white space; no number at the end. */
  #next(): number {
    let code = this.#text.charCodeAt(this.#at);
    while (code === 32 || code === 10 || code === 13 || code === 9) code = this.#text.charCodeAt(++this.#at);
    return code;
  }

  /** A value, or the beginnings of the collections up to the first value inside. */
  #value(): boolean {
    for (;;) {
      const code = this.#next();
      const closer = code === 123 ? 125 : code === 91 ? 93 : 0;
      if (closer === 0) return this.#scalar(code);
      this.#at++;
      this.#open.push(closer);
      if (this.#next() === closer) return true;
      if (closer === 125 && !this.#key()) return false;
    }
  }

  #closes(): boolean {
    if (this.#next() !== this.#open[this.#open.length - 1]) return false;
    this.#open.pop();
    return true;
  }

  /** A comma and, in an object, the next name. */
  #goesOn(): boolean {
    if (this.#next() !== COMMA) return false;
    this.#at++;
    return this.#open[this.#open.length - 1] !== 125 || this.#key();
  }

  #key(): boolean {
    if (this.#next() !== QUOTE || !this.#string() || this.#next() !== COLON) return false;
    this.#at++;
    return true;
  }

  #scalar(code: number): boolean {
    if (code === QUOTE) return this.#string();
    if (code >= 49 && code <= 57) return this.#integer() || this.#matches(number);
    const word = words[code];
    if (word === undefined) return this.#matches(number);
    const found = this.#text.startsWith(word, this.#at);
    this.#at += word.length;
    return found;
  }

  /** The characters up to the closing mark; local names, as this loop sees most of a text. */
  #string(): boolean {
    const text = this.#text;
    for (let at = this.#at + 1; ; ) {
      const code = text.charCodeAt(at++);
      if (code === QUOTE) {
        this.#at = at;
        return true;
      }
      if (code === BACKSLASH) {
        this.#at = at - 1;
        if (!this.#matches(escaped)) return false;
        at = this.#at;
      } else if (!(code >= 32)) return false;
    }
  }

  /** A number of digits only, which most are; any other one is left where it is. */
  #integer(): boolean {
    const text = this.#text;
    let at = this.#at + 1;
    let code = text.charCodeAt(at);
    while (code >= 48 && code <= 57) code = text.charCodeAt(++at);
    if (code === 46 || code === 69 || code === 101) return false;
    this.#at = at;
    return true;
  }

  #matches(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    if (!pattern.test(this.#text)) return false;
    this.#at = pattern.lastIndex;
    return true;
  }
}
