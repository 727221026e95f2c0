/** Whole Chat answers and HTTP errors, both ways. */
import {
  type CanonicalError,
  type CanonicalResponse,
  Collector,
  createTranslator,
  defaultLimits,
  dialects,
  Ids,
} from '@streamglot/core';
import { describe, expect, test } from 'vitest';
import { read, type Wire } from './wire.ts';

const { chat } = dialects;
const options = { ids: new Ids('seed'), limits: defaultLimits };

const completion = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1700000000,
  model: 'some-model',
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: 'See A.',
        refusal: null,
        reasoning: 'Hm.',
        reasoning_content: 'Hm.',
        tool_calls: [
          { id: 'call_a', type: 'function', function: { name: 'f', arguments: '{"n":7}' } },
          { id: 'call_b', type: 'custom', custom: { name: 'sh', input: 'ls' } },
        ],
        annotations: [
          {
            type: 'url_citation',
            url_citation: { url: 'https://example.test/a', title: 'A', start_index: 4, end_index: 5 },
          },
        ],
      },
      logprobs: null,
      finish_reason: 'tool_calls',
    },
    {
      index: 1,
      message: { role: 'assistant', content: null, refusal: 'No.' },
      logprobs: { content: [], refusal: [{ token: 'No.', logprob: -0.5, bytes: [78], top_logprobs: [] }] },
      finish_reason: 'stop',
    },
  ],
  usage: {
    prompt_tokens: 9,
    completion_tokens: 5,
    total_tokens: 14,
    prompt_tokens_details: { cached_tokens: 4 },
    completion_tokens_details: { reasoning_tokens: 2 },
  },
  service_tier: 'default',
  system_fingerprint: 'fp_1',
};

function collect(body: unknown): CanonicalResponse {
  const collector = new Collector();
  collector.addFrame(chat.decodeResponse(structuredClone(body), options));
  return collector.response();
}

describe('a whole answer', () => {
  test('comes back as it was read', () => {
    expect(chat.encodeResponse(collect(completion), options)).toEqual(completion);
  });

  test('reads as the same events as a stream of one chunk would', () => {
    expect(collect(completion)).toMatchObject({
      status: 'completed',
      serviceTier: 'default',
      usage: { inputTokens: 9, outputTokens: 5, totalTokens: 14 },
      choices: [{ reason: 'tool_calls' }, { reason: 'refusal' }],
    });
  });

  test('reaches a client that asked for a stream as one', () => {
    const translator = createTranslator({ from: 'chat', to: 'chat', includeUsage: true });
    const out = Buffer.concat([translator.push(JSON.stringify(completion)), translator.end()]).toString();
    expect(out.endsWith('data: [DONE]\n\n')).toBe(true);
    expect(read(out)).toMatchObject([
      {
        text: 'See A.',
        reasoning: 'Hm.',
        calls: [
          ['call_a', 'f', '{"n":7}'],
          ['call_b', 'sh', 'ls'],
        ],
        finish: 'tool_calls',
      },
      { refusal: 'No.', finish: 'stop', usage: completion.usage },
    ]);
  });

  test.each([
    { name: 'an error under 200', body: { error: { message: 'No.', type: 'invalid_request_error' } } },
    { name: 'a text', body: 'hello' },
    { name: 'an object of another kind', body: { hello: 1 } },
    { name: 'null', body: null },
  ])('that is none is an error: $name', ({ body }) => {
    expect(collect(body).status).toBe('failed');
  });

  test('has the name of the model that the client asked for', () => {
    const context = { dialect: 'chat', stream: false, model: 'mine' } as const;
    expect(chat.encodeResponse(collect(completion), { ...options, context })).toMatchObject({ model: 'mine' });
  });

  test('has one choice, even when nothing was said', () => {
    const response: CanonicalResponse = { choices: [], status: 'completed', metadata: [] };
    expect(chat.encodeResponse(response, options)).toMatchObject({ choices: [{ finish_reason: 'stop' }] });
  });
});

describe('usage', () => {
  const usageOf = (usage: Wire): unknown => collect({ ...completion, usage }).usage;

  test.each([
    {
      name: 'reasoning inside the output',
      wire: {
        prompt_tokens: 40,
        completion_tokens: 90,
        total_tokens: 130,
        completion_tokens_details: { reasoning_tokens: 64 },
      },
      input: 40,
      output: 90,
    },
    {
      name: 'reasoning beside the output',
      wire: {
        prompt_tokens: 40,
        completion_tokens: 90,
        total_tokens: 194,
        completion_tokens_details: { reasoning_tokens: 64 },
      },
      input: 40,
      output: 154,
    },
    {
      name: 'null details',
      wire: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7, prompt_tokens_details: null },
      input: 5,
      output: 2,
    },
    { name: 'other names', wire: { input_tokens: 5, output_tokens: 2 }, input: 5, output: 2 },
    {
      name: 'a total that does not fit',
      wire: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 99 },
      input: 5,
      output: 2,
    },
  ])('adds up: $name', ({ wire, input, output }) => {
    expect(usageOf(wire)).toMatchObject({ inputTokens: input, outputTokens: output, totalTokens: input + output });
  });

  test.each([{ prompt_tokens_details: { cached_tokens: 3 } }, { prompt_cache_hit_tokens: 3 }, { cached_tokens: 3 }])(
    'finds cached tokens: %o',
    (members) => {
      expect(usageOf({ prompt_tokens: 5, completion_tokens: 1, ...members })).toMatchObject({
        inputTokensDetails: { cacheRead: 3 },
      });
    },
  );

  test('is unknown where nothing is counted', () => {
    expect(usageOf({ queue_time: 1 })).toBeUndefined();
  });
});

describe('an HTTP error', () => {
  interface Answer {
    status: number;
    body: unknown;
    type: CanonicalError['type'];
    code?: string;
  }

  const answers: readonly Answer[] = [
    {
      status: 429,
      body: { error: { message: 'm', type: 'requests', code: 'rate_limit_exceeded' } },
      type: 'rate_limit',
      code: 'rate_limit_exceeded',
    },
    {
      status: 429,
      body: { error: { message: 'm', type: 'insufficient_quota', code: 'insufficient_quota' } },
      type: 'billing',
      code: 'insufficient_quota',
    },
    {
      status: 400,
      body: {
        error: { message: 'm', type: 'invalid_request_error', code: 'context_length_exceeded', param: 'messages' },
      },
      type: 'invalid_request',
      code: 'context_length_exceeded',
    },
    { status: 400, body: { code: 'invalid_api_key', error: 'm' }, type: 'authentication', code: 'invalid_api_key' },
    {
      status: 404,
      body: { error: { message: 'm', type: 'invalid_request_error', code: 'model_not_found' } },
      type: 'not_found',
      code: 'model_not_found',
    },
    { status: 503, body: { error: { message: 'm', type: 'server_error' } }, type: 'overloaded', code: 'server_error' },
    { status: 500, body: [{ error: { message: 'm', code: 500 } }], type: 'api_error' },
    { status: 422, body: { detail: 'm' }, type: 'invalid_request' },
    { status: 502, body: 'm', type: 'upstream' },
  ];

  test.each(answers)('is understood: $status $body', ({ status, body, type, code }) => {
    const error = chat.decodeError({
      status,
      headers: new Map([
        ['x-request-id', 'req_1'],
        ['retry-after', '2'],
      ]),
      body,
    });
    expect(error).toMatchObject({ type, status, message: 'm', requestId: 'req_1', retryAfterMs: 2000 });
    if (code !== undefined) expect(error.code).toBe(code);
  });

  test.each([null, undefined, 7, '', [], {}])('is an error, whatever its body: %o', (body) => {
    const error = chat.decodeError({ status: 500, headers: new Map(), body });
    expect(error).toMatchObject({ type: 'api_error', message: expect.stringMatching(/./) });
  });

  test.each([
    ['rate_limit', 429, 'rate_limit_error'],
    ['invalid_request', 400, 'invalid_request_error'],
    ['billing', 429, 'insufficient_quota'],
    ['overloaded', 503, 'overloaded_error'],
    ['upstream', 502, 'upstream_error'],
  ] as const)('is written with the words of the protocol: %s', (type, status, word) => {
    const written = chat.encodeError({ type, message: 'm', param: 'p', native: 'secret' });
    expect(written).toMatchObject({ status, body: { error: { message: 'm', type: word, param: 'p' } } });
    expect(JSON.stringify(written)).not.toContain('secret');
  });
});
