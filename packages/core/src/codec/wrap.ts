/** Free-form input as the one string of a JSON object, `{"input":"…"}`, and back, piece by piece. */

/** What stands before the pieces of a wrapped input. */
export const wrapOpening = '{"input":"';

/** What stands after them. */
export const wrapClosing = '"}';

/** A piece of free-form text as it stands inside the wrapping. */
export function wrapPiece(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

const escapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** Characters before the value within which it must begin; what is not wrapped by then goes on as it came. */
const mostBefore = 256;

/** Takes JSON text in pieces, cut anywhere, and gives the characters of its first string value. */
export class InputUnwrapper {
  #state: 'before' | 'inside' | 'after' | 'unwrapped' = 'before';
  #held = '';

  /** Takes the next piece; returns what it adds to the text. */
  push(piece: string): string {
    if (this.#state === 'unwrapped') return piece;
    if (this.#state === 'after') return '';
    this.#held += piece;
    if (this.#state === 'before') this.#enter();
    if (this.#state === 'inside') return this.#read();
    return this.#held.length > mostBefore ? this.#giveUp() : '';
  }

  #giveUp(): string {
    const held = this.#held;
    this.#held = '';
    this.#state = 'unwrapped';
    return held;
  }

  #enter(): void {
    const opening = /^\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*"/.exec(this.#held);
    if (opening === null) return;
    this.#held = this.#held.slice(opening[0].length);
    this.#state = 'inside';
  }

  #read(): string {
    let text = '';
    let at = 0;
    while (at < this.#held.length) {
      const char = this.#held[at] as string;
      if (char === '"') {
        this.#state = 'after';
        break;
      }
      const width = char === '\\' ? this.#escapeWidth(at) : 1;
      if (at + width > this.#held.length) break;
      text += char === '\\' ? unescaped(this.#held.slice(at + 1, at + width)) : char;
      at += width;
    }
    this.#held = this.#state === 'inside' ? this.#held.slice(at) : '';
    return text;
  }

  #escapeWidth(at: number): number {
    return this.#held[at + 1] === 'u' ? 6 : 2;
  }
}

function unescaped(code: string): string {
  if (code[0] === 'u') return String.fromCharCode(Number.parseInt(code.slice(1), 16));
  return escapes[code] ?? code;
}
