/** The gateway over real sockets, where only a hand-played upstream shows it: limits, deadlines, stalls, shutdown. */
import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { gzipSync } from 'node:zlib';
import { nodeHandler } from '@streamglot/node';
import { compatible } from '@streamglot/providers';
import { describe, expect, it } from 'vitest';
import { asked } from '../gateway/client.ts';
import { delta, opening, Play } from '../gateway/play.ts';
import { ask, bulk, configOf, eventually, Stage, serve } from './serve.ts';

type Config = Parameters<typeof configOf>[1];

async function scene(more: Config = {}, stage = new Stage(() => new Play().say(...opening, delta('first')))) {
  const { config, events } = configOf(stage, more);
  const handler = nodeHandler(config);
  const serving = await serve(handler);
  const ending = () => events.find((event) => event.type === 'ending');
  return { ...serving, handler, stage, events, ending, url: `${serving.url}${asked.chat.path}` };
}

const { body } = asked.chat;

describe('on node:http', () => {
  it('an abort in the middle of the body ends quietly', async () => {
    await using at = await scene();
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

  it('a reader that takes nothing for too long is gone', async () => {
    const timeouts = { writeStallMs: 200 };
    await using at = await scene({ timeouts }, new Stage(() => new Play().say(...opening)));
    const socket = net.connect(at.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.pause();
    socket.write(rawRequest());
    await eventually(() => at.stage.plays.length > 0);
    for (let n = 0; n < 2000; n++) at.stage.play.chunk(...bulk(20_000));
    await eventually(() => at.ending() !== undefined);
    expect(at.ending()).toMatchObject({ ending: 'client-closed', error: { code: 'write_stalled' } });
    expect(at.stage.play.abortedAt).toBeDefined();
    socket.destroy();
  });

  it('a silent upstream is given up, and the client told so', async () => {
    await using at = await scene({ timeouts: { silenceMs: 30 } });
    const answer = await ask(at.url, body);
    expect(await answer.all()).toContain('stopped sending');
    expect(at.stage.play.abortedAt).toBeDefined();
  });

  it('a body that is too large is refused, counted as it comes or known before, and the connection lives on', async () => {
    await using at = await scene({ limits: { maxBodyBytes: 1000 } });
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
    await using at = await scene({ limits: { maxBodyBytes: 1000 } });
    const packed = gzipSync(JSON.stringify({ ...body, more: 'x'.repeat(100_000) }));
    expect(packed.length).toBeLessThan(1000);
    const answer = await ask(at.url, packed, { headers: { 'content-encoding': 'gzip' } });
    expect(answer.status).toBe(413);
  });

  it('a body without end is cut off', async () => {
    await using at = await scene({ limits: { maxBodyBytes: 1000 } });
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

  it('many answers on one connection leave no listener on it', async () => {
    await using at = await scene({}, new Stage(() => new Play().tell('Hi')));
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
    await using at = await scene();
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
    await using at = await scene({}, new Stage(() => new Play(Promise.reject(new Error('x')))));
    const answer = await ask(at.url, body);
    expect(answer.status).toBe(500);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(JSON.parse(await answer.all())).toHaveProperty('error.message');
  });

  it('a whole answer has a length', async () => {
    await using at = await scene({}, new Stage(() => new Play().tell('Hi')));
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
