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

/** What one network chunk may grow to; more than this is an attack. */
const maxInflatedBytes = 32 * 1024 * 1024;

/** Whether a coding can be undone. */
export function canInflate(coding: string): boolean {
  return Object.hasOwn(codings, coding);
}

/** A body with its content coding undone. Bytes that the coding does not allow end it as a reset. */
export class Inflated implements Body {
  readonly #body: Body;
  readonly #coding: string;
  #stream: Transform | undefined;
  #broken = false;

  constructor(body: Body, coding: string) {
    this.#body = body;
    this.#coding = coding;
  }

  async read(): Promise<Part> {
    const part = await this.#body.read();
    if ('cause' in part) this.#stream?.destroy();
    return 'cause' in part || part.bytes.length === 0 ? part : this.#inflate(part);
  }

  release(): void {
    this.#stream?.destroy();
    this.#body.release();
  }

  async #inflate({ bytes, receivedAt }: Chunk): Promise<Part> {
    this.#stream ??= this.#open(bytes[0] as number);
    const inflated = this.#broken ? undefined : await expand(this.#stream, bytes);
    if (inflated !== undefined) return { bytes: inflated, receivedAt };
    this.release();
    return { cause: 'reset', receivedAt };
  }

  #open(first: number): Transform {
    const stream = (codings[this.#coding] as (first: number) => Transform)(first);
    stream.on('error', () => {
      this.#broken = true;
    });
    return stream;
  }
}

/** All that a chunk expands to, or nothing where it cannot be expanded. */
function expand(stream: Transform, bytes: Uint8Array): Promise<Uint8Array | undefined> {
  return new Promise((resolve) => {
    const pieces: Buffer[] = [];
    let length = 0;
    const take = (): void => {
      for (let piece: Buffer | null = stream.read(); piece !== null; piece = stream.read()) {
        pieces.push(piece);
        length += piece.length;
      }
      if (length > maxInflatedBytes) settle(undefined);
    };
    const settle = (whole: Uint8Array | undefined): void => {
      stream.off('readable', take).off('close', fail);
      resolve(whole);
    };
    const fail = (): void => settle(undefined);
    stream.on('readable', take).on('close', fail);
    stream.write(bytes, (error) => {
      take();
      settle(error ? undefined : Buffer.concat(pieces, length));
    });
  });
}
