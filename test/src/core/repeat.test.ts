/** Payloads that are read by what differs from the one before: always what the parser reads, and never shared with who keeps them. */
import { createReader, createTranslator, dialects, type KnownDialect } from '@streamglot/core';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { leavesOf } from '../../../packages/core/src/codec/leaves.ts';
import { peek, type RepeatedFrame, Repeats } from '../../../packages/core/src/codec/repeat.ts';

const members = new Set(['text', 'delta', 'number']);

/** A reader that has seen two payloads. */
function taught(first: string, second: string): Repeats {
  const repeats = new Repeats('chat', members);
  for (const text of [first, second]) if (match(repeats, text) === undefined) repeats.learn(text);
  return repeats;
}

function match(repeats: Repeats, data: string): RepeatedFrame | undefined {
  return repeats.match({ name: undefined, data });
}

/** What is read of a text. */
function read(repeats: Repeats, text: string): unknown {
  return match(repeats, text)?.view;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const form = (text: string, number: number): string =>
  JSON.stringify({ type: 'piece', at: { delta: { text } }, list: [1, { number }], none: null });

describe('Repeats', () => {
  it('knows a form after two payloads of it', () => {
    const repeats = taught(form('a', 1), form('b', 2));
    expect(read(repeats, form(' "quoted" \\ 東京 🚀\n', 30))).toEqual(parsed(form(' "quoted" \\ 東京 🚀\n', 30)));
    expect(read(repeats, `${form('', 0)}   `)).toEqual(parsed(form('', 0)));
  });

  it.each([
    ['another member', JSON.stringify({ type: 'piece', at: { delta: { text: 'a' } }, list: [1, { number: 1 }] })],
    ['another constant', form('a', 1).replace('piece', 'other')],
    ['a value of another kind', form('a', 1).replace('"a"', 'null')],
    ['an escape that is none', form('a', 1).replace('"a"', '"\\x"')],
    ['a character that must be escaped', form('a', 1).replace('"a"', '"a\tb"')],
    ['a text that ends too soon', form('a', 1).replace('"a"', '"a"b"')],
    ['a number that is no count', form('a', 1).replace(':1}', ':1.5}')],
    ['a number with a zero in front', form('a', 1).replace(':1}', ':01}')],
    ['no number', form('a', 1).replace(':1}', ':}')],
    ['something behind it', `${form('a', 1)}x`],
    ['nothing', ''],
  ])('leaves to the parser: %s', (_what, text) => {
    expect(read(taught(form('a', 1), form('b', 2)), text)).toBeUndefined();
  });

  it.each([
    [
      'a member that may not differ',
      '{"type":"a piece","text":"a","id":"1"}',
      '{"type":"a piece","text":"b","id":"2"}',
    ],
    [
      'a name that is there twice',
      '{"type":"a piece","text":"a","text":"a"}',
      '{"type":"a piece","text":"b","text":"b"}',
    ],
    [
      'the name of the prototype',
      '{"type":"a piece","__proto__":{"text":"a"}}',
      '{"type":"a piece","__proto__":{"text":"b"}}',
    ],
    [
      'line breaks, which would break a relayed frame',
      '{"type":"a piece","text":\n"a"}',
      '{"type":"a piece","text":\n"b"}',
    ],
  ])('learns no form with %s', (_what, first, second) => {
    const repeats = taught(first, second);
    expect(read(repeats, second)).toBeUndefined();
  });

  it('learns a form from just such payloads', () => {
    const repeats = taught('{"type":"a piece","text":"a"}', '{"type":"a piece","text":"b"}');
    expect(read(repeats, '{"type":"a piece","text":"c"}')).toEqual({ type: 'a piece', text: 'c' });
  });

  it('gives its payload away for good', () => {
    const repeats = taught(form('a', 1), form('b', 2));
    const [frame, other] = [match(repeats, form('c', 3)), match(repeats, form('d', 4))];
    frame?.own();
    expect(read(repeats, form('e', 5))).toBeUndefined();
    expect([frame?.data, other?.view, frame?.view]).toEqual([form('c', 3), form('d', 4), form('c', 3)].map(parsed));
  });

  it('gives up where nothing repeats, and not before', () => {
    const other = (at: number): string => JSON.stringify({ type: 'piece', [`member${at}`]: { text: 'a' } });
    const repeats = new Repeats('chat', members);
    for (let at = 0; at < 5; at++) repeats.learn(other(at));
    for (const text of ['a', 'b']) repeats.learn(form(text, 1));
    expect(read(repeats, form('c', 1))).toBeDefined();
    match(repeats, form('c', 1))?.own();
    for (let at = 0; at < 20; at++) repeats.learn(other(at));
    for (const text of ['a', 'b']) repeats.learn(form(text, 1));
    expect(read(repeats, form('c', 1))).toBeUndefined();
  });

  it('gives up where each payload is taken', () => {
    const repeats = new Repeats('chat', members);
    const taken = Array.from({ length: 60 }, (_, at) => {
      const frame = match(repeats, form('a', at));
      if (frame === undefined) repeats.learn(form('a', at));
      frame?.own();
      return frame !== undefined;
    });
    expect(taken.slice(0, 10)).toContain(true);
    expect(taken.slice(-10)).not.toContain(true);
  });

  it('reads whatever it reads as the parser does', () => {
    const leaf = fc.oneof(fc.string({ unit: 'binary' }), fc.nat());
    const noise = fc.tuple(fc.nat(), fc.constantFrom('', '"', '\\', '}', ',', '0', ' ', '\u0001'));
    fc.assert(
      fc.property(fc.jsonValue(), leaf, leaf, leaf, noise, (rest, a, b, c, [at, other]) => {
        const text = (value: unknown): string =>
          JSON.stringify({ rest, text: value, more: [{ number: 7 }], delta: value });
        const repeats = taught(text(a), text(b));
        const place = at % (text(c).length + 1);
        for (const said of [text(c), text(c).slice(0, place) + other + text(c).slice(place)]) {
          const found = read(repeats, said);
          if (found !== undefined) expect(JSON.stringify(found)).toBe(JSON.stringify(parsed(said)));
        }
      }),
      { numRuns: 2_000, seed: 1 },
    );
  });
});

describe('leavesOf', () => {
  it('finds texts and numbers with their paths', () => {
    const text = '{"a":[1,{"b":"x\\"y"}],"c":{"d":-2.5e3,"e":true},"f":null}';
    const found = leavesOf(text)?.map(({ path, start, end }) => [path.join('.'), text.slice(start, end)]);
    expect(found).toEqual([
      ['a.0', '1'],
      ['a.1.b', 'x\\"y'],
      ['c.d', '-2.5e3'],
    ]);
  });
});

/** Streams whose deltas repeat one form. */
const repeating: Readonly<Record<KnownDialect, (text: string) => string>> = {
  chat: (text) =>
    JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content: text } }] }),
  messages: (text) => JSON.stringify({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
  responses: (text) =>
    JSON.stringify({
      type: 'response.output_text.delta',
      item_id: 'm1',
      output_index: 0,
      content_index: 0,
      delta: text,
    }),
  interactions: (text) => JSON.stringify({ index: 0, delta: { text, type: 'text' }, event_type: 'step.delta' }),
  gemini: (text) => JSON.stringify({ candidates: [{ content: { parts: [{ text }], role: 'model' }, index: 0 }] }),
};

describe.each(Object.keys(dialects) as KnownDialect[])('events of a %s stream that repeats itself', (dialect) => {
  const texts = ['one', ' two', ' "three"', ' \\four', ' fünf'];
  const payloads = texts.map(repeating[dialect]);

  it('keep their own payloads', () => {
    const reader = createReader(dialects[dialect]);
    const events = payloads.flatMap((payload) => reader.push(`data: ${payload}\n\n`).flat());
    const deltas = events.filter((event) => event.type === 'block-delta');
    const own = deltas.map(({ native }) => native?.data);
    expect(deltas.map(({ delta }) => 'text' in delta && delta.text)).toEqual(texts);
    expect(own.slice(1).map((data) => JSON.stringify(data))).toEqual(
      own.slice(1).map((_, at) => expect.stringContaining(JSON.stringify(texts[at + 1]))),
    );
    expect(new Set(own).size).toBe(texts.length);
  });

  it('show each its own payload, however late one looks', () => {
    const reader = createReader(dialects[dialect]);
    const events = payloads.flatMap((payload) => reader.push(`data: ${payload}\n\n`).flat());
    const natives = events.flatMap(({ type, native }) =>
      type === 'block-delta' && native !== undefined ? [native] : [],
    );
    for (const [at, native] of natives.slice(0, -1).entries())
      expect(JSON.stringify(peek(native))).toContain(JSON.stringify(texts[at]));
  });

  it('go out to their own dialect as they came', () => {
    const translator = createTranslator({ from: dialect, to: dialect });
    const out = payloads.map((payload) => Buffer.from(translator.push(`data: ${payload}\n\n`)).toString());
    for (const [at, text] of texts.entries()) expect(out[at]).toContain(JSON.stringify(text));
  });
});

/** Deltas in forms that have to be mended, by a text that differs: what the fourth becomes is what the second does. */
const mended: readonly (readonly [KnownDialect, string, (text: string) => object])[] = [
  ['chat', 'a choice without an index', (content) => ({ id: 'c1', choices: [{ delta: { content } }] })],
  [
    'chat',
    'a role of another name',
    (content) => ({ id: 'c1', choices: [{ index: 0, delta: { role: 'bot', content } }] }),
  ],
  [
    'messages',
    'thinking under the name of text',
    (text) => ({ type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', text } }),
  ],
  ['messages', 'a short type', (text) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text', text } })],
  ['messages', 'no index', (text) => ({ type: 'content_block_delta', delta: { type: 'text_delta', text } })],
  [
    'responses',
    'an index that is none',
    (delta) => ({ type: 'response.output_text.delta', item_id: 'm1', output_index: 7, content_index: 3, delta }),
  ],
];

it.each(mended)(
  'a %s frame that is like the one before and must be mended is mended too: %s',
  (dialect, _what, form) => {
    const translator = createTranslator({ from: dialect, to: dialect });
    const [, second = '', , fourth = ''] = ['one', 'two', 'three', 'four'].map((text) =>
      Buffer.from(translator.push(`data: ${JSON.stringify(form(text))}\n\n`)).toString(),
    );
    const plain = (out: string): string => out.replace(/"sequence_number":\d+/, '"sequence_number":0');
    expect(second).toContain('two');
    expect(plain(fourth)).toBe(plain(second.replace('two', 'four')));
  },
);
