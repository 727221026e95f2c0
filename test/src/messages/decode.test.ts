/** Messages streams to canonical events: what each shape means, and what is done about each fault. */
import { GrammarCheck, type ReaderOptions } from '@streamglot/core';
import { describe, expect, test } from 'vitest';
import {
  begin,
  blank,
  blocksOf,
  decoded,
  delta,
  end,
  input,
  only,
  reason,
  sse,
  start,
  stop,
  text,
  type Wired,
} from './wire.ts';

const signed = (index: number, signature: string): Wired => delta(index, { type: 'signature_delta', signature });
const thought = (index: number, thinking: string): Wired => delta(index, { type: 'thinking_delta', thinking });

/** What the blocks of a stream between its start and its end are read as. */
const readings: readonly [name: string, events: readonly Wired[], blocks: readonly string[]][] = [
  ['text', [begin(0, blank.text), text(0, 'Hel'), text(0, 'lo'), stop(0)], ['text: Hel|lo']],
  ['an empty delta', [begin(0, blank.text), text(0, ''), text(0, 'a'), stop(0)], ['text: a']],
  ['text that is in the start', [begin(0, { type: 'text', text: 'He' }), text(0, 'y'), stop(0)], ['text: He|y']],
  [
    'thinking with its signature',
    [begin(0, blank.thinking), thought(0, 'hm'), signed(0, 'c2ln'), stop(0)],
    ['reasoning: hm|<c2ln>'],
  ],
  [
    'a signature in two parts',
    [begin(0, blank.thinking), signed(0, 'ab'), signed(0, 'cd'), stop(0)],
    ['reasoning: <abcd>'],
  ],
  ['thinking that is not shown', [begin(0, blank.thinking), signed(0, 'c2ln'), stop(0)], ['reasoning: <c2ln>']],
  ['redacted thinking', [begin(0, { type: 'redacted_thinking', data: 'eA==' }), stop(0)], ['reasoning: ']],
  ['a call', [begin(0, blank.call('t1')), input(0, '{"a"'), input(0, ':1}'), stop(0)], ['tool_call: {"a"|:1}']],
  ['a call without input', [begin(0, blank.call('t1')), input(0, ''), stop(0)], ['tool_call: ']],
  ['input in the start', [begin(0, { ...blank.call('t1'), input: { n: 1 } }), stop(0)], ['tool_call: {"n":1}']],
  [
    'input in the start and in deltas',
    [begin(0, { ...blank.call('t1'), input: { n: 1 } }), input(0, '{"n":2}'), stop(0)],
    ['tool_call: {"n":2}'],
  ],
  [
    'input that is no text',
    [begin(0, blank.call('t1')), delta(0, { type: 'input_json_delta', partial_json: { n: 1 } }), stop(0)],
    ['tool_call: {"n":1}'],
  ],
  [
    'a call that the provider runs, and its result',
    [
      begin(0, { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} }),
      input(0, '{}'),
      stop(0),
      begin(1, { type: 'web_search_tool_result', tool_use_id: 's1', content: [1] }),
      stop(1),
    ],
    ['tool_call: {}', 'tool_result: [1]'],
  ],
  [
    'a compaction',
    [
      begin(0, { type: 'compaction', content: null }),
      delta(0, { type: 'compaction_delta', content: 'short' }),
      stop(0),
    ],
    ['item: {"type":"compaction","content":null}|short'],
  ],
  ['a block of an unknown type', [begin(0, { type: 'sketch', w: 2 }), stop(0)], ['item: {"type":"sketch","w":2}']],
  [
    'a delta of an unknown type',
    [begin(0, blank.text), delta(0, { type: 'tone' }), text(0, 'a'), stop(0)],
    ['text: a'],
  ],
  [
    'a citation',
    [
      begin(0, blank.text),
      text(0, 'a'),
      delta(0, { type: 'citations_delta', citation: { type: 'char_location', document_title: 'D' } }),
      stop(0),
    ],
    ['text: a|[D]'],
  ],
  [
    'an index that is used again',
    [begin(0, blank.thinking), thought(0, 'a'), stop(0), begin(0, blank.text), text(0, 'b'), stop(0)],
    ['reasoning: a', 'text: b'],
  ],
  [
    'a block that is never ended',
    [begin(0, blank.text), text(0, 'a'), begin(0, blank.thinking), thought(0, 'b'), stop(0)],
    ['text: a', 'reasoning: b'],
  ],
  ['a gap in the indexes', [begin(3, blank.text), text(3, 'a'), stop(3)], ['text: a']],
  [
    'indexes that are text',
    [begin(0, blank.call('t1')), input(0, '{"a"'), { ...input(0, ':1}'), index: '0' }, { ...stop(0), index: '0' }],
    ['tool_call: {"a"|:1}'],
  ],
  [
    'no index at all',
    [begin(0, blank.text), text(0, 'a'), stop(0), begin(0, blank.call('t1')), input(0, '{}'), stop(0)].map(
      ({ index: _, ...event }) => event,
    ),
    ['text: a', 'tool_call: {}'],
  ],
  ['null as the input of a call', [begin(0, blank.call('t1')), input(0, 'null'), stop(0)], ['tool_call: {}']],
  ['input at another index', [begin(0, blank.call('t1')), input(5, '{}'), stop(0)], ['tool_call: {}']],
  ['input of a call that was not begun', [input(0, '{}'), stop(0)], []],
  ['a delta without a block', [text(0, 'a'), stop(0)], ['text: a']],
  [
    'a delta of another kind than its block',
    [begin(0, blank.thinking), thought(0, 'a'), text(0, 'b'), stop(0)],
    ['reasoning: a', 'text: b'],
  ],
  ['an end without a block', [stop(4), begin(0, blank.text), text(0, 'a'), stop(0)], ['text: a']],
  [
    'blocks that overlap',
    [begin(0, blank.text), begin(1, blank.text), text(0, 'a'), text(1, 'b'), text(0, 'c'), stop(1), stop(0)],
    ['text: a|c', 'text: b'],
  ],
];

describe('the blocks of a stream', () => {
  test.each(readings)('%s', (_, events, blocks) => {
    expect(blocksOf(decoded(sse(start(), ...events, reason('end_turn'), end)))).toEqual(blocks);
  });

  test.each(readings)('%s obeys the grammar of events at each cut', (_, events) => {
    const frames = [start(), ...events, reason('end_turn'), end];
    for (let cut = 0; cut <= frames.length; cut++) {
      const check = new GrammarCheck();
      check.push(decoded(sse(...frames.slice(0, cut))));
      check.end();
      expect(check.violations).toEqual([]);
    }
  });

  test('a provider’s call is told from a client’s, and keeps its type', () => {
    const call = { type: 'mcp_tool_use', id: 'm1', name: 'find', server_name: 'docs', input: { q: 1 } };
    const events = decoded(sse(start(), begin(0, call), stop(0), reason('end_turn'), end));
    expect(only(events, 'block-start')[0]).toMatchObject({
      toolCall: { id: 'm1', name: 'find', executor: 'server', kind: 'mcp', serverName: 'docs' },
      item: { type: 'mcp_tool_use' },
    });
    expect(blocksOf(events)).toEqual(['tool_call: {"q":1}']);
  });

  test('a failed result says so', () => {
    const content = { type: 'web_search_tool_result_error', error_code: 'unavailable' };
    const result = { type: 'web_search_tool_result', tool_use_id: 's1', content };
    const [opened] = only(decoded(sse(start(), begin(0, result), stop(0), reason('end_turn'), end)), 'block-start');
    expect(opened?.toolResult).toEqual({ callId: 's1', isError: true });
  });

  test('calls with one id, or none, get ids of their own', () => {
    const two = [
      begin(0, blank.call('t')),
      stop(0),
      begin(1, blank.call('t')),
      stop(1),
      begin(2, blank.call('')),
      stop(2),
    ];
    const ids = only(decoded(sse(start(), ...two, reason('tool_use'), end)), 'block-start').map((b) => b.toolCall?.id);
    expect(new Set(ids).size).toBe(3);
    expect(ids[0]).toBe('t');
    expect(ids).not.toContain('');
  });

  test('content in the start of the message comes as whole blocks', () => {
    const content = [
      { type: 'text', text: 'pre' },
      { ...blank.call('t1'), input: { n: 1 } },
    ];
    const events = decoded(
      sse(start({ content }), begin(2, blank.text), text(2, 'a'), stop(2), reason('end_turn'), end),
    );
    expect(blocksOf(events)).toEqual(['text: pre', 'tool_call: {"n":1}', 'text: a']);
  });
});

/** Each end of a message, and what it means. */
const endings: readonly [name: string, events: readonly Wired[], finish: object][] = [
  ['a plain end', [reason('end_turn'), end], { reason: 'stop', nativeReason: 'end_turn' }],
  ['a limit', [reason('max_tokens'), end], { reason: 'length' }],
  ['a full window', [reason('model_context_window_exceeded'), end], { reason: 'context_overflow' }],
  ['a pause', [reason('pause_turn'), end], { reason: 'pause' }],
  ['a compaction', [reason('compaction'), end], { reason: 'compaction' }],
  ['calls', [reason('tool_use'), end], { reason: 'tool_calls' }],
  ['an unknown word', [reason('quota_yield'), end], { reason: 'other', nativeReason: 'quota_yield' }],
  ['a word that objects have', [reason('constructor'), end], { reason: 'other', nativeReason: 'constructor' }],
  [
    'a stop sequence',
    [
      {
        type: 'message_delta',
        delta: { stop_reason: 'stop_sequence', stop_sequence: '##' },
        usage: { output_tokens: 2 },
      },
      end,
    ],
    { reason: 'stop', stopSequence: '##' },
  ],
  [
    'a refusal that explains itself',
    [
      {
        type: 'message_delta',
        delta: { stop_reason: 'refusal', stop_details: { type: 'refusal', category: 'cyber', explanation: 'No.' } },
        usage: { output_tokens: 2 },
      },
      end,
    ],
    { reason: 'refusal', details: { category: 'cyber', message: 'No.' } },
  ],
  ['several reports, the reason in the last', [reason(null, 3), reason('end_turn', 5), end], { reason: 'stop' }],
  ['a reason, then a report without one', [reason('max_tokens', 3), reason(null, 5), end], { reason: 'length' }],
  ['two reasons', [reason('end_turn', 3), reason('max_tokens', 5), end], { reason: 'length' }],
  ['no reason at all', [end], { reason: 'stop' }],
  ['a report that gives no reason', [reason(null), end], { reason: 'stop' }],
  ['a reason, then nothing', [reason('end_turn')], { reason: 'stop' }],
];

describe('the end of a message', () => {
  test.each(endings)('%s', (_, events, finish) => {
    const seen = decoded(sse(start(), begin(0, blank.text), text(0, 'a'), stop(0), ...events));
    expect(only(seen, 'finish')).toMatchObject([finish]);
    expect(seen.at(-1)?.type).toBe('response-end');
  });

  test.each(['closed', 'reset', 'stalled'] as const)('a reason is proof enough when the bytes stop: %s', (cause) => {
    expect(decoded(sse(start(), reason('end_turn')), {}, cause).at(-1)?.type).toBe('response-end');
  });

  test('[DONE] stands for the end after a reason, and for nothing before', () => {
    const done = 'data: [DONE]\n\n';
    expect(decoded(sse(start(), reason('end_turn')) + done).at(-1)?.type).toBe('response-end');
    expect(decoded(sse(start(), begin(0, blank.text), text(0, 'a'), stop(0)) + done).at(-1)).toMatchObject({
      type: 'error',
      error: { code: 'stream_truncated' },
    });
  });

  test('a message that makes calls and gives no reason was stopped by them', () => {
    const seen = decoded(sse(start(), begin(0, blank.call('t')), input(0, '{}'), stop(0), end));
    expect(only(seen, 'finish')).toMatchObject([{ reason: 'tool_calls' }]);
    expect(only(seen, 'warning').map(({ code }) => code)).toContain('finish_missing');
  });

  const cut: readonly [ReaderOptions, readonly Wired[], string][] = [
    [{}, [begin(0, blank.text), text(0, 'a'), stop(0)], 'error'],
    [{ acceptMissingTerminal: true }, [begin(0, blank.text), text(0, 'a'), stop(0)], 'response-end'],
    [{ acceptMissingTerminal: true }, [begin(0, blank.text), text(0, 'a')], 'error'],
  ];
  test.each(cut)('without any proof, %j decides', (options, events, last) => {
    expect(decoded(sse(start(), ...events), options).at(-1)?.type).toBe(last);
  });

  test('nothing is read after the end', () => {
    const trailer = 'data: {"amazon-bedrock-invocationMetrics":{"inputTokenCount":5}}\n\nevent: done\ndata: [DONE]\n\n';
    const whole = sse(start(), reason('end_turn'), end);
    expect(decoded(whole + trailer)).toEqual(decoded(whole));
  });
});

describe('frames beside the answer', () => {
  test('pings are pings, unknown events stay as they are, frames that say nothing are left out', () => {
    const hint = { type: 'message_hint', hint: 'x' };
    const events = decoded(`${sse(start(), { type: 'ping' }, hint)}data: {"x":1}\n\n${sse(reason('end_turn'), end)}`);
    expect(only(events, 'ping')).toHaveLength(1);
    expect(only(events, 'raw')).toEqual([{ type: 'raw', name: 'message_hint', data: hint }]);
    expect(only(events, 'warning').map(({ code }) => code)).toEqual(['frame_ignored']);
  });

  test('types are read from the payload where there is no event line, and from the line where the payload has none', () => {
    const events = [start(), begin(0, blank.text), text(0, 'a'), stop(0), reason('end_turn'), end];
    const nameless = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
    const typeless = events.map(({ type, ...event }) => `event: ${type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
    expect(decoded(nameless)).toEqual(decoded(sse(...events)));
    expect(decoded(typeless)).toEqual(decoded(sse(...events)));
  });

  test('a second start is no second message; what was open is over', () => {
    const again = [
      start(),
      begin(0, blank.call('a')),
      input(0, '{"n":1'),
      start({ id: 'msg_2' }),
      begin(0, blank.call('b')),
      input(0, '{}'),
      stop(0),
    ];
    const events = decoded(sse(...again, reason('tool_use'), end));
    expect(only(events, 'response-start')).toMatchObject([{ id: 'msg_1' }]);
    expect(blocksOf(events)).toEqual(['tool_call: {"n":1', 'tool_call: {}']);
  });

  test('content before any start begins the message', () => {
    const events = decoded(sse(begin(0, blank.text), text(0, 'a'), stop(0), reason('end_turn'), end));
    expect(events.map(({ type }) => type).slice(0, 2)).toEqual(['response-start', 'block-start']);
  });

  test('containers and context edits are kept beside the answer', () => {
    const more = { context_management: { applied_edits: [] } };
    const said = {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', container: { id: 'c1' } },
      usage: { output_tokens: 1 },
    };
    const notes = only(decoded(sse(start(), { ...said, ...more }, end)), 'metadata');
    expect(notes.map(({ key, value }) => [key, value])).toEqual([
      ['container', { id: 'c1' }],
      ['context_management', { applied_edits: [] }],
    ]);
  });

  test('more blocks than are allowed end the stream', () => {
    const many = [0, 1, 2].flatMap((index) => [begin(index, blank.text), stop(index)]);
    expect(decoded(sse(start(), ...many), { limits: { maxBlocks: 2 } }).at(-1)).toMatchObject({
      error: { type: 'too_large', code: 'too_many_blocks' },
    });
  });
});
