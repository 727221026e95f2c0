/** Whole answers and errors over HTTP, in both directions. */
import { Collector, defaultLimits, type ErrorType, Ids } from '@streamglot/core';
import { describe, expect, test } from 'vitest';
import { interactions } from '../../../packages/core/src/dialects/interactions/index.ts';
import { blocksOf, only } from '../gemini/wire.ts';
import { called, framesOf, identity, type Wired } from './wire.ts';

const options = { ids: new Ids('seed'), limits: defaultLimits };

/** An answer that was read and written again; `anew` forgets how its upstream wrote it. */
function again(body: unknown, anew: boolean): unknown {
  const collector = new Collector();
  collector.addFrame(interactions.decodeResponse(body, { ids: new Ids('seed'), limits: defaultLimits }));
  const { original, ...response } = collector.response();
  return interactions.encodeResponse({ ...response, ...(!anew && { original }) }, options);
}

const usage = {
  total_tokens: 12,
  total_input_tokens: 3,
  total_cached_tokens: 1,
  total_output_tokens: 4,
  total_tool_use_tokens: 2,
  total_thought_tokens: 3,
};
const whole = (steps: readonly Wired[], more: Wired = {}): Wired => ({
  ...identity,
  status: 'completed',
  usage,
  steps,
  ...more,
});
const output = (...content: readonly Wired[]): Wired => ({ type: 'model_output', content });

const answers: readonly [name: string, body: Wired][] = [
  ['text', whole([output({ type: 'text', text: 'Hello' })])],
  [
    'thoughts, signed',
    whole([
      { type: 'thought', signature: 's', summary: [{ type: 'text', text: 'hm' }] },
      output({ type: 'text', text: 'a' }),
    ]),
  ],
  ['a thought that is a signature alone', whole([{ type: 'thought', signature: 's' }])],
  ['calls', whole([called('c1', { arguments: { a: [1] } })], { status: 'requires_action' })],
  ['a picture', whole([output({ type: 'image', data: 'eA==', mime_type: 'image/png' })])],
  [
    'sources',
    whole([
      output({
        type: 'text',
        text: 'Köln',
        annotations: [{ type: 'url_citation', url: 'http://a', start_index: 0, end_index: 5 }],
      }),
    ]),
  ],
  [
    'tools of the provider',
    whole([
      { type: 'google_search_call', id: 'g', arguments: { queries: ['q'] }, signature: 's' },
      { type: 'google_search_result', call_id: 'g', result: [{ search_suggestions: 'x' }] },
    ]),
  ],
  ['a cut answer', whole([output({ type: 'text', text: 'a' })], { status: 'incomplete' })],
  [
    'one that was withheld',
    whole([], { status: 'failed', errors: [{ code: 'content_filter', message: 'The answer was withheld.' }] }),
  ],
];

describe.each([true, false])('read and written, anew: %s', (anew) => {
  test.each(answers)('%s is the same', (_name, body) => {
    expect(again(body, anew)).toEqual(body);
  });
});

test('an interaction that still runs goes back as it is', () => {
  const body = { ...identity, status: 'in_progress', created: '2026-09-21T12:53:20Z' };
  expect(again(body, false)).toEqual(body);
});

test('contents of the first revision are read as steps, and its clients keep them', () => {
  const body = {
    ...identity,
    status: 'completed',
    outputs: [{ type: 'text', text: 'a' }, called('c1', { arguments: {} })],
  };
  const events = framesOf(JSON.stringify(body)).flat();
  expect(blocksOf(events)).toEqual(['text: a|', 'tool_call: f']);
  expect(again(body, false)).toMatchObject({ outputs: body.outputs, steps: [{ type: 'model_output' }, { id: 'c1' }] });
});

test('a call that clients could not read is set right, and all else stays', () => {
  const body = whole([called('c1', { arguments: '{"a":1}' })], { status: 'requires_action', zz: 1 });
  expect(again(body, false)).toMatchObject({ zz: 1, steps: [{ arguments: { a: 1 } }] });
});

test('one that failed is an error', () => {
  const body = whole([], { status: 'failed', errors: [{ code: 'unavailable', message: 'No.' }] });
  const events = framesOf(JSON.stringify(body)).flat();
  expect(only(events, 'error').error).toMatchObject({ type: 'overloaded', message: 'No.' });
});

test.each([{ error: { code: 'internal', message: 'No.' } }, { hello: 1 }, [1]])('%j is an error', (body) => {
  expect(framesOf(JSON.stringify(body)).flat().at(-1)?.type).toBe('error');
});

describe('an error over HTTP', () => {
  test.each([
    [400, { error: { code: 'invalid_request', message: 'No.' } }, 'invalid_request'],
    [400, { error: { code: 400, status: 'INVALID_ARGUMENT', message: 'No.' } }, 'invalid_request'],
    [401, { error: { code: 'authentication', message: 'No.' } }, 'authentication'],
    [402, { error: { code: 'payment_required', message: 'No.' } }, 'billing'],
    [403, { error: { code: 'permission_denied', message: 'No.' } }, 'permission'],
    [404, { error: { code: 'model_not_found', message: 'No.' } }, 'not_found'],
    [429, { error: { code: 'quota_exceeded', message: 'No.' } }, 'rate_limit'],
    [503, 'No.', 'overloaded'],
  ] as const)('%i %j is read as %s', (status, body, type: ErrorType) => {
    const headers = new Map([['retry-after', '7']]);
    expect(interactions.decodeError({ status, headers, body })).toMatchObject({
      type,
      status,
      message: 'No.',
      retryAfterMs: 7000,
    });
  });

  test.each([
    ['invalid_request', 400, 'invalid_request'],
    ['authentication', 401, 'authentication'],
    ['not_found', 404, 'not_found'],
    ['too_large', 413, 'invalid_request'],
    ['rate_limit', 429, 'rate_limit_exceeded'],
    ['upstream', 502, 'internal'],
    ['overloaded', 503, 'unavailable'],
  ] as const)('of type %s is written as %i %s', (type, status, code) => {
    expect(interactions.encodeError({ type, message: 'No.' })).toEqual({
      status,
      body: { error: { code, message: 'No.' } },
    });
  });

  test('has a code that clients know where they act by it, and the upstream’s own elsewhere', () => {
    const codeOf = (type: ErrorType, code: string): unknown =>
      (interactions.encodeError({ type, code, message: 'No.' }).body as { error: Wired }).error.code;
    expect(codeOf('rate_limit', 'requests')).toBe('rate_limit_exceeded');
    expect(codeOf('invalid_request', 'context_length_exceeded')).toBe('context_length_exceeded');
    expect(codeOf('upstream', 'stream_truncated')).toBe('stream_truncated');
  });
});
