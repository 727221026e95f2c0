/** Whether a text that arrives in pieces is JSON, told without building its values or keeping the text (RFC 8259). */

/** How far a text has come: only white space, one whole value, the beginning of one, or nothing that could become one. */
export type JsonState = 'empty' | 'whole' | 'cut' | 'malformed';

const space = ' \n\r\t';
const nonzero = '123456789';
const digits = '0123456789';
const hex = '0123456789abcdefABCDEF';
const values = { '"': 'string', '{': 'object', '[': 'array', '-': 'minus', '0': 'zero', [nonzero]: 'integer' };
const words = { t: 't', f: 'f', n: 'n' };
const ends = { [space]: 'after', ',': 'comma', ']}': 'close' };

/** What each character leads to, from each place that a reader can be at; all others lead to `malformed`. */
const rows: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  // First, as zeros in the table mean it.
  malformed: {},
  ...stringOf('string', 'after'),
  ...stringOf('name', 'colon'),
  value: { [space]: 'value', ...values, ...words },
  firstValue: { [space]: 'firstValue', ...values, ...words, ']': 'close' },
  firstName: { [space]: 'firstName', '"': 'name', '}': 'close' },
  nextName: { [space]: 'nextName', '"': 'name' },
  colon: { [space]: 'colon', ':': 'value' },
  after: ends,
  minus: { '0': 'zero', [nonzero]: 'integer' },
  zero: { '.': 'point', eE: 'power', ...ends },
  integer: { [digits]: 'integer', '.': 'point', eE: 'power', ...ends },
  point: { [digits]: 'fraction' },
  fraction: { [digits]: 'fraction', eE: 'power', ...ends },
  power: { [digits]: 'exponent', '+-': 'sign' },
  sign: { [digits]: 'exponent' },
  exponent: { [digits]: 'exponent', ...ends },
  t: { r: 'tr' },
  tr: { u: 'tru' },
  tru: { e: 'after' },
  f: { a: 'fa' },
  fa: { l: 'fal' },
  fal: { s: 'tru' },
  n: { u: 'nu' },
  nu: { l: 'nul' },
  nul: { l: 'after' },
};

/** Where more than the place has to be changed or looked at. */
const actions = ['object', 'array', 'comma', 'close'];

const places = [...Object.keys(rows), ...actions];
const MALFORMED = place('malformed');
const VALUE = place('value');
const FIRST_VALUE = place('firstValue');
const FIRST_NAME = place('firstName');
const NEXT_NAME = place('nextName');
const AFTER = place('after');
const STRING = place('string');
const NAME = place('name');
const OBJECT = place('object');
const ARRAY = place('array');
const COMMA = place('comma');
const wholes: ReadonlySet<number> = new Set(['after', 'zero', 'integer', 'fraction', 'exponent'].map(place));
const OTHER = 127;
const table = tableOf();

/** Brackets that may be open at once; no client reads a text that nests as deeply. */
const DEEPEST = 100_000;
const BRACE = 125;
const BRACKET = 93;

function place(name: string): number {
  return places.indexOf(name);
}

/** The places in a string and, behind a backslash, in its escapes. */
function stringOf(place: string, after: string): Record<string, Record<string, string>> {
  const [escaped, ...digit] = ['escape', 'hex1', 'hex2', 'hex3', 'hex4'].map((name) => `${place}:${name}`);
  return {
    [place]: { '"': after, '\\': String(escaped) },
    [String(escaped)]: { '"\\/bfnrt': place, u: String(digit[0]) },
    ...Object.fromEntries(digit.map((name, at) => [name, { [hex]: digit[at + 1] ?? place }])),
  };
}

/** The rows as numbers: 128 characters for each place, the last of which stands for all others too. A string takes any. */
function tableOf(): Uint8Array {
  const moves = new Uint8Array(Object.keys(rows).length << 7);
  Object.values(rows).forEach((leads, row) => {
    for (const [characters, to] of Object.entries(leads))
      for (const character of characters) moves[(row << 7) | character.charCodeAt(0)] = place(to);
  });
  for (const place of [STRING, NAME]) for (let code = 32; code <= OTHER; code++) moves[(place << 7) | code] ||= place;
  return moves;
}

/** Reads a text as it grows. Of all texts it says what `JSON.parse` would. */
export class JsonText {
  #place = VALUE;
  /** What closes each collection that is open. */
  readonly #open: number[] = [];

  /** Takes the next piece, which may end anywhere. */
  add(text: string): void {
    let place = this.#place;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      place = table[(place << 7) | (code < 128 ? code : OTHER)] as number;
      if (place >= OBJECT) place = this.#act(place, code);
    }
    this.#place = place;
  }

  /** How far the text has come. */
  get state(): JsonState {
    if (this.#place === MALFORMED) return 'malformed';
    if (this.#open.length > 0) return 'cut';
    if (this.#place === VALUE) return 'empty';
    return wholes.has(this.#place) ? 'whole' : 'cut';
  }

  /** Whether the text is one whole value that nothing but white space can follow; a number may still go on. */
  get ended(): boolean {
    return this.#place === AFTER && this.#open.length === 0;
  }

  #act(action: number, code: number): number {
    const open = this.#open;
    if (action === OBJECT) return this.#nest(BRACE, FIRST_NAME);
    if (action === ARRAY) return this.#nest(BRACKET, FIRST_VALUE);
    const closer = open[open.length - 1];
    if (action === COMMA) return closer === BRACE ? NEXT_NAME : closer === BRACKET ? VALUE : MALFORMED;
    return open.pop() === code ? AFTER : MALFORMED;
  }

  #nest(closer: number, place: number): number {
    return this.#open.push(closer) > DEEPEST ? MALFORMED : place;
  }
}
