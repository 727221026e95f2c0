/** Reasoning that a server leaves in the text, between `<think>` and `</think>`. */

/** A stretch of text on one side of the tags. */
export interface Stretch {
  thinking: boolean;
  text: string;
}

/** Takes text in pieces, cut anywhere, and tells thinking from answer. Only what may be the beginning of a tag waits. */
export class ThinkTags {
  #thinking = false;
  #held = '';

  /** Takes the next piece; with `last` nothing waits. */
  push(piece: string, last: boolean): readonly Stretch[] {
    const found: Stretch[] = [];
    let text = this.#held + piece;
    for (let at = text.indexOf(this.#tag); at >= 0; at = text.indexOf(this.#tag)) {
      const rest = text.slice(at + this.#tag.length);
      found.push({ thinking: this.#thinking, text: text.slice(0, at) });
      this.#thinking = !this.#thinking;
      text = rest;
    }
    const sure = last ? text.length : text.length - overlap(text, this.#tag);
    this.#held = text.slice(sure);
    found.push({ thinking: this.#thinking, text: text.slice(0, sure) });
    return found.filter((stretch) => stretch.text !== '');
  }

  get #tag(): string {
    return this.#thinking ? '</think>' : '<think>';
  }
}

/** How many characters at the end of a text may begin the tag. */
function overlap(text: string, tag: string): number {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length--)
    if (text.endsWith(tag.slice(0, length))) return length;
  return 0;
}
