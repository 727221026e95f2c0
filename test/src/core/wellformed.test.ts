/** Whether a text is JSON: the same answer as that of the parser, on anything. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJson } from '../../../packages/core/src/codec/wellformed.ts';

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const edges = [
  ...['', ' ', '{}', '[]', '{ }', '[ ]', ' {"a":1} ', '{"a":1,}', '[1,]', '[,1]', '{"a"}', '{"a":}', '{,}', '{a:1}'],
  ...['{"a":tru]', '{"a":tru}', '[1}', '{"a":1]', '[[]]', '[{}]', '{"a":[{"b":[]}]}', '{}{}', '1 2', '"', '"a', 'tru'],
  ...['01', '-', '-0', '1.', '.5', '1e', '1e+', '1e+5', '+1', 'NaN', 'nul', 'null', ' true ', '"\\u12G4"', '"\\x"'],
  ...['"\\ud83d"', '"a\nb"', '"\u0001"', '"\\"', '"\\\\"', "{'a':1}", '{"a" : 1 , "b":[ 1 , 2 ]}', ']', '}', '[', '{'],
];

describe('isJson', () => {
  it.each(edges)('tells of %j what the parser tells', (text) => {
    expect(isJson(text)).toBe(parses(text));
  });

  it('tells of whole values, and of values with one character changed, what the parser tells', () => {
    const value = fc.json({ maxDepth: 4 });
    const change = fc.tuple(
      value,
      fc.nat(),
      fc.constantFrom('', '{', '}', '[', ']', ',', ':', '"', '\\', '0', '-', 'e', ' ', '\n'),
    );
    fc.assert(
      fc.property(change, ([text, at, other]) => {
        const place = at % (text.length + 1);
        const changed = text.slice(0, place) + other + text.slice(place + 1);
        expect([isJson(text), isJson(changed)]).toEqual([true, parses(changed)]);
      }),
      { numRuns: 3_000, seed: 1 },
    );
  });

  it('walks a deep nest without recursion', () => {
    expect(isJson('['.repeat(100_000) + ']'.repeat(100_000))).toBe(true);
    expect(isJson('['.repeat(100_000))).toBe(false);
  });
});
