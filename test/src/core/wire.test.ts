/** Event-stream text becomes frames, wherever it is cut. */
import { SseReader } from '@streamglot/core';
import { describe, expect, it } from 'vitest';

const limit = 1000;

function framesOf(text: string, cuts: readonly number[] = []): readonly unknown[] {
  const reader = new SseReader(limit);
  const edges = [0, ...cuts, text.length];
  const pieces = edges.slice(1).map((to, at) => text.slice(edges[at], to));
  const frames = [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()];
  return frames.map(({ name, data, fault }) => fault?.code ?? [name, data]);
}

const cases: readonly [name: string, text: string, frames: readonly unknown[]][] = [
  ['a named event', 'event: a\ndata: {}\n\n', [['a', '{}']]],
  [
    'CRLF line ends',
    'data: 1\r\n\r\ndata: 2\r\n\r\n',
    [
      [undefined, '1'],
      [undefined, '2'],
    ],
  ],
  [
    'CR line ends',
    'data: 1\r\rdata: 2\r\r',
    [
      [undefined, '1'],
      [undefined, '2'],
    ],
  ],
  ['no space after the colon', 'data:{"a":1}\n\n', [[undefined, '{"a":1}']]],
  ['several data lines', 'data: [1,\ndata: 2]\n\n', [[undefined, '[1,\n2]']]],
  ['comments, ids and retries', ': hi\n\nid: 7\n\nretry: 3\n\ndata: 1\n\n', [[undefined, '1']]],
  ['a whole last event without its blank line', 'data: {"a":1}', [[undefined, '{"a":1}']]],
  ['[DONE] without its line end', 'data: [DONE]', [[undefined, '[DONE]']]],
  ['a last event cut inside its JSON', 'data: 1\n\ndata: {"a":', [[undefined, '1']]],
  [
    'a line of JSON outside any field',
    'data: 1\n\n{"error":{"message":"x"}}\n',
    [
      [undefined, '1'],
      [undefined, '{"error":{"message":"x"}}'],
    ],
  ],
  [
    'JSON on many lines outside any field',
    'data: 1\n\n{\n  "error": {\n    "message": "x"\n  }\n}\n',
    [
      [undefined, '1'],
      [undefined, '{\n  "error": {\n    "message": "x"\n  }\n}'],
    ],
  ],
  ['JSON on many lines that an event cuts off', '{\n  "error": {\n\ndata: 1\n\n  }\n}\n', [[undefined, '1']]],
  ['a line separator inside a string', 'data: "\u2028"\n\n', [[undefined, '"\u2028"']]],
  ['an event over the limit', `data: "${'x'.repeat(limit)}"\n\ndata: 1\n\n`, ['frame_too_large']],
];

describe('SseReader', () => {
  it.each(cases)('reads %s', (_name, text, frames) => {
    expect(framesOf(text)).toEqual(frames);
  });

  it.each(cases)('reads %s the same at every cut', (_name, text, frames) => {
    for (let at = 0; at <= text.length; at++) expect(framesOf(text, [at])).toEqual(frames);
    expect(
      framesOf(
        text,
        [...text].map((_, at) => at),
      ),
    ).toEqual(frames);
  });
});
