/** The input of one tool call while it arrives: nothing, whole JSON, the beginning of JSON, or no JSON. */
import { Balance, parseJson } from '../../dialect.ts';

/** How far the input of a call has come. Clients take `cut` (they complete it themselves) and throw on `malformed`. */
export type InputState = 'empty' | 'whole' | 'cut' | 'malformed';

/** Gathers the fragments of one input; a fragment may end anywhere, also inside an escape. */
export class Input {
  readonly #pieces: string[] = [];
  readonly #balance = new Balance();
  #scanned = 0;

  /** Takes the next fragment. */
  add(piece: string): void {
    this.#pieces.push(piece);
  }

  /** Whether no fragment had any text. */
  get empty(): boolean {
    return this.#pieces.every((piece) => piece === '');
  }

  /** Whether all so far is one balanced object or array, perhaps with white space behind it. */
  get ended(): boolean {
    while (this.#scanned < this.#pieces.length) this.#balance.add(this.#pieces[this.#scanned++] as string);
    return this.#balance.whole;
  }

  /** What the fragments add up to. */
  get state(): InputState {
    const text = this.#pieces.join('');
    if (text.trim() === '') return 'empty';
    if (parseJson(text) !== undefined) return 'whole';
    return isBeginning(text) ? 'cut' : 'malformed';
  }
}

/** What may be missing where JSON was cut, brackets aside: the rest of a string, of a member, or of a word. */
const rests = [
  '',
  '"',
  '\\"',
  '0"',
  '00"',
  '000"',
  '0000"',
  '0',
  ':0',
  '"":0',
  'rue',
  'ue',
  'e',
  'alse',
  'lse',
  'se',
  'ull',
  'll',
  'l',
];
const members = ['":0', '\\":0', '0":0', '00":0', '000":0', '0000":0'];

/** Whether a text that is no JSON would become JSON if it went on. */
function isBeginning(text: string): boolean {
  const closing = closers(text);
  return [...rests, ...members].some((rest) => parseJson(text + rest + closing) !== undefined);
}

/** The brackets that close what is open at the end of a text. */
function closers(text: string): string {
  let closing = '';
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (inString && char === '\\') at++;
    else if (char === '"') inString = !inString;
    else if (inString) continue;
    else if (char === '{' || char === '[') closing = (char === '{' ? '}' : ']') + closing;
    else if (char === '}' || char === ']') closing = closing.slice(1);
  }
  return closing;
}
