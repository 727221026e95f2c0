/** The arguments of one call: JSON once, and nothing behind it. */
import { ArgumentText, Balance } from '../../dialect.ts';

/** Cleans the pieces of a function's arguments while they arrive. */
export class CallInput {
  readonly #balance = new Balance();
  readonly #text = new ArgumentText();

  /** Takes the next piece; returns what it adds. What follows a whole value says nothing and is left out. */
  add(raw: string): string {
    if (raw === '' || this.#balance.whole) return '';
    const text = this.#text.plain ? raw : this.#text.add(raw);
    this.#balance.add(text);
    return text;
  }

  /** Whether the text is one whole JSON object or array. */
  get whole(): boolean {
    return this.#balance.whole;
  }

  /** What was held back and will not be continued. */
  rest(): string {
    return this.#text.rest();
  }
}
