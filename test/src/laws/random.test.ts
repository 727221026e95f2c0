/** The laws of encoders on random streams, for every dialect of the registry: grammar, members, one ending, no waiting. */
import { type CanonicalEvent, dialects, type FrameEvents, type KnownDialect } from '@streamglot/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { grammarOf } from '../support/grammar/index.ts';
import { decoded, endsWell, isBelated, waits, written } from './codec.ts';
import { wrongMembers } from './fields.ts';
import { holds } from './runs.ts';
import { shownIn } from './shown.ts';
import { type Stream, streams } from './streams.ts';

const ids = Object.keys(dialects) as KnownDialect[];

/** The words that a stream has said for its first choice, up to each frame. */
function saidBy(frames: readonly FrameEvents[]): string[] {
  const spoken = new Set<number>();
  let text = '';
  return frames.map((events) => {
    for (const event of events) {
      if (event.type === 'block-start' && isWords(event)) spoken.add(event.block);
      if (event.type === 'block-delta' && event.delta.type === 'text' && spoken.has(event.block))
        text += event.delta.text;
    }
    return text;
  });
}

function isWords({ kind, choice }: CanonicalEvent & { type: 'block-start' }): boolean {
  return choice === 0 && (kind === 'text' || kind === 'refusal');
}

/** Whether a call of the first choice is open after each frame: behind one, words may wait. */
function callOpenAfter(frames: readonly FrameEvents[]): boolean[] {
  const open = new Set<number>();
  return frames.map((events) => {
    for (const event of events) {
      if (event.type === 'block-start' && event.kind === 'tool_call' && event.choice === 0) open.add(event.block);
      if (event.type === 'block-end') open.delete(event.block);
    }
    return open.size > 0;
  });
}

describe.each(ids)('a random stream for a client of %s', (dialect) => {
  const { violations, fails } = grammarOf(dialect);

  test('obeys the grammar and ends once, as it should', () => {
    holds(200, streams, (stream) => {
      const { frames } = stream;
      const whole = endsWell(dialect, stream);
      const text = written(dialect, frames).join('');
      expect(violations(text)).toEqual([]);
      if (!waits.has(dialect) || !isBelated(frames)) expect(fails(text)).toBe(!whole);
    });
  });

  test('has no member without its value', () => {
    holds(200, streams, ({ frames }) => {
      const text = written(dialect, frames).join('');
      expect(wrongMembers(dialect, text)).toEqual([]);
      expect(text).not.toMatch(/\bundefined\b|\bNaN\b|\[object /);
    });
  });

  test('ends as soon as its upstream does, and says nothing after that', () => {
    const more: FrameEvents = [
      { type: 'ping' },
      { type: 'response-end', status: 'completed' },
      { type: 'error', error: { type: 'upstream', message: 'again' } },
    ];
    holds(150, streams, ({ frames }) => {
      const texts = written(dialect, [...frames, more]);
      expect(texts.slice(-2)).toEqual(['', '']);
    });
  });

  test('broken off anywhere without a word ends in an error', () => {
    holds(200, fc.tuple(streams, fc.nat()), ([{ frames, whole }, cut]) => {
      const text = written(dialect, frames.slice(0, cut % frames.length)).join('');
      expect(violations(text)).toEqual([]);
      expect(fails(text)).toBe(true);
      expect(whole || frames.length > 0).toBe(true);
    });
  });

  test('shows its words as they come', () => {
    holds(200, streams, ({ frames, whole }) => {
      if (waits.has(dialect) && isBelated(frames)) return;
      const texts = written(dialect, frames);
      const shown = texts.map((_, at) => shownIn(dialect, texts.slice(0, at + 1).join('')));
      const said = saidBy(frames);
      const busy = callOpenAfter(frames);
      said.forEach((words, at) => {
        expect(words.startsWith(shown[at] ?? '')).toBe(true);
        if (!waits.has(dialect) || !busy[at]) expect(shown[at]).toBe(words);
      });
      if (whole) expect(shown.at(-1)).toBe(said.at(-1));
    });
  });
});

function cutAt(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const cuts = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return cuts.slice(1).map((end, at) => bytes.subarray(cuts[at], end));
}

function bytesOf(dialect: KnownDialect, { frames }: Stream): Uint8Array {
  return Buffer.from(written(dialect, frames).join(''));
}

describe.each(ids)('a random stream of %s', (dialect) => {
  test('reads the same, however its bytes are cut', () => {
    holds(150, fc.tuple(streams, fc.array(fc.nat(), { maxLength: 30 })), ([stream, places]) => {
      const bytes = bytesOf(dialect, stream);
      expect(decoded(dialect, cutAt(bytes, places))).toEqual(decoded(dialect, [bytes]));
    });
  });
});
