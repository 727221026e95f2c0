/** The argument text of one call as it should have come: JSON that was encoded once. */
import { asObject, asText, parseJson } from './json.ts';
import { InputUnwrapper } from './wrap.ts';

/** Characters that may wait for the one that decides. */
const mostInDoubt = 1024;

/** Cleans the pieces of a function's arguments while they arrive. */
export class ArgumentText {
  #form: 'unknown' | 'plain' | 'doubtful' | 'quoted' = 'unknown';
  #inner: InputUnwrapper | undefined;
  #held = '';

  /** Whether all that is still to come goes on as it is. */
  get plain(): boolean {
    return this.#form === 'plain';
  }

  /** Takes the next piece; returns what it adds. */
  add(raw: string): string {
    if (this.#form === 'unknown') this.#decide(raw);
    if (this.#form === 'quoted') return this.#inner?.push(raw) ?? '';
    return this.#form === 'doubtful' ? this.#weigh(raw) : raw;
  }

  /** What was held back and will not be continued. */
  rest(): string {
    const held = this.#held;
    this.#held = '';
    return held;
  }

  /** Arguments that begin with a quotation mark are perhaps an object that was encoded twice. */
  #decide(raw: string): void {
    const first = raw.trimStart()[0];
    if (first === undefined) return;
    this.#form = first === '"' ? 'doubtful' : 'plain';
    if (first !== '"') return;
    this.#inner = new InputUnwrapper();
    this.#inner.push('{"input":');
  }

  /** The first character inside decides; until it is there nothing goes out. */
  #weigh(raw: string): string {
    this.#held += raw;
    const inner = this.#inner?.push(raw) ?? '';
    const first = inner.trimStart()[0];
    if (first === undefined && this.#held.length < mostInDoubt) return '';
    this.#form = first === '{' ? 'quoted' : 'plain';
    const held = this.rest();
    return this.#form === 'quoted' ? inner : held;
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
