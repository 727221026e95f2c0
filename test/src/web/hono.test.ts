/** The fetch handler in a Hono app on a socket: fall-through, mounts, compression, aborts, slow readers. */
import http from 'node:http';
import net from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { createGateway } from '@streamglot/web';
import { Hono, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { compress } from 'hono/compress';
import { cors } from 'hono/cors';
import { expect, it } from 'vitest';
import { ask, bulk, configOf, eventually, Stage, serve } from '../express/serve.ts';
import { asked } from '../gateway/client.ts';
import { delta, opening, Play } from '../gateway/play.ts';

const { path, body } = asked.chat;
const begun = (): Play => new Play().say(...opening, delta('first'));
const told = (): Play => new Play().tell('Hello');

async function scene(
  stage = new Stage(begun),
  before: MiddlewareHandler[] = [],
  more: Parameters<typeof configOf>[1] = {},
) {
  const { config, events } = configOf(stage, more);
  const gateway = createGateway(config);
  const app = new Hono();
  for (const handler of before) app.use(handler);
  app.use((context, next) => gateway.answer(context.req.raw) ?? next());
  app.all('/own', async (context) => context.json({ own: await context.req.json() }));
  app.mount('/ai', gateway.fetch);
  app.all('/parsed/*', async (context) => {
    const parsed: unknown = await context.req.json();
    return gateway.answer(context.req.raw, { mount: '/parsed', body: parsed }) ?? context.notFound();
  });
  const serving = await serve(getRequestListener(app.fetch));
  return { ...serving, stage, ending: () => events.find((event) => event.type === 'ending') };
}

it.each([`${path}`, `/ai${path}`, `/parsed${path}`])('it answers at %s', async (at) => {
  await using app = await scene(new Stage(told));
  const answer = await ask(`${app.url}${at}`, body);
  expect(answer.status).toBe(200);
  expect(await answer.all()).toContain('[DONE]');
  const whole = await ask(`${app.url}${at}`, { ...body, stream: false });
  expect(Number(whole.headers['content-length'])).toBe((await whole.all()).length);
});

it('it leaves other paths to the app, with their bodies unread, and OPTIONS to its middleware', async () => {
  await using app = await scene(new Stage(), [cors()]);
  expect(JSON.parse(await (await ask(`${app.url}/own`, { a: 1 })).all())).toEqual({ own: { a: 1 } });
  const asking = { origin: 'http://elsewhere', 'access-control-request-method': 'POST' };
  expect((await ask(`${app.url}${path}`, '', { method: 'OPTIONS', headers: asking })).status).toBe(204);
  expect((await ask(`${app.url}${path}`, '', { method: 'HEAD' })).status).toBe(404);
});

it.each([
  ['nothing', []],
  ['compress()', [compress({ threshold: 0 })]],
  ['bodyLimit()', [bodyLimit({ maxSize: 10_000 })]],
  ['cors()', [cors()]],
] as [string, MiddlewareHandler[]][])('it holds no event back behind %s', async (_, before) => {
  await using app = await scene(undefined, before);
  const answer = await ask(`${app.url}${path}`, body, { headers: { 'accept-encoding': 'gzip' } });
  await answer.until('first');
  app.stage.play.say(delta('second'));
  await answer.until('second');
  app.stage.play.tell('last');
  expect(await answer.all()).toMatch(/last.*\[DONE\]\n\n$/s);
});

it('an abort aborts the upstream, before the head as well', async () => {
  await using app = await scene();
  const answer = await ask(`${app.url}${path}`, body);
  await answer.until('first');
  answer.abort();
  await eventually(() => app.stage.play.abortedAt !== undefined);
  await using silent = await scene(new Stage(() => new Play(new Promise(() => {}))));
  const request = http.request(`${silent.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
  });
  request.on('error', () => {});
  request.end(JSON.stringify(body));
  await eventually(() => silent.stage.plays.length > 0);
  request.destroy();
  await eventually(() => silent.ending() !== undefined);
  expect(silent.ending()).toMatchObject({ ending: 'client-closed' });
  expect(silent.stage.play.abortedAt).toBeDefined();
});

it('a reader that stops reading stops the upstream, and one that never reads again is gone', async () => {
  const stage = new Stage(() => new Play().say(...opening));
  await using app = await scene(stage, [], { bufferBytes: 65_536, timeouts: { writeStallMs: 300 } });
  const socket = net.connect(app.port, '127.0.0.1');
  socket.on('error', () => {});
  socket.pause();
  const text = JSON.stringify(body);
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`,
  );
  await eventually(() => stage.plays.length > 0);
  for (let n = 0; n < 2000; n++) stage.play.chunk(...bulk(20_000));
  await eventually(() => app.ending() !== undefined);
  expect(app.ending()).toMatchObject({ ending: 'client-closed' });
  expect(stage.play.pulled).toBeLessThan(1000);
  socket.destroy();
});

it('an upstream that fails midway ends the stream in-band, and its connection serves again', async () => {
  await using app = await scene();
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const answer = await ask(`${app.url}${path}`, body, { agent });
  await answer.until('first');
  app.stage.play.crash('no such thing');
  const last = (await answer.all()).trimEnd().split('\n\n').at(-1);
  expect(last).toContain('"error"');
  expect(last).not.toContain('no such thing');
  const again = await ask(`${app.url}${path}`, body, { agent });
  await again.until('first');
  again.abort();
  agent.destroy();
});
