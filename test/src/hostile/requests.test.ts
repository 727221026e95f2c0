/** Whatever a client asks, it is told what is wrong in its own dialect, and the gateway goes on. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { dialectOf, dialects, type KnownDialect } from '@streamglot/core';
import { createGateway, type Gateway, type GatewayConfig } from '@streamglot/gateway';
import { nodeHandler } from '@streamglot/node';
import { compatible, replay } from '@streamglot/providers';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Listener } from '../gateway/client.ts';
import { runsOf } from '../laws/runs.ts';
import { parsed } from '../support/json.ts';
import { scenes } from '../support/scenes.ts';
import { wireOf } from '../support/wire/index.ts';
import { bodiesOf, requestOf } from './bodies.ts';

const ids = Object.keys(dialects) as KnownDialect[];
const pairs = ids.flatMap((client) => [...ids, 'replay'].map((model) => [client, model] as const));

/** An upstream of a dialect that takes anything that is JSON. */
function upstreamOf(dialect: KnownDialect): ReturnType<typeof compatible> {
  const answer = wireOf(dialect)
    .write(scenes.text, { headers: {}, body: { model: 'm' } })
    .join('');
  const fetch = async (_url: unknown, init?: { body?: unknown }): Promise<Response> => {
    JSON.parse(String(init?.body));
    return new Response(answer, { headers: { 'content-type': 'text/event-stream' } });
  };
  return compatible({
    name: dialect,
    baseURL: 'http://upstream.invalid/v1',
    dialect,
    fetch: fetch as typeof globalThis.fetch,
  });
}

const faults: unknown[] = [];

const config: GatewayConfig = {
  providers: { ...Object.fromEntries(ids.map((id) => [id, upstreamOf(id)])), replay: replay({ delayMs: 0 }) },
  models: { ...Object.fromEntries(ids.map((id) => [id, `${id}/m`])), replay: 'replay/any' } as Record<
    string,
    `${string}/${string}`
  >,
  authorize: 'host',
  observe: (event) => {
    if (event.type === 'fault') faults.push(event.thrown);
  },
};

/** What is said to a client that asked wrongly; nothing if it was answered. */
function complaint(dialect: KnownDialect, status: number, body: string): string | undefined {
  if (status === 200) return undefined;
  const { error } = JSON.parse(body) as {
    error?: { message?: unknown; type?: unknown; status?: unknown; code?: unknown };
  };
  const shape = Object.keys(dialectOf(dialect).encodeError({ type: 'invalid_request', message: 'm' }).body as object);
  expect(Object.keys(JSON.parse(body))).toEqual(shape);
  expect([error?.message, error?.type ?? error?.status ?? error?.code]).toEqual([
    expect.stringMatching(/./),
    expect.stringMatching(/./),
  ]);
  return String(error?.message);
}

/** Where a request goes; in one dialect the URL names the model. */
function pathOf(dialect: KnownDialect, body: unknown): string {
  const { model } = (body ?? {}) as { model?: unknown };
  return (dialectOf(dialect).routes[0] ?? '').replace(
    '{model}',
    encodeURIComponent(typeof model === 'string' && model !== '' ? model : dialect),
  );
}

function answerOf(gateway: Gateway, dialect: KnownDialect, body: unknown): Promise<Listener> {
  const headers = { 'content-type': 'application/json' };
  const wire = { method: 'POST', path: pathOf(dialect, body), query: {}, headers, body: async () => body };
  const route = gateway.route('POST', wire.path, '', headers);
  if (route === undefined) throw new Error(`no route for ${dialect}`);
  const client = new Listener();
  return gateway.handle(route, wire, client).then(() => client);
}

describe.each(pairs)('a client of %s that asks %s', (dialect, model) => {
  const gateway = createGateway(config);

  test('gets an answer or a clear refusal, whatever is wrong in its request', async () => {
    const law = fc.asyncProperty(bodiesOf(dialect), async (text) => {
      const body = JSON.parse(text) as Record<string, unknown>;
      if (typeof body.model === 'string') body.model = model;
      faults.length = 0;
      const { status = 0, text: said } = await answerOf(gateway, dialect, body);
      expect(faults).toEqual([]);
      expect([200, 400, 404, 413, 422]).toContain(status);
      if (status !== 200) complaint(dialect, status, said);
    });
    await fc.assert(law, runsOf(100));
  });

  test('is told that a body nests too deeply which its host has parsed', async () => {
    const body = { ...requestOf(dialect), model, metadata: JSON.parse(nested(20_000)) };
    const { status = 0, text } = await answerOf(gateway, dialect, body);
    expect([status, complaint(dialect, status, text)]).toEqual([400, 'The JSON of the body nests too deeply.']);
  });

  test('is answered when nothing is wrong', async () => {
    const { status, text } = await answerOf(gateway, dialect, { ...requestOf(dialect), model });
    expect([status, text]).toEqual([200, expect.any(String)]);
  });
});

let server: Server;
let url: string;

beforeAll(async () => {
  const handler = nodeHandler(config);
  server = createServer((request, response) => handler(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function post(
  dialect: KnownDialect,
  body: BodyInit,
  headers: Record<string, string> = {},
): Promise<{ status: number; text: string; headers: Headers }> {
  const path = pathOf(dialect, parsed(String(body)));
  const response = await fetch(url + path, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
  });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

/** The member of a request that holds the conversation. */
const turnsOf = (dialect: KnownDialect) =>
  ['messages', 'contents', 'input'].find((member) => member in requestOf(dialect)) ?? '';
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const many = (count: number, message: string) => `[${Array.from({ length: count }, () => message).join(',')}]`;
const withMember = (dialect: KnownDialect, member: string, json: string) =>
  `${JSON.stringify({ ...requestOf(dialect), [member]: 'HERE' }).replace('"HERE"', () => json)}`;

describe.each(ids)('over a socket, a client of %s', (dialect) => {
  test.each<[string, number, () => BodyInit, Record<string, string>?]>([
    ['a body of 33 MB', 413, () => Buffer.alloc(33 * 1024 * 1024, ' ')],
    ['JSON that nests 1,000 deep', 400, () => withMember(dialect, 'metadata', nested(1000))],
    ['an array of 200,000 messages', 400, () => withMember(dialect, turnsOf(dialect), many(200_000, '0'))],
    ['a body that is no JSON', 400, () => '{"model": '],
    ['a body that is a JSON text', 400, () => '"__proto__"'],
    ['invalid UTF-8', 400, () => Buffer.from([0x7b, 0xff, 0xfe, 0x7d])],
    ['a model of a name with line ends', 404, () => withMember(dialect, 'model', '"m\\r\\nx-evil: 1"')],
    ['a model named __proto__', 404, () => withMember(dialect, 'model', '"__proto__"')],
    ['a model named constructor', 404, () => withMember(dialect, 'model', '"constructor"')],
    ['a coding named constructor', 415, () => '{}', { 'content-encoding': 'constructor' }],
    ['a coding named __proto__', 415, () => '{}', { 'content-encoding': '__proto__' }],
    ['gzip that is none', 400, () => '{}', { 'content-encoding': 'gzip' }],
    ['another content type', 415, () => '{}', { 'content-type': 'text/__proto__' }],
  ])('is told what is wrong with %s', async (_name, status, body, headers) => {
    faults.length = 0;
    const answer = await post(dialect, body(), headers);
    expect({ status: answer.status, faults }).toEqual({ status, faults: [] });
    expect(complaint(dialect, answer.status, answer.text)).toMatch(/./);
    expect(answer.headers.get('x-evil')).toBeNull();
  });

  test('is answered after all that', async () => {
    const { status } = await post(dialect, JSON.stringify({ ...requestOf(dialect), model: 'replay' }));
    expect(status).toBe(200);
  });

  test('may send 150,000 messages', async () => {
    const { status } = await post(
      dialect,
      withMember(dialect, turnsOf(dialect), many(150_000, '{"role":"user","content":"a"}')).replace(
        `"model":"${dialect}"`,
        '"model":"replay"',
      ),
    );
    expect([200, 400, 413]).toContain(status);
  });
});

test.each(['%0d%0ax-evil:1', '__proto__', 'constructor', '%', '%ff', '..%2f..'])(
  'the model %s is not found',
  async (name) => {
    const response = await fetch(`${url}/v1/models/${name}`);
    expect(response.status).toBe(404);
    expect(response.headers.get('x-evil')).toBeNull();
  },
);

test('bytes that are no HTTP do not hurt', async () => {
  for (const bytes of [
    '\0\0\0\0',
    'GET',
    'POST /v1/messages HTTP/1.1\r\ncontent-length: -1\r\n\r\n',
    'POST /v1/messages HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\ntransfer-encoding: chunked\r\n\r\nzz',
  ]) {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('error', () => {});
    socket.end(bytes);
    socket.resume();
    await once(socket, 'close');
  }
  expect((await fetch(`${url}/v1/models`)).status).toBe(200);
});
