/** Canonical events of any upstream to an Interactions stream. */
import {
  type BlockStart,
  type CanonicalEvent,
  type Delta,
  defaultLimits,
  type Finish,
  Ids,
  rewrite,
} from '@streamglot/core';
import { describe, expect, test } from 'vitest';
import { interactions } from '../../../packages/core/src/dialects/interactions/index.ts';
import { grammarOf } from '../support/grammar/index.ts';
import {
  adds,
  called,
  created,
  DONE,
  encoded,
  ends,
  feeds,
  framesOf,
  payloadsOf,
  relayed,
  says,
  sse,
  starts,
  stops,
  type Wired,
} from './wire.ts';

const native = { dialect: 'chat' } as const;
const opens = (block: number, kind: BlockStart['kind'] = 'text', more: Partial<BlockStart> = {}): CanonicalEvent => ({
  type: 'block-start',
  block,
  choice: 0,
  kind,
  native,
  ...more,
});
const calls = (block: number, more: Partial<NonNullable<BlockStart['toolCall']>> = {}): CanonicalEvent =>
  opens(block, 'tool_call', {
    toolCall: { id: `c${block}`, name: 'f', format: 'json', executor: 'client', kind: 'function', ...more },
  });
const gives = (block: number, delta: Delta): CanonicalEvent => ({ type: 'block-delta', block, delta, native });
const tells = (block: number, text: string): CanonicalEvent => gives(block, { type: 'text', text });
const inputs = (block: number, text: string): CanonicalEvent => gives(block, { type: 'input', text });
const closes = (block: number): CanonicalEvent => ({ type: 'block-end', block, native });
const thinks = (text: string, part: number): CanonicalEvent =>
  gives(0, { type: 'reasoning', text, form: 'summary', part });

function answer(events: readonly CanonicalEvent[], finish: Partial<Finish> = {}): CanonicalEvent[] {
  return [
    { type: 'response-start', id: 'chat-1', model: 'm', native },
    ...events,
    { type: 'finish', choice: 0, reason: 'stop', native, ...finish },
    { type: 'response-end', status: 'completed', native },
  ];
}

/** The payloads of the steps. */
const stepsOf = (text: string): Wired[] =>
  payloadsOf(text).filter(({ event_type }) => String(event_type).startsWith('step.'));

const image = { data: 'eA==', mime_type: 'image/png' };

const writings: readonly [name: string, events: readonly CanonicalEvent[], steps: readonly Wired[]][] = [
  [
    'text',
    [opens(0), tells(0, 'a'), tells(0, ''), tells(0, 'b'), closes(0)],
    [starts(0, 'model_output'), says(0, 'a'), says(0, 'b'), stops(0)],
  ],
  ['a text that says nothing', [opens(0), closes(0)], []],
  [
    'a call',
    [calls(0), inputs(0, '{"a":'), inputs(0, '1}'), closes(0)],
    [starts(0, called('c0', { arguments: {} })), feeds(0, '{"a":'), feeds(0, '1}'), stops(0)],
  ],
  [
    'a call whose arguments are told only when it ends',
    [calls(0), { type: 'block-end', block: 0, final: { input: '{"a":1}' }, native }],
    [starts(0, called('c0', { arguments: {} })), feeds(0, '{"a":1}'), stops(0)],
  ],
  [
    'text while a call is open: nothing waits',
    [calls(0), inputs(0, '{"a":'), opens(1), tells(1, 'x'), inputs(0, '1}'), closes(0), closes(1)],
    [
      starts(0, called('c0', { arguments: {} })),
      feeds(0, '{"a":'),
      starts(1, 'model_output'),
      says(1, 'x'),
      feeds(0, '1}'),
      stops(0),
      stops(1),
    ],
  ],
  [
    'free text, which travels as the one member of an object',
    [calls(0, { format: 'text', kind: 'custom' }), inputs(0, 'say "a"\n'), closes(0)],
    [
      starts(0, called('c0', { arguments: {} })),
      feeds(0, '{"input":"'),
      feeds(0, 'say \\"a\\"\\n'),
      feeds(0, '"}'),
      stops(0),
    ],
  ],
  [
    'parts of a summary, between which a blank line stands',
    [opens(0, 'reasoning'), thinks('a', 0), thinks('b', 1), closes(0)],
    [
      starts(0, 'thought'),
      adds(0, { type: 'thought_summary', content: { type: 'text', text: 'a' } }),
      adds(0, { type: 'thought_summary', content: { type: 'text', text: '\n\nb' } }),
      stops(0),
    ],
  ],
  [
    'a signature of another provider, which nobody here could read',
    [opens(0, 'reasoning'), gives(0, { type: 'signature', value: 's', mode: 'set' }), closes(0)],
    [],
  ],
  [
    'a picture, and not what it looked like before',
    [
      opens(0, 'image'),
      gives(0, { type: 'data', base64: 'eQ==', partial: true }),
      gives(0, { type: 'data', base64: 'eA==', mimeType: 'image/png' }),
      closes(0),
    ],
    [starts(0, 'model_output'), adds(0, { type: 'image', ...image }), stops(0)],
  ],
  [
    'a picture that is elsewhere',
    [opens(0, 'image', { media: { uri: 'http://a' } }), closes(0)],
    [starts(0, 'model_output'), adds(0, { type: 'image', uri: 'http://a', mime_type: 'image/png' }), stops(0)],
  ],
  [
    'a source, without its place',
    [
      opens(0),
      tells(0, 'a'),
      gives(0, { type: 'citation', citation: { kind: 'url', url: 'http://a', title: 'A', start: 0, end: 1 } }),
      closes(0),
    ],
    [
      starts(0, 'model_output'),
      says(0, 'a'),
      adds(0, {
        type: 'text_annotation_delta',
        annotations: [{ type: 'url_citation', url: 'http://a', title: 'A' }],
      }),
      stops(0),
    ],
  ],
  [
    'a call that its provider runs, which is left out',
    [calls(0, { executor: 'server', kind: 'web_search' }), inputs(0, '{}'), closes(0)],
    [],
  ],
];

test.each(writings)('%s', (_name, events, steps) => {
  const text = encoded(answer(events));
  const plain = (payload: Wired): unknown => JSON.parse(JSON.stringify(payload));
  expect(stepsOf(text).map(plain)).toEqual(steps.map(plain));
  expect(grammarOf('interactions').violations(text)).toEqual([]);
});

describe('the end', () => {
  const statuses: readonly [Finish['reason'], string][] = [
    ['stop', 'completed'],
    ['length', 'incomplete'],
    ['context_overflow', 'incomplete'],
    ['pause', 'incomplete'],
    ['content_filter', 'failed'],
    ['refusal', 'failed'],
    ['cancelled', 'cancelled'],
    ['other', 'completed'],
  ];

  test.each(statuses)('of %s has the status %s', (reason, status) => {
    const text = encoded(answer([opens(0), tells(0, 'a'), closes(0)], { reason }));
    expect(payloadsOf(text).at(-1)).toMatchObject({ event_type: 'interaction.completed', interaction: { status } });
    expect(text.endsWith(DONE)).toBe(true);
  });

  test.each(['stop', 'tool_calls'] as const)('of %s asks for an action where there are calls', (reason) => {
    const text = encoded(answer([calls(0), inputs(0, '{}'), closes(0)], { reason }));
    expect(payloadsOf(text).at(-1)).toMatchObject({ interaction: { status: 'requires_action' } });
  });

  test('counts thoughts and tool results apart, and says all totals', () => {
    const usage = {
      inputTokens: 15,
      inputTokensDetails: { cacheRead: 4, toolUse: 5 },
      outputTokens: 10,
      outputTokensDetails: { reasoning: 3 },
    };
    const text = encoded(answer([{ type: 'usage', usage, final: true, native }]));
    expect(payloadsOf(text).at(-1)).toMatchObject({
      interaction: {
        usage: {
          total_input_tokens: 10,
          total_tool_use_tokens: 5,
          total_cached_tokens: 4,
          total_output_tokens: 7,
          total_thought_tokens: 3,
          total_tokens: 25,
        },
      },
    });
  });

  test.each([
    ['{"a":', 'stop'],
    ['{"a"]', 'length'],
  ] as const)('is an error where the arguments %s claim to be whole', (input, reason) => {
    const text = encoded(answer([calls(0), inputs(0, input), closes(0)], { reason }));
    expect(payloadsOf(text).at(-1)).toMatchObject({
      event_type: 'error',
      error: { code: 'malformed_tool_arguments' },
    });
    expect(text).not.toContain('[DONE]');
  });

  test('is an error where nothing said that it is one', () => {
    const text = encoded([{ type: 'response-start', native }, opens(0), tells(0, 'a')]);
    expect(payloadsOf(text).at(-1)).toMatchObject({ event_type: 'error', error: { code: 'stream_truncated' } });
  });
});

test('an interaction has an id of its own, and the time at which it was asked for', () => {
  const context = { dialect: 'interactions', stream: true, startedAt: 1_790_000_000, model: 'alias' } as const;
  const encoder = interactions.encoder({ ids: new Ids('seed'), limits: defaultLimits, context });
  const [first] = payloadsOf(encoder.push(answer([])));
  expect(first).toMatchObject({
    interaction: { id: expect.stringMatching(/^int_/), model: 'alias', created: '2026-09-21T14:13:20Z' },
  });
});

test('thoughts of others are hidden from a client that did not ask for them', () => {
  const context = { dialect: 'interactions', stream: true, showReasoning: false } as const;
  const encoder = interactions.encoder({ ids: new Ids('seed'), limits: defaultLimits, context });
  const text = encoder.push(answer([opens(0, 'reasoning'), thinks('a', 0), closes(0)]));
  expect(stepsOf(text)).toEqual([]);
});

describe('a stream of the dialect itself', () => {
  const frames = [
    created,
    starts(0, 'thought'),
    adds(0, { type: 'thought_signature', signature: 's' }),
    stops(0),
    starts(1, 'model_output'),
    says(1, 'a'),
    adds(1, { type: 'image', ...image }),
    says(1, 'b'),
    stops(1),
    starts(2, { type: 'google_search_call', id: 'g' }),
    adds(2, { type: 'google_search_call', arguments: { queries: ['q'] } }),
    stops(2),
    starts(3, called('c1')),
    feeds(3, '{}'),
    stops(3),
    ends('requires_action'),
  ];
  const empty = [created, starts(0, 'model_output'), stops(0), ends()];

  test('goes out as it came', () => {
    expect(relayed(frames)).toBe(sse(frames) + DONE);
  });

  test('has what stood in the start of a step behind it, and only there', () => {
    const content = [{ type: 'text', text: 'a' }];
    const call = called('c1', { arguments: { a: 1 } });
    const odd = [created, starts(0, { type: 'model_output', content }), stops(0), starts(1, call), stops(1), ends()];
    expect(stepsOf(relayed(odd))).toEqual([
      starts(0, { type: 'model_output', content: [] }),
      says(0, 'a'),
      stops(0),
      starts(1, called('c1', { arguments: {} })),
      feeds(1, '{"a":1}'),
      stops(1),
    ]);
  });

  test('gets the mark that it lacks', () => {
    expect(relayed(frames, '')).toBe(sse(frames) + DONE);
  });

  test('has steps in order, ids that stay, and the name of each event', () => {
    const odd = [
      created,
      { ...starts(7, 'model_output'), index: 7 },
      says(7, 'a'),
      stops(7),
      { event_type: 'interaction.completed', interaction: { id: 'other', status: 'completed' } },
    ];
    const payloads = payloadsOf(relayed(odd));
    expect(payloads.map(({ index }) => index)).toEqual([undefined, 0, 0, 0, undefined]);
    expect(payloads.at(-1)).toMatchObject({ interaction: { id: 'v1_a' } });
  });

  test.each([frames, empty].flatMap((stream) => stream.map((_, at) => [at, stream] as const)))(
    'obeys the grammar where frame %i is the only one that is rewritten',
    (at, stream) => {
      const encoder = interactions.encoder({ ids: new Ids('seed'), limits: defaultLimits });
      const text = framesOf(sse(stream) + DONE)
        .map((events, number) => {
          if (number === at) for (const { native } of events) rewrite(native);
          return encoder.push(events);
        })
        .join('');
      const { violations, fails } = grammarOf('interactions');
      const rules = violations(text + encoder.end()).filter((rule) => !/google_search_call in a/.test(rule));
      expect([rules, fails(text)]).toEqual([[], false]);
    },
  );
});
