/** What the random laws and the hostile streams have found, each as one small case. */
import {
  createReader,
  createTranslator,
  dialectOf,
  type FrameEvents,
  type KnownDialect,
  translateText,
} from '@streamglot/core';
import { describe, expect, test } from 'vitest';
import { sample } from '../../../packages/providers/src/replay/sample.ts';
import { encoderOf } from '../laws/codec.ts';

function chunk(choice: object, more: object = {}): string {
  const choices = [{ index: 0, delta: {}, finish_reason: null, ...choice }];
  return `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices, ...more })}\n\n`;
}

function event(type: string, more: object = {}): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
}

const usage = { input_tokens: 1, output_tokens: 1 };
const started = event('message_start', {
  message: {
    id: 'm',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage,
  },
});
const stopped = (reason: string) =>
  event('message_delta', { delta: { stop_reason: reason, stop_sequence: null }, usage }) + event('message_stop');

function write(dialect: KnownDialect, ...events: FrameEvents): string {
  const encoder = encoderOf(dialect);
  return encoder.push([{ type: 'response-start', id: 'r', model: 'm' }, ...events]) + encoder.end();
}

const over: FrameEvents = [{ type: 'response-end', status: 'completed' }];

describe('an encoder of chat', () => {
  test('begins a candidate of which it can show nothing', () => {
    const text = write(
      'chat',
      { type: 'finish', choice: 0, reason: 'stop' },
      { type: 'block-start', block: 0, choice: 1, kind: 'item' },
      { type: 'block-end', block: 0 },
      { type: 'finish', choice: 1, reason: 'stop' },
      ...over,
    );
    expect(text).toContain('"index":1,"delta":{"role":"assistant"');
  });

  test('begins candidates in order and ends those that an upstream left out', () => {
    const text = write('chat', { type: 'finish', choice: 2, reason: 'stop' }, ...over);
    expect([...text.matchAll(/"index":(\d),"delta":\{"role"/g)].map(([, index]) => index)).toEqual(['0', '1', '2']);
    expect(text.match(/"finish_reason":"stop"/g)).toHaveLength(3);
  });

  test.each(['error', 'cancelled'] as const)('does not end well after the reason %s', (reason) => {
    expect(write('chat', { type: 'finish', choice: 0, reason }, ...over)).toMatch(/\{"error":.*\n\n$/);
  });

  test('tells the usage that only the start told', () => {
    const encoder = encoderOf('chat');
    const text = encoder.push([
      { type: 'response-start', usage: { inputTokens: 3, outputTokens: 4 } },
      { type: 'finish', choice: 0, reason: 'stop' },
      ...over,
    ]);
    expect(text).toContain('"prompt_tokens":3,"completion_tokens":4');
  });
});

test('an encoder of messages tells the usage that only the start told', () => {
  const text = encoderOf('messages').push([
    { type: 'response-start', usage: { inputTokens: 3, outputTokens: 4 } },
    { type: 'finish', choice: 0, reason: 'stop' },
    ...over,
  ]);
  expect(text).toMatch(/"message_delta".*"output_tokens":4/);
});

describe('words that every object knows', () => {
  test.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
    'the finish reason %s of chat is unknown',
    (word) => {
      const text = translateText(
        `${chunk({ delta: { content: 'a' } })}${chunk({ finish_reason: word })}data: [DONE]\n\n`,
        { from: 'chat', to: 'messages' },
      );
      expect(text).toContain('"stop_reason":"end_turn"');
    },
  );

  test.each(['constructor', '__proto__'])('the dialect %s is unknown', (id) => {
    expect(() => dialectOf(id)).toThrow(RangeError);
  });

  test.each(['status', 'status_code', 'code'])('an error whose %s is an object is read', (member) => {
    const text = translateText(
      `data: ${JSON.stringify({ error: { message: 'no', [member]: { toString: 1, valueOf: 1 } } })}\n\n`,
      { from: 'chat', to: 'chat' },
    );
    expect(text).toContain('"message":"no"');
  });
});

describe('numbers that count nothing', () => {
  test.each([-1, 0.5, 1e300, '3e0', ''])('the count %s is unknown', (prompt_tokens) => {
    const text = translateText(
      chunk({ delta: { content: 'a' } }) +
        chunk({ finish_reason: 'stop' }, { usage: { prompt_tokens, completion_tokens: 2 } }),
      { from: 'chat', to: 'messages' },
    );
    expect(text).toMatch(/"message_delta".*"usage":\{"output_tokens":2\}/);
  });

  test.each([-1, 0.5, '0'])('the index %s of a choice is its place', (index) => {
    const text = translateText(chunk({ index, delta: { content: 'a' } }) + chunk({ index, finish_reason: 'stop' }), {
      from: 'chat',
      to: 'messages',
    });
    expect(text).toContain('"text":"a"');
  });
});

describe('a call that names no tool', () => {
  const tool = { type: 'tool_use', id: 't', input: {} };
  const input = event('content_block_delta', { index: 0, delta: { type: 'input_json_delta', partial_json: '{}' } });
  const end = event('content_block_stop', { index: 0 }) + stopped('tool_use');

  test.each([
    ['without a name', started + event('content_block_start', { index: 0, content_block: tool }) + input + end],
    ['never begun', started + input + end],
  ])('%s is none', (_, text) => {
    const out = translateText(text, { from: 'messages', to: 'chat' });
    expect(out).not.toContain('tool_calls');
    expect(out).toContain('"finish_reason":"stop"');
  });
});

describe('a limit that is met inside a frame', () => {
  test('does not break on what the frame has yet to mend', () => {
    const calls = Array.from({ length: 10 }, (_, at) => ({ index: at, id: `c${at}`, function: { arguments: 'x' } }));
    const translator = createTranslator({ from: 'chat', to: 'chat', limits: { maxQueuedBytes: 3, maxBlocks: 2 } });
    const out = Buffer.from(translator.push(chunk({ delta: { tool_calls: calls } }))).toString();
    expect(out).toMatch(/answer_too_large|too_many_calls/);
  });

  test('is told once, and nothing of the frame after it', () => {
    const reader = createReader(dialectOf('chat'), { limits: { maxBlocks: 1 } });
    const delta = { reasoning: 'a', content: 'b', images: [{ image_url: { url: 'http://a' } }] };
    const events = reader.push(chunk({ delta, content_filter_results: {} })).flat();
    expect(events.filter(({ type }) => type === 'error')).toHaveLength(1);
    expect(events.at(-1)?.type).toBe('error');
  });
});

test('a stream that only needs repair keeps its first hundred warnings', () => {
  const translator = createTranslator({ from: 'chat', to: 'chat' });
  translator.push('data:\n\n'.repeat(1000));
  expect(translator.warnings).toHaveLength(100);
});

test.each([
  ['items without end', { type: 'array', minItems: 1e9, items: { type: 'array', minItems: 1e9 } }],
  ['a text without end', { type: 'string', minLength: 1e12 }],
  ['a schema of itself, many times', { allOf: Array.from({ length: 50 }, () => ({ $ref: '#' })) }],
  ['a reference that is no address', { $ref: '#/%' }],
  ['a type named constructor', { type: 'constructor', format: 'constructor' }],
  ['names that are none', { type: 'object', required: [{ toString: 1 }, 5, '__proto__'] }],
])('replay() samples a schema with %s at once', (_, schema) => {
  const before = performance.now();
  expect(JSON.stringify(sample(schema)).length).toBeLessThan(1e6);
  expect(performance.now() - before).toBeLessThan(2000);
});
