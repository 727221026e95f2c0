/** Interactions streams to canonical events: what each step and delta means, and what is done about habits of servers. */
import { GrammarCheck } from '@streamglot/core';
import { describe, expect, test } from 'vitest';
import { finishReasons } from '../../../packages/core/src/dialects/interactions/terms.ts';
import { blocksOf, only } from '../gemini/wire.ts';
import { grammarOf } from '../support/grammar/index.ts';
import {
  adds,
  called,
  created,
  DONE,
  decoded,
  ends,
  event,
  feeds,
  framesOf,
  identity,
  relayed,
  says,
  sse,
  starts,
  stops,
  type Wired,
} from './wire.ts';

const thinks = (index: number, text: string): Wired =>
  adds(index, { type: 'thought_summary', content: { type: 'text', text } });
const signs = (index: number, signature: string): Wired => adds(index, { type: 'thought_signature', signature });
const cites = (index: number, annotations: readonly Wired[]): Wired =>
  adds(index, { type: 'text_annotation_delta', annotations });
const search: Wired = { type: 'google_search_call', arguments: { queries: ['q'] } };
const found: Wired = { type: 'google_search_result', result: [{ search_suggestions: 's' }] };

/** What the blocks of a stream are read as. */
const readings: readonly [name: string, payloads: readonly Wired[], blocks: readonly string[]][] = [
  ['text', [starts(0, 'model_output'), says(0, 'Hel'), says(0, 'lo'), stops(0)], ['text: Hel|lo|']],
  ['a step that says nothing', [starts(0, 'model_output'), stops(0)], []],
  [
    'a thought, signed after an empty signature',
    [starts(0, 'thought'), thinks(0, 'a'), signs(0, ''), thinks(0, 'b'), signs(0, 's'), stops(0)],
    ['reasoning: a|b|<s>'],
  ],
  ['a thought that is a signature alone', [starts(0, 'thought'), signs(0, 's'), stops(0)], ['reasoning: <s>']],
  [
    'a thought that is all there when it starts',
    [starts(0, { type: 'thought', summary: [{ type: 'text', text: 'a' }], signature: 's' }), stops(0)],
    ['reasoning: a|<s>'],
  ],
  [
    'a picture among the thoughts',
    [starts(0, 'thought'), adds(0, { type: 'thought_summary', content: { type: 'image', data: 'eA==' } }), stops(0)],
    ['reasoning: [undefined eA==]'],
  ],
  ['text in a thought, which is its summary', [starts(0, 'thought'), says(0, 'a'), stops(0)], ['reasoning: a|']],
  [
    'a call in pieces',
    [starts(0, called('c1', { arguments: {} })), feeds(0, '{"a":'), feeds(0, '1}'), stops(0)],
    ['tool_call: f{"a":|1}|'],
  ],
  [
    'a call that is all there when it starts',
    [starts(0, called('c1', { arguments: { a: 1 } })), stops(0)],
    ['tool_call: f{"a":1}|'],
  ],
  [
    'a call whose pieces repeat its start',
    [starts(0, called('c1', { arguments: { a: 1 } })), feeds(0, '{"a":1}'), stops(0)],
    ['tool_call: f{"a":1}|'],
  ],
  ['arguments that are an object', [starts(0, called('c1')), feeds(0, { a: 1 }), stops(0)], ['tool_call: f{"a":1}|']],
  [
    'arguments that are encoded twice',
    [starts(0, called('c1')), feeds(0, '"{\\"a\\"'), feeds(0, ':1}"'), stops(0)],
    ['tool_call: f{"a"|:1}|'],
  ],
  [
    'empty arguments in front of the real ones',
    [starts(0, called('c1')), feeds(0, '{}'), feeds(0, '{"a":1}'), stops(0)],
    ['tool_call: f{"a":1}|'],
  ],
  ['no arguments', [starts(0, called('c1')), feeds(0, '{}'), stops(0)], ['tool_call: f{}|']],
  ['a signed call', [starts(0, called('c1', { signature: 's' })), feeds(0, '{}'), stops(0)], ['tool_call: f<s>{}|']],
  [
    'two calls at the same time',
    [starts(0, called('c1')), starts(1, called('c2')), feeds(1, '{"b":2}'), feeds(0, '{"a":1}'), stops(0), stops(1)],
    ['tool_call: f{"a":1}|', 'tool_call: f{"b":2}|'],
  ],
  [
    'a picture between texts of one step',
    [
      starts(0, 'model_output'),
      says(0, 'a'),
      adds(0, { type: 'image', data: 'eA==', mime_type: 'image/png' }),
      says(0, 'b'),
      stops(0),
    ],
    ['text: a|', 'image: [image/png eA==]', 'text: b|'],
  ],
  [
    'sound in pieces',
    [
      starts(0, 'model_output'),
      ...['eA==', 'eQ=='].map((data) => adds(0, { type: 'audio', data, mime_type: 'audio/l16', sample_rate: 24000 })),
      stops(0),
    ],
    ['audio: [audio/l16 eA==][audio/l16 eQ==]'],
  ],
  [
    'sources, whose places are bytes',
    [
      starts(0, 'model_output'),
      says(0, 'Köln 🙂 x'),
      cites(0, [{ type: 'url_citation', url: 'http://a', start_index: 6, end_index: 10 }, { type: 'word_info' }]),
      stops(0),
    ],
    ['text: Köln 🙂 x|{http://a 5-6}'],
  ],
  [
    'what the provider searched and found',
    [
      starts(0, { type: 'google_search_call', id: 'g' }),
      adds(0, search),
      stops(0),
      starts(1, { type: 'google_search_result', call_id: 'g' }),
      adds(1, found),
      stops(1),
    ],
    [
      `tool_call: web_search{"type":"google_search_call","id":"g"}{"queries":["q"]}|${JSON.stringify(search)}`,
      `tool_result: {"type":"google_search_result","call_id":"g"}${JSON.stringify(found)}`,
    ],
  ],
  [
    'a step of an unknown kind',
    [starts(0, { type: 'sketch', w: 2 }), adds(0, { type: 'stroke', x: 1 }), stops(0)],
    ['item: {"type":"sketch","w":2}{"type":"stroke","x":1}'],
  ],
  [
    'content that stands in the start',
    [starts(0, { type: 'model_output', content: [{ type: 'text', text: 'a' }] }), says(0, 'b'), stops(0)],
    ['text: a|b|'],
  ],
  ['a delta of a step that was not begun', [says(0, 'a'), stops(0)], ['text: a|']],
  ['a step that was never ended', [starts(0, 'model_output'), says(0, 'a')], ['text: a|']],
  [
    'an index that is used again',
    [starts(0, 'model_output'), says(0, 'a'), starts(0, 'model_output'), says(0, 'b'), stops(0)],
    ['text: a|', 'text: b|'],
  ],
  [
    'indexes that are texts, and have gaps',
    [
      event('step.start', { index: '4', step: { type: 'model_output' } }),
      event('step.delta', { index: '4', delta: { type: 'text', text: 'a' } }),
    ],
    ['text: a|'],
  ],
  [
    'no indexes at all',
    [
      event('step.start', { step: { type: 'model_output' } }),
      event('step.delta', { delta: { text: 'a' } }),
      event('step.stop'),
    ],
    ['text: a|'],
  ],
  [
    'the names of the first revision',
    [
      event('content.start', { index: 0, content: { type: 'thought' } }),
      event('content.delta', { index: 0, delta: { type: 'thought_signature', signature: 's' } }),
      event('content.stop', { index: 0 }),
      event('content.start', { index: 1, content: { type: 'text' } }),
      event('content.delta', { index: 1, delta: { type: 'text', text: 'a' } }),
      event('content.stop', { index: 1 }),
      event('content.start', { index: 2, content: { type: 'function_call' } }),
      event('content.delta', { index: 2, delta: called('c1', { arguments: { a: 1 } }) }),
      event('content.stop', { index: 2 }),
    ],
    ['reasoning: <s>', 'text: a|', 'tool_call: f{"a":1}|'],
  ],
];

test.each(readings)('%s', (_name, payloads, blocks) => {
  const events = decoded(payloads);
  const grammar = new GrammarCheck();
  grammar.push(events);
  expect(blocksOf(events)).toEqual(blocks);
  expect(grammar.violations).toEqual([]);
  expect(events.at(-1)?.type).toBe('response-end');
});

/** What only its provider can say, or says in a form of its own, goes out as it came. */
const ownWords = /of an unknown kind/;

test.each(readings.filter(([name]) => !ownWords.test(name)))(
  '%s, for a client of the dialect, obeys its grammar',
  (_name, payloads) => {
    const text = relayed([created, ...payloads, ends()]).replaceAll('"signature":""', '"signature":"s"');
    const { violations } = grammarOf('interactions');
    expect(violations(text).filter((rule) => !/_call in a|_result in a/.test(rule))).toEqual([]);
  },
);

describe('the end', () => {
  const said = [created, starts(0, 'model_output'), says(0, 'a'), stops(0)];
  const endOf = (payloads: readonly Wired[], more = DONE) => framesOf(sse([...said, ...payloads]) + more).flat();

  test.each([...finishReasons].filter(([status]) => status !== 'failed' && status !== 'requires_action'))(
    'with status %s means %s',
    (nativeReason, reason) => {
      expect(only(endOf([ends(nativeReason)]), 'finish')).toMatchObject({ reason, nativeReason });
    },
  );

  test('asks for an action where a function was called, and only there', () => {
    const call = [starts(1, called('c1')), feeds(1, '{}'), stops(1)];
    for (const status of ['requires_action', 'completed'])
      expect(only(endOf([...call, ends(status)]), 'finish')).toMatchObject({ reason: 'tool_calls' });
    expect(only(endOf([ends('requires_action')]), 'finish')).toMatchObject({ reason: 'stop' });
  });

  test('has its token with it', () => {
    const events = endOf([ends('requires_continuation', { continuation_token: 't' })]);
    expect(only(events, 'finish')).toMatchObject({ reason: 'continue', details: { continuationToken: 't' } });
  });

  test.each([
    ['content_filter', 'content_filter'],
    ['refusal', 'refusal'],
  ])('of an answer that was withheld for %s says so', (code, reason) => {
    expect(only(endOf([ends('failed', { errors: [{ code, message: 'No.' }] })]), 'finish')).toMatchObject({ reason });
  });

  test('of one that failed is its error', () => {
    const events = endOf([ends('failed', { errors: [{ code: 'unavailable', message: 'No.' }] })]);
    expect(events.at(-1)).toMatchObject({ type: 'error', error: { type: 'overloaded', message: 'No.' } });
  });

  test.each([
    ['no end at all', [], ''],
    ['the mark of the end alone', [], DONE],
    ['an interaction that still runs', [ends('in_progress')], DONE],
    ['a status that is none of an end', [event('interaction.status_update', { status: 'in_progress' })], DONE],
  ])('is missing: %s', (_name, payloads, more) => {
    expect(endOf(payloads, more).at(-1)).toMatchObject({ type: 'error', error: { code: 'stream_truncated' } });
  });

  test('may be told by a status and the mark', () => {
    const events = endOf([event('interaction.status_update', { interaction_id: 'v1_a', status: 'incomplete' })]);
    expect(only(events, 'finish')).toMatchObject({ reason: 'length' });
  });

  test.each(['closed', 'reset'] as const)('needs no mark once the interaction is completed: %s', (cause) => {
    const events = framesOf(sse([...said, ends()]), {}, cause).flat();
    expect(events.at(-1)).toMatchObject({ type: 'response-end', status: 'completed' });
  });

  test('may be forgone by option', () => {
    const events = framesOf(sse(said), { acceptMissingTerminal: true }).flat();
    expect(only(events, 'finish')).toMatchObject({ reason: 'stop' });
  });

  test('is final: what follows is not read', () => {
    const events = endOf([ends(), says(0, 'b'), ends('failed')]);
    expect(blocksOf(events)).toEqual(['text: a|']);
    expect(events.at(-1)?.type).toBe('response-end');
  });

  test('brings the steps that no event has told', () => {
    const steps = [{ type: 'model_output', content: [{ type: 'text', text: 'late' }] }];
    const events = framesOf(sse([created, ends('completed', { steps })]) + DONE).flat();
    expect(blocksOf(events)).toEqual(['text: late|']);
  });
});

describe('usage', () => {
  const counted = { total_input_tokens: 10, total_tool_use_tokens: 5, total_output_tokens: 7, total_thought_tokens: 3 };

  test('counts tool results as input and thoughts as output', () => {
    const usage = { ...counted, total_cached_tokens: 4, output_tokens_by_modality: [{ modality: 'text', tokens: 7 }] };
    expect(only(framesOf(sse([created, ends('completed', { usage })])).flat(), 'usage').usage).toMatchObject({
      inputTokens: 15,
      inputTokensDetails: { cacheRead: 4, toolUse: 5 },
      outputTokens: 10,
      outputTokensDetails: { reasoning: 3, text: 7 },
      totalTokens: 25,
    });
  });

  test.each([
    ['a step that ends', { ...stops(0), usage: counted }],
    ['a status', event('interaction.status_update', { status: 'in_progress', usage: counted })],
    ['a delta', { ...says(0, 'b'), metadata: { usage: counted } }],
  ])('is told while the answer runs, by %s', (_name, payload) => {
    const events = framesOf(sse([created, starts(0, 'model_output'), says(0, 'a'), payload])).flat();
    expect(only(events, 'usage')).toMatchObject({ final: false, usage: { inputTokens: 15, outputTokens: 10 } });
  });
});

describe('errors', () => {
  test.each([
    ['an event', event('error', { error: { code: 'unavailable', message: 'No.' } }), 'overloaded'],
    ['a bare error', { error: { code: 'rate_limit_exceeded', message: 'No.' } }, 'rate_limit'],
    ['an error with a number', event('error', { error: { code: 429, message: 'No.' } }), 'rate_limit'],
    ['one without a code', event('error', { error: { message: 'No.' } }), 'upstream'],
  ])('%s ends the stream', (_name, payload, type) => {
    const events = framesOf(sse([created, starts(0, 'model_output'), says(0, 'a'), payload])).flat();
    expect(events.at(-1)).toMatchObject({ type: 'error', error: { type, message: 'No.' } });
  });
});

test('two starts are one', () => {
  const events = framesOf(sse([created, created, ends()])).flat();
  expect(only(events, 'response-start')).toMatchObject({ id: identity.id, model: 'm' });
});
