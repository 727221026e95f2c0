/** Random streams through one dialect: written by its encoder, read by its decoder. */
import {
  createReader,
  defaultLimits,
  dialectOf,
  type Encoder,
  type FrameEvents,
  Ids,
  type KnownDialect,
} from '@streamglot/core';

/** An encoder that always makes up the same ids. */
export function encoderOf(dialect: KnownDialect): Encoder {
  return dialectOf(dialect).encoder({ ids: new Ids('seed'), limits: defaultLimits, includeUsage: true });
}

/** What an encoder writes for each frame, and at the end. */
export function written(dialect: KnownDialect, frames: readonly FrameEvents[]): string[] {
  return writtenWithLosses(dialect, frames).texts;
}

/** The same, with the fields that the encoder says it lost. */
export function writtenWithLosses(
  dialect: KnownDialect,
  frames: readonly FrameEvents[],
): { texts: string[]; lost: readonly string[] } {
  const encoder = encoderOf(dialect);
  const texts = [...frames.map((events) => encoder.push(events)), encoder.end()];
  return { texts, lost: encoder.losses.map(({ field }) => field) };
}

/** The canonical frames of bytes that come in these pieces. */
export function decoded(dialect: KnownDialect, pieces: readonly Uint8Array[]): FrameEvents[] {
  const reader = createReader(dialectOf(dialect), { ids: new Ids('seed') });
  return [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()];
}

/** Dialects in which words wait behind an open call, until it is whole; one without arguments counts as whole. */
export const waits: ReadonlySet<string> = new Set(['messages']);

/** Whether a call gets its first argument only after something else has been said since it began: those dialects must give up. */
export function isBelated(frames: readonly FrameEvents[]): boolean {
  const silent = new Map<number, boolean>();
  for (const event of frames.flat()) {
    if (event.type === 'block-start' && event.kind === 'tool_call') silent.set(event.block, false);
    if (event.type !== 'block-delta') continue;
    const { block, delta } = event;
    if (delta.type !== 'input') for (const call of silent.keys()) silent.set(call, true);
    else if (silent.get(block) === true && delta.text !== '') return true;
    else if (delta.text !== '') silent.delete(block);
  }
  return false;
}

/** Dialects that have a word for an answer that was cancelled; in others only an error says it. */
const tellsCancelled: ReadonlySet<string> = new Set(['responses', 'interactions']);

/** Whether a client of a dialect sees a stream end well. */
export function endsWell(dialect: string, { whole, cancelled }: { whole: boolean; cancelled: boolean }): boolean {
  return whole || (cancelled && tellsCancelled.has(dialect));
}
