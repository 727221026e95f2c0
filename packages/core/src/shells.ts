/** The edge: web streams and async iterators around the synchronous codecs, driven by their reader's pull. */
import type { Encoder } from './codec/encoder.ts';
import { toCanonicalError } from './model/error.ts';
import type { CanonicalEvent, FrameEvents } from './model/event.ts';
import type { CloseCause, Stage } from './stage.ts';
import type { Translator } from './translator.ts';
import { toBytes } from './wire/bytes.ts';

/** A body through a translator. Reads only when asked to; cancelling it cancels the source. A body that breaks ends truthfully. */
export function translated(body: ReadableStream<Uint8Array>, translator: Translator): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const next = async (): Promise<{ done: boolean; bytes: Uint8Array }> => {
    const { done, value } = await reader.read();
    return done ? { done, bytes: translator.end() } : { done, bytes: translator.push(value) };
  };
  const broken = (): { done: boolean; bytes: Uint8Array } => ({ done: true, bytes: translator.end('reset') });
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        for (;;) {
          const { done, bytes } = await next().catch(broken);
          if (bytes.length > 0) controller.enqueue(bytes);
          if (done) controller.close();
          if (done || bytes.length > 0) return;
        }
      },
      cancel: (reason) => {
        translator.end('client-closed');
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

/** The events of a body, one by one. Leaving the loop early cancels the source. */
export async function* decoded(
  body: AsyncIterable<Uint8Array>,
  reader: Stage<Uint8Array | string, FrameEvents>,
): AsyncGenerator<CanonicalEvent> {
  let cause: CloseCause = 'closed';
  const chunks = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await chunks.next().catch(() => undefined);
      if (next === undefined) cause = 'reset';
      if (next === undefined || next.done === true) break;
      for (const events of reader.push(next.value)) yield* events;
    }
    for (const events of reader.end(cause)) yield* events;
  } finally {
    await chunks.return?.();
  }
}

/** Events as a body. Reads only when asked to; cancelling it ends the source. A source that throws ends the body with an error. */
export function encoded(events: AsyncIterable<CanonicalEvent>, encoder: Encoder): ReadableStream<Uint8Array> {
  const source = events[Symbol.asyncIterator]();
  const next = async (): Promise<{ done: boolean; text: string }> => {
    const { done, value } = await source.next();
    return done === true ? { done, text: encoder.end() } : { done: false, text: encoder.push([value]) };
  };
  const failed = (thrown: unknown): { done: boolean; text: string } => {
    return { done: true, text: encoder.push([{ type: 'error', error: toCanonicalError(thrown) }]) };
  };
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        for (;;) {
          const { done, text } = await next().catch(failed);
          if (text !== '') controller.enqueue(toBytes(text));
          if (done) controller.close();
          if (done || text !== '') return;
        }
      },
      cancel: async () => {
        await source.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}

/** A web stream as an async iterable, where the runtime's own streams are none. */
export async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
