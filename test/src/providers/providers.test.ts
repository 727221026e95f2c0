/** What each provider sends: its address, its headers, its key; and what it refuses to be made from. */
import { anthropic, type CompatibleOptions, compatible, openai } from '@streamglot/providers';
import { describe, expect, test } from 'vitest';
import { batchesOf, open, providerOf, serve } from './peer.ts';
import { frame, plain } from './plain.ts';

interface Sent {
  url: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: unknown;
}

/** What a provider of the plain dialect sends. */
async function sent(
  path: string,
  options: Partial<CompatibleOptions>,
  call: Parameters<typeof open>[1] = {},
): Promise<Sent> {
  let seen: Sent | undefined;
  const peer = await serve((request, response) => {
    seen = { url: request.url ?? '', headers: request.headers, body: undefined };
    response.writeHead(200, { 'content-type': 'text/event-stream', 'x-request-id': 'r1' }).end(frame({ end: true }));
  });
  const reply = await open(providerOf(peer.url + path, options), call);
  expect(reply.head).toMatchObject({ status: 200, dialect: 'chat', requestId: 'r1' });
  await batchesOf(reply);
  return seen as Sent;
}

describe('a request', () => {
  const addresses: readonly [string, string][] = [
    ['', '/say'],
    ['/', '/say'],
    ['/v1', '/v1/say'],
    ['/v1//', '/v1/say'],
    ['/deployments/a%20b?api-version=2026-01-01', '/deployments/a%20b/say?api-version=2026-01-01'],
  ];
  test.each(addresses)('to a base that ends in "%s" goes to %s', async (path, url) => {
    expect((await sent(path, {})).url).toBe(url);
  });

  test('says what it is and what it can read', async () => {
    expect((await sent('', {})).headers).toMatchObject({
      'content-type': 'application/json',
      accept: 'text/event-stream',
      'accept-encoding': 'identity',
      'x-plain': 'yes',
    });
    expect((await sent('', {}, { stream: false })).headers).toMatchObject({ accept: 'application/json' });
  });

  test('carries what the client, the dialect and the user say, the user last; lists are joined', async () => {
    const headers = new Map([
      ['anthropic-beta', 'from-client, from-dialect'],
      ['traceparent', '00-1'],
      ['x-plain', 'from-client'],
      ['authorization', 'Bearer of-the-client'],
    ]);
    const own = { 'X-Mine': 'yes', 'Anthropic-Beta': 'from-user' };
    expect((await sent('', { apiKey: 'mine', headers: own }, { headers })).headers).toMatchObject({
      'anthropic-beta': 'from-client,from-dialect,from-user',
      traceparent: '00-1',
      'x-plain': 'yes',
      'x-mine': 'yes',
      authorization: 'Bearer mine',
    });
  });

  test('carries the key as its dialect has it', async () => {
    expect((await sent('', { apiKey: 'mine' })).headers).toMatchObject({ authorization: 'Bearer mine' });
    expect((await sent('', {})).headers.authorization).toBeUndefined();
    const messages = { ...plain(), id: 'messages' } as const;
    let headers: unknown;
    let url: string | undefined;
    const peer = await serve((request, response) => {
      ({ headers, url } = request);
      response.writeHead(200).end(frame({ end: true }));
    });
    for (const baseURL of [peer.url, `${peer.url}/v1`]) {
      await batchesOf(await open(compatible({ baseURL, dialect: messages, apiKey: 'mine' })));
      expect(headers).toMatchObject({ 'x-api-key': 'mine', 'anthropic-version': '2023-06-01' });
      expect(url).toBe('/v1/say');
    }
  });
});

describe('a provider', () => {
  test('knows its name, its models and whether it has a key', () => {
    const keyless = compatible({ baseURL: 'http://127.0.0.1:1/v1', dialect: plain() });
    const keyed = compatible({ name: 'local', baseURL: 'http://127.0.0.1:1', dialect: plain(), apiKey: 'mine' });
    const byHeader = compatible({ baseURL: 'http://127.0.0.1:1', dialect: plain(), headers: { 'Api-Key': 'mine' } });
    expect([keyless.keyed, keyed.keyed, byHeader.keyed]).toEqual([false, true, true]);
    expect(keyless.upstream('llama').id).toBe('compatible/llama');
    expect(keyed.upstream('org/llama').id).toBe('local/org/llama');
  });

  const impossible: readonly [string, () => unknown, RegExp][] = [
    ['no URL', () => compatible({ baseURL: 'localhost', dialect: plain() }), /compatible\(\): baseURL .*not a URL/],
    ['a file', () => compatible({ baseURL: 'file:///x', dialect: plain() }), /baseURL .*scheme is file/],
    ['credentials', () => compatible({ baseURL: 'http://u:secret@h', dialect: plain() }), /baseURL .*credentials/],
    ['no key', () => openai({ apiKey: undefined as unknown as string }), /openai\(\): apiKey .*missing/],
    ['an empty key', () => anthropic({ apiKey: '' }), /anthropic\(\): apiKey .*missing/],
    ['a key with a line end', () => openai({ apiKey: 'secret\n' }), /apiKey .*line ends/],
    ['a token with a space', () => anthropic({ authToken: 'se cret' }), /authToken .*spaces/],
  ];
  test.each(impossible)('is not made from %s, and the error does not repeat it', (_case, make, message) => {
    expect(make).toThrow(TypeError);
    expect(make).toThrow(message);
    expect(make).not.toThrow(/secret|se cret/);
  });

  test('of an unknown dialect is not made', () => {
    expect(() => compatible({ baseURL: 'http://h', dialect: 'latin' as 'chat' })).toThrow(/latin.*chat/);
  });
});
