/** The arguments of one call while they arrive: cleaned, and checked at their ends. */
import { ArgumentText, argumentText, asObject, canBeObject, type JsonObject, wholeArguments } from '../../dialect.ts';

/** Follows the arguments of a function. */
export class CallInput {
  /** The arguments that came with the start; pieces win over them. */
  whole: string | undefined;
  readonly #text = new ArgumentText();
  #isFed = false;
  /** The first and the last piece that say something. */
  #first = '';
  #last = '';

  constructor(step: JsonObject) {
    this.whole = inputOf(step.arguments);
  }

  /** Whether no piece has come. */
  get isFresh(): boolean {
    return !this.#isFed;
  }

  /** Takes the next piece; returns what it adds. */
  add(raw: string): string {
    const text = this.#text.plain && this.#isFed ? raw : this.#text.add(this.#isFed ? raw : argumentText(raw));
    this.#isFed = true;
    this.whole = undefined;
    if (this.#first === '') this.#first = text.trimStart();
    if (text.trim() !== '') this.#last = text;
    return text;
  }

  /** What is still to be told when the call ends. */
  rest(): string {
    const { whole } = this;
    this.whole = undefined;
    return whole ?? this.#text.rest();
  }

  /** Whether the pieces are no JSON object, as their outermost characters tell. */
  get isBroken(): boolean {
    return this.#first !== '' && !canBeObject(this.#first, this.#last);
  }
}

/** Arguments that come whole, as JSON text; nothing for the empty object that keeps their place. */
export function inputOf(args: unknown): string | undefined {
  if (typeof args === 'string') return args.trim() === '' ? undefined : wholeArguments(args);
  const object = asObject(args);
  return object === undefined || Object.keys(object).length === 0 ? undefined : JSON.stringify(object);
}
