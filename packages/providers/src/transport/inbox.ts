/** Where chunks wait between a socket that pushes and a reader that pulls. */
import type { CloseCause } from '@streamglot/core';
import type { Part } from './transport.ts';

/** What one read of a socket brings at most; more than that never waits. */
const roomBytes = 65_536;

/** A queue of chunks with one reader. */
export class Inbox {
  #waiting: Part[] = [];
  #bytes = 0;
  #reader: ((part: Part) => void) | undefined;
  #close: Part | undefined;

  /** Takes a chunk; returns whether there is room for more. */
  push(bytes: Uint8Array): boolean {
    if (this.#close !== undefined) return true;
    const chunk = { bytes, receivedAt: performance.now() };
    if (this.#reader !== undefined) {
      this.#hand(this.#reader, chunk);
      return true;
    }
    this.#waiting.push(chunk);
    this.#bytes += bytes.length;
    return this.#bytes < roomBytes;
  }

  /** Says that no chunk will follow; those that wait are still read, unless nobody wants them. */
  close(cause: CloseCause): void {
    if (cause === 'client-closed') this.#waiting = [];
    this.#close ??= { cause, receivedAt: performance.now() };
    if (this.#reader !== undefined) this.#hand(this.#reader, this.#close);
  }

  /** The next chunk or the end, as soon as there is one. */
  read(): Promise<Part> {
    const part = this.#waiting.shift() ?? this.#close;
    if (part === undefined)
      return new Promise((resolve) => {
        this.#reader = resolve;
      });
    if ('bytes' in part) this.#bytes -= part.bytes.length;
    return Promise.resolve(part);
  }

  /** Whether nothing waits, so that the socket should be read on. */
  get empty(): boolean {
    return this.#waiting.length === 0;
  }

  #hand(reader: (part: Part) => void, part: Part): void {
    this.#reader = undefined;
    reader(part);
  }
}
