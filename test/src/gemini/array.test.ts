/** Streams that are one JSON array: read at any cut, written so that what has gone out can always be closed. */
import { describe, expect, test } from 'vitest';
import { chat } from '../../../packages/core/src/dialects/chat/index.ts';
import { ArrayReader, ArrayWriter } from '../../../packages/core/src/wire/array.ts';
import { array, framesOf, says, sse, stops, translated, translatedIn, type Wired } from './wire.ts';

function elements(pieces: readonly string[], limit = 1000): string[] {
  const reader = new ArrayReader(limit);
  const frames = [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()];
  return frames.map(({ data, fault }) => fault?.code ?? data);
}

const arrays: readonly [name: string, text: string, elements: readonly string[]][] = [
  ['nothing', '', []],
  ['an empty array', ' [ ] ', []],
  ['objects', '[{"a":1},{"b":[2]}]', ['{"a":1}', '{"b":[2]}']],
  ['white space and line ends', '\ufeff\r\n[\n{"a":1}\r\n,\r\n {"b":2}\n]\n', ['{"a":1}', '{"b":2}']],
  ['brackets and quotes in texts', '[{"a":"]}\\"{,["},{"b":"\\\\"}]', ['{"a":"]}\\"{,["}', '{"b":"\\\\"}']],
  ['no commas', '[{"a":1}{"b":2}]', ['{"a":1}', '{"b":2}']],
  ['elements without brackets', '[1,"a,b",null,{"c":3},true]', ['1', '"a,b"', 'null', '{"c":3}', 'true']],
  ['an array in an array', '[[{"a":1}],{"b":2}]', ['[{"a":1}]', '{"b":2}']],
  ['an element without an end', '[{"a":1},{"b":', ['{"a":1}']],
  ['something behind the array', '[{"a":1}] {"b":2}', ['{"a":1}']],
  ['an escape at the end of a text', '[{"a":"\\ud83d\\ude00"}]', ['{"a":"\\ud83d\\ude00"}']],
];

describe('the reader', () => {
  test.each(arrays)('finds the elements of %s, wherever it is cut', (_name, text, expected) => {
    expect(elements([text])).toEqual(expected);
    expect(elements([...text])).toEqual(expected);
    for (let at = 0; at <= text.length; at++) expect(elements([text.slice(0, at), text.slice(at)])).toEqual(expected);
  });

  test('gives an element as soon as it is whole', () => {
    const reader = new ArrayReader(1000);
    expect(reader.push('[{"a":1}').map(({ data }) => data)).toEqual(['{"a":1}']);
    expect(reader.push(',')).toEqual([]);
  });

  test('ends at an element that is too large, whether or not its end is there', () => {
    const large = `{"a":"${'x'.repeat(50)}"}`;
    expect(elements([`[{"b":1},${large},{"c":1}]`], 20)).toEqual(['{"b":1}', 'frame_too_large']);
    expect(elements([...`[${large}`], 20)).toEqual(['frame_too_large']);
  });
});

test('the writer has written valid JSON whenever it ends', () => {
  const writer = new ArrayWriter();
  const one = writer.element('{"a":1}');
  expect(JSON.parse(one + writer.end())).toEqual([{ a: 1 }]);
  const two = writer.element('{"b":2}');
  expect(JSON.parse(one + two + writer.end())).toEqual([{ a: 1 }, { b: 2 }]);
  expect(new ArrayWriter().end()).toBe('[]');
});

const answer = [says('Hé'), says('llo'), stops()];

describe('an answer', () => {
  test('reads the same from an array as from server-sent events, at every cut of its bytes', () => {
    const bytes = new TextEncoder().encode(array(answer));
    const expected = translated(sse(answer), { to: chat });
    expect(expected).toContain('"content":"llo"');
    for (let at = 0; at <= bytes.length; at++)
      expect(translatedIn([bytes.slice(0, at), bytes.slice(at)], { to: chat })).toBe(expected);
  });

  test('goes out as an array that is closed, also behind an error', () => {
    const whole = translated(sse(answer), { toFraming: 'json-array' });
    expect(JSON.parse(whole)).toEqual(answer);
    const broken = translated(sse([says('a')]), { toFraming: 'json-array' });
    expect(JSON.parse(broken)).toMatchObject([says('a'), { error: { code: 502, status: 'INTERNAL' } }]);
  });

  test('keeps its payloads to the letter from array to array, and on one line in an event', () => {
    expect(translated(array(answer), { toFraming: 'json-array' })).toContain(JSON.stringify(answer[0], null, 2));
    expect(translated(array(answer))).toBe(sse(answer).replaceAll('\r', ''));
  });

  test('in an array without its end is cut off, unless its finish is there', () => {
    const open = (payloads: readonly Wired[]): string => array(payloads).trimEnd().slice(0, -1);
    const cut = open([says('a')]);
    expect(framesOf(cut).flat().at(-1)).toMatchObject({ type: 'error', error: { code: 'stream_truncated' } });
    expect(framesOf(open(answer)).flat().at(-1)).toMatchObject({ type: 'response-end' });
  });

  test('that is an array of a dialect without array streams is one whole answer', () => {
    const events = translated('[{"error":{"message":"no","code":"x"}}]', { from: chat });
    expect(events).toContain('"error"');
  });
});
