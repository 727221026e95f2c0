/** Answers that go on in a second request, and how long a client of Google's lets an answer take. */
import { compatible } from '@streamglot/providers';
import { describe, expect, test } from 'vitest';
import { Play } from '../gateway/play.ts';
import { Player, talk } from '../gateway/talk.ts';
import { chunk, payloadsOf, says, sse, stops, type Wired } from './wire.ts';

interface Seen {
  url: string;
  headers: Record<string, string>;
  body: Wired;
}

/** A gateway over two models of one provider and one of another, all of which answer alike. */
function continuing(answer: readonly Wired[]) {
  const seen: Seen[] = [];
  const fetch = async (url: unknown, init: { headers: Record<string, string>; body: string }) => {
    seen.push({ url: String(url), headers: init.headers, body: JSON.parse(init.body) as Wired });
    if (String(url).includes('stream'))
      return new Response(sse(answer), { headers: { 'content-type': 'text/event-stream' } });
    return Response.json(answer.at(-1));
  };
  const provider = (name: string, dialect: 'gemini' | 'chat') =>
    compatible({ name, dialect, baseURL: `http://${name}.test`, fetch: fetch as unknown as typeof globalThis.fetch });
  const providers = { one: provider('one', 'gemini'), two: provider('two', 'gemini'), chat: provider('chat', 'chat') };
  const models = { a: 'one/gemini-3-pro', b: 'one/gemini-2.5-pro', c: 'two/gemini-3-pro', d: 'chat/gpt-5' };
  return { seen, ...talk({}, { providers, models }) };
}

const asked = { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] };
const goesOn = stops('CONTINUATION', { continuationToken: 'tok/en+1' });

const answers: [string, readonly Wired[]][] = [
  ['in a chunk of its own', [says('Hello'), goesOn]],
  [
    'with the last text',
    [says('Hello'), chunk([{ text: '.' }], { finishReason: 'CONTINUATION', continuationToken: 'tok/en+1' })],
  ],
];

/** The token of an answer in either form. */
function tokenIn(text: string): unknown {
  const payloads = text.startsWith('data:') ? payloadsOf(text) : [JSON.parse(text) as Wired];
  const candidates = payloads.flatMap(({ candidates }) => candidates as Wired[]);
  return candidates.map(({ continuationToken }) => continuationToken).find(Boolean);
}

describe.each(answers)('a token by which an answer goes on, %s', (_what, answer) => {
  const methods = ['streamGenerateContent?alt=sse', 'generateContent'];

  test.each(methods)('goes back to the model that gave it: %s', async (method) => {
    const { ask, seen } = continuing(answer);
    const continuationToken = tokenIn((await ask(`/v1beta/models/a:${method}`, asked)).text);
    expect(continuationToken).toMatch(/^c3RyZWFtZ2xvdDE6/);
    const { status } = await ask(`/v1beta/models/a:${method}`, { ...asked, continuationToken });
    expect([status, seen[1]?.body.continuationToken]).toEqual([200, 'tok/en+1']);
  });

  test.each([...['b', 'c', 'd'].flatMap((model) => methods.map((method) => [model, method] as const))])(
    'is refused for model %s, which did not give it: %s',
    async (model, method) => {
      const { ask, seen } = continuing(answer);
      const continuationToken = tokenIn((await ask(`/v1beta/models/a:${method}`, asked)).text);
      const { status, text } = await ask(`/v1beta/models/${model}:${method}`, { ...asked, continuationToken });
      expect([status, seen.length]).toEqual([400, 1]);
      expect(text).toContain('continuationToken');
    },
  );
});

test('a token that nobody has bound goes on as it came', async () => {
  const { ask, seen } = continuing([says('Hello'), stops()]);
  await ask('/v1beta/models/a:generateContent', { ...asked, continuationToken: 'raw' });
  expect(seen[0]?.body.continuationToken).toBe('raw');
});

describe('the time that a client of Google lets an answer take', () => {
  const more = { headers: { 'content-type': 'application/json', 'x-server-timeout': '30' } };

  test.each([
    ['a', '30'],
    ['d', undefined],
  ])('is told model %s as %s', async (model, expected) => {
    const { ask, seen } = continuing([says('Hello'), stops()]);
    await ask(`/v1beta/models/${model}:streamGenerateContent`, asked, more);
    expect(seen[0]?.headers['x-server-timeout']).toBe(expected);
  });

  test('is a deadline here too', async () => {
    const { ask, events } = talk({ m: new Player(() => new Play()) });
    const { status } = await ask('/v1beta/models/m:generateContent', asked, {
      headers: { 'content-type': 'application/json', 'x-server-timeout': '0.05' },
    });
    expect([status, events.at(-1)]).toMatchObject([504, { type: 'ending', ending: 'deadline' }]);
  });

  test.each(['', 'soon', '-1', '0', 'NaN'])('is not limited by %j', async (timeout) => {
    const { ask } = talk({ m: new Player() });
    const headers = { 'content-type': 'application/json', 'x-server-timeout': timeout };
    expect((await ask('/v1beta/models/m:generateContent', asked, { headers })).status).toBe(200);
  });
});
