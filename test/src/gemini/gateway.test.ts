/** The gateway's Gemini endpoints, and the provider behind which the models are. */
import { gemini } from '@streamglot/providers';
import { describe, expect, test } from 'vitest';
import { Player, talk } from '../gateway/talk.ts';
import { payloadsOf, says, sse, stops, type Wired } from './wire.ts';

const body = { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] };
const listening = (more?: object) => talk({ m: new Player() }, more);

describe('an answer', () => {
  test.each(['/v1beta', '/v1'])('under %s is a stream of events where they are asked for', async (root) => {
    const { status, headers, text } = await listening().ask(`${root}/models/m:streamGenerateContent`, body, {
      query: { alt: 'sse' },
    });
    expect([status, headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
    expect(payloadsOf(text)[0]).toMatchObject({ candidates: [{ content: { parts: [{ text: 'Hello.' }] } }] });
  });

  test('is a stream of one array where nothing else is asked for', async () => {
    const { headers, text } = await listening().ask('/v1beta/models/m:streamGenerateContent', body);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect((JSON.parse(text) as Wired[]).at(-1)).toMatchObject({ candidates: [{ finishReason: 'STOP' }] });
  });

  test('is one body', async () => {
    const { json } = await listening().ask('/v1beta/models/m:generateContent', body);
    expect(json).toMatchObject({ candidates: [{ content: { parts: [{ text: 'Hello.' }] }, finishReason: 'STOP' }] });
  });

  test('is one event where it comes whole and events are asked for', async () => {
    const { headers, text } = await listening().ask('/v1beta/models/m:generateContent', body, {
      query: { alt: 'sse' },
    });
    expect(headers['content-type']).toBe('text/event-stream; charset=utf-8');
    expect(payloadsOf(text)).toMatchObject([{ candidates: [{ content: { parts: [{ text: 'Hello.' }] } }] }]);
    expect(text).toMatch(/^data: .*"finishReason":"STOP".*\n\n$/);
  });

  test('is refused in the form of the dialect', async () => {
    const { status, json } = await listening().ask('/v1beta/models/other:generateContent', body);
    expect([status, json]).toMatchObject([404, { error: { code: 404, status: 'NOT_FOUND' } }]);
  });
});

test.each(['embedContent', 'batchGenerateContent'])('%s is left to the host', async (verb) => {
  await expect(listening().ask(`/v1beta/models/m:${verb}`, {})).rejects.toThrow('no route');
});

describe('the key', () => {
  const authorize = ({ key }: { key?: string }) => (key === 'secret' ? { name: 'me' } : undefined);
  const path = '/v1beta/models/m:generateContent';

  test.each([
    [{ headers: { 'x-goog-api-key': 'secret' } }, 200],
    [{ headers: { authorization: 'Bearer secret' } }, 200],
    [{ query: { key: 'secret' } }, 200],
    [{ query: { key: 'wrong' } }, 401],
    [{}, 401],
  ])('%j is answered with %i, and never told to observers', async (request, status) => {
    const conversation = listening({ authorize });
    expect((await conversation.ask(path, body, request)).status).toBe(status);
    expect(JSON.stringify(conversation.events)).not.toContain('secret');
  });
});

describe('beside answers', () => {
  test.each([
    ['/v1beta/models', {}, { models: [{ name: 'models/m' }] }],
    ['/v1beta/models/m', {}, { name: 'models/m' }],
    ['/v1/models', { 'x-goog-api-key': 'k' }, { models: [{ name: 'models/m' }] }],
    ['/v1/models', {}, { object: 'list' }],
  ])('%s %j lists models', async (path, headers, listed) => {
    const { status, json } = await listening().ask(path, undefined, { method: 'GET', headers });
    expect([status, json]).toMatchObject([200, listed]);
  });

  test.each([body, { generateContentRequest: { model: 'models/m', ...body } }])(
    'tokens of %j are counted',
    async (asked) => {
      const { status, json, headers } = await listening().ask('/v1beta/models/m:countTokens', asked);
      expect([status, json]).toEqual([200, { totalTokens: 6 }]);
      expect(headers).toMatchObject({ 'x-streamglot-estimate': 'true' });
    },
  );
});

/** What a provider sends, and what it is answered. */
async function sent(
  options: Partial<Parameters<typeof gemini>[0]>,
  model: string,
  answer: string,
  path: string,
  asked: object,
) {
  const seen: { url: string; headers: Headers; body: Wired }[] = [];
  const fetch = async (url: URL | string, init?: RequestInit): Promise<Response> => {
    seen.push({ url: String(url), headers: new Headers(init?.headers), body: JSON.parse(String(init?.body)) as Wired });
    return new Response(answer);
  };
  const provider = gemini({ apiKey: 'AIza-key', ...options, fetch } as Parameters<typeof gemini>[0]);
  const conversation = talk({}, { providers: { g: provider }, models: { m: `g/${model}` }, authorize: 'host' });
  const reply = await conversation.ask(path, asked);
  return { reply, seen: seen[0] };
}

describe('the provider', () => {
  const answer = sse([says('Hi'), stops()]);
  const chat = { model: 'm', stream: true, reasoning_effort: 'low', messages: [{ role: 'user', content: 'Hello' }] };

  test.each([
    ['gemini-3-pro', { thinkingLevel: 'LOW', includeThoughts: true }],
    ['gemini-2.5-flash', { thinkingBudget: 2048, includeThoughts: true }],
  ])('asks %s in its own words', async (model, thinkingConfig) => {
    const { reply, seen } = await sent({}, model, answer, '/v1/chat/completions', chat);
    expect(seen?.url).toBe(
      `https://generativelanguage.googleapis.com/v1beta/models/${model}:streamGenerateContent?alt=sse`,
    );
    expect(seen?.headers.get('x-goog-api-key')).toBe('AIza-key');
    expect(seen?.body).toMatchObject({ generationConfig: { thinkingConfig } });
    expect(reply.text).toContain('"content":"Hi"');
  });

  test('asks a project by its base URL and a token', async () => {
    const baseURL = 'https://cloud.test/v1/projects/p/locations/l/publishers/google';
    const options = { apiKey: undefined, authToken: 'ya29.token', baseURL } as never;
    const { seen } = await sent(options, 'gemini-3-pro', answer, '/v1/chat/completions', chat);
    expect(seen?.url).toBe(`${baseURL}/models/gemini-3-pro:streamGenerateContent?alt=sse`);
    expect(seen?.headers.get('authorization')).toBe('Bearer ya29.token');
  });

  test('counts the tokens of a request', async () => {
    const { reply, seen } = await sent({}, 'gemini-3-pro', '{"totalTokens":7}', '/v1beta/models/m:countTokens', body);
    expect(seen?.url).toBe('https://generativelanguage.googleapis.com/v1beta/models/gemini-3-pro:countTokens');
    expect(seen?.body).toEqual({ generateContentRequest: { model: 'models/gemini-3-pro', ...body } });
    expect(reply.json).toEqual({ totalTokens: 7 });
  });
});
