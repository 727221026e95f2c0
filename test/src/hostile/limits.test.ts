/** No stream makes a translator grow without end: what must be kept has a limit, and reaching it is a truthful ending. */
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createTranslator, dialects, type KnownDialect, type Limits, type Translator } from '@streamglot/core';
import { describe, expect, test } from 'vitest';
import { grammarOf } from '../support/grammar/index.ts';
import { type Flood, floodsOf, framing, tight } from './floods.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

const ids = Object.keys(dialects) as KnownDialect[];
const mega = 1 << 20;

/** Bytes in use once everything is gone that nobody holds. */
function heapInUse(): number {
  collectGarbage();
  return getHeapStatistics().used_heap_size;
}

let asked = 0;
let base = 0;

/** The heap without a stream in it. Collecting takes longer than most floods, so it is measured now and then. */
function baseline(): number {
  if (asked++ % 16 === 0) base = heapInUse();
  return base;
}

interface Outcome {
  /** The last two pieces of what the client got. */
  tail: string;
  ending: string | undefined;
  /** Bytes that the translator held after all that came. */
  held: number;
}

/** Lets a flood come until a number of bytes has come. */
function pour({ head, piece }: Flood, translator: Translator, bytes: number): Outcome {
  const before = baseline();
  let last: string[] = [];
  const take = (out: Uint8Array): void => {
    if (out.length > 0) last = [...last.slice(-1), Buffer.from(out).toString('utf8')];
  };
  take(translator.push(Buffer.from(head)));
  for (let number = 0, sent = 0; sent < bytes; number++) {
    const next = Buffer.from(piece(number));
    sent += next.length;
    take(translator.push(next));
  }
  const held = heapInUse() - before;
  take(translator.end());
  return { tail: last.join(''), ending: translator.ending, held };
}

/** What comes before any event is read knows nothing of the client. */
const unread: ReadonlySet<Flood> = new Set(framing);

const cases = ids.flatMap((from) =>
  floodsOf(from).flatMap((flood) =>
    ids
      .filter((to) => (flood.to ?? (unread.has(flood) ? from : to)) === to)
      .map((to) => ({ from, to, name: flood.name, flood })),
  ),
);

describe.each(cases)('from $from to $to, a flood of: $name', ({ from, to, flood }) => {
  const code = flood.kept?.includes(to) === true ? 'answer_too_large' : flood.code;

  test('is kept within limits and ends as it should', () => {
    const limits: Limits = tight;
    const { tail, ending, held } = pour(flood, createTranslator({ from, to, limits }), 4 * mega);
    expect(held).toBeLessThan(3 * mega);
    expect(ending).toBe(code === undefined ? (flood.ending ?? 'truncated') : 'error');
    if (code !== undefined) expect(tail.includes(`"${code}"`)).toBe(true);
    expect(grammarOf(to).fails(tail)).toBe(ending !== 'completed');
  });
});

test('a line of 64 MB ends the stream at its limit, and is not kept', () => {
  const translator = createTranslator({ from: 'chat', to: 'messages' });
  const before = heapInUse();
  const line = Buffer.alloc(64 * mega, 'x');
  line.write('data: ');
  const out = Buffer.from(translator.push(line)).toString();
  expect(out).toContain('frame_too_large');
  expect(heapInUse() - before - line.length).toBeLessThan(20 * mega);
  expect(translator.end()).toHaveLength(0);
});

test.each(ids)('100,000 blocks of %s end at the limit', (dialect) => {
  const flood = floodsOf(dialect).find(({ name }) => name === 'blocks') as Flood;
  const translator = createTranslator({ from: dialect, to: dialect });
  const text = Array.from({ length: 100_000 }, (_, number) => flood.piece(number)).join('');
  const out = Buffer.from(translator.push(Buffer.from(flood.head + text))).toString();
  expect(out).toContain('too_many_blocks');
  expect(translator.ending).toBe('error');
});

test.each(ids)('JSON of %s that nests 1,000 deep ends the stream', (dialect) => {
  const deep = '{"a":'.repeat(1000) + '1' + '}'.repeat(1000);
  for (const body of [`data: ${deep}\n\n`, deep, `[${deep}]`]) {
    const translator = createTranslator({ from: dialect, to: dialect });
    const out = Buffer.concat([translator.push(Buffer.from(body)), translator.end()]).toString();
    expect(out).toMatch(/too_deep|answer_too_large/);
    expect(translator.ending).toBe('error');
  }
});
