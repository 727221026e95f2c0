/** Errors over HTTP and in a stream, in every shape that upstreams send. */
import type { CanonicalError, ErrorAnswer, ErrorType } from '@streamglot/core';
import { messages } from '@streamglot/core/messages';
import { describe, expect, test } from 'vitest';
import { begin, blank, decoded, only, sse, start, text } from './wire.ts';

function answer(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): ErrorAnswer {
  return { status, body, headers: new Map(Object.entries(headers)) };
}

/** An error object of the dialect. */
const said = (type: string, more: object = {}): object => ({ type: 'error', error: { type, message: 'No.', ...more } });

const answers: readonly [name: string, answer: ErrorAnswer, error: Partial<CanonicalError>][] = [
  [
    'a bad request',
    answer(400, said('invalid_request_error')),
    { type: 'invalid_request', message: 'No.', status: 400 },
  ],
  ['a bad key', answer(401, said('authentication_error')), { type: 'authentication' }],
  ['a request that is too large', answer(413, said('request_too_large')), { type: 'too_large' }],
  [
    'a rate limit',
    answer(429, said('rate_limit_error'), { 'retry-after': '7' }),
    { type: 'rate_limit', retryAfterMs: 7000 },
  ],
  [
    'a wait in milliseconds',
    answer(429, said('rate_limit_error'), { 'retry-after-ms': '250', 'retry-after': '7' }),
    { retryAfterMs: 250 },
  ],
  ['too much to do', answer(529, said('overloaded_error')), { type: 'overloaded', status: 529 }],
  [
    'a spent limit under 429',
    answer(429, said('rate_limit_error', { details: { error_code: 'monthly_spend_limit_reached' } }), {
      'retry-after': '7',
    }),
    { type: 'billing', code: 'monthly_spend_limit_reached' },
  ],
  [
    'a request that is too long',
    answer(400, { error: { type: 'invalid_request_error', message: 'prompt is too long: 9 > 8' } }),
    { code: 'context_length_exceeded' },
  ],
  [
    'the id of the request in the body',
    answer(500, { ...said('api_error'), request_id: 'req_b' }, { 'request-id': 'req_h' }),
    { requestId: 'req_b' },
  ],
  [
    'the id of the request in a header',
    answer(500, said('api_error'), { 'request-id': 'req_h' }),
    { requestId: 'req_h' },
  ],
  ['an unknown type', answer(429, said('odd')), { type: 'rate_limit' }],
  [
    'an error of OpenAI’s form',
    answer(400, { error: { message: 'M', type: 'invalid_request_error', code: 'c' } }),
    { type: 'invalid_request', code: 'c', message: 'M' },
  ],
  ['an error that is a text', answer(403, { error: 'Forbidden.' }), { type: 'permission', message: 'Forbidden.' }],
  ['a body that is a text', answer(502, 'Bad Gateway'), { type: 'upstream', message: 'Bad Gateway' }],
  ['no body', answer(503, undefined), { type: 'overloaded' }],
  ['a body that makes no sense', answer(404, [1, { a: null }]), { type: 'not_found' }],
  [
    'a key in the message',
    answer(401, { error: { message: `bad key sk-${'x'.repeat(24)}` } }),
    { message: 'bad key [redacted]' },
  ],
];

describe('an error that came over HTTP', () => {
  test.each(answers)('%s', (_, came, error) => {
    expect(messages.decodeError(came)).toMatchObject(error);
  });

  test('a spent limit is no reason to wait, and a date is none without a clock', () => {
    const spent = answer(402, said('billing_error'), { 'retry-after': '7' });
    const dated = answer(429, said('rate_limit_error'), { 'retry-after': 'Sun, 29 Nov 2026 12:00:00 GMT' });
    expect(messages.decodeError(spent)).not.toHaveProperty('retryAfterMs');
    expect(messages.decodeError(dated)).not.toHaveProperty('retryAfterMs');
  });
});

const words: readonly [ErrorType, number, string][] = [
  ['invalid_request', 400, 'invalid_request_error'],
  ['authentication', 401, 'authentication_error'],
  ['billing', 402, 'billing_error'],
  ['permission', 403, 'permission_error'],
  ['not_found', 404, 'not_found_error'],
  ['conflict', 409, 'conflict_error'],
  ['too_large', 413, 'request_too_large'],
  ['rate_limit', 429, 'rate_limit_error'],
  ['timeout', 504, 'timeout_error'],
  ['overloaded', 529, 'overloaded_error'],
  ['upstream', 502, 'api_error'],
  ['api_error', 500, 'api_error'],
  ['unimplemented', 501, 'api_error'],
];

describe('an error that goes out over HTTP', () => {
  test.each(words)('%s has status %i and type %s', (type, status, word) => {
    expect(messages.encodeError({ type, message: 'No.', code: 'c', requestId: 'req_1', native: 'hidden' })).toEqual({
      status,
      body: { type: 'error', error: { type: word, message: 'No.', details: { error_code: 'c' } }, request_id: 'req_1' },
    });
  });

  test.each(words.filter(([type]) => type !== 'upstream' && type !== 'unimplemented'))(
    '%s is read as it was written',
    (type) => {
      const { status, body } = messages.encodeError({ type, message: 'No.' });
      expect(messages.decodeError(answer(status, body))).toMatchObject({ type, message: 'No.' });
    },
  );
});

const frames: readonly [name: string, frame: string, error: Partial<CanonicalError>][] = [
  [
    'the documented form',
    'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Busy."},"request_id":"req_1"}',
    { type: 'overloaded', message: 'Busy.', requestId: 'req_1' },
  ],
  [
    'without an event line',
    'data: {"type":"error","error":{"type":"rate_limit_error","message":"Slow."}}',
    { type: 'rate_limit' },
  ],
  ['without a type', 'data: {"error":{"type":"api_error","message":"Oops."}}', { type: 'api_error', message: 'Oops.' }],
  [
    'flat',
    'event: error\ndata: {"type":"overloaded_error","message":"Busy."}',
    { type: 'overloaded', message: 'Busy.' },
  ],
  ['flat with a type of error', 'data: {"type":"error","message":"Oops."}', { type: 'upstream', message: 'Oops.' }],
  ['a text', 'data: {"type":"error","error":"Oops."}', { message: 'Oops.' }],
  ['a bare text', 'event: error\ndata: out of memory', { type: 'upstream', message: 'out of memory' }],
  ['a status as the code', 'data: {"error":{"code":429,"message":"Slow."}}', { type: 'rate_limit' }],
  ['no JSON', 'event: content_block_delta\ndata: {"type":', { code: 'malformed_stream' }],
];

describe('an error in a stream', () => {
  test.each(frames)('as the first event: %s', (_, frame, error) => {
    const events = decoded(`${frame}\n\n`);
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ type: 'error', error });
  });

  test.each(frames)('after output, which stays: %s', (_, frame, error) => {
    const events = decoded(
      `${sse(start(), begin(0, blank.text), text(0, 'a'))}${frame}\n\n${sse({ type: 'message_stop' })}`,
    );
    expect(only(events, 'block-delta')).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({ type: 'error', error });
    expect(only(events, 'response-end')).toEqual([]);
  });
});

test('a connection is kept alive by a ping, or by a comment before anything may be sent', () => {
  expect(messages.keepAlive(true)).toBe('event: ping\ndata: {"type":"ping"}\n\n');
  expect(messages.keepAlive(false)).toMatch(/^: .+\n\n$/);
});
