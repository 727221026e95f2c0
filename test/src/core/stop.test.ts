/** Stop strings that an upstream does not take are cut from its answer. */
import { type CanonicalEvent, type FrameEvents, GrammarCheck, restorer } from '@streamglot/core';
import { describe, expect, it } from 'vitest';

const start: CanonicalEvent[] = [
  { type: 'response-start' },
  { type: 'block-start', block: 0, choice: 0, kind: 'text' },
];
const end: CanonicalEvent[] = [
  { type: 'block-end', block: 0, final: { text: 'what the upstream said' } },
  { type: 'finish', choice: 0, reason: 'length', nativeReason: 'max_output_tokens' },
  { type: 'response-end', status: 'incomplete' },
];

function said(text: string): CanonicalEvent {
  return { type: 'block-delta', block: 0, delta: { type: 'text', text } };
}

function cut(stop: readonly string[], frames: readonly FrameEvents[]): readonly CanonicalEvent[] {
  const stage = restorer({ stop });
  return frames.flatMap((frame) => stage?.push(frame) ?? []).flat();
}

function textOf(events: readonly CanonicalEvent[]): string {
  return events
    .map((event) => (event.type === 'block-delta' && event.delta.type === 'text' ? event.delta.text : ''))
    .join('');
}

/** A text in pieces of every length. */
function cuts(text: string): CanonicalEvent[][] {
  return Array.from({ length: text.length }, (_, size) =>
    Array.from({ length: Math.ceil(text.length / (size + 1)) }, (_, at) =>
      said(text.slice(at * (size + 1), (at + 1) * (size + 1))),
    ),
  );
}

describe('a stop string', () => {
  it.each<[string[], string, string, string | undefined]>([
    [['END'], 'one END two', 'one ', 'END'],
    [['END', 'one'], 'one END two', '', 'one'],
    [['two', 'o E'], 'no END two', 'n', 'o E'],
    [['aab'], 'aaaab', 'aa', 'aab'],
    [['\n\n'], 'a\nb\n', 'a\nb\n', undefined],
    [['ENDLESS'], 'the END', 'the END', undefined],
    [['🛠️'], 'a 🛠️ b', 'a ', '🛠️'],
  ])('of %j ends %j after %j, however it is cut', (stop, text, expected, found) => {
    for (const pieces of cuts(text)) {
      const events = cut(stop, [start, ...pieces.map((piece) => [piece]), end]);
      expect(textOf(events)).toBe(expected);
      const finish = events.find((event) => event.type === 'finish');
      if (found === undefined) expect(finish).toMatchObject({ reason: 'length', nativeReason: 'max_output_tokens' });
      else expect(finish).toEqual({ type: 'finish', choice: 0, reason: 'stop', stopSequence: found });
    }
  });

  it('leaves a lawful stream and nothing of what came after it', () => {
    const later: CanonicalEvent[] = [
      { type: 'block-start', block: 1, choice: 0, kind: 'text' },
      { type: 'block-delta', block: 1, delta: { type: 'text', text: 'more' } },
      { type: 'block-end', block: 1 },
    ];
    const events = cut(['END'], [start, [said('one END two')], later, end]);
    const check = new GrammarCheck();
    check.push(events);
    check.end();
    expect(check.violations).toEqual([]);
    expect(textOf(events)).toBe('one ');
    expect(events.at(-1)).toMatchObject({ type: 'response-end', status: 'completed' });
    expect(events.find((event) => event.type === 'block-end')).not.toHaveProperty('final');
  });

  it('makes an answer whole whose upstream fails after it, and holds nothing back before a failure', () => {
    const error: CanonicalEvent = { type: 'error', error: { type: 'upstream', message: 'x' } };
    expect(cut(['END'], [start, [said('one END')], [error]]).at(-1)).toMatchObject({ type: 'response-end' });
    const failed = cut(['END'], [start, [said('one EN')], [error]]);
    expect(textOf(failed)).toBe('one EN');
    expect(failed.at(-1)).toBe(error);
  });

  it('holds back no more than what may begin one', () => {
    const events = cut(['END'], [start, [said('abcE')]]);
    expect(textOf(events)).toBe('abc');
    expect(textOf(cut(['END'], [start, [said('abc')]]))).toBe('abc');
  });
});
