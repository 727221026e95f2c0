/** The gateway in a built Next.js app, over sockets: bodies, pace, aborts, other routes, and the end. */
import http from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, eventually, type Serving, serve } from '../express/serve.ts';
import { asked } from '../gateway/client.ts';
import { type NextApp, places, startNext } from './app.ts';

const { path, body } = asked.chat;
const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'one' };
const done = `data: ${JSON.stringify({ ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`;

/** An answer of the upstream in the hands of a test. */
class Hand {
  aborted = false;
  readonly #response: http.ServerResponse;

  constructor(response: http.ServerResponse) {
    this.#response = response;
    response.on('close', () => {
      this.aborted = !response.writableFinished;
    });
  }

  say(content: string): void {
    if (!this.#response.headersSent) this.#response.writeHead(200, { 'content-type': 'text/event-stream' });
    const choices = [{ index: 0, delta: { role: 'assistant', content }, finish_reason: null }];
    this.#response.write(`data: ${JSON.stringify({ ...chunk, choices })}\n\n`);
  }

  end(): void {
    this.#response.end(done);
  }

  cut(): void {
    this.#response.destroy();
  }
}

const hands: Hand[] = [];
let upstream: Serving;
let app: NextApp;

beforeAll(async () => {
  upstream = await serve((request, response) => {
    request.resume();
    hands.push(new Hand(response));
  });
  const up = { baseURL: `${upstream.url}/v1`, dialect: 'chat', apiKey: 'key' } as const;
  app = await startNext({ up, models: { m: 'up/one' }, limits: { maxBodyBytes: 100_000 } });
}, 180_000);

afterAll(async () => {
  await app?.stop();
  await upstream?.[Symbol.asyncDispose]();
});

/** Asks, and gives the upstream's side of it once that has come. */
async function begun(url: string, options: http.RequestOptions = {}) {
  const count = hands.length;
  const answering = ask(url, body, options);
  await eventually(() => hands.length > count);
  const hand = hands.at(-1) as Hand;
  hand.say('first');
  const answer = await answering;
  await answer.until('first');
  return { hand, answer };
}

describe.each(Object.entries(places))('in the %s', (_, mount) => {
  const url = (): string => `${app.url}${mount}${path}`;

  it('no event is held back from a client that takes compression, however long', async () => {
    const { hand, answer } = await begun(url(), { headers: { 'accept-encoding': 'gzip, br' } });
    expect(answer.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    });
    expect(answer.headers).not.toHaveProperty('content-encoding');
    hand.say('second');
    await answer.until('second');
    hand.say(`${'x'.repeat(5000)}third`);
    await answer.until('third');
    hand.end();
    expect(await answer.all()).toMatch(/\[DONE\]\n\n$/);
  });

  it('an abort aborts the upstream', async () => {
    const { hand, answer } = await begun(url());
    answer.abort();
    await eventually(() => hand.aborted);
  });

  it('an abort before the head aborts the upstream', async () => {
    const count = hands.length;
    const request = http.request(url(), { method: 'POST', headers: { 'content-type': 'application/json' } });
    request.on('error', () => {});
    request.end(JSON.stringify(body));
    await eventually(() => hands.length > count);
    request.destroy();
    await eventually(() => hands.at(-1)?.aborted === true);
  });

  it('an upstream that is cut ends the stream in-band, and the connection serves again', async () => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const { hand, answer } = await begun(url(), { agent });
    hand.cut();
    const last = (await answer.all()).trimEnd().split('\n\n').at(-1);
    expect(last).toContain('"error"');
    const again = await begun(url(), { agent });
    again.hand.end();
    await again.answer.all();
    agent.destroy();
  });

  it('a whole answer, a list of models and their methods', async () => {
    const count = hands.length;
    const asking = ask(url(), { ...body, model: 'gone' });
    expect((await asking).status).toBe(404);
    expect(hands).toHaveLength(count);
    const models = await ask(`${app.url}${mount}/v1/models`, '', { method: 'GET' });
    expect(JSON.parse(await models.all())).toMatchObject({ data: [{ id: 'm' }] });
    expect((await ask(url(), '', { method: 'GET' })).status).toBe(405);
    expect((await ask(`${app.url}${mount}/own`, {})).status).toBe(404);
    expect((await ask(url(), '', { method: 'HEAD' })).status).toBe(404);
  });

  it('a name in the path is decoded once', async () => {
    const answer = await ask(`${app.url}${mount}/v1/models/a%2Fb%2541`, '', { method: 'GET' });
    expect(await answer.all()).toContain('a/b%41');
  });

  it.each(['', 'false', '"text"'])('the body %j is refused in the form of the dialect', async (sent) => {
    const answer = await ask(url(), sent);
    expect(answer.status).toBe(400);
    expect(JSON.parse(await answer.all())).toHaveProperty('error.message');
  });
});

describe.each(Object.entries(places).filter(([, mount]) => mount !== places['pages router, body parsed']))(
  'in the %s, which reads the body itself',
  (_, mount) => {
    const url = (): string => `${app.url}${mount}${path}`;

    it('one that is too large is refused', async () => {
      const large = { ...body, messages: [{ role: 'user', content: 'x'.repeat(150_000) }] };
      expect((await ask(url(), large)).status).toBe(413);
    });

    it('a compressed one is read', async () => {
      const count = hands.length;
      const answering = ask(url(), gzipSync(JSON.stringify(body)), { headers: { 'content-encoding': 'gzip' } });
      await eventually(() => hands.length > count);
      hands.at(-1)?.say('first');
      hands.at(-1)?.end();
      expect(await (await answering).all()).toContain('first');
    });
  },
);

it.each(['/one/v1/messages', '/rewritten/messages'])(
  '%s answers: a route without a catch-all, a rewrite to one',
  async (at) => {
    const count = hands.length;
    const answering = ask(`${app.url}${at}`, asked.messages.body);
    await eventually(() => hands.length > count);
    hands.at(-1)?.say('Hello');
    hands.at(-1)?.end();
    expect(await (await answering).all()).toMatch(/Hello.*event: message_stop/s);
  },
);

it('OPTIONS is left to Next.js', async () => {
  const answer = await ask(`${app.url}/api${path}`, '', { method: 'OPTIONS' });
  expect([answer.status, answer.headers.allow]).toEqual([204, 'DELETE, GET, HEAD, OPTIONS, POST']);
});

it('a shutdown refuses new requests and ends a stream that stays, and nothing was left unhandled', async () => {
  const { hand, answer } = await begun(`${app.url}/api${path}`);
  app.shutdown();
  const text = await answer.all();
  expect(text).toContain('shutting down');
  await eventually(() => hand.aborted);
  expect((await ask(`${app.url}/api${path}`, body)).status).toBe(503);
  expect(app.log()).not.toMatch(/unhandled|uncaught|⨯/i);
});
