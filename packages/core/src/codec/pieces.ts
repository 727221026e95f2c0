/** A text that comes in many pieces and is wanted whole at its end. */

/** Pieces that are kept apart before they are joined: many short strings take ten times the room of a long one. */
const MOST = 1024;

/** Gathers pieces. */
export class Pieces {
  #joined: string[] = [];
  #apart: string[] = [];

  /** Adds a piece at the end. */
  add(piece: string): void {
    if (this.#apart.push(piece) === MOST) this.#fold();
  }

  /** All pieces as one text. */
  get text(): string {
    if (this.#apart.length > 0) this.#fold();
    if (this.#joined.length > 1) this.#joined = [this.#joined.join('')];
    return this.#joined[0] ?? '';
  }

  #fold(): void {
    this.#joined.push(this.#apart.join(''));
    this.#apart = [];
  }
}
