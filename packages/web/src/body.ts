/** Reading a Request's body within its limits. */
import { GatewayError } from '@streamglot/core';
import { badBody, bodyTooLarge, Refusal, wrongContentEncoding } from '@streamglot/gateway';

/** The formats of content codings; brotli is known to few runtimes yet. */
const formats: Readonly<Record<string, string>> = {
  gzip: 'gzip',
  'x-gzip': 'gzip',
  deflate: 'deflate',
  br: 'brotli',
};

/**
 * The body's bytes, content coding undone. Rejects with `GatewayError`: 413 over `maxBytes`, 415 for a coding that the
 * runtime does not know, 400 for one that is broken, 500 for a body that somebody else has read.
 */
export async function bodyOf(request: Request, maxBytes: number): Promise<Uint8Array> {
  if (request.bodyUsed) throw consumed();
  const coding = (request.headers.get('content-encoding') ?? 'identity').toLowerCase();
  const inflate = coding === 'identity' ? undefined : inflaterOf(coding);
  const bytes = await received(request.body, maxBytes).catch((thrown: unknown) => {
    throw thrown instanceof Refusal ? thrown : broken();
  });
  if (inflate === undefined) return bytes;
  return received(streamOf(bytes).pipeThrough(inflate), maxBytes).catch((thrown: unknown) => {
    throw thrown instanceof Refusal ? thrown : badBody('invalid_encoding', 'The body cannot be decompressed.');
  });
}

function inflaterOf(coding: string): TransformStream<Uint8Array, Uint8Array> {
  const format = Object.hasOwn(formats, coding) ? formats[coding] : undefined;
  // Named by text, as Next.js warns of every global that its edge lacks. A format that it does not know is a TypeError.
  const inflater: unknown = Reflect.get(globalThis, 'DecompressionStream');
  try {
    if (format !== undefined && typeof inflater === 'function') return Reflect.construct(inflater, [format]);
  } catch {}
  throw wrongContentEncoding(coding.slice(0, 50), 'gzip, deflate');
}

/** Too large a body is read on and forgotten for as much again, as most clients read no answer before they have sent all. */
async function received(body: ReadableStream<Uint8Array> | null, maxBytes: number): Promise<Uint8Array> {
  let chunks: Uint8Array[] = [];
  let length = 0;
  const reader = body?.getReader();
  for (let next = await reader?.read(); next?.value !== undefined; next = await reader?.read()) {
    length += next.value.length;
    if (length <= maxBytes) chunks.push(next.value);
    else chunks = [];
    if (length > 2 * maxBytes) break;
  }
  if (length <= maxBytes) return joined(chunks, length);
  reader?.cancel().catch(() => undefined);
  throw bodyTooLarge(maxBytes);
}

function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start: (controller) => {
      controller.enqueue(bytes);
      controller.close();
    },
  });
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const [first] = chunks;
  if (first !== undefined && chunks.length === 1) return first;
  const all = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

function consumed(): Refusal {
  const message = 'The body has been read before, and what came of it was not given to answer(request, { body }).';
  return new Refusal(500, { type: 'api_error', code: 'body_consumed', message });
}

function broken(): GatewayError {
  return new GatewayError({ type: 'cancelled', code: 'client_closed', message: 'The request broke off.' });
}
