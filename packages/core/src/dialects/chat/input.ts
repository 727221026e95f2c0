/** The argument text of one call as it should have come: JSON once, and nothing behind it. */
import { Balance, InputUnwrapper } from '../../dialect.ts';

/** Characters that may wait for the one that decides. */
const MOST_IN_DOUBT = 1024;

/** Cleans the pieces of a function's arguments while they arrive. */
export class ArgumentText {
  readonly #balance = new Balance();
  #form: 'unknown' | 'plain' | 'doubtful' | 'quoted' = 'unknown';
  readonly #inner = new InputUnwrapper();
  #held = '';

  /** Takes the next piece; returns what it adds. What follows a whole value says nothing and is left out. */
  add(raw: string): string {
    if (raw === '' || this.#balance.whole) return '';
    const text = this.#form === 'plain' ? raw : this.#opening(raw);
    this.#balance.add(text);
    return text;
  }

  /** Whether the text is one whole JSON object or array. */
  get whole(): boolean {
    return this.#balance.whole;
  }

  /** What was held back and will not be continued. */
  rest(): string {
    const held = this.#held;
    this.#held = '';
    return held;
  }

  #opening(raw: string): string {
    if (this.#form === 'unknown') this.#decide(raw);
    if (this.#form === 'quoted') return this.#inner.push(raw);
    return this.#form === 'doubtful' ? this.#weigh(raw) : raw;
  }

  /** Arguments that begin with a quotation mark are perhaps an object that was encoded twice. */
  #decide(raw: string): void {
    const first = raw.trimStart()[0];
    if (first === undefined) return;
    this.#form = first === '"' ? 'doubtful' : 'plain';
    if (first === '"') this.#inner.push('{"input":');
  }

  /** The first character inside decides; until it is there nothing goes out. */
  #weigh(raw: string): string {
    this.#held += raw;
    const inner = this.#inner.push(raw);
    const first = inner.trimStart()[0];
    if (first === undefined && this.#held.length < MOST_IN_DOUBT) return '';
    this.#form = first === '{' ? 'quoted' : 'plain';
    const held = this.rest();
    return this.#form === 'quoted' ? inner : held;
  }
}
