/** The gateway among a Koa app's other middleware: mounts, body parsers, compression, and what runs after `next`. */
import { once } from 'node:events';
import http2 from 'node:http2';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { llmGateway } from '@streamglot/koa';
import express from 'express';
import Koa3, { type Middleware } from 'koa';
import { koaBody } from 'koa-body';
import bodyParser from 'koa-bodyparser';
import compress from 'koa-compress';
import mount from 'koa-mount';
import { describe, expect, it } from 'vitest';
import { ask, configOf, eventually, type Serving, Stage, serve } from '../express/serve.ts';
import { asked } from '../gateway/client.ts';
import { delta, opening, Play } from '../gateway/play.ts';

const Koa2: typeof Koa3 = createRequire(import.meta.url)('koa2');
const versions = [
  ['Koa 3', Koa3],
  ['Koa 2', Koa2],
] as const;
const ids = ['chat', 'messages'] as const;
const { path, body } = asked.chat;

const told = (): Play => new Play().tell('Hello');
const begun = (): Play => new Play().say(...opening, delta('first'));

/** Middleware of Express in a Koa app. */
const bridged: Middleware = async ({ req, res }, next) => {
  await new Promise((settle) => express.json()(req as express.Request, res as express.Response, settle));
  return next();
};

/** An app that answers 418 to whatever comes through, on a socket; errors that reach the app are kept. */
async function scene(Koa: typeof Koa3, stage: Stage, before: readonly Middleware[] = [], at?: string) {
  const app = new Koa();
  const errors: unknown[] = [];
  app.on('error', (error) => errors.push(error));
  for (const middleware of before) app.use(middleware);
  const { config, events } = configOf(stage);
  const gateway = llmGateway(config);
  app.use(at === undefined ? gateway : mount(at, gateway));
  app.use((context) => {
    context.status = 418;
    context.body = { path: context.path, parsed: context.request.body };
  });
  const serving: Serving = await serve(app.callback());
  const ending = () => events.find((event) => event.type === 'ending');
  return { ...serving, app, gateway, errors, ending, stage };
}

describe.each(versions)('in %s', (_, Koa) => {
  it.each([
    ['nothing', []],
    ['koa-bodyparser', [bodyParser()]],
    ['koa-bodyparser that leaves text', [bodyParser({ enableTypes: ['text'], extendTypes: { text: ['*/json'] } })]],
    ['koa-body', [koaBody()]],
    ['express.json(), which leaves it in ctx.req.body', [bridged]],
    ['a parser for other types', [bodyParser({ enableTypes: ['form'] })]],
  ] as const)('it reads the body behind %s', async (_, before) => {
    await using at = await scene(Koa, new Stage(told), before);
    const answer = await ask(`${at.url}${path}`, body);
    expect(answer.status).toBe(200);
    expect(await answer.all()).toContain('Hello');
  });

  it.each(['', '{}'])('it refuses the body %j behind a parser in the form of the dialect', async (sent) => {
    await using at = await scene(Koa, new Stage(), [bodyParser()]);
    const answer = await ask(`${at.url}${path}`, sent);
    expect(answer.status).toBe(400);
    expect(JSON.parse(await answer.all())).toHaveProperty('error.message');
  });

  it.each([
    ['/', '/v1/chat/completions'],
    ['/ai', '/ai/v1/chat/completions?x=1'],
    ['/ai/v1', '/ai/v1/chat/completions'],
    ['/v1/chat/completions', '/v1/chat/completions'],
  ])('it works at the mount %s', async (prefix, url) => {
    await using at = await scene(Koa, new Stage(told), [], prefix);
    expect((await ask(`${at.url}${url}`, body)).status).toBe(200);
  });

  it('it works inside a mount inside a mount', async () => {
    const inner = new Koa().use(mount('/v1', llmGateway(configOf(new Stage(told)).config)));
    await using at = await serve(new Koa().use(mount('/ai', inner)).callback());
    expect((await ask(`${at.url}/ai/v1/chat/completions`, body)).status).toBe(200);
  });

  it('it leaves other paths, HEAD and OPTIONS to the app, with their bodies unread', async () => {
    const app = new Koa().use(llmGateway(configOf(new Stage()).config)).use(bodyParser());
    app.use((context) => {
      context.body = { own: context.request.body };
    });
    await using at = await serve(app.callback());
    const own = await ask(`${at.url}/own`, { a: 1 });
    expect(JSON.parse(await own.all())).toEqual({ own: { a: 1 } });
    for (const method of ['HEAD', 'OPTIONS']) expect((await ask(`${at.url}${path}`, '', { method })).status).toBe(200);
  });

  it('it holds no event back behind koa-compress that takes everything', async () => {
    const force: Middleware = (context, next) => {
      context.compress = true;
      return next();
    };
    const before = [compress({ threshold: 0, filter: () => true }), force];
    await using at = await scene(Koa, new Stage(begun), before);
    const answer = await ask(`${at.url}${path}`, body, { headers: { 'accept-encoding': 'gzip' } });
    await answer.until('first');
    at.stage.play.say(delta('second'));
    await answer.until('second');
    at.stage.play.tell('last');
    expect(await answer.all()).toContain('last');
  });

  it('it keeps the headers that other middleware has set, and never a status of theirs', async () => {
    const cors: Middleware = (context, next) => {
      context.set('access-control-allow-origin', '*');
      context.status = 202;
      return next();
    };
    await using at = await scene(Koa, new Stage(told), [cors]);
    const answer = await ask(`${at.url}${path}`, body);
    expect(answer.status).toBe(200);
    expect(answer.headers['access-control-allow-origin']).toBe('*');
  });

  it('middleware in front goes on once all is sent, and changes nothing then', async () => {
    const order: string[] = [];
    const late: Middleware = async (context, next) => {
      await next();
      order.push(context.res.writableFinished ? 'after the end' : 'too early');
      context.status = 500;
      context.set('x-late', '1');
      context.body = 'late';
    };
    await using at = await scene(Koa, new Stage(() => new Play()), [late]);
    const asking = ask(`${at.url}${path}`, body);
    await eventually(() => at.stage.plays.length === 1);
    at.stage.play.tell('Hello');
    const answer = await asking;
    const text = await answer.all();
    expect(answer.status).toBe(200);
    expect(answer.headers).not.toHaveProperty('x-late');
    expect(text).toMatch(/Hello.*\[DONE\]\n\n$/s);
    await eventually(() => order.length > 0);
    expect(order).toEqual(['after the end']);
    expect(at.errors).toEqual([]);
  });

  it.each(ids)(
    '%s: an upstream that fails midway ends the stream in-band, and no error reaches the app',
    async (id) => {
      await using at = await scene(Koa, new Stage(begun), [bodyParser()]);
      const answer = await ask(`${at.url}${asked[id].path}`, asked[id].body);
      await answer.until('first');
      at.stage.play.crash('no such thing');
      const last = (await answer.all()).trimEnd().split('\n\n').at(-1);
      expect(last).toContain('"error"');
      expect(last).not.toContain('no such thing');
      expect(at.errors).toEqual([]);
      const again = await ask(`${at.url}${asked[id].path}`, asked[id].body);
      await again.until('first');
      again.abort();
    },
  );

  it.each([
    ['nothing', []],
    ['koa-bodyparser', [bodyParser()]],
  ] as const)('a client that leaves behind %s aborts the upstream, and its middleware goes on', async (_, before) => {
    let passed = false;
    const outer: Middleware = async (_context, next) => {
      await next();
      passed = true;
    };
    await using at = await scene(Koa, new Stage(begun), [outer, ...before]);
    const answer = await ask(`${at.url}${path}`, body);
    await answer.until('first');
    at.stage.play.say(delta('second'));
    await answer.until('second');
    answer.abort();
    await eventually(() => at.stage.play.abortedAt !== undefined && at.ending() !== undefined && passed);
    expect(at.ending()).toMatchObject({ ending: 'client-closed' });
    expect(at.errors).toEqual([]);
  });

  it('it answers nothing that has been answered', async () => {
    const eager: Middleware = (context, next) => {
      context.respond = false;
      context.res.end('already');
      return next();
    };
    await using at = await scene(Koa, new Stage(told), [eager]);
    expect(await (await ask(`${at.url}${path}`, body)).all()).toBe('already');
  });

  it('a shutdown refuses new requests', async () => {
    await using at = await scene(Koa, new Stage(told));
    await at.gateway.shutdown();
    expect((await ask(`${at.url}${path}`, body)).status).toBe(503);
  });

  it('a stream goes out whole over HTTP/2, and an abort aborts the upstream', async () => {
    const stage = new Stage(begun);
    const { config, events } = configOf(stage);
    const server = http2.createServer(new Koa().use(llmGateway(config)).callback()).listen(0);
    await once(server, 'listening');
    const session = http2.connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const open = async () => {
      const stream = session.request({ ':method': 'POST', ':path': path, 'content-type': 'application/json' });
      stream.on('error', () => {});
      stream.setEncoding('utf8').end(JSON.stringify(body));
      const [piece] = (await once(stream, 'data')) as [string];
      return { stream, piece };
    };
    const { stream, piece } = await open();
    stage.play.tell('Hello');
    let text = piece;
    for await (const more of stream) text += more;
    expect(text).toMatch(/Hello.*\[DONE\]\n\n$/s);
    (await open()).stream.close(http2.constants.NGHTTP2_CANCEL);
    await eventually(() => events.filter(({ type }) => type === 'ending').length === 2);
    expect(events.at(-1)).toMatchObject({ ending: 'client-closed' });
    session.destroy();
    server.close();
  });
});
