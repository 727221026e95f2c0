/** Content codings undone as the bytes come: what a network chunk holds goes out with that chunk. */

import type { Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import type { Body, Chunk, Part } from './transport.ts';

const flush = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const brotliFlush = {
  flush: constants.BROTLI_OPERATION_FLUSH,
  finishFlush: constants.BROTLI_OPERATION_FLUSH,
};

/** `deflate` means zlib's format, but some servers send it bare; the low half of a zlib header's first byte is 8. */
const codings: Readonly<Record<string, (first: number) => Transform>> = {
  gzip: () => createGunzip(flush),
  'x-gzip': () => createGunzip(flush),
  br: () => createBrotliDecompress(brotliFlush),
  deflate: (first) => ((first & 0x0f) === 8 ? createInflate(flush) : createInflateRaw(flush)),
};

/** What one read gives at most, so that a small chunk that expands without end is read like an endless answer: in portions. */
const portionBytes = 1024 * 1024;

/** Whether a coding can be undone. */
export function canInflate(coding: string): boolean {
  return Object.hasOwn(codings, coding);
}

/** A body with its content coding undone. Bytes that the coding does not allow end it as a reset. */
export class Inflated implements Body {
  readonly #body: Body;
  readonly #coding: string;
  #stream: Transform | undefined;
  #receivedAt = 0;
  /** Whether the last chunk may still give more. */
  #isExpanding = false;
  #isWriting = false;
  #broken = false;
  #wake = (): void => {};

  constructor(body: Body, coding: string) {
    this.#body = body;
    this.#coding = coding;
  }

  async read(): Promise<Part> {
    if (this.#isExpanding) return this.#portion();
    const part = await this.#body.read();
    if ('cause' in part) this.#stream?.destroy();
    return 'cause' in part || part.bytes.length === 0 ? part : this.#expand(part);
  }

  release(): void {
    this.#stream?.destroy();
    this.#body.release();
  }

  #expand({ bytes, receivedAt }: Chunk): Promise<Part> {
    this.#stream ??= this.#open(bytes[0] as number);
    this.#receivedAt = receivedAt;
    this.#isExpanding = true;
    this.#isWriting = true;
    this.#stream.write(bytes, (error) => {
      this.#isWriting = false;
      this.#broken ||= Boolean(error);
      this.#wake();
    });
    return this.#portion();
  }

  /** What there is of the last chunk: all of it, or as much as fits. What came before an error counts. */
  async #portion(): Promise<Part> {
    const pieces: Buffer[] = [];
    let length = 0;
    while (length < portionBytes) {
      const isLast = !this.#isWriting || this.#broken;
      const before = length;
      for (let piece = this.#next(); piece !== null; piece = length < portionBytes ? this.#next() : null) {
        pieces.push(piece);
        length += piece.length;
      }
      if (length > before) continue;
      this.#isExpanding = !isLast || (this.#broken && length > 0);
      if (isLast) break;
      await new Promise<void>((wake) => {
        this.#wake = wake;
      });
    }
    if (length > 0 || !this.#broken) return { bytes: Buffer.concat(pieces, length), receivedAt: this.#receivedAt };
    this.release();
    return { cause: 'reset', receivedAt: this.#receivedAt };
  }

  #next(): Buffer | null {
    return this.#stream?.read() ?? null;
  }

  #open(first: number): Transform {
    const stream = (codings[this.#coding] as (first: number) => Transform)(first);
    const fail = (): void => {
      this.#broken = true;
      this.#wake();
    };
    return stream
      .on('error', fail)
      .on('close', fail)
      .on('readable', () => this.#wake());
  }
}
