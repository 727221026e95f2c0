/** The handlers of Next.js' routers, called as Next.js calls them: where they are, and what they are made of. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { llmGateway } from '@streamglot/next';
import { llmGateway as pagesGateway } from '@streamglot/next/pages';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { ask, configOf, eventually, Stage, serve } from '../express/serve.ts';
import { asked } from '../gateway/client.ts';
import { delta, opening, Play } from '../gateway/play.ts';

const { body } = asked.chat;
const told = (): Play => new Play().tell('Hello');
const begun = (): Play => new Play().say(...opening, delta('first'));

type Segments = Readonly<Record<string, string | string[]>> | undefined;

/** The types of Next.js, whose declarations would narrow process.env for all tests. */
interface NextRequest extends Request {
  cookies: unknown;
  nextUrl: URL;
}
interface NextApiRequest extends IncomingMessage {
  query: Partial<Record<string, string | string[]>>;
}

/** Where a route is, what Next.js has found in its path, and whether that is the gateway's. */
const routes: [path: string, params: Segments, status: number][] = [
  ['/api/v1/chat/completions', { llm: ['v1', 'chat', 'completions'] }, 200],
  ['/api/v1/chat/completions/', { llm: ['v1', 'chat', 'completions'] }, 200],
  ['/v1/chat/completions', { all: ['chat', 'completions'] }, 200],
  ['/v1/chat/completions', undefined, 200],
  ['/v1/chat/completions', {}, 200],
  ['/base/x/api/v1/chat/completions', { tenant: 'x', llm: ['v1', 'chat', 'completions'] }, 200],
  ['/rewritten', { llm: ['v1', 'chat', 'completions'] }, 200],
  ['/api/other/v1/chat/completions', { llm: ['other', 'v1', 'chat', 'completions'] }, 404],
  ['/api/own', { llm: ['own'] }, 404],
  ['/api', {}, 404],
];

function requestOf(path: string, init: RequestInit = {}): Request {
  const headers = { 'content-type': 'application/json' };
  return new Request(`http://here${path}`, { method: 'POST', headers, body: JSON.stringify(body), ...init });
}

describe('in the app router', () => {
  it.each(routes)('%s with %j answers %i', async (path, params, status) => {
    const { POST } = llmGateway(configOf(new Stage(told)).config);
    const answer = await POST(requestOf(path), { params: Promise.resolve(params) });
    expect(answer.status).toBe(status);
  });

  it.each([
    ['the signal', true, false],
    ['cancel', false, true],
    ['the signal and cancel', true, true],
  ])('a client that leaves by %s aborts the upstream, once', async (_, signal, cancel) => {
    const stage = new Stage(begun);
    const { config, events } = configOf(stage);
    const abort = new AbortController();
    const { POST } = llmGateway(config);
    const request = requestOf('/v1/chat/completions', { signal: abort.signal });
    const answer = await POST(request, { params: Promise.resolve({}) });
    if (signal) abort.abort();
    if (cancel) answer.body?.cancel().catch(() => {});
    await eventually(() => events.some(({ type }) => type === 'ending'));
    expect(events.filter(({ type }) => type === 'ending')).toMatchObject([{ ending: 'client-closed' }]);
    expect(stage.play.abortedAt).toBeDefined();
  });

  it('its handlers fit what Next.js calls them with', () => {
    type Handler = (request: NextRequest, context: { params: Promise<{ llm?: string[] }> }) => Promise<Response>;
    type ApiHandler = (request: NextApiRequest, response: ServerResponse) => unknown;
    expectTypeOf(llmGateway).returns.toExtend<Record<'GET' | 'POST' | 'DELETE', Handler>>();
    expectTypeOf(pagesGateway).returns.toExtend<ApiHandler>();
  });
});

describe('in the pages router', () => {
  it.each(routes.filter(([, params]) => params !== undefined))(
    '%s with %j answers %i',
    async (path, params, status) => {
      const route = pagesGateway(configOf(new Stage(told)).config);
      await using at = await serve((request, response) => {
        void route(Object.assign(request, { query: params ?? {} }), response);
      });
      expect((await ask(`${at.url}${path}?x=1`, body)).status).toBe(status);
    },
  );
});

describe('a configuration that is a function', () => {
  it('is called by the first request, once', async () => {
    let calls = 0;
    const { POST, shutdown } = llmGateway(() => {
      calls++;
      return configOf(new Stage(told)).config;
    });
    expect(calls).toBe(0);
    const asking = () => POST(requestOf('/v1/chat/completions'), { params: Promise.resolve({}) });
    for (let n = 0; n < 2; n++) expect(await (await asking()).text()).toContain('Hello');
    expect(calls).toBe(1);
    await shutdown();
    expect((await asking()).status).toBe(503);
  });

  it('fails each request that finds a mistake in it', async () => {
    const { POST } = llmGateway(() => ({ models: { m: 'nowhere/one' as never } }));
    for (let n = 0; n < 2; n++)
      await expect(POST(requestOf('/v1/models'), { params: Promise.resolve({}) })).rejects.toThrow('models.m');
  });
});
