/** The gateway among an Express app's other middleware: mounts, body parsers, compression, other routes. */
import { gzipSync } from 'node:zlib';
import { llmGateway } from '@streamglot/express';
import compression from 'compression';
import express5, { type Express, type RequestHandler } from 'express';
import request from 'supertest';
import { describe, expect, it } from 'vitest';
import { asked } from '../gateway/client.ts';
import { delta, opening, Play } from '../gateway/play.ts';
import { ask, configOf, express4, Stage, serve } from './serve.ts';

const versions = [
  ['Express 5', express5],
  ['Express 4', express4],
] as const;

const { body } = asked.chat;

function appOf(
  express: typeof express5,
  mount: string,
  before: RequestHandler[] = [],
  stage = new Stage(told),
): Express {
  const app = express();
  for (const handler of before) app.use(handler);
  app.use(mount, llmGateway(configOf(stage).config));
  app.use((req, res) => {
    res.status(418).json({ path: req.path, body: req.body });
  });
  return app;
}

function told(): Play {
  return new Play().tell('Hello');
}

describe.each(versions)('in %s', (_, express) => {
  it.each([
    ['nothing', []],
    ['express.json()', [express.json()]],
    ['express.json() and express.urlencoded()', [express.json(), express.urlencoded({ extended: true })]],
    ['express.text()', [express.text({ type: '*/*' })]],
    ['express.raw()', [express.raw({ type: '*/*' })]],
    ['a parser for other types', [express.json({ type: 'application/other' })]],
  ] as const)('it reads the body behind %s', async (_, before) => {
    const answer = await request(appOf(express, '/', [...before]))
      .post('/v1/chat/completions')
      .send(body);
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('Hello');
  });

  it.each([
    ['/', '/v1/chat/completions'],
    ['/ai', '/ai/v1/chat/completions'],
    ['/ai/v1', '/ai/v1/chat/completions'],
    ['/v1', '/v1/chat/completions'],
    ['/v1/chat/completions', '/v1/chat/completions'],
  ])('it works at the mount %s', async (mount, path) => {
    const answer = await request(appOf(express, mount)).post(path).send(body);
    expect(answer.status).toBe(200);
  });

  it('it works inside a router inside a router', async () => {
    const inner = express.Router();
    inner.use('/b', llmGateway(configOf(new Stage(told)).config));
    const outer = express.Router();
    outer.use('/a', inner);
    const app = express();
    app.use(outer);
    expect((await request(app).post('/a/b/v1/chat/completions').send(body)).status).toBe(200);
  });

  it.each([
    ['compression()', [compression()]],
    ['compression() that takes everything', [compression({ filter: () => true, threshold: 0 })]],
    ['nothing', []],
  ] as const)('it holds no event back behind %s', async (_, before) => {
    const stage = new Stage(() => new Play().say(...opening, delta('first')));
    await using serving = await serve(appOf(express, '/', [...before], stage));
    const headers = { 'accept-encoding': 'gzip' };
    const answer = await ask(`${serving.url}/v1/chat/completions`, body, { headers });
    await answer.until('first');
    stage.play.say(delta('second'));
    await answer.until('second');
    stage.play.tell('last');
    expect(await answer.all()).toContain('last');
  });

  it('it flushes what middleware with a flush of its own holds back', async () => {
    const holding: RequestHandler = (_req, res, next) => {
      const write = res.write.bind(res) as (text: string) => boolean;
      const held: string[] = [];
      const flush = (): boolean => write(held.splice(0).join(''));
      Object.assign(res, { flush, write: (text: string) => held.push(text) > 0 });
      next();
    };
    const stage = new Stage(() => new Play().say(...opening, delta('first')));
    await using serving = await serve(appOf(express, '/', [holding], stage));
    const answer = await ask(`${serving.url}/v1/chat/completions`, body);
    await answer.until('first');
    answer.abort();
  });

  it.each(['gzip', 'deflate', 'br'] as const)('it refuses no body in %s that is sound', async (coding) => {
    const { brotliCompressSync, deflateSync } = await import('node:zlib');
    const pack = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync }[coding];
    await using serving = await serve(appOf(express, '/'));
    const headers = { 'content-encoding': coding };
    const answer = await ask(`${serving.url}/v1/chat/completions`, pack(JSON.stringify(body)), { headers });
    expect(answer.status).toBe(200);
    const broken = await ask(`${serving.url}/v1/chat/completions`, 'nonsense', { headers });
    expect(broken.status).toBe(400);
  });

  it.each(['', 'false', '"text"'])('it refuses the body %j in the form of the dialect', async (sent) => {
    await using serving = await serve(appOf(express, '/'));
    const answer = await ask(`${serving.url}/v1/chat/completions`, sent);
    expect(answer.status).toBe(400);
    expect(JSON.parse(await answer.all())).toHaveProperty('error.message');
  });

  it('it says which content codings it knows', async () => {
    const answer = await request(appOf(express, '/'))
      .post('/v1/chat/completions')
      .set('content-encoding', 'lzma')
      .send(body);
    expect(answer.status).toBe(415);
    expect(answer.body.error.message).toContain('gzip');
  });

  it('it says so when a parser has swallowed the body', async () => {
    const swallow: RequestHandler = (req, _res, next) => {
      req.resume().on('end', () => next());
    };
    const answer = await request(appOf(express, '/', [swallow]))
      .post('/v1/chat/completions')
      .send(body);
    expect(answer.status).toBe(500);
    expect(answer.body.error.message).toContain('req.body');
  });

  it('it answers nothing that has been answered', async () => {
    const eager: RequestHandler = (_req, res, next) => {
      res.json({ already: true });
      next();
    };
    const app = express();
    app.use(eager, llmGateway(configOf(new Stage(told)).config), (_req, _res) => {});
    expect((await request(app).post('/v1/chat/completions').send(body)).body).toEqual({ already: true });
  });
});
