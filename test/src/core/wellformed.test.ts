/** Whether a text is JSON: the same answer as that of the parser, on anything. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type JsonState, JsonText } from '../../../packages/core/src/codec/wellformed.ts';

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** What is told of a text that comes in pieces of a size. */
function told(text: string, size = text.length || 1): JsonState {
  const json = new JsonText();
  for (let at = 0; at < text.length; at += size) json.add(text.slice(at, at + size));
  return json.state;
}

const edges = [
  ...['', ' ', '{}', '[]', '{ }', '[ ]', ' {"a":1} ', '{"a":1,}', '[1,]', '[,1]', '{"a"}', '{"a":}', '{,}', '{a:1}'],
  ...['{"a":tru]', '{"a":tru}', '[1}', '{"a":1]', '[[]]', '[{}]', '{"a":[{"b":[]}]}', '{}{}', '1 2', '"', '"a', 'tru'],
  ...['01', '-', '-0', '1.', '.5', '1e', '1e+', '1e+5', '+1', 'NaN', 'nul', 'null', ' true ', '"\\u12G4"', '"\\x"'],
  ...['"\\ud83d"', '"a\nb"', '"\u0001"', '"\\"', '"\\\\"', "{'a':1}", '{"a" : 1 , "b":[ 1 , 2 ]}', ']', '}', '[', '{'],
];

describe('JsonText', () => {
  it.each(edges)('tells of %j what the parser tells', (text) => {
    expect(told(text) === 'whole').toBe(parses(text));
    expect(told(text, 1)).toBe(told(text));
  });

  it('tells of whole values, and of values with one character changed, what the parser tells', () => {
    const value = fc.json({ maxDepth: 4 });
    const change = fc.tuple(
      value,
      fc.nat(),
      fc.constantFrom('', '{', '}', '[', ']', ',', ':', '"', '\\', '0', '-', 'e', ' ', '\n'),
      fc.integer({ min: 1, max: 9 }),
    );
    fc.assert(
      fc.property(change, ([text, at, other, size]) => {
        const place = at % (text.length + 1);
        const changed = text.slice(0, place) + other + text.slice(place + 1);
        expect([told(text, size), told(changed, size) === 'whole']).toEqual(['whole', parses(changed)]);
      }),
      { numRuns: 3_000, seed: 1 },
    );
  });

  it('takes every beginning of a value for one that was cut', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), (value) => {
        const text = JSON.stringify(value);
        for (let end = 1; end < text.length; end++) expect(told(text.slice(0, end))).toBe('cut');
      }),
      { numRuns: 200, seed: 1 },
    );
  });

  it.each([
    ['', 'empty', false],
    [' \n', 'empty', false],
    ['{"a":1', 'cut', false],
    ['{"a":1} ', 'whole', true],
    ['12', 'whole', false],
    ['{"a":1}}', 'malformed', false],
    ['{"a":nope', 'malformed', false],
  ])('of %j says %s, ended: %s', (text, state, ended) => {
    const json = new JsonText();
    json.add(text);
    expect([json.state, json.ended]).toEqual([state, ended]);
  });

  it('walks a deep nest without recursion, and gives up one that nobody could read', () => {
    expect(told('['.repeat(100_000) + ']'.repeat(100_000))).toBe('whole');
    expect(told('['.repeat(100_000))).toBe('cut');
    expect(told('['.repeat(100_001))).toBe('malformed');
  });
});
