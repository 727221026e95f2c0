/** Every example runs by its own `start` script, answers what it is there for, and ends on a signal. */
import vm from 'node:vm';
import { dialects } from '@streamglot/core';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import type { Program } from '../support/program.ts';
import { names, startExample } from './example.ts';

/** The examples that answer LLM clients: where, what the app itself says at its root, and how they end on SIGTERM. */
const servers = {
  express: { prefix: '', home: 404, exit: 0 },
  koa: { prefix: '', home: 200, exit: 0 },
  hono: { prefix: '', home: 200, exit: 0 },
  cluster: { prefix: '', home: 404, exit: 0 },
  next: { prefix: '/api', home: 404, exit: 143 },
} as const;

/** What a client of each dialect asks with, and what proves that its stream is whole. */
const asked: Readonly<Record<string, { body: object; whole: RegExp }>> = {
  chat: { body: { messages: [{ role: 'user', content: 'Hello!' }] }, whole: /data: \[DONE\]\n\n$/ },
  messages: {
    body: { max_tokens: 500, messages: [{ role: 'user', content: 'Hello!' }] },
    whole: /event: message_stop\n.*\n\n$/,
  },
  responses: { body: { input: 'Hello!' }, whole: /event: response\.completed\n.*\n\n$/ },
  interactions: { body: { input: 'Hello!' }, whole: /event: done\ndata: \[DONE\]\n\n$/ },
  gemini: { body: { contents: [{ parts: [{ text: 'Hello!' }] }] }, whole: /"finishReason":"STOP".*\n\n$/ },
};

test('every example is among these', () => {
  expect([...Object.keys(servers), 'codecs'].sort()).toEqual([...names].sort());
});

describe.each(Object.entries(servers))('%s', (name, { prefix, home, exit }) => {
  let example: Program;

  beforeAll(async () => {
    example = await startExample(name, { WORKERS: '2' });
  }, 120_000);

  afterAll(() => example?.end('SIGKILL'));

  it.each(Object.values(dialects))('streams to clients of $id', async ({ id, routes }) => {
    const route = routes.find((path) => path.includes('stream')) ?? routes[0];
    const path = `${route?.replace('{model}', 'fast')}?alt=sse`;
    const answer = await stream(example.url + prefix + path, asked[id]?.body);
    expect(answer.headers.get('content-type')).toContain('text/event-stream');
    expect(await answer.text()).toMatch(asked[id]?.whole as RegExp);
  });

  it('leaves the rest to the app', async () => {
    expect((await fetch(example.url)).status).toBe(home);
  });

  it('lets a stream finish on SIGTERM, and ends', async () => {
    const answer = await stream(`${example.url}${prefix}/v1/chat/completions`, asked.chat?.body);
    const ended = example.end('SIGTERM');
    expect(await answer.text()).toMatch(asked.chat?.whole as RegExp);
    expect(await ended, example.log()).toBe(exit);
    expect(await fetch(example.url).catch(() => 'nobody')).toBe('nobody');
  });
});

describe('codecs', () => {
  let example: Program;

  beforeAll(async () => {
    example = await startExample('codecs');
  });

  afterAll(() => example?.end('SIGKILL'));

  it('translates a recorded stream on the command line', () => {
    expect(example.log()).toMatch(/"content":"in Zürich\. ☀️".*"finish_reason":"tool_calls".*data: \[DONE\]/s);
    expect(example.log()).toMatch(/ending: 'completed'/);
  });

  it('serves a page that decodes the stream by itself', async () => {
    const page = await (await fetch(example.url)).text();
    const shown = Object.fromEntries([...page.matchAll(/id="(\w+)"/g)].map(([, id = '']) => [id, '']));
    const code = await (await fetch(`${example.url}${/src="([^"]+)"/.exec(page)?.[1]}`)).text();
    const getElementById = (id: string): object => ({ append: (text: string) => (shown[id] += text) });
    const world = vm.createContext({
      document: { getElementById },
      fetch: (path: string) => fetch(example.url + path),
      TextDecoder,
      TextEncoder,
      Uint8Array,
    });
    await vm.runInContext(`(async () => {${code}\n})()`, world);
    expect(shown).toEqual({
      reasoning: 'The question is about the weather, so the tool has to be asked.',
      text: 'Let me look at the weather in Zürich. ☀️',
      calls: 'weather {"city": "Zürich"}',
      ending: 'completed',
    });
  });

  it('ends on SIGTERM', async () => {
    expect(await example.end('SIGTERM')).toBe('SIGTERM');
  });
});

function stream(url: string, body: object | undefined): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'fast', stream: true, ...body }),
  });
}
