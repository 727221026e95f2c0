/** Whole messages: read as events, written from a collected response, and the same after both. */
import { type CanonicalEvent, Collector, defaultLimits, Ids, translateText } from '@streamglot/core';
import { messages } from '@streamglot/core/messages';
import { describe, expect, test } from 'vitest';
import { grammarOf } from '../support/grammar/index.ts';
import { blocksOf, only, payloads, type Wired } from './wire.ts';

const options = () => ({ ids: new Ids('seed'), limits: defaultLimits });

/** A message as the dialect's types require it. */
const message = (content: readonly Wired[], more: Wired = {}): Wired => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content,
  stop_reason: 'end_turn',
  stop_sequence: null,
  stop_details: null,
  container: null,
  usage: { input_tokens: 3, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 9 },
  ...more,
});

/** What a message is after it was read, collected and written. */
function again(body: unknown): unknown {
  const collector = new Collector();
  collector.addFrame(messages.decodeResponse(body, options()));
  return messages.encodeResponse(collector.response(), options());
}

const citation = {
  type: 'char_location',
  document_title: 'D',
  start_char_index: 1,
  end_char_index: 2,
  cited_text: 'x',
};
const bodies: readonly [name: string, body: Wired][] = [
  ['text', message([{ type: 'text', text: 'a' }])],
  ['cited text', message([{ type: 'text', text: 'a', citations: [citation] }])],
  [
    'thinking and a call',
    message(
      [
        { type: 'thinking', thinking: 't', signature: 's' },
        { type: 'tool_use', id: 't1', name: 'f', input: { n: [1] } },
      ],
      { stop_reason: 'tool_use' },
    ),
  ],
  [
    'hidden and redacted thinking',
    message([
      { type: 'thinking', thinking: '', signature: 's' },
      { type: 'redacted_thinking', data: 'x' },
    ]),
  ],
  [
    'what the provider ran',
    message([
      { type: 'server_tool_use', id: 's1', name: 'web_search', input: { q: 'x' } },
      { type: 'web_search_tool_result', tool_use_id: 's1', content: [{ url: 'u' }] },
      { type: 'mcp_tool_use', id: 'm1', name: 'f', input: {}, server_name: 'd' },
      { type: 'mcp_tool_result', tool_use_id: 'm1', is_error: false, content: 'ok' },
    ]),
  ],
  [
    'blocks without a rule',
    message([
      { type: 'compaction', content: 'short' },
      { type: 'sketch', w: 2 },
    ]),
  ],
  ['a stop sequence', message([{ type: 'text', text: 'a' }], { stop_reason: 'stop_sequence', stop_sequence: '##' })],
  [
    'a refusal',
    message([], { stop_reason: 'refusal', stop_details: { type: 'refusal', category: 'cyber', explanation: 'No.' } }),
  ],
  ['an unknown reason', message([], { stop_reason: 'quota_yield' })],
  ['a container', message([], { container: { id: 'c1' }, context_management: { applied_edits: [] } })],
  [
    'usage with its parts',
    message([], {
      usage: {
        input_tokens: 3,
        cache_creation_input_tokens: 9,
        cache_read_input_tokens: 2,
        cache_creation: { ephemeral_5m_input_tokens: 4, ephemeral_1h_input_tokens: 5 },
        output_tokens: 9,
        output_tokens_details: { thinking_tokens: 1 },
        server_tool_use: { web_search_requests: 1 },
      },
    }),
  ],
];

describe('a whole message', () => {
  test.each(bodies)('is the same after it was read and written: %s', (_, body) => {
    expect(again(body)).toEqual(body);
  });

  test.each(bodies)('becomes a stream for a client that wanted one: %s', (name, body) => {
    const stream = translateText(JSON.stringify(body), { from: 'messages', to: 'messages' });
    const { violations } = grammarOf('messages');
    if (!/ran|rule|unknown/.test(name)) expect(violations(stream)).toEqual([]);
    const starts = payloads(stream).flatMap((event) => (event.content_block as Wired | undefined)?.type ?? []);
    expect(starts).toEqual((body.content as readonly Wired[]).map(({ type }) => type));
    expect(payloads(stream).at(-2)).toMatchObject({ delta: { stop_reason: body.stop_reason } });
  });

  test('ends as it says, with its usage', () => {
    const events = messages.decodeResponse(message([], { stop_reason: 'max_tokens' }), options());
    expect(only(events, 'usage')).toMatchObject([{ final: true, usage: { inputTokens: 3, outputTokens: 9 } }]);
    expect(events.at(-2)).toMatchObject({ type: 'finish', reason: 'length' });
    expect(events.at(-1)?.type).toBe('response-end');
  });

  test('has no original that could be relayed as a frame', () => {
    const events = messages.decodeResponse(message([{ type: 'text', text: 'a' }]), options());
    expect(events.every(({ native }) => native === undefined || native.data === undefined)).toBe(true);
    expect(blocksOf(events)).toEqual(['text: a']);
  });

  const errors: readonly [unknown, object][] = [
    [
      { type: 'error', error: { type: 'overloaded_error', message: 'Busy.' } },
      { type: 'overloaded', message: 'Busy.' },
    ],
    [{ error: 'Oops.' }, { message: 'Oops.' }],
    [{ hello: 1 }, { code: 'unexpected_body' }],
    [[1], { code: 'unexpected_body' }],
    [null, { code: 'unexpected_body' }],
  ];
  test.each(errors)('that is none is an error: %j', (body, error) => {
    expect(messages.decodeResponse(body, options())).toMatchObject([{ type: 'error', error }]);
  });
});

/** The message that a response of another dialect is written as. */
function written(events: readonly CanonicalEvent[], context?: { model: string }): Wired {
  const collector = new Collector();
  for (const event of events) collector.add({ ...event, native: { dialect: 'chat' } });
  const told = context === undefined ? {} : { context: { dialect: 'messages', stream: false, ...context } as const };
  return messages.encodeResponse(collector.response(), { ...options(), ...told }) as Wired;
}

describe('a response of another dialect', () => {
  const ends: readonly CanonicalEvent[] = [
    { type: 'finish', choice: 0, reason: 'tool_calls', nativeReason: 'tool_calls' },
    { type: 'response-end', status: 'completed' },
  ];

  test('has every required member, the client’s model, and nothing that is bound to its provider', () => {
    const events: readonly CanonicalEvent[] = [
      { type: 'response-start', id: 'r1', model: 'inner' },
      { type: 'block-start', block: 0, choice: 0, kind: 'reasoning' },
      { type: 'block-delta', block: 0, delta: { type: 'reasoning', text: 't', form: 'raw' } },
      { type: 'block-delta', block: 0, delta: { type: 'signature', value: 'secret', mode: 'set' } },
      { type: 'block-end', block: 0 },
      {
        type: 'block-start',
        block: 1,
        choice: 0,
        kind: 'tool_call',
        toolCall: { id: 'a.b', name: 'f', format: 'json', executor: 'client', kind: 'function' },
      },
      { type: 'block-delta', block: 1, delta: { type: 'input', text: '{"n":1}' } },
      { type: 'block-end', block: 1 },
      ...ends,
    ];
    expect(written(events, { model: 'alias' })).toEqual({
      ...message([
        { type: 'thinking', thinking: 't', signature: '' },
        { type: 'tool_use', id: expect.stringMatching(/^[\w-]+$/), name: 'f', input: { n: 1 } },
      ]),
      id: 'r1',
      model: 'alias',
      stop_reason: 'tool_use',
      usage: { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 },
    });
  });

  test('a call of free form is wrapped, blocks that say nothing are left out', () => {
    const call = { id: 'c', name: 'f', format: 'text', executor: 'client', kind: 'custom' } as const;
    const events: readonly CanonicalEvent[] = [
      { type: 'response-start' },
      { type: 'block-start', block: 0, choice: 0, kind: 'text' },
      { type: 'block-end', block: 0 },
      { type: 'block-start', block: 1, choice: 0, kind: 'tool_call', toolCall: call },
      { type: 'block-delta', block: 1, delta: { type: 'input', text: 'say "hi"' } },
      { type: 'block-end', block: 1 },
      ...ends,
    ];
    expect(written(events).content).toEqual([{ type: 'tool_use', id: 'c', name: 'f', input: { input: 'say "hi"' } }]);
  });

  const inputs: readonly [input: string, reason: 'tool_calls' | 'length', written: object | 'refused'][] = [
    ['{"n":1}', 'tool_calls', { n: 1 }],
    ['', 'tool_calls', {}],
    ['{"n":', 'length', {}],
    ['{"n":', 'tool_calls', 'refused'],
    ['{"n":tru]', 'length', 'refused'],
  ];
  test.each(inputs)('the input %j with the reason %s is %j', (input, reason, expected) => {
    const toolCall = { id: 'c', name: 'f', format: 'json', executor: 'client', kind: 'function' } as const;
    const events: readonly CanonicalEvent[] = [
      { type: 'response-start' },
      { type: 'block-start', block: 0, choice: 0, kind: 'tool_call', toolCall },
      { type: 'block-delta', block: 0, delta: { type: 'input', text: input } },
      { type: 'block-end', block: 0 },
      { type: 'finish', choice: 0, reason },
      { type: 'response-end', status: 'completed' },
    ];
    if (expected === 'refused') expect(() => written(events)).toThrow(/input of a tool call/);
    else expect(written(events).content).toMatchObject([{ input: expected }]);
  });

  test('that failed is written as its error', () => {
    const failed = { type: 'error', error: { type: 'overloaded', message: 'Busy.' } } as const;
    expect(written([{ type: 'response-start' }, failed])).toMatchObject({ type: 'error', error: { message: 'Busy.' } });
  });
});
