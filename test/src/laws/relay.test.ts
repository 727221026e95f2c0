/** The laws of relaying and of ends on random streams, for every pair: what came goes out as it came, and a prefix is no answer. */
import { createTranslator, dialects, type FrameEvents, type KnownDialect, rewrite } from '@streamglot/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { grammarOf } from '../support/grammar/index.ts';
import { wireOf } from '../support/wire/index.ts';
import { decoded, encoderOf, written } from './codec.ts';
import { wrongMembers } from './fields.ts';
import { holds } from './runs.ts';
import { type Stream, streams, wholes } from './streams.ts';

const ids = Object.keys(dialects) as KnownDialect[];
const pairs = ids.flatMap((from) => ids.map((to) => [from, to] as const));

function wireText(dialect: KnownDialect, { frames }: Stream): string {
  return written(dialect, frames).join('');
}

function translate(from: KnownDialect, to: KnownDialect, bytes: Uint8Array): string {
  const translator = createTranslator({ from, to, includeUsage: true });
  return Buffer.concat([translator.push(bytes), translator.end()]).toString('utf8');
}

/** Whether the bytes hold a whole frame that proves a good end. */
function isProven(dialect: KnownDialect, text: string): boolean {
  return text
    .split('\n\n')
    .some((frame, at, all) => wireOf(dialect).proves(frame) && (at < all.length - 1 || isWhole(frame)));
}

/** The blank line of the last frame need not have come. */
function isWhole(frame: string): boolean {
  const data = frame.split('\n').findLast((line) => line.startsWith('data: '));
  try {
    JSON.parse(data?.slice('data: '.length) ?? '');
    return true;
  } catch {
    return false;
  }
}

describe.each(pairs)('a random stream from %s to %s', (from, to) => {
  const { violations, fails } = grammarOf(to);

  test('ends truthfully and grammatically, wherever its bytes stop', () => {
    holds(80, fc.tuple(streams, fc.nat()), ([stream, place]) => {
      const bytes = Buffer.from(wireText(from, stream));
      const prefix = bytes.subarray(0, place % (bytes.length + 1));
      const text = translate(from, to, prefix);
      expect(violations(text)).toEqual([]);
      expect(wrongMembers(to, text)).toEqual([]);
      if (!isProven(from, prefix.toString())) expect(fails(text)).toBe(true);
    });
  });
});

/** Relays the first frames, then writes all others anew. */
function relayThenWrite(dialect: KnownDialect, frames: readonly FrameEvents[], relayed: number): string {
  const encoder = encoderOf(dialect);
  const texts = frames.map((events, at) => {
    if (at >= relayed) for (const { native } of events) rewrite(native);
    return encoder.push(events);
  });
  return texts.join('') + encoder.end();
}

describe.each(ids)('a random stream of %s for a client of the same dialect', (dialect) => {
  const { violations, fails } = grammarOf(dialect);

  test('goes out as it came', () => {
    holds(120, wholes, (stream) => {
      const text = wireText(dialect, stream);
      expect(translate(dialect, dialect, Buffer.from(text))).toBe(text);
    });
  });

  test('obeys the grammar, whichever frame is the first to be rewritten', () => {
    holds(120, fc.tuple(wholes, fc.nat()), ([stream, place]) => {
      const frames = decoded(dialect, [Buffer.from(wireText(dialect, stream))]);
      const text = relayThenWrite(dialect, frames, place % (frames.length + 1));
      expect(violations(text)).toEqual([]);
      expect(fails(text)).toBe(fails(wireText(dialect, stream)));
    });
  });

  test('keeps what nobody knows: members anywhere in a payload', () => {
    const odd = fc.tuple(fc.stringMatching(/^zz_[a-z]{1,8}$/), fc.jsonValue({ maxDepth: 2 }));
    holds(80, fc.tuple(wholes, odd, fc.nat()), ([stream, [name, value], place]) => {
      const lines = wireText(dialect, stream).split('\n');
      const payloads = lines.flatMap((line, at) => (line.startsWith('data: {') ? [at] : []));
      const at = payloads[place % payloads.length] ?? 0;
      const payload = JSON.parse((lines[at] ?? '').slice('data: '.length));
      if ('error' in payload) return;
      lines[at] = `data: ${JSON.stringify({ ...payload, [name]: value })}`;
      const text = lines.join('\n');
      expect(translate(dialect, dialect, Buffer.from(text))).toBe(text);
    });
  });
});

/** Dialects whose official clients throw at a frame that they do not know, so that it is not passed on to them. */
const closed: ReadonlySet<string> = new Set(['chat', 'responses']);
/** Dialects whose frames have no names, and whose clients skip those that have. */
const nameless: ReadonlySet<string> = new Set(['gemini']);
/** The member of a frame that says what it is. */
const typeMember: Readonly<Partial<Record<KnownDialect, string>>> = { interactions: 'event_type' };
const typed: readonly KnownDialect[] = ids.filter((dialect) => !closed.has(dialect));

test.each(typed)('a frame of %s that nobody knows goes out as it came', (dialect) => {
  const odd = fc.tuple(fc.stringMatching(/^zz_[a-z]{1,8}$/), fc.jsonValue({ maxDepth: 2 }));
  holds(80, fc.tuple(wholes, odd, fc.nat()), ([stream, [type, value], place]) => {
    const frames = wireText(dialect, stream).split('\n\n').slice(0, -1);
    const name = nameless.has(dialect) ? '' : `event: ${type}\n`;
    const frame = `${name}data: ${JSON.stringify({ [typeMember[dialect] ?? 'type']: type, value })}`;
    frames.splice(1 + (place % (frames.length - 1)), 0, frame);
    const text = frames.map((frame) => `${frame}\n\n`).join('');
    expect(translate(dialect, dialect, Buffer.from(text))).toContain(`${frame}\n\n`);
  });
});
