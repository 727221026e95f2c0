/** A Chat stream that fails says so once, in the one form that every client throws on, and never as a success. */
import { type CanonicalError, createReader, createTranslator, dialects, type FrameEvents } from '@streamglot/core';
import { describe, expect, test } from 'vitest';
import { call, calls, chunk, data, done, finish, frame, read, role, type Wire } from './wire.ts';

interface Failure {
  name: string;
  stream: string;
  type: CanonicalError['type'];
  code?: string;
}

const hi = role + chunk({ content: 'Hi' });
const said = { message: 'No more.', type: 'rate_limit_error', code: 'rate_limit_exceeded' };

const failures: readonly Failure[] = [
  { name: 'an error object', stream: hi + data({ error: said }), type: 'rate_limit', code: 'rate_limit_exceeded' },
  {
    name: 'an error object, then [DONE]',
    stream: hi + data({ error: said }) + done,
    type: 'rate_limit',
    code: 'rate_limit_exceeded',
  },
  {
    name: 'an error that is a text',
    stream: hi + data({ error: 'rate limit reached' }),
    type: 'rate_limit',
  },
  {
    name: 'a code beside a text',
    stream: hi + data({ code: 'invalid_api_key', error: 'No.' }),
    type: 'authentication',
    code: 'invalid_api_key',
  },
  {
    name: 'an error with an HTTP status as its code',
    stream: hi + data({ error: { message: 'No.', code: 503 } }),
    type: 'overloaded',
  },
  {
    name: 'an event named error',
    stream: `${hi}event: error\n${data({ message: 'No.', code: 'overloaded' })}`,
    type: 'overloaded',
    code: 'overloaded',
  },
  {
    name: 'an error beside a choice that says error',
    stream: hi + frame({ error: said, choices: [{ index: 0, delta: {}, finish_reason: 'error' }] }),
    type: 'rate_limit',
    code: 'rate_limit_exceeded',
  },
  { name: 'a finish that says error', stream: hi + finish('error') + done, type: 'upstream', code: 'error' },
  {
    name: 'an error inside the choice',
    stream: hi + finish('error', { error: said }),
    type: 'rate_limit',
    code: 'rate_limit_exceeded',
  },
  {
    name: 'an envelope with a status',
    stream: data({ choices: null, base_resp: { status_code: 1002, status_msg: 'rate limit' } }),
    type: 'rate_limit',
    code: '1002',
  },
  {
    name: 'an error as a bare line',
    stream: `${hi}${JSON.stringify({ error: said })}\n\n`,
    type: 'rate_limit',
    code: 'rate_limit_exceeded',
  },
  { name: 'no JSON', stream: hi + data('{"choices":[{"index":0,'), type: 'upstream', code: 'malformed_stream' },
  { name: 'a close after text', stream: hi, type: 'upstream', code: 'stream_truncated' },
  {
    name: 'a close after a whole call',
    stream: role + calls(call(0, 'call_a', 'f', '{}')),
    type: 'upstream',
    code: 'stream_truncated',
  },
  {
    name: 'a close before the second choice finished',
    stream: role + chunk({ content: 'B' }, { index: 1 }) + finish('stop'),
    type: 'upstream',
    code: 'stream_truncated',
  },
  { name: 'a sentinel alone', stream: done, type: 'upstream', code: 'empty_answer' },
  { name: 'nothing', stream: '', type: 'upstream', code: 'stream_truncated' },
];

function decode(stream: string): FrameEvents {
  const reader = createReader(dialects.chat);
  return [...reader.push(stream), ...reader.end()].flat();
}

function relay(stream: string, size: number): string {
  const translator = createTranslator({ from: 'chat', to: 'chat', includeUsage: true });
  const pieces = Array.from({ length: Math.ceil(stream.length / size) }, (_, at) =>
    translator.push(stream.slice(at * size, (at + 1) * size)),
  );
  return Buffer.concat([...pieces, translator.end()]).toString();
}

describe('a stream that fails', () => {
  test.each(failures)('ends in the right error: $name', ({ stream, type, code }) => {
    const ends = decode(stream).filter((event) => event.type === 'error' || event.type === 'response-end');
    expect(ends).toEqual([
      { type: 'error', error: expect.objectContaining({ type, ...(code !== undefined && { code }) }) },
    ]);
  });

  test.each(failures)('tells the client, last and without choices: $name', ({ stream }) => {
    const out = relay(stream, stream.length || 1);
    expect(out).not.toContain('[DONE]');
    const last = JSON.parse(out.trimEnd().split('\n\n').at(-1)?.slice('data: '.length) ?? '') as Wire;
    expect(last).toEqual({ error: expect.objectContaining({ message: expect.any(String) }), finish_reason: 'error' });
    expect(read(out).every((message) => message.finish !== null)).toBe(false);
  });

  test.each(failures)('gives the same bytes at any cut: $name', ({ stream }) => {
    for (const size of [1, 13, 100]) expect(relay(stream, size)).toBe(relay(stream, stream.length || 1));
  });

  test('keeps no key that the upstream has put into its message', () => {
    const key = `sk-${'a1'.repeat(12)}`;
    expect(relay(data({ error: { message: `Wrong key ${key}.` } }), 1000)).not.toContain(key);
  });

  test('is no failure once the finish has come, however the bytes stop', () => {
    const reader = createReader(dialects.chat);
    const events = [...reader.push(hi + finish('stop')), ...reader.end('reset')].flat();
    expect(events.at(-1)).toMatchObject({ type: 'response-end', status: 'completed' });
  });
});
