/** Whatever an upstream sends, a client gets a stream of its dialect with one truthful ending, and nothing is thrown. */
import {
  createReader,
  createTranslator,
  dialectOf,
  dialects,
  type FrameEvents,
  GrammarCheck,
  type KnownDialect,
  type Limits,
  rewrite,
  type Stage,
} from '@streamglot/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { wrongMembers } from '../laws/fields.ts';
import { holds } from '../laws/runs.ts';
import { grammarOf } from '../support/grammar/index.ts';
import { mutantsOf } from './mutants.ts';

const ids = Object.keys(dialects) as KnownDialect[];
const pairs = ids.flatMap((from) => ids.map((to) => [from, to] as const));

/** Makes its dialect write a stream as other dialects do: nothing goes out as it came. */
const anew: Stage<FrameEvents, FrameEvents> = {
  push(events) {
    for (const { native } of events) rewrite(native);
    return [events];
  },
  end: () => [],
};

/** What a client gets, and how the translator says that it ended. */
function translate(
  from: KnownDialect,
  to: KnownDialect,
  pieces: readonly Uint8Array[],
  limits: Partial<Limits>,
): { text: string; ending: string | undefined } {
  const translator = createTranslator({ from, to, includeUsage: true, restore: anew, limits });
  const out = pieces.map((piece) => translator.push(piece));
  out.push(translator.end(), translator.push(Buffer.from('data: {}\n\n')), translator.end());
  return { text: Buffer.concat(out).toString('utf8'), ending: translator.ending };
}

/** What a model wrote as arguments is its client's affair, whatever it is. */
const ofTheModel = /no whole object/;

/** What a provider invents in its own dialect goes to its own clients. */
const ofTheProvider =
  /a block of (unknown )?type|_delta in a|does not begin as it should|an event of type|stop_reason|stop_sequence|another input|a part of no kind|finishReason is|the status is|in a \w+ step/;

const clean = Object.getOwnPropertyNames(Object.prototype).join();

describe.each(pairs)('from a hostile %s to %s', (from, to) => {
  const { violations, fails } = grammarOf(to);

  function judge(pieces: readonly Uint8Array[], limits: Partial<Limits> = {}): void {
    const { text, ending } = translate(from, to, pieces, limits);
    expect(ending).toBeDefined();
    expect(Object.getOwnPropertyNames(Object.prototype).join()).toBe(clean);
    const wrong = violations(text).filter(
      (rule) => !ofTheModel.test(rule) && !(from === to && ofTheProvider.test(rule)),
    );
    expect(wrong).toEqual([]);
    expect(wrongMembers(to, text)).toEqual([]);
    expect(fails(text)).toBe(ending !== 'completed');
  }

  test('random bytes', () => {
    holds(100, fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 5 }), (pieces) => judge(pieces));
  });

  test('random text of the framing', () => {
    const line = fc.constantFrom(
      'data: ',
      'data:',
      'event: ',
      'event: error',
      'id: 1',
      ':',
      '\n',
      '\r',
      '\r\n',
      '\n\n',
      '{}',
      '[DONE]',
      '{',
      '"',
      'null',
      '\ufeff',
      'retry: 0',
    );
    holds(100, fc.array(line, { maxLength: 20 }), (lines) => judge([Buffer.from(lines.join(''))]));
  });

  test('mutated frames', () => {
    holds(400, mutantsOf(from), (text) => judge([Buffer.from(text)]));
  });

  test('mutated frames under limits that are met everywhere', () => {
    const size = fc.nat({ max: 60 });
    const limits = fc.record({
      maxBlocks: fc.nat({ max: 3 }),
      maxAccumulatedBytes: size,
      maxQueuedBytes: size,
      maxDepth: fc.integer({ min: 3, max: 9 }),
    });
    holds(150, fc.tuple(mutantsOf(from), limits), ([text, limits]) => judge([Buffer.from(text)], limits));
  });
});

test.each(ids)('whatever a hostile %s says is canonical once it is read', (dialect) => {
  holds(300, fc.tuple(mutantsOf(dialect), fc.constantFrom(1, 4096)), ([text, maxBlocks]) => {
    const reader = createReader(dialectOf(dialect), { limits: { maxBlocks } });
    const check = new GrammarCheck();
    for (const events of [...reader.push(text), ...reader.end()]) check.push(events);
    check.end();
    expect(check.violations).toEqual([]);
  });
});
