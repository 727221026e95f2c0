/** The input of one tool call while it arrives: nothing, whole JSON, the beginning of JSON, or no JSON. */
import { Balance, isJson } from '../../dialect.ts';

/** How far the input of a call has come. Clients take `cut` (they complete it themselves) and throw on `malformed`. */
export type InputState = 'empty' | 'whole' | 'cut' | 'malformed';

/** Fragments that are kept apart before they are joined to one. */
const foldAt = 1024;

/** Gathers the fragments of one input; a fragment may end anywhere, also inside an escape. */
export class Input {
  readonly #pieces: string[] = [];
  readonly #balance = new Balance();
  #scanned = 0;
  /** How many of the pieces are folded ones. */
  #folded = 0;

  /** Takes the next fragment. */
  add(piece: string): void {
    if (piece !== '' && this.#pieces.push(piece) - this.#folded >= foldAt) this.#fold();
  }

  /** Whether no fragment had any text. */
  get empty(): boolean {
    return this.#pieces.length === 0;
  }

  /** Many short strings take ten times the room of a long one. */
  #fold(): void {
    if (this.#scanned > this.#folded) this.#scan();
    const tail = this.#pieces.splice(this.#folded);
    if (this.#scanned > this.#folded) this.#scanned = this.#folded + 1;
    this.#folded = this.#pieces.push(tail.join(''));
  }

  #scan(): void {
    while (this.#scanned < this.#pieces.length) this.#balance.add(this.#pieces[this.#scanned++] as string);
  }

  /** Whether all so far is one balanced object or array, perhaps with white space behind it. */
  get ended(): boolean {
    this.#scan();
    return this.#balance.whole;
  }

  /** What the fragments add up to. */
  get state(): InputState {
    const text = this.#pieces.join('');
    if (text.trim() === '') return 'empty';
    if (isJson(text)) return 'whole';
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
  return [...rests, ...members].some((rest) => isJson(text + rest + closing));
}

/** The brackets that close what is open at the end of a text. */
function closers(text: string): string {
  const closing: string[] = [];
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (inString && char === '\\') at++;
    else if (char === '"') inString = !inString;
    else if (inString) continue;
    else if (char === '{' || char === '[') closing.push(char === '{' ? '}' : ']');
    else if (char === '}' || char === ']') closing.pop();
  }
  return closing.reverse().join('');
}
