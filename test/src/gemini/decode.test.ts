/** Gemini streams to canonical events: what each part means, and what is done about each habit of servers. */
import { GrammarCheck } from '@streamglot/core';
import { describe, expect, test } from 'vitest';
import { finishReasons } from '../../../packages/core/src/dialects/gemini/terms.ts';
import { blocksOf, chunk, decoded, framesOf, only, says, sse, stops, type Wired } from './wire.ts';

const call = (name: string, args: unknown, more: Wired = {}): Wired => ({ functionCall: { name, args, ...more } });
const piece = (more: Wired): Wired => chunk([{ functionCall: more }]);
const text = (jsonPath: string, stringValue: string, more: Wired = {}): Wired => ({ jsonPath, stringValue, ...more });

/** What the blocks of a stream are read as. */
const readings: readonly [name: string, chunks: readonly Wired[], blocks: readonly string[]][] = [
  ['text', [says('Hel'), says('lo')], ['text: Hel|lo|']],
  ['an empty text, which begins nothing', [says(''), says('a')], ['text: a|']],
  ['thoughts', [chunk([{ text: 'hm', thought: true }]), says('a')], ['reasoning: hm|', 'text: a|']],
  [
    'an empty text between thoughts, which ends nothing',
    [chunk([{ text: 'a', thought: true }]), says(''), chunk([{ text: 'b', thought: true }])],
    ['reasoning: a|b|'],
  ],
  ['a signed text', [chunk([{ text: 'a', thoughtSignature: 's1' }]), says('b')], ['text: a|<s1>b|']],
  ['a signature behind a text', [says('a'), chunk([{ text: '', thoughtSignature: 's1' }])], ['text: a|<s1>']],
  [
    'a signature behind a call',
    [chunk([call('f', {})]), chunk([{ text: '', thoughtSignature: 's1' }])],
    ['tool_call: f{}|', 'text: <s1>'],
  ],
  ['a signature alone', [chunk([{ thoughtSignature: 's1' }])], ['text: <s1>']],
  ['a signed call', [chunk([{ ...call('f', { a: 1 }), thoughtSignature: 's1' }])], ['tool_call: f<s1>{"a":1}|']],
  ['a call without arguments', [piece({ name: 'f' })], ['tool_call: f{}|']],
  [
    'two calls of one name without ids',
    [chunk([call('f', { n: 1 })]), chunk([call('f', { n: 2 })])],
    ['tool_call: f{"n":1}|', 'tool_call: f{"n":2}|'],
  ],
  [
    'two calls in one chunk',
    [chunk([call('f', { n: 1 }), call('g', {})])],
    ['tool_call: f{"n":1}|', 'tool_call: g{}|'],
  ],
  [
    'a call that is sent again with its id',
    [chunk([call('f', { n: 1 }, { id: 'c1' })]), chunk([call('f', { n: 1 }, { id: 'c1' })])],
    ['tool_call: f{"n":1}|'],
  ],
  [
    'a call in pieces, closed by an empty one',
    [
      piece({ name: 'f', willContinue: true }),
      piece({ partialArgs: [text('$.a', 'Ke', { willContinue: true })], willContinue: true }),
      piece({ partialArgs: [text('$.a', 'ys'), { jsonPath: '$.n', numberValue: 4 }], willContinue: true }),
      piece({}),
    ],
    ['tool_call: f{"a":"Ke|ys|","n":4|}|'],
  ],
  [
    'a call in pieces that has no end of its own',
    [piece({ name: 'f', willContinue: true }), piece({ partialArgs: [text('$.r[0].b', 'x')] })],
    ['tool_call: f{"r":[{"b":"x|"}]}|'],
  ],
  [
    'a call in pieces that another one follows',
    [piece({ name: 'f', willContinue: true }), chunk([call('g', {})])],
    ['tool_call: f{}|', 'tool_call: g{}|'],
  ],
  [
    'names of members that are no identifiers',
    [piece({ name: 'f', partialArgs: [text("$['a b']", 'x'), text('$["__proto__"]', 'y')] })],
    ['tool_call: f{"a b":"x|","__proto__":"y|"}|'],
  ],
  [
    'a picture',
    [says('a'), chunk([{ inlineData: { mimeType: 'image/png', data: 'eA==' } }]), says('b')],
    ['text: a|', 'image: [image/png eA==]', 'text: b|'],
  ],
  [
    'sound in pieces',
    ['eA==', 'eQ=='].map((data) => chunk([{ inlineData: { mimeType: 'audio/L16;rate=24000', data } }])),
    ['audio: [audio/L16;rate=24000 eA==][audio/L16;rate=24000 eQ==]'],
  ],
  [
    'code that the provider runs',
    [
      chunk([{ executableCode: { language: 'PYTHON', code: 'print(1)' } }]),
      chunk([{ codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } }]),
    ],
    [
      'tool_call: codeprint(1)|{"executableCode":{"language":"PYTHON","code":"print(1)"}}',
      'tool_result: {"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"1"}}',
    ],
  ],
  ['a part of an unknown kind', [chunk([{ sketch: { w: 2 } }])], ['item: {"sketch":{"w":2}}']],
  ['a candidate without parts', [chunk([]), { candidates: [{}] }, says('a')], ['text: a|']],
];

test.each(readings)('%s', (_name, chunks, blocks) => {
  const events = decoded([...chunks, stops()]);
  const grammar = new GrammarCheck();
  grammar.push(events);
  expect(blocksOf(events)).toEqual(blocks);
  expect(grammar.violations).toEqual([]);
  expect(events.at(-1)?.type).toBe('response-end');
});

describe('the finish', () => {
  test.each([...finishReasons].filter(([, reason]) => reason !== 'error'))('%s means %s', (word, reason) => {
    expect(only(decoded([says('a'), stops(word)]), 'finish')).toMatchObject({ reason, nativeReason: word });
  });

  test.each([...finishReasons].filter(([, reason]) => reason === 'error'))('%s is an error', (word) => {
    const events = decoded([says('a'), stops(word, { finishMessage: 'Bad.' })]);
    expect(events.at(-1)).toMatchObject({
      type: 'error',
      error: { type: 'upstream', message: expect.stringContaining(word) },
    });
  });

  test('may be a number', () => {
    const events = decoded([says('a'), { candidates: [{ finishReason: 1 }] }]);
    expect(only(events, 'finish')).toMatchObject({ reason: 'stop', nativeReason: 'STOP' });
  });

  test('is an unknown word', () => {
    const events = decoded([says('a'), stops('NEW_WORD')]);
    expect(only(events, 'finish')).toMatchObject({ reason: 'other', nativeReason: 'NEW_WORD' });
    expect(only(events, 'warning').code).toBe('finish_unknown');
  });

  test('on each chunk counts once, at the end', () => {
    const events = decoded([says('a', { finishReason: 'STOP' }), says('b', { finishReason: 'STOP' })]);
    expect(blocksOf(events)).toEqual(['text: a|b|']);
    expect(only(events, 'finish').reason).toBe('stop');
  });

  test('that text followed is none', () => {
    const events = decoded([says('a', { finishReason: 'STOP' }), says('b')]);
    expect(only(events, 'error').error.code).toBe('stream_truncated');
  });

  test('that came too early before is no proof when the connection breaks', () => {
    const hasty = [says('a', { finishReason: 'STOP' }), says('b', { finishReason: 'STOP' })];
    expect(framesOf(sse(hasty), {}, 'reset').flat().at(-1)).toMatchObject({ type: 'error' });
    expect(
      framesOf(sse([says('a'), stops()]), {}, 'reset')
        .flat()
        .at(-1)?.type,
    ).toBe('response-end');
  });

  test('is tool_calls where the client has to answer one, unless a limit was met', () => {
    const called = chunk([call('f', {})]);
    expect(only(decoded([called, stops()]), 'finish').reason).toBe('tool_calls');
    expect(only(decoded([called, stops('MAX_TOKENS')]), 'finish').reason).toBe('length');
  });

  test('at a limit leaves a call in pieces without its end', () => {
    const open = piece({ name: 'f', partialArgs: [text('$.a', 'Ke', { willContinue: true })], willContinue: true });
    const events = decoded([open, stops('MAX_TOKENS')]);
    expect(blocksOf(events)).toEqual(['tool_call: f{"a":"Ke|']);
    expect(only(events, 'block-end').status).toBe('incomplete');
    const bare = decoded([piece({ name: 'f', willContinue: true }), stops('MAX_TOKENS')]);
    expect(blocksOf(bare)).toEqual(['tool_call: f{|']);
  });

  test('is missing', () => {
    expect(only(decoded([says('a')]), 'error').error.code).toBe('stream_truncated');
    const events = decoded([says('a')], { acceptMissingTerminal: true });
    expect(only(events, 'finish').reason).toBe('stop');
  });

  test('of each candidate is told', () => {
    const events = decoded([
      {
        candidates: [
          { index: 1, content: { parts: [{ text: 'b' }] } },
          { index: 0, content: { parts: [{ text: 'a' }] } },
        ],
      },
      { candidates: [{ index: 1, finishReason: 'STOP' }] },
      { candidates: [{ index: 0, finishReason: 'MAX_TOKENS' }] },
    ]);
    const finishes = events.filter((event) => event.type === 'finish');
    expect(finishes.map(({ choice, reason }) => [choice, reason])).toEqual([
      [0, 'length'],
      [1, 'stop'],
    ]);
  });

  test('of a candidate is missing', () => {
    const events = decoded([says('a'), chunk([{ text: 'b' }], { finishReason: 'STOP' }, 1)]);
    expect(only(events, 'error').error.code).toBe('stream_truncated');
  });
});

test.each(['SAFETY', 'OTHER', 'JAILBREAK', 'A_REASON_OF_TOMORROW'])(
  'a prompt that was refused for %s is a filtered answer without content',
  (category) => {
    const events = decoded([{ promptFeedback: { blockReason: category }, modelVersion: 'm' }]);
    expect(only(events, 'finish')).toMatchObject({
      reason: 'content_filter',
      details: { blocked: 'prompt', category },
    });
  },
);

test('two calls that share an id get one each', () => {
  const events = decoded([
    chunk([call('f', { n: 1 }, { id: 'c' })]),
    chunk([call('f', { n: 2 }, { id: 'c' })]),
    stops(),
  ]);
  const ids = events.flatMap((event) => (event.type === 'block-start' ? [event.toolCall?.id] : []));
  expect([ids[0], new Set(ids).size]).toEqual(['c', 2]);
});

test('an argument for a place far behind the end of an array ends the stream', () => {
  const far = piece({ name: 'f', partialArgs: [text('$.a[999999999]', 'x')], willContinue: true });
  expect(only(decoded([far, stops()]), 'error').error.code).toBe('malformed_tool_arguments');
});

describe('usage', () => {
  const counted = (usageMetadata: Wired): Wired => ({ ...says('a'), usageMetadata });

  test('holds thoughts and the results of tools, which stand beside the counts on the wire', () => {
    const usage = {
      promptTokenCount: 10,
      toolUsePromptTokenCount: 5,
      cachedContentTokenCount: 4,
      candidatesTokenCount: 3,
      thoughtsTokenCount: 7,
      totalTokenCount: 25,
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: 8 },
        { modality: 'IMAGE', tokenCount: 2 },
      ],
    };
    expect(only(decoded([counted(usage), stops()]), 'usage').usage).toMatchObject({
      inputTokens: 15,
      inputTokensDetails: { cacheRead: 4, toolUse: 5, text: 8, image: 2 },
      outputTokens: 10,
      outputTokensDetails: { reasoning: 7 },
      totalTokens: 25,
    });
  });

  test('replaces what came before, and is told once there is a finish', () => {
    const events = decoded([
      counted({ promptTokenCount: 1, candidatesTokenCount: 1 }),
      counted({ promptTokenCount: 1, candidatesTokenCount: 1 }),
      counted({ candidatesTokenCount: 2 }),
      stops(),
      { usageMetadata: { promptTokenCount: 3 } },
    ]);
    const told = events.filter((event) => event.type === 'usage');
    expect(told.map(({ usage, final }) => [usage.inputTokens, usage.outputTokens, final])).toEqual([[3, 2, true]]);
  });

  test('of an answer that is cut off is told before its error', () => {
    const events = decoded([counted({ promptTokenCount: 1 }), counted({ candidatesTokenCount: 2 })]);
    expect(only(events, 'usage')).toMatchObject({ usage: { inputTokens: 1, outputTokens: 2 }, final: false });
    expect(events.at(-1)?.type).toBe('error');
  });

  test('that names only the kind of traffic is none', () => {
    const events = decoded([counted({ trafficType: 'ON_DEMAND' }), stops()]);
    expect(events.some(({ type }) => type === 'usage')).toBe(false);
  });
});

describe('sources', () => {
  const web = (uri: string): Wired => ({ web: { uri, title: uri } });
  const grounded = (groundingChunks: readonly Wired[], supports: readonly [number, number, string, number][]): Wired =>
    chunk([], {
      groundingMetadata: {
        groundingChunks,
        groundingSupports: supports.map(([startIndex, endIndex, said, index]) => ({
          segment: { startIndex, endIndex, ...(said !== '' && { text: said }) },
          groundingChunkIndices: [index],
        })),
      },
    });

  test('are citations, whose places are in characters of their text', () => {
    const events = decoded([says('Café 😀: '), says('open.'), grounded([web('u')], [[12, 17, 'open.', 0]]), stops()]);
    expect(blocksOf(events)).toEqual(['text: Café 😀: |open.|{u 8-13}']);
  });

  test('are found by their bytes where their text is not told', () => {
    const events = decoded([says('Café 😀: open.'), grounded([web('u')], [[12, 17, '', 0]]), stops()]);
    expect(blocksOf(events)).toEqual(['text: Café 😀: open.|{u 8-13}']);
  });

  test('are found where their offsets are wrong', () => {
    const events = decoded([says('one two'), grounded([web('u')], [[0, 3, 'two', 0]]), stops()]);
    expect(blocksOf(events)).toEqual(['text: one two|{u 4-7}']);
  });

  test('come one after another, and are counted from the first', () => {
    const first = grounded([web('u')], [[0, 1, 'a', 0]]);
    const second = grounded([web('v')], [[1, 2, 'b', 1]]);
    expect(blocksOf(decoded([says('ab'), first, second, stops()]))).toEqual(['text: ab|{u 0-1}{v 1-2}']);
  });

  test('come piece by piece, or again', () => {
    const events = decoded([
      says('ab'),
      grounded([web('u')], [[0, 1, 'a', 0]]),
      grounded([web('v')], [[1, 2, 'b', 1]]),
      grounded([web('u'), web('v')], [[1, 2, 'b', 1]]),
      stops(),
    ]);
    expect(blocksOf(events)).toEqual(['text: ab|{u 0-1}{v 1-2}']);
  });

  test('of recitations are citations too', () => {
    const source = { startIndex: 1, endIndex: 2, uri: 'u' };
    const events = decoded([says('ab', { citationMetadata: { citationSources: [source] } }), stops()]);
    expect(blocksOf(events)).toEqual(['text: ab|{u 1-2}']);
  });
});

test('token probabilities go with the text of their chunk', () => {
  const logprobsResult = {
    chosenCandidates: [{ token: 'a', logProbability: -0.5 }],
    topCandidates: [
      {
        candidates: [
          { token: 'a', logProbability: -0.5 },
          { token: 'b', logProbability: -2 },
        ],
      },
    ],
  };
  const deltas = decoded([says('a', { logprobsResult }), stops()]).flatMap((event) =>
    event.type === 'block-delta' && event.delta.type === 'text' ? (event.delta.logprobs ?? []) : [],
  );
  expect(deltas).toEqual([
    {
      token: 'a',
      logprob: -0.5,
      top: [
        { token: 'a', logprob: -0.5 },
        { token: 'b', logprob: -2 },
      ],
    },
  ]);
});

test('ratings are told as often as they change', () => {
  const rated = (probability: string): Wired => says('a', { safetyRatings: [{ category: 'C', probability }] });
  const events = decoded([rated('LOW'), rated('LOW'), rated('HIGH'), stops()]);
  expect(events.filter((event) => event.type === 'metadata').map(({ key }) => key)).toEqual(['safety', 'safety']);
});

test('the first chunk says who answers', () => {
  const first = { ...says('a'), createTime: '2026-01-02T03:04:05.678Z' };
  expect(only(decoded([first, stops()]), 'response-start')).toMatchObject({
    id: 'r',
    model: 'm',
    createdAt: 1767323045,
  });
});
