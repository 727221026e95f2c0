/** What a client has been told of a text, kept as JSON because the ends of its part, item and response repeat it so. */
import { Pieces } from '../../dialect.ts';

/** A text as it grows. */
export class Told {
  readonly #json: Pieces = new Pieces();
  /** What was told in frames that went out as they came. */
  #relayed: Pieces | undefined;
  #whole: string | undefined;

  /** Adds a piece that a relayed frame has told. */
  add(text: string): void {
    this.#relayed ??= new Pieces();
    this.#relayed.add(text);
    this.#whole = undefined;
  }

  /** Adds a piece and returns it as JSON. */
  tell(text: string): string {
    this.#settle();
    this.#whole = undefined;
    return this.#take(text);
  }

  /** All of the text as JSON. */
  get json(): string {
    this.#settle();
    this.#whole ??= `"${this.#json.text}"`;
    return this.#whole;
  }

  #settle(): void {
    if (this.#relayed !== undefined) this.#take(this.#relayed.text);
    this.#relayed = undefined;
  }

  #take(text: string): string {
    const json = JSON.stringify(text);
    this.#json.add(json.slice(1, -1));
    return json;
  }
}
