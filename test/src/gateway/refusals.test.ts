/** Requests that the gateway itself turns away, each in its client's dialect, and the list of models. */
import { GatewayError } from '@streamglot/core';
import { createGateway, type GatewayConfig, type GatewayRequest } from '@streamglot/gateway';
import { describe, expect, it } from 'vitest';
import { asked, Listener, requestOf } from './client.ts';
import { Play, providerOf } from './play.ts';

const base: GatewayConfig = {
  providers: { play: providerOf(new Play()) },
  models: { m: 'play/one', 'team/own': 'play/two' },
};

async function answered(request: GatewayRequest, config: Partial<GatewayConfig> = {}, mount = ''): Promise<Listener> {
  const gateway = createGateway({ ...base, ...config });
  const route = gateway.route(request.method, request.path, mount, request.headers);
  if (route === undefined) throw new Error('no route');
  const client = new Listener();
  await gateway.handle(route, request, client);
  return client;
}

const forms = {
  chat: { error: { message: expect.any(String), type: expect.any(String) } },
  messages: { type: 'error', error: { message: expect.any(String), type: expect.any(String) } },
};

describe.each(['chat', 'messages'] as const)('to a %s client', (name) => {
  const { path, body: sent } = asked[name];
  const json = { 'content-type': 'application/json' };

  const wrong: readonly [string, Partial<GatewayRequest>, number, string][] = [
    ['bad JSON', { body: async () => '{"model":' }, 400, 'JSON'],
    ['an empty body', { body: async () => '' }, 400, 'empty'],
    ['bytes that are no JSON', { body: async () => new TextEncoder().encode('<html>') }, 400, 'JSON'],
    ['JSON that nests too deeply', { body: async () => '['.repeat(1000) + ']'.repeat(1000) }, 400, 'deeply'],
    ['a form', { headers: { 'content-type': 'application/x-www-form-urlencoded' } }, 415, 'application/json'],
    ['a body without a model', { body: async () => ({ ...sent, model: undefined }) }, 400, 'model'],
    ['a body without messages', { body: async () => ({ model: 'm', max_tokens: 1 }) }, 400, 'messages'],
    ['no object', { body: async () => '[]' }, 400, ''],
    ['a model that is not there', { body: async () => ({ ...sent, model: 'gone' }) }, 404, 'gone'],
    ['a name that every object has', { body: async () => ({ ...sent, model: 'constructor' }) }, 404, 'constructor'],
    ['another method', { method: 'GET' }, 405, 'POST'],
  ];

  it.each(wrong)('says what is wrong with %s', async (_, more, status, words) => {
    const client = await answered(requestOf(path, sent, more));
    expect(client.status).toBe(status);
    expect(client.json).toMatchObject(forms[name]);
    expect(client.text).toContain(words);
    expect(client.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(client.headers['x-request-id']).toMatch(/^req_[0-9a-f]{24}$/);
  });

  it('says which methods a path takes', async () => {
    const client = await answered(requestOf(path, sent, { method: 'DELETE' }));
    expect(client.headers.allow).toBe('POST');
  });

  it.each([
    ['text', () => JSON.stringify(sent)],
    ['bytes', () => new TextEncoder().encode(JSON.stringify(sent))],
    ['an object', () => sent],
  ])('reads a body that is %s', async (_, made) => {
    const play = new Play().tell('Hi');
    const config = { providers: { play: providerOf(play) }, models: { m: 'play/one' } } as GatewayConfig;
    const client = await answered(requestOf(path, undefined, { body: async () => made() }), config);
    expect(client.status).toBe(200);
  });

  it.each([
    ['x-api-key', { 'x-api-key': 'k-1' }, 'k-1'],
    ['a bearer token', { authorization: 'Bearer k-1' }, 'k-1'],
    ['a bearer token in small letters', { authorization: 'bearer k-1' }, 'k-1'],
    ['basic authentication', { authorization: 'Basic k-1' }, undefined],
    ['no key', {}, undefined],
  ] as const)('gives authorize the key of %s', async (_, headers, key) => {
    let seen: unknown = 'nothing';
    const client = await answered(requestOf(path, sent, { headers: { ...json, ...headers } }), {
      authorize: (request) => {
        seen = request.key;
        expect(request.dialect).toBe(name);
        return undefined;
      },
    });
    expect(seen).toBe(key);
    expect(client.status).toBe(401);
    expect(client.json).toMatchObject(forms[name]);
    expect(client.text).not.toContain('k-1');
  });

  it('reads no body of a stranger', async () => {
    let read = false;
    const request = requestOf(path, sent, {
      body: async () => {
        read = true;
        return sent;
      },
    });
    const client = await answered(request, { authorize: async () => undefined });
    expect(client.status).toBe(401);
    expect(read).toBe(false);
  });

  it.each([
    ['answers what authorize throws as GatewayError', new GatewayError({ type: 'permission', message: 'No.' }), 403],
    ['hides what else authorize throws', new Error('database password'), 500],
  ])('%s', async (_, thrown, status) => {
    const client = await answered(requestOf(path, sent), {
      authorize: () => {
        throw thrown;
      },
    });
    expect(client.status).toBe(status);
    expect(client.text).not.toContain('password');
  });

  it('tells observers who asks', async () => {
    const principals: unknown[] = [];
    const play = new Play().tell('Hi');
    await answered(requestOf(path, sent), {
      providers: { play: providerOf(play) },
      authorize: () => ({ user: 'u1' }),
      observe: (event) => {
        if (event.type === 'request' || event.type === 'ending') principals.push(event.principal);
      },
    });
    expect(principals).toEqual([{ user: 'u1' }, { user: 'u1' }]);
  });
});

describe('routes', () => {
  const gateway = createGateway(base);

  it.each([
    ['/v1/messages', '', true],
    ['/v1/messages/', '', true],
    ['/v1/messages', '/ai', true],
    ['/messages', '/v1', true],
    ['/messages', '/ai/v1', true],
    ['/', '/v1/messages', true],
    ['/models', '/v1', true],
    ['/messages', '', false],
    ['/messages', '/ai', false],
    ['/v1/message', '', false],
    ['/', '', false],
    ['/v1', '', false],
  ])('a path %s inside a mount "%s": %s', (path, mount, found) => {
    expect(gateway.route('POST', path, mount, {}) !== undefined).toBe(found);
  });

  it.each(['HEAD', 'OPTIONS'])("%s is the host's", (method) => {
    expect(gateway.route(method, '/v1/messages', '', {})).toBeUndefined();
  });
});

describe('models', () => {
  const get = (path: string, headers: Record<string, string> = {}) =>
    answered(requestOf(path, undefined, { method: 'GET', headers }));

  it("are listed for OpenAI's clients", async () => {
    const client = await get('/v1/models');
    expect(client.json).toEqual({
      object: 'list',
      data: [
        { id: 'm', object: 'model', created: 0, owned_by: 'play' },
        { id: 'team/own', object: 'model', created: 0, owned_by: 'play' },
      ],
    });
  });

  it.each([{ 'anthropic-version': '2023-06-01' }, { 'x-api-key': 'k' }])(
    "are listed for Anthropic's clients, known by %s",
    async (headers) => {
      const client = await get('/v1/models', headers as Record<string, string>);
      expect(client.json).toMatchObject({
        data: [{ type: 'model', id: 'm', display_name: 'm' }, { id: 'team/own' }],
        has_more: false,
        first_id: 'm',
        last_id: 'team/own',
      });
    },
  );

  it.each(['/v1/models/team/own', '/v1/models/team%2Fown'])('are found one by one: %s', async (path) => {
    expect((await get(path)).json).toMatchObject({ id: 'team/own', object: 'model' });
  });

  it('that are not there are said to be so in the dialect of the client', async () => {
    const openai = await get('/v1/models/gone');
    expect(openai.status).toBe(404);
    expect(openai.json).toMatchObject(forms.chat);
    const anthropic = await get('/v1/models/gone', { 'anthropic-version': '2023-06-01' });
    expect(anthropic.status).toBe(404);
    expect(anthropic.json).toMatchObject(forms.messages);
  });

  it('are for those who may ask', async () => {
    const client = await answered(requestOf('/v1/models', undefined, { method: 'GET' }), {
      authorize: () => undefined,
    });
    expect(client.status).toBe(401);
  });

  it('give their own output limit to requests that say none', async () => {
    const play = new Play().tell('Hi');
    const { path, body } = asked.chat;
    await answered(requestOf(path, body), {
      providers: { play: providerOf(play) },
      models: { m: { target: 'play/one', maxOutputTokens: 77 } },
    });
    expect(play.calls[0]?.request.maxOutputTokens).toBe(77);
  });

  it("can be upstreams of the host's own", async () => {
    const play = new Play().tell('Hi');
    const { path, body } = asked.chat;
    const client = await answered(requestOf(path, body), { models: { m: play }, authorize: 'host' });
    expect(client.status).toBe(200);
    expect(play.calls).toHaveLength(1);
  });
});
