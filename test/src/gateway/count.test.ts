/** Counting tokens: asked of an upstream that can, else estimated, and said to be so. */
import Anthropic from '@anthropic-ai/sdk';
import {
  type CanonicalRequest,
  type DecodedRequest,
  decodeRequest,
  GatewayError,
  type TokenCount,
} from '@streamglot/core';
import { llmGateway } from '@streamglot/express';
import { anthropic } from '@streamglot/providers';
import express from 'express';
import { describe, expect, test } from 'vitest';
import { serve } from '../express/serve.ts';
import { Player, talk } from './talk.ts';

const path = '/v1/messages/count_tokens';
const body = { model: 'm', messages: [{ role: 'user', content: 'How many?' }], system: 'Be brief.' };

/** An upstream that counts. */
class Counting extends Player {
  readonly counted: CanonicalRequest[] = [];
  readonly #count: () => Promise<TokenCount>;

  constructor(count: () => Promise<TokenCount>) {
    super();
    this.#count = count;
  }

  countTokens({ request }: { request: CanonicalRequest }): Promise<TokenCount> {
    this.counted.push(request);
    return this.#count();
  }
}

function failing(status: number): Counting {
  const error = { type: 'invalid_request', message: 'No.', status } as const;
  return new Counting(() => Promise.reject(new GatewayError(error)));
}

describe('a count', () => {
  test('is that of an upstream that can count', async () => {
    const upstream = new Counting(async () => ({ inputTokens: 42, requestId: 'req_up' }));
    const { status, json, headers } = await talk({ m: upstream }).ask(path, body);
    expect([status, json]).toEqual([200, { input_tokens: 42 }]);
    expect(headers).toMatchObject({ 'request-id': 'req_up' });
    expect(headers).not.toHaveProperty('x-streamglot-estimate');
    expect(upstream.counted[0]?.model).toBe('it');
    expect(upstream.requests).toHaveLength(0);
  });

  test.each([
    ['cannot count', new Player()],
    ['has no such endpoint', failing(404)],
    ['has no such endpoint', failing(405)],
  ])('is an estimate that says so where an upstream %s', async (_, upstream) => {
    const { status, json, headers } = await talk({ m: upstream }).ask(path, body);
    expect([status, json]).toEqual([200, { input_tokens: 9 }]);
    expect(headers).toMatchObject({ 'x-streamglot-estimate': 'true' });
  });

  test.each([
    ['an upstream that refuses', failing(400), body, 400],
    ['a body that is wrong', new Player(), { model: 'm' }, 400],
    ['a model that is not there', new Player(), { ...body, model: 'none' }, 404],
  ])('fails in the words of Messages: %s', async (_, upstream, asked, expected) => {
    const { status, json } = await talk({ m: upstream }).ask(path, asked);
    expect([status, json]).toMatchObject([expected, { type: 'error', error: { message: expect.any(String) } }]);
  });

  test('grows with all that is said', async () => {
    const count = async (more: object): Promise<number> => {
      const { json } = await talk({ m: new Player() }).ask(path, { ...body, ...more });
      return (json as { input_tokens: number }).input_tokens;
    };
    const least = await count({});
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } };
    const result = { type: 'tool_result', tool_use_id: 'a', content: [image] };
    for (const more of [
      { system: 'Be very, very brief.' },
      { tools: [{ name: 'look', description: 'Looks.', input_schema: { type: 'object' } }] },
      {
        messages: [
          ...body.messages,
          { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] },
        ],
      },
      { messages: [{ role: 'user', content: [{ type: 'text', text: 'How many?' }, image] }] },
      { messages: [{ role: 'user', content: [result] }] },
    ])
      expect(await count(more)).toBeGreaterThan(least);
  });
});

test('goes to an API of Messages without what says how to answer, and its official client reads it', async () => {
  let asked: { path: string; body: object } | undefined;
  const upstream = express()
    .use(express.json())
    .use((request, response) => {
      asked = { path: request.path, body: request.body as object };
      response.json({ input_tokens: 42 });
    });
  await using api = await serve(upstream);
  const up = anthropic({ apiKey: 'key-of-the-upstream', baseURL: api.url });
  await using app = await serve(
    express().use(llmGateway({ providers: { up }, models: { m: 'up/claude' }, authorize: 'host' })),
  );
  const client = new Anthropic({ apiKey: 'test', baseURL: app.url, maxRetries: 0 });
  const thinking = { type: 'enabled', budget_tokens: 2000 } as const;
  const { messages, system } = body;
  const count = await client.messages.countTokens({ model: 'm', messages: messages as never, system, thinking });
  expect(count).toEqual({ input_tokens: 42 });
  expect(asked).toEqual({ path: '/v1/messages/count_tokens', body: { model: 'claude', messages, system, thinking } });
});

test('leaves behind whatever says how to answer, also of a request of another dialect', async () => {
  const bodies: string[] = [];
  const send = async (_: unknown, init: { body?: unknown }): Promise<Response> => {
    bodies.push(String(init.body));
    return Response.json({ input_tokens: 1 });
  };
  const upstream = anthropic({ apiKey: 'key-of-the-upstream', fetch: send as typeof fetch }).upstream('claude');
  const decoded: DecodedRequest = decodeRequest('chat', {
    path: '/v1/chat/completions',
    query: {},
    headers: {},
    body: {
      model: 'm',
      messages: [{ role: 'user', content: 'Hi' }],
      temperature: 0.5,
      max_tokens: 5,
      stop: ['END'],
      stream: true,
    },
  });
  await upstream.countTokens?.({ ...decoded, signal: new AbortController().signal });
  expect(Object.keys(JSON.parse(bodies[0] ?? '{}')).sort()).toEqual(['messages', 'model']);
});
