/** Blocks that overlap upstream, and the input of calls: what waits, what is written, what is refused. */
import { type CanonicalEvent, defaultLimits, type Finish } from '@streamglot/core';
import { describe, expect, test } from 'vitest';
import { grammarOf } from '../support/grammar/index.ts';
import { answer, calls, closes, feeds, opens, says, thinks, writtenBlocks } from './events.ts';
import { encoded, type Wired } from './wire.ts';

const { violations } = grammarOf('messages');

const whole = '{"a":1}';

/** Blocks that overlap upstream, and the order in which they are written: `kind: pieces`. */
const queues: readonly [name: string, events: readonly CanonicalEvent[], order: readonly string[]][] = [
  [
    'calls side by side take turns',
    [calls(0), calls(1), feeds(0, '{"a"'), feeds(1, '{"b"'), feeds(0, ':1}'), feeds(1, ':2}'), closes(0), closes(1)],
    ['call_0: {"a"|:1}', 'call_1: {"b"|:2}'],
  ],
  [
    'a call whose input is whole lets others in',
    [calls(0), feeds(0, whole), calls(1), feeds(1, '{'), feeds(1, '}'), closes(0), closes(1)],
    ['call_0: {"a":1}', 'call_1: {|}'],
  ],
  [
    'white space after whole input is dropped',
    [calls(0), feeds(0, whole), calls(1), feeds(0, ' \n'), closes(0), closes(1)],
    ['call_0: {"a":1}', 'call_1: '],
  ],
  [
    'text waits for an open call',
    [calls(0), feeds(0, '{"a"'), opens(1), says(1, 'x'), feeds(0, ':1}'), says(1, 'y'), closes(0), closes(1)],
    ['call_0: {"a"|:1}', 'text: x|y'],
  ],
  [
    'text ends a call that has no input',
    [calls(0), opens(1), says(1, 'x'), closes(0), closes(1)],
    ['call_0: ', 'text: x'],
  ],
  [
    'white space does not',
    [calls(0), opens(1), says(1, '\n'), feeds(0, whole), closes(0), closes(1)],
    ['call_0: {"a":1}', 'text: \n'],
  ],
  [
    'a call ends text for good or for now',
    [opens(0), says(0, 'x'), calls(1), feeds(1, whole), says(0, 'y'), closes(0), closes(1)],
    ['text: x', 'call_1: {"a":1}', 'text: y'],
  ],
  [
    'text waits for no text',
    [opens(0), opens(1, 'reasoning'), says(0, 'x'), thinks(1, 't'), says(0, 'y'), closes(1), closes(0)],
    ['text: x', 'thinking: t', 'text: y'],
  ],
  [
    'what ends while it waits is written whole',
    [
      calls(0),
      feeds(0, '{'),
      calls(1),
      feeds(1, whole),
      closes(1),
      opens(2),
      says(2, 'z'),
      closes(2),
      feeds(0, '}'),
      closes(0),
    ],
    ['call_0: {|}', 'call_1: {"a":1}', 'text: z'],
  ],
];

/** The blocks of a stream as `id or type: pieces`. */
function orderOf(out: readonly Wired[]): string[] {
  const order: { name: string; pieces: string[] }[] = [];
  for (const { type, content_block: block, delta } of out as readonly Readonly<Record<string, Wired | undefined>>[]) {
    if (block !== undefined) order.push({ name: String(block.id ?? block.type), pieces: [] });
    if (String(type) === 'content_block_delta')
      order.at(-1)?.pieces.push(String(delta?.text ?? delta?.thinking ?? delta?.partial_json));
  }
  return order.map(({ name, pieces }) => `${name}: ${pieces.join('|')}`);
}

describe('blocks that overlap', () => {
  test.each(queues)('%s', (_, events, order) => {
    expect(orderOf(writtenBlocks(events, { reason: 'tool_calls' }))).toEqual(order);
  });

  test('too much waiting ends the stream', () => {
    const limits = { ...defaultLimits, maxQueuedBytes: 10 };
    const { out, encoder } = encoded(answer([calls(0), feeds(0, '{'), opens(1), says(1, 'x'.repeat(20))]), { limits });
    expect(encoder.failure).toMatchObject({ type: 'too_large', code: 'queue_too_large' });
    expect(out.at(-1)).toMatchObject({ type: 'error', error: { type: 'request_too_large' } });
  });

  test('what has had its turn waits no more', () => {
    const limits = { ...defaultLimits, maxQueuedBytes: 10 };
    const turn = (call: number): CanonicalEvent[] => [
      calls(call),
      feeds(call, '{'),
      opens(call + 1),
      says(call + 1, 'wait'),
      feeds(call, '}'),
      closes(call),
      closes(call + 1),
    ];
    const { encoder } = encoded(answer([...turn(0), ...turn(2), ...turn(4)]), { limits });
    expect(encoder.failure).toBeUndefined();
  });
});

describe('input that is not what it should be', () => {
  const inputs: readonly [text: string, reason: Finish['reason'], last: string][] = [
    ['{"a":1}', 'tool_calls', 'message_stop'],
    ['', 'tool_calls', 'message_stop'],
    ['{"a":"\\u12', 'length', 'message_stop'],
    ['{"a":tr', 'length', 'message_stop'],
    ['{"a"', 'length', 'message_stop'],
    ['[1,', 'length', 'message_stop'],
    ['{"a":-', 'length', 'message_stop'],
    ['{"a":"x\\', 'length', 'message_stop'],
    ['{"a":1', 'tool_calls', 'error'],
    ['{"a":tru]', 'tool_calls', 'error'],
    ['{"a":tru]', 'length', 'error'],
    ['{"a":1}}', 'length', 'error'],
    ['{a:1}', 'length', 'error'],
    ['{"a":1}{"b":2}', 'tool_calls', 'error'],
    ['"a\nb"', 'tool_calls', 'error'],
  ];
  test.each(inputs)('%j with the reason %s ends with %s', (text, reason, last) => {
    const { out, stream, encoder } = encoded(answer([calls(0), feeds(0, text), closes(0)], { reason }));
    expect(out.at(-1)?.type).toBe(last);
    expect(violations(stream)).toEqual([]);
    expect(encoder.failure?.code).toBe(last === 'error' ? 'malformed_tool_arguments' : undefined);
  });

  test('input after input that was whole is an error, not a lost word', () => {
    const { out } = encoded(answer([calls(0), feeds(0, whole), calls(1), feeds(0, '{"b":2}'), closes(0), closes(1)]));
    expect(out.at(-1)).toMatchObject({ type: 'error', error: { details: { error_code: 'malformed_tool_arguments' } } });
  });
});
