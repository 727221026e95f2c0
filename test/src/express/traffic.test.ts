/** The gateway over real sockets: aborts, slow readers, limits, deadlines, keep-alive, shutdown. */
import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { gzipSync } from 'node:zlib';
import { llmGateway } from '@streamglot/express';
import { nodeHandler } from '@streamglot/node';
import { compatible } from '@streamglot/providers';
import express5 from 'express';
import { describe, expect, it } from 'vitest';
import { asked } from '../gateway/client.ts';
import { delta, opening, Play } from '../gateway/play.ts';
import { ask, bulk, configOf, eventually, express4, Stage, serve } from './serve.ts';

type Config = Parameters<typeof configOf>[1];

const hosts = {
  'Express 5': (config: Parameters<typeof llmGateway>[0]) => {
    const handler = llmGateway(config);
    return { handler, listener: express5().use(handler) };
  },
  'Express 4': (config: Parameters<typeof llmGateway>[0]) => {
    const handler = llmGateway(config);
    return { handler, listener: express4().use(handler) };
  },
  'node:http': (config: Parameters<typeof llmGateway>[0]) => {
    const handler = nodeHandler(config);
    return { handler, listener: handler };
  },
};

type Host = keyof typeof hosts;

async function scene(
  host: Host,
  more: Config = {},
  stage = new Stage(() => new Play().say(...opening, delta('first'))),
) {
  const { config, events } = configOf(stage, more);
  const { handler, listener } = hosts[host](config);
  const serving = await serve(listener);
  const ending = () => events.find((event) => event.type === 'ending');
  return { ...serving, handler, stage, events, ending, url: `${serving.url}${asked.chat.path}` };
}

const { body } = asked.chat;

describe.each(Object.keys(hosts) as Host[])('on %s', (host) => {
  it('an abort by the client aborts the upstream within 50 ms: the quickest of five, as the machine is shared', async () => {
    await using at = await scene(host);
    const delays: number[] = [];
    for (let round = 1; round <= 5; round++) {
      const answer = await ask(at.url, body);
      await answer.until('first');
      const abortedAt = performance.now();
      answer.abort();
      await eventually(() => at.events.filter(({ type }) => type === 'ending').length === round);
      delays.push((at.stage.play.abortedAt ?? Number.NaN) - abortedAt);
      expect(at.events.at(-1)).toMatchObject({ ending: 'client-closed' });
    }
    expect(Math.min(...delays)).toBeLessThan(50);
  });

  it('an abort while the upstream has not answered aborts it too', async () => {
    await using at = await scene(host, {}, new Stage(() => new Play(new Promise(() => {}))));
    const request = http.request(at.url, { method: 'POST', headers: { 'content-type': 'application/json' } });
    request.on('error', () => {});
    request.end(JSON.stringify(body));
    await eventually(() => at.stage.plays.length > 0);
    request.destroy();
    await eventually(() => at.ending() !== undefined);
    expect(at.stage.play.abortedAt).toBeDefined();
    expect(at.ending()).toMatchObject({ ending: 'client-closed' });
  });

  it('an abort in the middle of the body ends quietly', async () => {
    await using at = await scene(host);
    const socket = net.connect(at.port, '127.0.0.1');
    socket.write(
      `POST ${asked.chat.path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 999\r\n\r\n{"mod`,
    );
    await once(at.server, 'request');
    socket.destroy();
    await eventually(() => at.ending() !== undefined);
    expect(at.ending()).toMatchObject({ ending: 'client-closed' });
    expect(at.stage.plays).toHaveLength(0);
  });

  it('a reader that stops reading stops the upstream, and gets everything once it reads again', async () => {
    await using at = await scene(host, { bufferBytes: 65_536 }, new Stage(() => new Play().say(...opening)));
    const socket = net.connect(at.port, '127.0.0.1');
    socket.pause();
    socket.write(rawRequest());
    await eventually(() => at.stage.plays.length > 0);
    const { play } = at.stage;
    const chunks = 2000;
    for (let n = 0; n < chunks; n++) play.chunk(...bulk(20_000));
    play.tell('');
    await still(() => play.pulled);
    expect(play.pulled).toBeLessThan(chunks / 2);
    let bytes = 0;
    socket.on('data', (piece) => {
      bytes += piece.length;
    });
    socket.resume();
    await eventually(() => at.ending() !== undefined);
    expect(at.ending()).toMatchObject({ ending: 'completed' });
    await eventually(() => bytes > chunks * 20_000);
    socket.destroy();
  });

  it('a reader that takes nothing for too long is gone', async () => {
    const timeouts = { writeStallMs: 200 };
    await using at = await scene(host, { timeouts }, new Stage(() => new Play().say(...opening)));
    const socket = net.connect(at.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.pause();
    socket.write(rawRequest());
    await eventually(() => at.stage.plays.length > 0);
    for (let n = 0; n < 2000; n++) at.stage.play.chunk(...bulk(20_000));
    await eventually(() => at.ending() !== undefined);
    expect(at.ending()).toMatchObject({ ending: 'client-closed' });
    expect(at.stage.play.abortedAt).toBeDefined();
    socket.destroy();
  });

  it('signs of life go out while the upstream is silent', async () => {
    await using at = await scene(host, { keepAliveMs: 20 });
    const answer = await ask(at.url, body);
    await answer.until('first');
    await answer.until('\n: ');
    at.stage.play.tell('');
    expect(await answer.all()).toContain('[DONE]');
  });

  it('a silent upstream is given up, and the client told so', async () => {
    await using at = await scene(host, { timeouts: { silenceMs: 30 } });
    const answer = await ask(at.url, body);
    expect(await answer.all()).toContain('stopped sending');
    expect(at.stage.play.abortedAt).toBeDefined();
  });

  it('a body that is too large is refused, counted as it comes or known before, and the connection lives on', async () => {
    await using at = await scene(host, { limits: { maxBodyBytes: 1000 } });
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const large = JSON.stringify({ ...body, more: 'x'.repeat(1500) });
    for (const headers of [{ 'transfer-encoding': 'chunked' }, { 'content-length': String(large.length) }]) {
      const answer = await ask(at.url, large, { agent, headers });
      expect(answer.status).toBe(413);
      expect(JSON.parse(await answer.all())).toMatchObject({
        error: { message: 'The body is larger than 1000 bytes.' },
      });
    }
    const answer = await ask(at.url, body, { agent });
    expect(answer.status).toBe(200);
    agent.destroy();
  });

  it('a body that unpacks to more than is allowed is refused', async () => {
    await using at = await scene(host, { limits: { maxBodyBytes: 1000 } });
    const packed = gzipSync(JSON.stringify({ ...body, more: 'x'.repeat(100_000) }));
    expect(packed.length).toBeLessThan(1000);
    const answer = await ask(at.url, packed, { headers: { 'content-encoding': 'gzip' } });
    expect(answer.status).toBe(413);
  });

  it('a body without end is cut off', async () => {
    await using at = await scene(host, { limits: { maxBodyBytes: 1000 } });
    const socket = net.connect(at.port, '127.0.0.1').setEncoding('utf8');
    socket.on('error', () => {});
    socket.write(
      `POST ${asked.chat.path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 99999999\r\n\r\n`,
    );
    let text = '';
    socket.on('data', (piece) => {
      text += piece;
    });
    const pouring = setInterval(() => socket.write('x'.repeat(500)), 1);
    await once(socket, 'close');
    clearInterval(pouring);
    expect(text).toMatch(/^HTTP\/1.1 413 /);
  });

  it.each([
    ['401', { authorize: () => undefined }, body],
    ['404', {}, { ...body, model: 'gone' }],
    ['400', {}, '{'],
  ] as const)('a connection serves again after a %s', async (status, more, sent) => {
    await using at = await scene(host, more as Config);
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    for (let n = 0; n < 3; n++) {
      const answer = await ask(at.url, sent, { agent });
      expect(String(answer.status)).toBe(status);
      await answer.all();
    }
    expect(await connections(at.server)).toBe(1);
    agent.destroy();
  });

  it('many answers on one connection leave no listener on it', async () => {
    await using at = await scene(host, {}, new Stage(() => new Play().tell('Hi')));
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const warnings: Error[] = [];
    const warn = (warning: Error): number => warnings.push(warning);
    process.on('warning', warn);
    const counts: number[] = [];
    at.server.on('request', ({ socket }: http.IncomingMessage) => {
      counts.push(socket.eventNames().reduce((sum, name) => sum + socket.listenerCount(name), 0));
    });
    for (let n = 0; n < 20; n++) await (await ask(at.url, body, { agent })).all();
    process.off('warning', warn);
    expect(counts).toHaveLength(20);
    expect(Math.max(...counts)).toBe(counts[1]);
    expect(warnings).toEqual([]);
    agent.destroy();
  });

  it('a shutdown refuses new requests, waits for streams, and ends those that stay', async () => {
    await using at = await scene(host);
    const answer = await ask(at.url, body);
    await answer.until('first');
    const finishing = await ask(at.url, body);
    const [stays, finishes] = at.stage.plays;
    const closed = at.handler.shutdown({ drainMs: 300 });
    finishes?.tell('');
    const late = await ask(at.url, body);
    expect(late.status).toBe(503);
    expect(late.headers.connection).toBe('close');
    expect(await finishing.all()).toContain('[DONE]');
    await closed;
    const text = await answer.all();
    expect(text).toContain('shutting down');
    expect(text).not.toContain('[DONE]');
    expect(stays?.abortedAt).toBeDefined();
  });

  it('an upstream that fails before its head gives a real status', async () => {
    await using at = await scene(host, {}, new Stage(() => new Play(Promise.reject(new Error('x')))));
    const answer = await ask(at.url, body);
    expect(answer.status).toBe(500);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(JSON.parse(await answer.all())).toHaveProperty('error.message');
  });

  it('a whole answer has a length', async () => {
    await using at = await scene(host, {}, new Stage(() => new Play().tell('Hi')));
    const answer = await ask(at.url, { ...body, stream: false });
    expect(Number(answer.headers['content-length'])).toBe((await answer.all()).length);
  });
});

it.each([
  [
    429,
    { 'retry-after': '7', 'x-should-retry': 'true', 'x-ratelimit-remaining-requests': '0', 'x-request-id': 'up-1' },
  ],
  [503, { 'retry-after-ms': '1500', 'x-request-id': 'up-1' }],
])('an answer %s of an upstream over HTTP reaches the client with its hints', async (status, hints) => {
  await using upstream = await serve((_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'set-cookie': 'a=b', ...hints });
    response.end('{"error":{"message":"Later.","type":"x","code":null,"param":null}}');
  });
  const { config } = configOf(new Stage(), {
    providers: { up: compatible({ baseURL: `${upstream.url}/v1`, dialect: 'chat' }) },
    models: { m: 'up/one' },
    authorize: 'host',
  });
  await using at = await serve(nodeHandler(config));
  const answer = await ask(`${at.url}${asked.chat.path}`, body);
  expect(answer.status).toBe(status);
  expect(answer.headers).toMatchObject(hints);
  expect(answer.headers).not.toHaveProperty('set-cookie');
  expect(await answer.all()).toContain('Later.');
});

it('a node handler without a next answers what is not its own with 404', async () => {
  await using serving = await serve(nodeHandler(configOf(new Stage()).config));
  expect((await ask(`${serving.url}/own`, {})).status).toBe(404);
});

function rawRequest(): string {
  const text = JSON.stringify(body);
  return `POST ${asked.chat.path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`;
}

/** Settles once a number has not moved for a while. */
async function still(read: () => number): Promise<void> {
  for (let last = -1; last !== read(); ) {
    last = read();
    await new Promise((settle) => setTimeout(settle, 100));
  }
}

function connections(server: http.Server): Promise<number> {
  return new Promise((settle) => server.getConnections((_, count) => settle(count)));
}
