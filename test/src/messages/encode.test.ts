/** Canonical events of any upstream to a Messages stream. */
import type { BlockStart, CanonicalEvent, Finish } from '@streamglot/core';
import { describe, expect, test } from 'vitest';
import { grammarOf } from '../support/grammar/index.ts';
import { adds, answer, calls, closes, feeds, opens, own, says, thinks, writtenBlocks } from './events.ts';
import { begin, blank, delta, encoded, input, reason, stop, text, type Wired } from './wire.ts';

const { violations } = grammarOf('messages');

const writings: readonly [name: string, events: readonly CanonicalEvent[], blocks: readonly Wired[]][] = [
  [
    'text',
    [opens(0), says(0, 'a'), says(0, 'b'), closes(0)],
    [begin(0, blank.text), text(0, 'a'), text(0, 'b'), stop(0)],
  ],
  [
    'a block that says nothing is no block',
    [opens(0), says(0, ''), closes(0), opens(1), says(1, 'a'), closes(1)],
    [begin(0, blank.text), text(0, 'a'), stop(0)],
  ],
  [
    'a refusal is text',
    [opens(0, 'refusal'), says(0, 'No.'), closes(0)],
    [begin(0, blank.text), text(0, 'No.'), stop(0)],
  ],
  [
    'a transcript is text',
    [opens(0, 'audio'), adds(0, { type: 'transcript', text: 'hi' }), closes(0)],
    [begin(0, blank.text), text(0, 'hi'), stop(0)],
  ],
  [
    'reasoning is thinking, with a blank line between the parts of a summary',
    [opens(0, 'reasoning'), thinks(0, 'a', 0), thinks(0, 'b', 0), thinks(0, 'c', 1), closes(0)],
    [
      begin(0, blank.thinking),
      delta(0, { type: 'thinking_delta', thinking: 'a' }),
      delta(0, { type: 'thinking_delta', thinking: 'b' }),
      delta(0, { type: 'thinking_delta', thinking: '\n\nc' }),
      stop(0),
    ],
  ],
  [
    'a signature of another provider is not written',
    [opens(0, 'reasoning'), thinks(0, 'a'), adds(0, { type: 'signature', value: 'x', mode: 'set' }), closes(0)],
    [begin(0, blank.thinking), delta(0, { type: 'thinking_delta', thinking: 'a' }), stop(0)],
  ],
  [
    'a signature of this dialect is',
    [opens(0, 'reasoning', { native: own }), adds(0, { type: 'signature', value: 'x', mode: 'set' }, own), closes(0)],
    [begin(0, blank.thinking), delta(0, { type: 'signature_delta', signature: 'x' }), stop(0)],
  ],
  [
    'reasoning that only its provider can read is not written',
    [opens(0, 'reasoning', { reasoning: { encrypted: 'x' } }), closes(0)],
    [],
  ],
  [
    'redacted thinking of another provider is not written',
    [opens(0, 'reasoning', { reasoning: { redacted: 'x' } }), closes(0)],
    [],
  ],
  [
    'redacted thinking of this dialect is',
    [opens(0, 'reasoning', { reasoning: { redacted: 'x' }, native: own }), closes(0)],
    [begin(0, { type: 'redacted_thinking', data: 'x' }), stop(0)],
  ],
  [
    'a call',
    [calls(0), feeds(0, '{"a"'), feeds(0, ':1}'), closes(0)],
    [begin(0, blank.call('call_0')), input(0, '{"a"'), input(0, ':1}'), stop(0)],
  ],
  ['a call without input', [calls(0), feeds(0, ''), closes(0)], [begin(0, blank.call('call_0')), stop(0)]],
  [
    'input that is told only at the end',
    [calls(0), closes(0, { input: '{"a":1}' })],
    [begin(0, blank.call('call_0')), input(0, '{"a":1}'), stop(0)],
  ],
  [
    'free-form input is the one member of an object',
    [
      calls(0, 'c', { format: 'text', kind: 'custom' }),
      feeds(0, 'say "hi"\n'),
      feeds(0, '\ud83d'),
      feeds(0, '\ude80'),
      closes(0),
    ],
    [
      begin(0, blank.call('c')),
      input(0, '{"input":"'),
      input(0, 'say \\"hi\\"\\n'),
      input(0, '\\ud83d'),
      input(0, '\\ude80'),
      input(0, '"}'),
      stop(0),
    ],
  ],
  [
    'a call that another provider ran is not written',
    [calls(0, 'w', { executor: 'server', kind: 'web_search' }), closes(0)],
    [],
  ],
  ['only the first of several choices is written', [opens(0, 'text', { choice: 1 }), says(0, 'x'), closes(0)], []],
  [
    'a source with a URL is a search result',
    [
      opens(0),
      says(0, 'a'),
      adds(0, { type: 'citation', citation: { kind: 'url', url: 'https://example.test', title: 'T' } }),
      closes(0),
    ],
    [
      begin(0, blank.text),
      text(0, 'a'),
      delta(0, {
        type: 'citations_delta',
        citation: {
          type: 'web_search_result_location',
          url: 'https://example.test',
          title: 'T',
          cited_text: '',
          encrypted_index: '',
        },
      }),
      stop(0),
    ],
  ],
];

describe('blocks', () => {
  test.each(writings)('%s', (_, events, blocks) => {
    expect(writtenBlocks(events)).toEqual(blocks);
  });

  test('ids of calls are made legal and stay apart, legal ones stay', () => {
    const events = ['a.b', 'a:b', 'call_1', ''].flatMap((id, at) => [calls(at, id), closes(at)]);
    const ids = writtenBlocks(events).flatMap((event) => (event.content_block as Wired | undefined)?.id ?? []);
    expect(ids).toHaveLength(4);
    expect(new Set(ids).size).toBe(4);
    expect(ids.every((id) => /^[a-zA-Z0-9_-]+$/.test(String(id)))).toBe(true);
    expect(ids[2]).toBe('call_1');
  });

  test('what this dialect’s provider ran is written as it came', () => {
    const call = calls(0, 's1', { executor: 'server', kind: 'web_search', name: 'web_search' }) as BlockStart;
    const item = (type: string) => ({ item: { type }, native: own });
    const events = [
      { ...call, ...item('server_tool_use') },
      closes(0),
      opens(1, 'tool_result', { toolResult: { callId: 's1' }, ...item('web_search_tool_result') }),
      adds(1, { type: 'output', value: [{ url: 'u' }] }),
      closes(1),
      opens(2, 'item', item('compaction')),
      adds(2, { type: 'output', value: { type: 'compaction', content: null } }),
      adds(2, { type: 'output', text: 'short' }),
      closes(2),
    ];
    expect(encoded(answer(events)).out.slice(1, -2)).toEqual([
      begin(0, { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} }),
      stop(0),
      begin(1, { type: 'web_search_tool_result', tool_use_id: 's1', content: [{ url: 'u' }] }),
      stop(1),
      begin(2, { type: 'compaction', content: null }),
      delta(2, { type: 'compaction_delta', content: 'short' }),
      stop(2),
    ]);
  });

  test('reasoning is not shown to a client that did not want to see it', () => {
    const context = { dialect: 'messages', stream: true, showReasoning: false } as const;
    const { out } = encoded(answer([opens(0, 'reasoning'), thinks(0, 'a'), closes(0)]), { context });
    expect(out.map(({ type }) => type)).toEqual(['message_start', 'message_delta', 'message_stop']);
  });

  const losses: readonly [string, readonly CanonicalEvent[], string, string][] = [
    ['an image', [opens(0, 'image'), adds(0, { type: 'data', base64: 'x' }), closes(0)], 'image', 'severe'],
    ['sound', [opens(0, 'audio'), adds(0, { type: 'data', base64: 'x' }), closes(0)], 'audio', 'severe'],
    ['a second choice', [opens(0, 'text', { choice: 1 }), closes(0)], 'choices[1]', 'severe'],
    [
      'a call that another provider ran',
      [calls(0, 'w', { executor: 'server', kind: 'web_search' }), closes(0)],
      'tool_call.web_search',
      'minor',
    ],
  ];
  test.each(losses)('%s is missed aloud', (_, events, field, severity) => {
    expect(encoded(answer(events)).encoder.losses).toMatchObject([{ field, severity, dialect: 'messages' }]);
  });
});

describe('the frame of a message', () => {
  test('starts once, stops once, and repeats the reason of the upstream in this dialect’s word', () => {
    const { out, stream } = encoded(answer([opens(0), says(0, 'a'), closes(0)], { nativeReason: 'odd' }));
    expect(violations(stream)).toEqual([]);
    expect(out.at(-2)).toEqual(reason('end_turn'));
    expect(out[0]).toMatchObject({ message: { id: 'r1', model: 'm', stop_reason: null, stop_details: null } });
  });

  const reasons: readonly [finish: Partial<Finish>, calls: boolean, delta: Wired][] = [
    [{ reason: 'stop' }, false, { stop_reason: 'end_turn', stop_sequence: null }],
    [{ reason: 'stop', stopSequence: '##' }, false, { stop_reason: 'stop_sequence', stop_sequence: '##' }],
    [{ reason: 'length' }, false, { stop_reason: 'max_tokens', stop_sequence: null }],
    [{ reason: 'tool_calls' }, true, { stop_reason: 'tool_use', stop_sequence: null }],
    [{ reason: 'tool_calls' }, false, { stop_reason: 'end_turn', stop_sequence: null }],
    [{ reason: 'pause' }, false, { stop_reason: 'pause_turn', stop_sequence: null }],
    [{ reason: 'context_overflow' }, false, { stop_reason: 'model_context_window_exceeded', stop_sequence: null }],
    [{ reason: 'continue' }, false, { stop_reason: 'max_tokens', stop_sequence: null }],
    [{ reason: 'other', nativeReason: 'odd' }, false, { stop_reason: 'end_turn', stop_sequence: null }],
    [{ reason: 'other', nativeReason: 'odd', native: own }, false, { stop_reason: 'odd', stop_sequence: null }],
    [
      { reason: 'content_filter' },
      false,
      {
        stop_reason: 'refusal',
        stop_sequence: null,
        stop_details: { type: 'refusal', category: null, explanation: null },
      },
    ],
    [
      { reason: 'refusal', details: { message: 'No.' } },
      false,
      {
        stop_reason: 'refusal',
        stop_sequence: null,
        stop_details: { type: 'refusal', category: null, explanation: 'No.' },
      },
    ],
  ];
  test.each(reasons)('%j, calls: %s', (finish, called, wire) => {
    const { out } = encoded(answer(called ? [calls(0), closes(0)] : [], finish));
    expect(out.at(-2)?.delta).toEqual(wire);
  });

  test.each(['failed', 'cancelled'] as const)('an answer that %s is no message that stopped', (status) => {
    const { out } = encoded([{ type: 'response-start' }, { type: 'response-end', status }]);
    expect(out.at(-1)?.type).toBe('error');
  });

  test('an error stands alone, or behind what was said, and nothing is closed as if it were whole', () => {
    const error = { type: 'error', error: { type: 'overloaded', message: 'Busy.', requestId: 'req_1' } } as const;
    const wire = { type: 'error', error: { type: 'overloaded_error', message: 'Busy.' }, request_id: 'req_1' };
    expect(encoded([error]).out).toEqual([wire]);
    const begun = encoded([{ type: 'response-start' }, opens(0), says(0, 'a'), error]).out;
    expect(begun.slice(1)).toEqual([begin(0, blank.text), text(0, 'a'), wire]);
  });

  test('a stream without an end gets an error', () => {
    expect(encoded([{ type: 'response-start' }]).out.at(-1)).toMatchObject({
      error: { details: { error_code: 'stream_truncated' } },
    });
  });

  test('pings go out once the message has begun', () => {
    const { out } = encoded([{ type: 'ping' }, { type: 'response-start' }, { type: 'ping' }]);
    expect(out.map(({ type }) => type)).toEqual(['message_start', 'ping', 'error']);
  });

  test('a model and an id that nobody told are filled in', () => {
    const [first] = encoded([{ type: 'response-start' }]).out;
    expect(first?.message).toMatchObject({ model: 'unknown', id: expect.stringMatching(/^msg_\w{22}$/) });
  });
});
