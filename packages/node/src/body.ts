/** Reading a Node request's body, or taking what a body parser has left of it. */
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { GatewayError } from '@streamglot/core';
import { badBody, bodyTooLarge, Refusal, wrongContentEncoding } from '@streamglot/gateway';
import type { HostRequest } from './host.ts';

type Unpack = (packed: Uint8Array, options: { maxOutputLength: number }) => Promise<Uint8Array>;

const codings: Readonly<Record<string, Unpack>> = {
  identity: async (bytes) => bytes,
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
};

/**
 * The body: parsed, text or bytes if somebody has read it before, else its bytes. A body parser that passed it over
 * leaves the stream unread, and Express 4's leaves an empty `req.body` too: only the stream tells. `parsed` is what a
 * parser has left elsewhere.
 * Rejects with `GatewayError`: 413 over `maxBytes`, 415 for an unknown coding, 400 for one that is broken.
 */
export async function bodyOf(request: HostRequest, maxBytes: number, parsed: unknown = request.body): Promise<unknown> {
  if (request.readableDidRead || request.readableEnded) return left(parsed);
  if (request.destroyed) throw broken();
  const coding = codingOf(request);
  const unpack = Object.hasOwn(codings, coding) ? codings[coding] : undefined;
  if (unpack === undefined) throw wrongContentEncoding(coding.slice(0, 50));
  const bytes = await received(request, maxBytes);
  return unpack(bytes, { maxOutputLength: maxBytes }).catch((thrown: unknown) => {
    throw isTooLong(thrown) ? bodyTooLarge(maxBytes) : badBody('invalid_encoding', 'The body cannot be decompressed.');
  });
}

function left(body: unknown): unknown {
  if (body !== undefined) return body;
  const message = 'Other middleware has read the body and not left it in req.body.';
  throw new Refusal(500, { type: 'api_error', code: 'body_consumed', message });
}

function codingOf({ headers }: HostRequest): string {
  return String(headers['content-encoding'] ?? 'identity').toLowerCase();
}

function isTooLong(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === 'ERR_BUFFER_TOO_LARGE';
}

/** Too large a body is read on and forgotten for as much again, as most clients read no answer before they have sent all. */
function received(request: HostRequest, maxBytes: number): Promise<Uint8Array> {
  return new Promise((settle, reject) => {
    let chunks: Uint8Array[] = [];
    let length = 0;
    const take = (chunk: unknown): void => {
      const bytes = chunk instanceof Uint8Array ? chunk : Buffer.from(String(chunk));
      length += bytes.length;
      if (length <= maxBytes) chunks.push(bytes);
      else chunks = [];
      if (length > 2 * maxBytes) finish(() => reject(bodyTooLarge(maxBytes, { connection: 'close' })));
    };
    const end = (): void =>
      finish(() => (length > maxBytes ? reject(bodyTooLarge(maxBytes)) : settle(Buffer.concat(chunks))));
    const fail = (): void => finish(() => reject(broken()));
    const listeners = { data: take, end, error: fail, close: fail };
    const finish = (then: () => void): void => {
      for (const [event, listener] of Object.entries(listeners)) request.off(event, listener);
      request.on('error', ignore);
      then();
    };
    for (const [event, listener] of Object.entries(listeners)) request.on(event, listener);
  });
}

function broken(): GatewayError {
  return new GatewayError({ type: 'cancelled', code: 'client_closed', message: 'The request broke off.' });
}

function ignore(): void {}
