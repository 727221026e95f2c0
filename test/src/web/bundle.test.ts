/** The web package with providers as a bundle for workers: nothing of Node is in it, and it runs where there is none. */
import { join } from 'node:path';
import vm from 'node:vm';
import { build } from 'vite';
import { expect, test } from 'vitest';

const app = `
import { compatible } from '@streamglot/providers';
import { createGateway } from '@streamglot/web';
const up = compatible({ baseURL: 'http://up.example/v1', dialect: 'chat', apiKey: 'key' });
const gateway = createGateway({ providers: { up }, models: { fast: 'up/one' }, authorize: 'host' });
globalThis.handler = gateway.fetch;
`;

/** What a worker has. */
const globals = [
  ...['AbortController', 'AbortSignal', 'DOMException', 'DecompressionStream', 'Headers', 'ReadableStream', 'Request'],
  ...['Response', 'TextDecoder', 'TextEncoder', 'URL', 'URLSearchParams', 'clearTimeout', 'crypto', 'performance'],
  'setTimeout',
] as const;

async function bundle(): Promise<string> {
  const entry = join(import.meta.dirname, 'app.js');
  const built = await build({
    root: import.meta.dirname,
    configFile: false,
    logLevel: 'error',
    plugins: [
      { name: 'app', resolveId: (id) => (id === entry ? id : null), load: (id) => (id === entry ? app : null) },
    ],
    ssr: { target: 'webworker', noExternal: true, resolve: { conditions: ['@streamglot/source', 'worker'] } },
    build: { ssr: entry, write: false, rolldownOptions: { output: { format: 'iife', codeSplitting: false } } },
  });
  const outputs = [built].flat().flatMap((one) => ('output' in one ? one.output : []));
  return outputs.map((one) => (one.type === 'chunk' ? one.code : '')).join('');
}

test('it runs without Node, over the global fetch', async () => {
  const code = await bundle();
  expect(code.match(/.*(?:["']node:|\brequire\().*/g) ?? []).toEqual([]);
  const asked: string[] = [];
  const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'one' };
  const frames = [
    { ...chunk, choices: [{ index: 0, delta: { role: 'assistant', content: 'Hello' }, finish_reason: null }] },
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  ];
  const stream = `${frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join('')}data: [DONE]\n\n`;
  const fetch = async (url: string): Promise<Response> => {
    asked.push(url);
    return new Response(stream, { headers: { 'content-type': 'text/event-stream' } });
  };
  const world = vm.createContext({
    ...Object.fromEntries(globals.map((name) => [name, Reflect.get(globalThis, name)])),
    Uint8Array,
    fetch,
  });
  vm.runInContext(code, world);
  const answer: Response = await world.handler(
    new Request('http://here/v1/messages', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"model":"fast","stream":true,"max_tokens":9,"messages":[{"role":"user","content":"Hi"}]}',
    }),
  );
  expect(answer.status).toBe(200);
  expect(await answer.text()).toMatch(/Hello.*event: message_stop/s);
  expect(asked).toEqual(['http://up.example/v1/chat/completions']);
});
