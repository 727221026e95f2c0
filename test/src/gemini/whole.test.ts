/** Whole answers and errors over HTTP, in both directions. */
import { Collector, defaultLimits, type ErrorType, Ids } from '@streamglot/core';
import { describe, expect, test } from 'vitest';
import { gemini } from '../../../packages/core/src/dialects/gemini/index.ts';
import { chunk, framesOf, only, says, stops, type Wired } from './wire.ts';

const options = { ids: new Ids('seed'), limits: defaultLimits };

/** An answer that was read and written again. */
function again(body: unknown): unknown {
  const collector = new Collector();
  collector.addFrame(gemini.decodeResponse(body, { ids: new Ids('seed'), limits: defaultLimits }));
  return gemini.encodeResponse(collector.response(), options);
}

const usageMetadata = { promptTokenCount: 3, candidatesTokenCount: 4, thoughtsTokenCount: 2, totalTokenCount: 9 };
const whole = (parts: readonly Wired[], more: Wired = {}): Wired => ({
  ...chunk(parts, { finishReason: 'STOP', ...more }),
  usageMetadata,
});

const answers: readonly [name: string, body: Wired][] = [
  ['text', whole([{ text: 'Hello' }])],
  [
    'thoughts and a signed text',
    whole([
      { thought: true, text: 'hm' },
      { text: 'a', thoughtSignature: 's' },
    ]),
  ],
  ['calls', whole([{ functionCall: { id: 'c1', name: 'f', args: { a: [1] } }, thoughtSignature: 's' }])],
  ['a call without an id', whole([{ functionCall: { name: 'f', args: {} } }])],
  ['a picture', whole([{ text: 'a' }, { inlineData: { mimeType: 'image/png', data: 'eA==' } }])],
  [
    'tools of the provider',
    whole([
      { executableCode: { language: 'PYTHON', code: 'x' } },
      { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } },
    ]),
  ],
  [
    'ratings and sources',
    whole([{ text: 'a' }], {
      safetyRatings: [{ category: 'C', probability: 'LOW' }],
      groundingMetadata: { webSearchQueries: ['q'] },
    }),
  ],
  ['a filtered answer', { ...stops('SAFETY'), usageMetadata }],
  [
    'a refused prompt',
    { promptFeedback: { blockReason: 'SAFETY' }, modelVersion: 'm', responseId: 'r', usageMetadata },
  ],
];

test.each(answers)('%s, read and written, is the same', (_name, body) => {
  expect(again(body)).toEqual(JSON.parse(JSON.stringify(body).replace('"parts":[]', '"parts":[{"text":""}]')));
});

test('a body that is a whole answer is read as one, whatever it was asked as', () => {
  const events = framesOf(JSON.stringify(whole([{ text: 'a' }])), { contentType: 'application/json' }).flat();
  expect(only(events, 'finish').reason).toBe('stop');
  expect(events.at(-1)?.type).toBe('response-end');
});

test('chunks in a list are one answer', () => {
  const events = gemini.decodeResponse([says('a'), says('b'), stops()], options);
  expect(events.filter((event) => event.type === 'block-start')).toHaveLength(1);
});

test.each([
  ['an error', { error: { code: 429, message: 'Slow down.', status: 'RESOURCE_EXHAUSTED' } }, 'rate_limit'],
  ['something else', { hello: 1 }, 'upstream'],
  ['nothing', null, 'upstream'],
])('%s under a good status is an error', (_name, body, type) => {
  expect(gemini.decodeResponse(body, options).at(-1)).toMatchObject({ type: 'error', error: { type } });
});

test('arguments that are no object are not written', () => {
  const collector = new Collector();
  const toolCall = { id: 'c', name: 'f', format: 'json', executor: 'client', kind: 'function' } as const;
  collector.addFrame([
    { type: 'block-start', block: 0, choice: 0, kind: 'tool_call', toolCall },
    { type: 'block-delta', block: 0, delta: { type: 'input', text: '[1' } },
    { type: 'finish', choice: 0, reason: 'tool_calls' },
  ]);
  expect(() => gemini.encodeResponse(collector.response(), options)).toThrow('cut off');
});

describe('an HTTP error', () => {
  const read = (status: number, body: unknown, headers: Record<string, string> = {}) =>
    gemini.decodeError({ status, headers: new Map(Object.entries(headers)), body });

  test.each([
    [400, 'INVALID_ARGUMENT', 'invalid_request'],
    [401, 'UNAUTHENTICATED', 'authentication'],
    [403, 'PERMISSION_DENIED', 'permission'],
    [404, 'NOT_FOUND', 'not_found'],
    [429, 'RESOURCE_EXHAUSTED', 'rate_limit'],
    [500, 'INTERNAL', 'api_error'],
    [503, 'UNAVAILABLE', 'overloaded'],
    [504, 'DEADLINE_EXCEEDED', 'timeout'],
  ])('%i %s is %s, also in a list, and back', (code, status, type) => {
    const body = { error: { code, message: 'Why.', status } };
    expect(read(code, body)).toMatchObject({ type, message: 'Why.', status: code });
    expect(read(code, [body])).toMatchObject({ type, message: 'Why.' });
    const written = gemini.encodeError({ type: type as ErrorType, message: 'Why.' });
    expect(written).toEqual({ status: code, body });
  });

  test('about a bad key is one of authentication, though it says otherwise', () => {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }];
    const error = { code: 400, message: 'API key not valid.', status: 'INVALID_ARGUMENT', details };
    expect(read(400, { error })).toMatchObject({ type: 'authentication', code: 'api_key_invalid' });
  });

  test('says how long to wait', () => {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '12.5s' }];
    const body = { error: { code: 429, message: 'Slow down.', status: 'RESOURCE_EXHAUSTED', details } };
    expect(read(429, body).retryAfterMs).toBe(12_500);
    expect(read(429, body, { 'retry-after': '3' }).retryAfterMs).toBe(3000);
  });

  test('about too long a prompt has its code', () => {
    const message = 'The input token count (9) exceeds the maximum number of tokens allowed (8).';
    expect(read(400, { error: { code: 400, message, status: 'INVALID_ARGUMENT' } }).code).toBe(
      'context_length_exceeded',
    );
  });

  test.each([
    ['a text', 'Bad gateway'],
    ['nothing', undefined],
    ['a list', []],
    ['a number', 3],
  ])('is %s', (_name, body) => {
    expect(read(502, body).type).toBe('upstream');
  });
});
