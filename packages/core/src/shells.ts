/** The edge: web streams and async iterators around the synchronous codecs, driven by their reader's pull. */
import type { Encoder } from './codec/encoder.ts';
import type { CanonicalEvent, FrameEvents } from './model/event.ts';
import type { CloseCause, Stage } from './stage.ts';
import type { Translator } from './translator.ts';
import { toBytes } from './wire/bytes.ts';

/** A body through a translator. Reads only when asked to; cancelling it cancels the source. */
export function translated(body: ReadableStream<Uint8Array>, translator: Translator): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const step = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<boolean> => {
    const { done, value } = await reader.read();
    const out = done ? translator.end() : translator.push(value);
    if (out.length > 0) controller.enqueue(out);
    if (done) controller.close();
    return done || out.length > 0;
  };
  const fail = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    controller.enqueue(translator.end('reset'));
    controller.close();
  };
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          while (!(await step(controller)));
        } catch {
          fail(controller);
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

/** Events as a body. Reads only when asked to; cancelling it ends the source. */
export function encoded(events: AsyncIterable<CanonicalEvent>, encoder: Encoder): ReadableStream<Uint8Array> {
  const source = events[Symbol.asyncIterator]();
  const step = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<boolean> => {
    const { done, value } = await source.next();
    const out = toBytes(done === true ? encoder.end() : encoder.push([value]));
    if (out.length > 0) controller.enqueue(out);
    if (done === true) controller.close();
    return done === true || out.length > 0;
  };
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        while (!(await step(controller)));
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
