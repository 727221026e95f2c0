/** One JSON array that is streamed element by element: text to frames, at any cut, and payloads to text. */
import type { Stage } from '../stage.ts';
import type { Frame } from './frame.ts';

/** Where the reader stands: before the array, between its elements, in one of them, or behind it. */
type Place = 'before' | 'between' | 'inside' | 'string' | 'behind';

const QUOTE = 34;
const COMMA = 44;
const OPEN_ARRAY = 91;
const BACKSLASH = 92;
const CLOSE_ARRAY = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

/** Reads a streamed array: each element is a frame as soon as it is whole. What follows the array is not read. */
export class ArrayReader implements Stage<string, Frame> {
  readonly #maxFrame: number;
  #place: Place = 'before';
  /** Brackets that are open inside the element. */
  #depth = 0;
  /** Whether the last character was a backslash in a string. */
  #escaped = false;
  /** The beginning of an element whose end is not here yet. */
  #pieces: string[] = [];
  #length = 0;
  #frames: Frame[] = [];

  constructor(maxFrameBytes: number) {
    this.#maxFrame = maxFrameBytes;
  }

  push(text: string): readonly Frame[] {
    let start = 0;
    for (let at = 0; at < text.length; at++) {
      if (this.#place === 'behind') break;
      if (this.#place === 'string') at = this.#readString(text, at);
      else if (this.#place === 'inside') {
        if (this.#readInside(text.charCodeAt(at))) this.#take(text.slice(start, at + 1));
        else if (this.#isBareEnd(text.charCodeAt(at))) this.#takeBare(text.slice(start, at), text.charCodeAt(at));
      } else if (this.#readBetween(text.charCodeAt(at))) start = at;
    }
    if (this.#place === 'inside' || this.#place === 'string') this.#keep(text.slice(start));
    return this.#given();
  }

  /** An element that is not whole is none: whoever reads the frames sees that the answer has no end. */
  end(): readonly Frame[] {
    this.#place = 'behind';
    this.#pieces = [];
    return this.#given();
  }

  /** Goes to the end of a string, or of the text; returns the last place that was read. */
  #readString(text: string, start: number): number {
    for (let at = start; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (this.#escaped) this.#escaped = false;
      else if (code === BACKSLASH) this.#escaped = true;
      else if (code === QUOTE) {
        this.#place = 'inside';
        return at;
      }
    }
    return text.length;
  }

  /** Takes a character of an element; says whether it closes the element. */
  #readInside(code: number): boolean {
    if (code === QUOTE) this.#place = 'string';
    else if (code === OPEN_OBJECT || code === OPEN_ARRAY) this.#depth++;
    else if ((code === CLOSE_OBJECT || code === CLOSE_ARRAY) && this.#depth > 0) return --this.#depth === 0;
    return false;
  }

  /** Whether a character ends an element that has no brackets of its own. */
  #isBareEnd(code: number): boolean {
    return this.#depth === 0 && (code === COMMA || code === CLOSE_ARRAY);
  }

  /** Takes a character between elements; says whether an element begins with it. */
  #readBetween(code: number): boolean {
    if (this.#place === 'before') {
      if (code === OPEN_ARRAY) this.#place = 'between';
      return false;
    }
    if (code === COMMA || code <= 32) return false;
    if (code === CLOSE_ARRAY) {
      this.#place = 'behind';
      return false;
    }
    this.#place = 'inside';
    this.#readInside(code);
    return true;
  }

  #take(rest: string): void {
    this.#place = 'between';
    this.#keep(rest);
    if (this.#length > 0) this.#frames.push({ name: undefined, data: this.#pieces.join('') });
    this.#pieces = [];
    this.#length = 0;
  }

  #takeBare(rest: string, code: number): void {
    this.#take(rest);
    if (code === CLOSE_ARRAY) this.#place = 'behind';
  }

  #keep(piece: string): void {
    this.#length += piece.length;
    if (this.#length <= this.#maxFrame) this.#pieces.push(piece);
    else this.#overflow();
  }

  #overflow(): void {
    this.#place = 'behind';
    this.#pieces = [];
    this.#length = 0;
    const message = `The upstream sent an event of more than ${this.#maxFrame} characters.`;
    this.#frames.push({ name: undefined, data: '', fault: { type: 'too_large', code: 'frame_too_large', message } });
  }

  #given(): readonly Frame[] {
    const frames = this.#frames;
    if (frames.length > 0) this.#frames = [];
    return frames;
  }
}

/** Writes a streamed array: what has gone out and the closing bracket are valid JSON at any time. */
export class ArrayWriter {
  #begun = false;

  /** The next element, with what stands in front of it. */
  element(payload: string): string {
    const before = this.#begun ? ',\n' : '[';
    this.#begun = true;
    return before + payload;
  }

  /** The end of the array. */
  end(): string {
    return this.#begun ? ']' : '[]';
  }
}
