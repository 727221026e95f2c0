/** Canonical events of any upstream to a Gemini stream. */
import {
  type BlockStart,
  type CanonicalEvent,
  type CanonicalResponse,
  type Citation,
  Collector,
  type Delta,
  defaultLimits,
  type Finish,
  Ids,
  rewrite,
} from '@streamglot/core';
import { describe, expect, test } from 'vitest';
import { gemini } from '../../../packages/core/src/dialects/gemini/index.ts';
import { chunk, encoded, framesOf, payloadsOf, says, sse, stops, type Wired } from './wire.ts';

const own = { dialect: 'gemini' } as const;
const foreign = { dialect: 'chat' } as const;
type Native = typeof own | typeof foreign;

const opens = (block: number, kind: BlockStart['kind'] = 'text', more: Partial<BlockStart> = {}): CanonicalEvent => ({
  type: 'block-start',
  block,
  choice: 0,
  kind,
  native: foreign,
  ...more,
});
const calls = (
  block: number,
  more: Partial<NonNullable<BlockStart['toolCall']>> = {},
  native: Native = foreign,
): CanonicalEvent =>
  opens(block, 'tool_call', {
    toolCall: { id: `c${block}`, name: 'f', format: 'json', executor: 'client', kind: 'function', ...more },
    native,
  });
const adds = (block: number, delta: Delta, native: Native = foreign): CanonicalEvent => ({
  type: 'block-delta',
  block,
  delta,
  native,
});
const tells = (block: number, text: string): CanonicalEvent => adds(block, { type: 'text', text });
const feeds = (block: number, text: string): CanonicalEvent => adds(block, { type: 'input', text });
const closes = (block: number): CanonicalEvent => ({ type: 'block-end', block });

function answer(events: readonly CanonicalEvent[], finish: Partial<Finish> = {}): CanonicalEvent[] {
  return [
    { type: 'response-start', id: 'r', model: 'm', native: foreign },
    ...events,
    { type: 'finish', choice: 0, reason: 'stop', native: foreign, ...finish },
    { type: 'usage', usage: { inputTokens: 9, outputTokens: 4, outputTokensDetails: { reasoning: 1 } }, final: true },
    { type: 'response-end', status: 'completed' },
  ];
}

/** The parts that are written, less those of the last chunk. */
function partsOf(payloads: readonly Wired[]): unknown[] {
  return payloads.slice(0, -1).flatMap(({ candidates }) => {
    const [{ content }] = candidates as [{ content: { parts: unknown[] } }];
    return content.parts;
  });
}

const called = (id: string, args: unknown, more: Wired = {}): Wired => ({
  functionCall: { id, name: 'f', args },
  ...more,
});

const writings: readonly [name: string, events: readonly CanonicalEvent[], parts: readonly unknown[]][] = [
  ['text', [opens(0), tells(0, 'a'), tells(0, ''), tells(0, 'b'), closes(0)], [{ text: 'a' }, { text: 'b' }]],
  ['a refusal is text', [opens(0, 'refusal'), tells(0, 'No.'), closes(0)], [{ text: 'No.' }]],
  [
    'reasoning is thought, with a blank line between the parts of a summary',
    [
      opens(0, 'reasoning'),
      adds(0, { type: 'reasoning', text: 'a', form: 'summary', part: 0 }),
      adds(0, { type: 'reasoning', text: 'b', form: 'summary', part: 1 }),
      closes(0),
    ],
    [
      { thought: true, text: 'a' },
      { thought: true, text: '\n\nb' },
    ],
  ],
  [
    'a call waits until it is whole',
    [calls(0), feeds(0, '{"a"'), feeds(0, ':1}'), closes(0)],
    [called('c0', { a: 1 })],
  ],
  [
    'a signature of another provider is not written',
    [
      opens(0, 'reasoning'),
      adds(0, { type: 'reasoning', text: 'a', form: 'raw' }),
      adds(0, { type: 'signature', value: 's', mode: 'set' }),
      closes(0),
    ],
    [{ thought: true, text: 'a' }],
  ],
  ['a call without arguments has an empty object', [calls(0), closes(0)], [called('c0', {})]],
  [
    'calls keep their order, whichever is whole first',
    [calls(0), calls(1), feeds(1, '{"b":2}'), closes(1), feeds(0, '{"a":1}'), closes(0)],
    [called('c0', { a: 1 }), called('c1', { b: 2 })],
  ],
  [
    'a call that is whole goes out before text, one that is not lets it pass',
    [
      calls(0),
      feeds(0, '{"a":1}'),
      calls(1),
      feeds(1, '{"b"'),
      opens(2),
      tells(2, 'x'),
      feeds(1, ':2}'),
      closes(1),
      closes(0),
    ],
    [called('c0', { a: 1 }), { text: 'x' }, called('c1', { b: 2 })],
  ],
  [
    'arguments on several lines go out on one',
    [calls(0), feeds(0, '{\n "a": 1\r\n}'), closes(0)],
    [called('c0', { a: 1 })],
  ],
  [
    'free-form input is the member of an object',
    [calls(0, { format: 'text', kind: 'custom' }), feeds(0, 'say "hi"'), closes(0)],
    [called('c0', { input: 'say "hi"' })],
  ],
  [
    'a signature of another provider is not written',
    [calls(0), adds(0, { type: 'signature', value: 's', mode: 'set' }), closes(0)],
    [called('c0', {})],
  ],
  [
    'a signature of this dialect is',
    [calls(0, {}, own), adds(0, { type: 'signature', value: 's', mode: 'set' }, own), closes(0)],
    [called('c0', {}, { thoughtSignature: 's' })],
  ],
  [
    'a picture',
    [
      opens(0, 'image', { media: { mimeType: 'image/webp' } }),
      adds(0, { type: 'data', base64: 'eA==', partial: true }),
      adds(0, { type: 'data', base64: 'eQ==' }),
      closes(0),
    ],
    [{ inlineData: { mimeType: 'image/webp', data: 'eQ==' } }],
  ],
  [
    'a picture by its address',
    [opens(0, 'image', { media: { mimeType: 'image/png', uri: 'https://pictures.test/1' } }), closes(0)],
    [{ fileData: { mimeType: 'image/png', fileUri: 'https://pictures.test/1' } }],
  ],
  [
    'a call that another provider ran is not written',
    [
      opens(0, 'tool_call', {
        toolCall: { id: 's', name: 'web_search', format: 'json', executor: 'server', kind: 'web_search' },
      }),
      feeds(0, '{}'),
      closes(0),
    ],
    [],
  ],
];

test.each(writings)('%s', (_name, events, parts) => {
  expect(partsOf(encoded(answer(events)))).toEqual(parts);
});

test('thoughts of another provider are not written to who did not ask for them', () => {
  const thought = [opens(0, 'reasoning'), adds(0, { type: 'reasoning', text: 'a', form: 'raw' }), closes(0)];
  const events = answer([...thought, opens(1), tells(1, 'b'), closes(1)]);
  const context = { dialect: 'gemini', stream: true, showReasoning: false } as const;
  const encoder = gemini.encoder({ ids: new Ids('seed'), limits: defaultLimits, context });
  expect(partsOf(payloadsOf(encoder.push(events) + encoder.end()))).toEqual([{ text: 'b' }]);
  expect(partsOf(encoded(events))).toEqual([{ thought: true, text: 'a' }, { text: 'b' }]);
});

test('the last chunk says why it ended and what it cost, in counts that stand side by side', () => {
  const [first, last] = encoded(answer([opens(0), tells(0, 'a'), closes(0)]));
  expect(first).toEqual({
    candidates: [{ content: { parts: [{ text: 'a' }], role: 'model' }, index: 0 }],
    modelVersion: 'm',
    responseId: 'r',
  });
  expect(last).toMatchObject({
    candidates: [{ finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 3, thoughtsTokenCount: 1, totalTokenCount: 13 },
    responseId: 'r',
  });
});

const words: readonly [reason: Finish['reason'], word: string][] = [
  ['stop', 'STOP'],
  ['tool_calls', 'STOP'],
  ['length', 'MAX_TOKENS'],
  ['context_overflow', 'MAX_TOKENS'],
  ['continue', 'MAX_TOKENS'],
  ['content_filter', 'SAFETY'],
  ['refusal', 'SAFETY'],
  ['pause', 'STOP'],
  ['compaction', 'STOP'],
  ['other', 'OTHER'],
];

test.each(words)('an answer that ended with %s has the word %s', (reason, word) => {
  expect(encoded(answer([], { reason })).at(-1)).toMatchObject({ candidates: [{ finishReason: word }] });
});

const failures: readonly [name: string, events: readonly CanonicalEvent[], finish: Partial<Finish>, code: number][] = [
  ['arguments that are no JSON', [calls(0), feeds(0, '{a}'), closes(0)], {}, 502],
  ['arguments that are no object', [calls(0), feeds(0, '[1]'), closes(0)], {}, 502],
  [
    'arguments without an end that are called whole',
    [calls(0), feeds(0, '{"a'), closes(0)],
    { reason: 'tool_calls' },
    502,
  ],
  ['an answer that was cancelled', [], { reason: 'cancelled' }, 502],
];

test.each(failures)('%s end the stream with an error', (_name, events, finish, code) => {
  expect(encoded(answer(events, finish)).at(-1)).toMatchObject({ error: { code, status: 'INTERNAL' } });
});

test('a call that a limit cut off is left out', () => {
  const payloads = encoded(answer([calls(0), feeds(0, '{"a'), closes(0)], { reason: 'length' }));
  expect(payloads).toHaveLength(1);
  expect(payloads[0]).toMatchObject({ candidates: [{ finishReason: 'MAX_TOKENS' }] });
});

interface Segment {
  startIndex: number;
  endIndex: number;
  text: string;
}

function collected(events: readonly CanonicalEvent[]): CanonicalResponse {
  const collector = new Collector();
  collector.addFrame(events);
  return collector.response();
}

const cites: readonly [
  name: string,
  texts: readonly string[],
  place: Partial<Citation>,
  segment: Segment | undefined,
][] = [
  ['by its bytes', ['Köln: ', '18'], { start: 6, end: 8 }, { startIndex: 7, endIndex: 9, text: '18' }],
  ['in code points', ['😀 ab'], { start: 2, end: 4, unit: 'codepoint' }, { startIndex: 5, endIndex: 7, text: 'ab' }],
  ['in characters', ['😀 ab'], { start: 3, end: 5, unit: 'utf16' }, { startIndex: 5, endIndex: 7, text: 'ab' }],
  ['not where that is uncertain', ['😀 ab'], { start: 2, end: 4 }, undefined],
  ['not behind the text', ['ab'], { start: 1, end: 9 }, undefined],
  ['not without a place', ['ab'], {}, undefined],
];

test.each(cites)('a source is named with the last chunk, its place %s', (_name, texts, place, segment) => {
  const citation = { kind: 'url', url: 'https://a.test', title: 'A', ...place } as const;
  const said = texts.map((text) => tells(1, text));
  const before = [opens(0), tells(0, 'ä'), closes(0)];
  const events = answer([...before, opens(1), ...said, adds(1, { type: 'citation', citation }), closes(1)]);
  const moved = segment && { ...segment, startIndex: segment.startIndex + 2, endIndex: segment.endIndex + 2 };
  const groundingSupports = moved && [{ segment: moved, groundingChunkIndices: [0] }];
  const groundingChunks = [{ web: { uri: 'https://a.test', title: 'A' } }];
  const groundingMetadata = { groundingChunks, ...(groundingSupports && { groundingSupports }) };
  expect(encoded(events).at(-1)).toMatchObject({ candidates: [{ groundingMetadata }] });
  expect(JSON.stringify(encoded(events).at(-1)).includes('groundingSupports')).toBe(segment !== undefined);
  const whole = gemini.encodeResponse(collected(events), { ids: new Ids('seed'), limits: defaultLimits });
  expect(whole).toMatchObject({ candidates: [{ groundingMetadata }] });
});

test('an error has a number, without which clients see none', () => {
  const error = { type: 'overloaded', message: 'Busy.', retryAfterMs: 1500 } as const;
  expect(encoded([{ type: 'error', error }])).toEqual([
    {
      error: {
        code: 503,
        message: 'Busy.',
        status: 'UNAVAILABLE',
        details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '1.5s' }],
      },
    },
  ]);
});

/** Streams of this dialect, each of which goes out partly as it came and partly written anew. */
const streams: Readonly<Record<string, readonly Wired[]>> = {
  text: [says('a'), says('b'), { ...stops(), usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 2 } }],
  'a call in pieces': [
    chunk([{ functionCall: { name: 'f', id: 'c1', willContinue: true }, thoughtSignature: 's' }]),
    chunk([
      {
        functionCall: { partialArgs: [{ jsonPath: '$.a', stringValue: 'Ke', willContinue: true }], willContinue: true },
      },
    ]),
    chunk([{ functionCall: { partialArgs: [{ jsonPath: '$.a', stringValue: 'ys' }], willContinue: true } }]),
    chunk([{ functionCall: {} }]),
    stops(),
  ],
  'a prompt that was refused': [{ promptFeedback: { blockReason: 'SAFETY' }, modelVersion: 'm', responseId: 'r' }],
  'tools of the provider': [
    chunk([{ executableCode: { language: 'PYTHON', code: 'x' } }]),
    chunk([{ codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } }]),
    says('b'),
    stops('MAX_TOKENS'),
  ],
};

/** What a stream says, in the words of its events. */
function meaning(text: string): unknown {
  const events = framesOf(text).flat();
  const input = events.flatMap((event) =>
    event.type === 'block-delta' && event.delta.type === 'input' ? event.delta.text : [],
  );
  const said = events.flatMap((event) =>
    event.type === 'block-delta' && event.delta.type === 'text' ? event.delta.text : [],
  );
  const kinds = events.flatMap((event) => (event.type === 'block-start' ? [event.kind, event.toolCall?.id] : []));
  const finish = events.flatMap((event) => (event.type === 'finish' ? [event.reason, event.details?.blocked] : []));
  return { input: input.join(''), said: said.join(''), kinds, finish, last: events.at(-1)?.type };
}

describe.each(Object.entries(streams))('%s', (_name, payloads) => {
  test('says the same, relayed up to any frame and written from there on', () => {
    const whole = meaning(sse(payloads));
    for (let relayed = 0; relayed <= payloads.length; relayed++) {
      const encoder = gemini.encoder({ ids: new Ids('seed'), limits: defaultLimits });
      const natives = new Set<unknown>();
      let out = '';
      for (const events of framesOf(sse(payloads))) {
        for (const { native } of events)
          if (native !== undefined && !natives.has(native) && natives.add(native).size > relayed) rewrite(native);
        out += encoder.push(events);
      }
      out += encoder.end();
      expect(meaning(out)).toEqual(whole);
      if (relayed === payloads.length) expect(payloadsOf(out)).toEqual(payloads);
    }
  });
});
