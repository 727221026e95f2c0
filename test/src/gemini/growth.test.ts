/** Arguments that come as values at paths: their text goes out as they come, and says in the end what they are. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chat } from '../../../packages/core/src/dialects/chat/index.ts';
import { Arguments } from '../../../packages/core/src/dialects/gemini/arguments.ts';
import { chunk, sse, stops, translatedIn, type Wired } from './wire.ts';

const put = (jsonPath: string, value: unknown): Wired => ({
  jsonPath,
  ...(typeof value === 'string' && { stringValue: value }),
  ...(typeof value === 'number' && { numberValue: value }),
  ...(typeof value === 'boolean' && { boolValue: value }),
});

/** The pieces by which the text grows, with its end. */
function grown(pieces: readonly Wired[]): string[] {
  const args = new Arguments(20);
  const texts = pieces.map((piece) => args.add([piece])?.[0]?.text ?? 'no place');
  return [...texts, args.end(false)];
}

const rows: readonly [name: string, pieces: readonly Wired[], texts: readonly string[]][] = [
  ['nothing', [], ['{}']],
  ['a text in pieces', [put('$.a', 'K"'), put('$.a', 'ö\n')], ['{"a":"K\\"', 'ö\\n', '"}']],
  ['one after another', [put('$.a', 1), put('$.b', true), put('$.c', null)], ['{"a":1', ',"b":true', ',"c":null', '}']],
  [
    'levels that are left',
    [put('$.a.b[0].c', 'x'), put('$.a.b[0].d', 1), put('$.a.b[1]', 2), put('$.e', 3)],
    ['{"a":{"b":[{"c":"x', '","d":1', '},2', ']},"e":3', '}'],
  ],
  [
    'a text that goes on too late',
    [put('$.a', 'x'), put('$.b', 1), put('$.a', 'y')],
    ['{"a":"x', '","b":1', ',"a":"xy"', '}'],
  ],
  [
    'a place that was left',
    [put('$.a.b', 1), put('$.c', 2), put('$.a.d', 3)],
    ['{"a":{"b":1', '},"c":2', ',"a":{"b":1,"d":3}', '}'],
  ],
  ['a value in place of another', [put('$.a', 1), put('$.a', 2)], ['{"a":1', ',"a":2', '}']],
  ['a place behind the end of an array', [put('$.a[0]', 1), put('$.a[2]', 2)], ['{"a":[1', 'no place', ']}']],
];

test.each(rows)('the text grows by %s', (_name, pieces, texts) => {
  expect(grown(pieces)).toEqual(texts);
});

/** The pieces in which a server says a value: texts cut somewhere, all else whole, what is empty not at all. */
function piecesOf(value: unknown, path: string): Wired[] {
  if (typeof value === 'string')
    return [put(path, value.slice(0, 1)), ...(value.length > 1 ? [put(path, value.slice(1))] : [])];
  if (Array.isArray(value)) return value.flatMap((entry, at) => piecesOf(entry, `${path}[${at}]`));
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([name, entry]) => piecesOf(entry, `${path}['${name}']`));
  return [put(path, value)];
}

const name = fc.stringMatching(/^[a-z ]{1,4}$/);
const leaf = fc.oneof(fc.string({ unit: 'grapheme' }), fc.integer(), fc.boolean(), fc.constant(null));
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.array(tie('value'), { minLength: 1, maxLength: 3 }),
    fc.dictionary(name, tie('value'), { minKeys: 1, maxKeys: 3 }),
  ),
}));

test('whatever is said in pieces is what the text says', () => {
  fc.assert(
    fc.property(fc.dictionary(name, value, { minKeys: 1, maxKeys: 4 }), (args) => {
      expect(JSON.parse(grown(piecesOf(args, '$')).join(''))).toEqual(JSON.parse(JSON.stringify(args)));
    }),
    { numRuns: 500, seed: 1 },
  );
});

describe('a client of Chat', () => {
  test('gets the text of an argument while the call goes on', () => {
    const call = (functionCall: Wired): string => sse([chunk([{ functionCall }])]);
    const pieces = [
      call({ name: 'f', id: 'c', willContinue: true }),
      call({ partialArgs: [{ ...put('$.a', 'Ke'), willContinue: true }], willContinue: true }),
      call({ partialArgs: [put('$.a', 'ys')], willContinue: true }),
    ];
    const open = translatedIn(pieces, { to: chat });
    expect(open).toContain(String.raw`"arguments":"{\"a\":\"Ke"`);
    expect(open).toContain('"arguments":"ys"');
    expect(translatedIn([...pieces, call({}), sse([stops()])], { to: chat })).toContain(String.raw`"arguments":"\"}"`);
  });
});
