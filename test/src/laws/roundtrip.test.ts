/** What was encoded is what is decoded: the normal form, less what the dialect cannot carry. */
import { type CanonicalEvent, dialects, type KnownDialect, normalise } from '@streamglot/core';
import { describe, expect, test } from 'vitest';
import { carried } from './carried.ts';
import { decoded, isBelated, waits, writtenWithLosses } from './codec.ts';
import { holds } from './runs.ts';
import { wholes } from './streams.ts';

/** A source that is told when its text is over may be lost, if the encoder says so. */
function without(lost: readonly string[], events: readonly CanonicalEvent[]): readonly CanonicalEvent[] {
  if (!lost.includes('citation')) return events;
  return events.filter((event) => event.type !== 'block-delta' || event.delta.type !== 'citation');
}

const ids = Object.keys(dialects) as KnownDialect[];

describe.each(ids)('a random stream through %s', (dialect) => {
  test('comes back as it went, less what the dialect cannot carry', () => {
    holds(300, wholes, ({ frames }) => {
      if (waits.has(dialect) && isBelated(frames)) return;
      const { texts, lost } = writtenWithLosses(dialect, frames);
      const back = decoded(dialect, [Buffer.from(texts.join(''))]);
      const [came, went] = [back, frames].map((stream) => carried(dialect, without(lost, normalise(stream.flat()))));
      expect(came).toEqual(went);
    });
  });
});
