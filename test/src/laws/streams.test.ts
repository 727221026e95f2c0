/** The random streams are what the laws need: grammatical, and with everything in them. */
import { type CanonicalEvent, GrammarCheck, normalise } from '@streamglot/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { holds } from './runs.ts';
import { streams } from './streams.ts';

test('every random stream obeys the canonical grammar', () => {
  holds(300, streams, ({ frames }) => {
    const check = new GrammarCheck();
    for (const events of frames) check.push(events);
    check.end();
    expect(check.violations).toEqual([]);
  });
});

test('a normal form is its own normal form', () => {
  holds(200, streams, ({ frames }) => {
    const normal = normalise(frames.flat());
    expect(normalise(normal)).toEqual(normal);
  });
});

test('a normal form does not depend on how the pieces were cut', () => {
  holds(200, streams, ({ frames }) => {
    const cut = frames.flat().flatMap((event): CanonicalEvent[] => {
      if (event.type !== 'block-delta' || event.delta.type !== 'text' || event.delta.logprobs !== undefined)
        return [event];
      return [...event.delta.text].map((text) => ({ ...event, delta: { type: 'text', text } }));
    });
    expect(normalise(cut)).toEqual(normalise(frames.flat()));
  });
});

test('random streams have all that the laws are about', () => {
  const sample = fc.sample(streams, { seed: 1, numRuns: 300 });
  const events = sample.flatMap(({ frames }) => frames.flat());
  const seen = (name: string): boolean => JSON.stringify(events).includes(name);
  const needed = [
    'refusal',
    'summary',
    'signature',
    'citation',
    'logprobs',
    '"text","executor"',
    'tool_result',
    'error',
  ];
  expect(needed.filter((name) => !seen(name))).toEqual([]);
  expect(new Set(events.flatMap((event) => (event.type === 'finish' ? [event.reason] : []))).size).toBe(12);
  expect(events.some((event) => event.type === 'finish' && event.choice > 0)).toBe(true);
});
