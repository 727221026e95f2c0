/** The laws of cutting, over every pair of the registry: any cut of the bytes gives the same output, and each end is truthful. */
import {
  createReader,
  createTranslator,
  defaultLimits,
  dialectOf,
  dialects,
  type FrameEvents,
  Ids,
  type KnownDialect,
  rewrite,
} from '@streamglot/core';
import { afterAll, describe, expect, test } from 'vitest';
import { bySize } from '../support/cuts.ts';
import { grammarOf } from '../support/grammar/index.ts';
import { endOf, type Fixture, fixturesOf } from './fixture.ts';

const ids = Object.keys(dialects) as KnownDialect[];
const pairs = ids.flatMap((from) => ids.map((to) => [from, to] as const));
const counted = { cuts: 0, splits: 0, relays: 0 };

afterAll(() => {
  const { cuts, splits, relays } = counted;
  console.log(`cut laws: ${pairs.length} pairs, ${cuts} cuts, ${splits} splits, ${relays} relays then rewrites`);
});

/** What a client gets whose upstream's bytes come in these chunks and then end. */
function translate(from: KnownDialect, to: KnownDialect, chunks: readonly Uint8Array[]): string {
  const translator = createTranslator({ from, to, includeUsage: true });
  const out = chunks.map((chunk) => translator.push(chunk));
  return Buffer.concat([...out, translator.end()]).toString('utf8');
}

/** Grammatical, and an error exactly where the proof of a good ending had not come. Same outputs are looked at once. */
class Judge {
  readonly #to: KnownDialect;
  readonly #known = new Map<string, string>();

  constructor(to: KnownDialect) {
    this.#to = to;
  }

  /** What is wrong with an output; an empty text if nothing is. */
  verdict(output: string, good: boolean): string {
    const key = `${good}${output}`;
    const known = this.#known.get(key) ?? this.#look(output, good);
    this.#known.set(key, known);
    return known;
  }

  #look(output: string, good: boolean): string {
    const { violations, fails } = grammarOf(this.#to);
    const found = [...violations(output)];
    if (fails(output) === good) found.push(good ? 'an error after a good ending' : 'a good ending without proof of it');
    return found.length === 0 ? '' : `${found.join('; ')}\n${output.slice(-600)}`;
  }
}

/** The cuts at which something is wrong; the first few of them, for a message that can be read. */
function wrongAt(cuts: Iterable<number>, verdict: (cut: number) => string): string[] {
  const wrong: string[] = [];
  for (const cut of cuts) {
    const said = verdict(cut);
    if (said !== '') wrong.push(`cut at ${cut}: ${said}`);
  }
  return wrong.length > 3 ? [...wrong.slice(0, 3), `and ${wrong.length - 3} more`] : wrong;
}

/** From single bytes on, through sizes up to one that holds whole frames, to some that hold several. */
const sizes = [1, 2, 3, 5, 7, 11, 13, 19, 29, 40, 64, 100, 257, 509, 1021];

function upTo(last: number): number[] {
  return Array.from({ length: last + 1 }, (_, at) => at);
}

/** Scenes that are cut at every byte; of the others every frame is cut at its beginning, in its lines and at its end. */
const everywhere: ReadonlySet<string> = new Set(['text', 'error mid-stream']);

function placesIn({ scene, frames, bytes }: Fixture): number[] {
  if (everywhere.has(scene.name)) return upTo(bytes.length);
  return frames.flatMap((frame, at) => {
    const end = endOf(frames, at);
    const start = end - Buffer.byteLength(frame);
    const line = start + frame.indexOf('\n');
    const middle = (start + end) >> 1;
    return [start, start + 3, line, line + 1, line + 7, middle, middle + 1, end - 3, end - 2, end - 1, end];
  });
}

describe.each(pairs)('cutting %s for a client of %s', (from, to) => {
  const fixtures = fixturesOf(from);

  test.each(fixtures)('anywhere ends truthfully and grammatically: $name', (fixture) => {
    const { bytes, proven } = fixture;
    const judge = new Judge(to);
    const places = placesIn(fixture);
    counted.cuts += places.length;
    const wrong = wrongAt(places, (cut) => judge.verdict(translate(from, to, [bytes.subarray(0, cut)]), cut >= proven));
    expect(wrong).toEqual([]);
  });

  test.each(fixtures)('into pieces of any size changes nothing: $name', ({ bytes }) => {
    const whole = translate(from, to, [bytes]);
    const wrong = wrongAt(sizes, (size) => {
      const chunks = bySize(bytes, size);
      counted.splits += chunks.length;
      return translate(from, to, chunks) === whole ? '' : 'another output';
    });
    expect(wrong).toEqual([]);
  });
});

/** Decodes a stream and writes it in the same dialect: the first `relayed` frames as they came, all others anew. */
function relayThenWrite({ dialect, bytes }: Fixture, relayed: number): string {
  const shared = new Ids();
  const reader = createReader(dialectOf(dialect), { ids: shared });
  const encoder = dialectOf(dialect).encoder({ ids: shared, limits: defaultLimits, includeUsage: true });
  const frames: FrameEvents[] = [...reader.push(bytes), ...reader.end()];
  const written = frames.map((events, at) => {
    // As it happens: an event that was held carries a frame which may have gone out long before.
    if (at >= relayed) for (const { native } of events) rewrite(native);
    return encoder.push(events);
  });
  return written.join('') + encoder.end();
}

describe.each(ids)('a stream of %s for a client of the same dialect', (dialect) => {
  const fixtures = fixturesOf(dialect);

  test.each(fixtures.filter(({ scene }) => scene.ending === 'whole'))('goes out as it came: $name', ({ bytes }) => {
    expect(translate(dialect, dialect, [bytes])).toBe(bytes.toString('utf8'));
  });

  // Where the bytes are cut is the reader's affair: one pair of its dialect is enough for every place on its own.
  test.each(fixtures)('is the same, cut in two anywhere: $name', (fixture) => {
    const { bytes } = fixture;
    const whole = translate(dialect, dialect, [bytes]);
    const places = placesIn(fixture);
    counted.splits += places.length;
    const wrong = wrongAt(places, (cut) =>
      translate(dialect, dialect, [bytes.subarray(0, cut), bytes.subarray(cut)]) === whole ? '' : 'another output',
    );
    expect(wrong).toEqual([]);
  });

  test.each(fixtures)('obeys the grammar, whichever frame is the first to be rewritten: $name', (fixture) => {
    const judge = new Judge(dialect);
    counted.relays += fixture.frames.length + 1;
    const good = fixture.scene.ending === 'whole';
    const wrong = wrongAt(upTo(fixture.frames.length), (k) => judge.verdict(relayThenWrite(fixture, k), good));
    expect(wrong).toEqual([]);
  });
});
