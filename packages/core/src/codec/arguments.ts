/** The argument text of one call as it should have come: JSON that was encoded once. */
import { asObject, asText, parseJson } from './json.ts';

/** Characters that may wait for the one that decides. */
const mostInDoubt = 1024;

/** Arguments that begin with a quotation mark are perhaps an object that was encoded twice: the first character inside decides. */
const opening = /^\s*("?)((?:\s|\\[nrt])*([^\s\\])?)/;

/** An escape at the end of a piece that goes on in the next one. */
const torn = /(?:^|[^\\])(?:\\\\)*(\\(?:u[\da-f]{0,3})?)$/i;

/** Cleans the pieces of a function's arguments while they arrive. */
export class ArgumentText {
  #form: 'unknown' | 'plain' | 'quoted' = 'unknown';
  #held = '';

  /** Whether all that is still to come goes on as it is. */
  get plain(): boolean {
    return this.#form === 'plain';
  }

  /** Takes the next piece; returns what it adds. */
  add(raw: string): string {
    const text = this.rest() + raw;
    if (this.#form !== 'unknown') return this.plain ? text : this.#unquoted(text);
    if (text.trimStart() === '') return text;
    const [, quote, inside = '', first] = opening.exec(text) ?? [];
    if (quote === '"' && !first && text.length < mostInDoubt) {
      this.#held = text;
      return '';
    }
    this.#form = first === '{' && quote === '"' ? 'quoted' : 'plain';
    return this.plain ? text : this.#unquoted(text.slice(text.indexOf(inside, 1)));
  }

  /** What was held back and will not be continued. */
  rest(): string {
    const held = this.#held;
    this.#held = '';
    return held;
  }

  /** What stands inside the quotation marks; behind the last one comes nothing. */
  #unquoted(text: string): string {
    const [, cut = ''] = torn.exec(text) ?? [];
    this.#held = cut;
    const body = text.slice(0, text.length - cut.length);
    const value = parseJson(`"${body}"`) ?? parseJson(`"${body.trimEnd()}`);
    return typeof value === 'string' ? value : body;
  }
}

/** Whole arguments: an object that was encoded twice is unwrapped, as its pieces are. */
export function wholeArguments(text: string): string {
  if (text.trimStart()[0] !== '"') return text;
  const inner = asText(parseJson(text));
  return inner === undefined || asObject(parseJson(inner)) === undefined ? text : inner;
}

/** Whether a text that begins and ends with these pieces can be a JSON object, as its outermost characters tell. */
export function canBeObject(first: string, last: string): boolean {
  return first.trimStart().startsWith('{') && last.trimEnd().endsWith('}');
}
