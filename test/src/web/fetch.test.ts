/** The fetch handler: which requests are its own, bodies within their limits, and clients that leave. */
import { setImmediate as turn } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { createGateway } from '@streamglot/web';
import { describe, expect, it } from 'vitest';
import { configOf, eventually, Stage } from '../express/serve.ts';
import { asked } from '../gateway/client.ts';
import { delta, opening, Play } from '../gateway/play.ts';

type Config = Parameters<typeof configOf>[1];

const told = (): Play => new Play().tell('Hello');
const begun = (): Play => new Play().say(...opening, delta('first'));
const { body } = asked.chat;
const text = JSON.stringify(body);

function scene(stage = new Stage(told), more: Config = {}) {
  const { config, events } = configOf(stage, more);
  const endings = () => events.filter((event) => event.type === 'ending');
  return { gateway: createGateway(config), stage, endings };
}

function requestOf(path: string = asked.chat.path, init: RequestInit = {}): Request {
  const headers = { 'content-type': 'application/json', ...init.headers };
  return new Request(`http://here${path}`, { method: 'POST', body: text, ...init, headers });
}

/** A body without a length, in pieces. */
function inPieces(...pieces: (string | Uint8Array)[]): RequestInit {
  const stream = new ReadableStream({
    pull: (controller) => {
      const piece = pieces.shift();
      if (piece === undefined) controller.close();
      else controller.enqueue(typeof piece === 'string' ? Buffer.from(piece) : piece);
    },
  });
  return { body: stream, duplex: 'half' } as RequestInit;
}

describe('what is the gateway’s', () => {
  it('a stream comes with its head, and a whole answer as JSON', async () => {
    const { gateway } = scene();
    const streamed = await gateway.fetch(requestOf());
    expect(Object.fromEntries(streamed.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    });
    expect(await streamed.text()).toMatch(/Hello.*\[DONE\]\n\n$/s);
    const whole = await gateway.fetch(requestOf(undefined, { body: JSON.stringify({ ...body, stream: false }) }));
    expect(await whole.json()).toMatchObject({ choices: [{ message: { content: 'Hello' } }] });
  });

  it('the query, the headers and the request itself reach the gateway', async () => {
    let seen: unknown;
    const authorize = ({
      host,
      headers,
    }: {
      host?: unknown;
      headers: Readonly<Record<string, string | undefined>>;
    }) => {
      seen = [host instanceof Request, headers['x-one']];
      return 'me';
    };
    const { gateway } = scene(undefined, { authorize });
    const answer = await gateway.fetch(
      requestOf('/v1/models?limit=1', { method: 'GET', body: null, headers: { 'x-one': '1' } }),
    );
    expect(answer.status).toBe(200);
    expect(seen).toEqual([true, '1']);
  });

  it.each([
    ['another path', requestOf('/own')],
    ['HEAD', requestOf(undefined, { method: 'HEAD', body: null })],
    ['OPTIONS', requestOf(undefined, { method: 'OPTIONS' })],
    ['a longer path', requestOf('/more/v1/chat/completions')],
  ])('%s is the host’s: nothing for answer, 404 for fetch', async (_, request) => {
    const { gateway } = scene();
    expect(gateway.answer(request)).toBeUndefined();
    expect((await gateway.fetch(request)).status).toBe(404);
    expect(request.bodyUsed).toBe(false);
  });

  it.each([
    ['/ai', '/ai/v1/chat/completions', true],
    ['/ai/', '/ai/v1/chat/completions', true],
    ['/ai/v1', '/ai/v1/chat/completions', true],
    ['/v1', '/v1/chat/completions', true],
    ['/v1/chat/completions', '/v1/chat/completions', true],
    ['/', '/v1/chat/completions', true],
    ['/ai', '/v1/chat/completions', false],
    ['/ai', '/aiv1/chat/completions', false],
    ['/ai', '/x/ai/v1/chat/completions', false],
  ])('mounted at %s, %s is: %s', async (mount, path, its) => {
    const { gateway } = scene();
    const answer = gateway.answer(requestOf(path), { mount });
    expect((await answer)?.status).toBe(its ? 200 : undefined);
  });

  it('a path of its own takes its methods only', async () => {
    const answer = await scene().gateway.fetch(requestOf(undefined, { method: 'GET', body: null }));
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
  });

  it('its functions work without it', async () => {
    const { fetch } = scene().gateway;
    expect((await fetch(requestOf())).status).toBe(200);
  });

  it('a shutdown refuses new requests, and ends streams that stay in the form of the dialect', async () => {
    const { gateway, stage } = scene(new Stage(begun));
    const streamed = await gateway.fetch(requestOf());
    const closed = gateway.shutdown({ drainMs: 20 });
    expect((await gateway.fetch(requestOf())).status).toBe(503);
    const all = await streamed.text();
    await closed;
    expect(all).toContain('shutting down');
    expect(all).not.toContain('[DONE]');
    expect(stage.play.abortedAt).toBeDefined();
  });
});

describe('a body', () => {
  it.each([
    ['in one piece', {}],
    ['in pieces', inPieces(text.slice(0, 9), text.slice(9))],
    ['in gzip', { body: gzipSync(text), headers: { 'content-encoding': 'gzip' } }],
    ['in x-gzip', { body: gzipSync(text), headers: { 'content-encoding': 'X-GZIP' } }],
    ['in deflate', { body: deflateSync(text), headers: { 'content-encoding': 'deflate' } }],
    ['without a content type', { headers: { 'content-type': '' } }],
  ] as [string, RequestInit][])('%s is read', async (_, init) => {
    const request = requestOf(undefined, init);
    if (request.headers.get('content-type') === '') request.headers.delete('content-type');
    expect((await scene().gateway.fetch(request)).status).toBe(200);
  });

  it('in brotli is read where the runtime can, else refused with what it can', async () => {
    const answer = await scene().gateway.fetch(
      requestOf(undefined, { body: brotliCompressSync(text), headers: { 'content-encoding': 'br' } }),
    );
    const known = knows('brotli');
    expect(answer.status).toBe(known ? 200 : 415);
    if (!known) expect(await answer.text()).toContain('gzip, deflate or none');
  });

  it.each([
    ['415', 'an unknown coding', { headers: { 'content-encoding': 'constructor' } }],
    ['400', 'a broken coding', { body: 'nonsense', headers: { 'content-encoding': 'gzip' } }],
    ['400', 'a coding cut short', { body: gzipSync(text).subarray(0, 20), headers: { 'content-encoding': 'gzip' } }],
    ['415', 'another content type', { headers: { 'content-type': 'text/plain' } }],
    ['400', 'an empty body', { body: '' }],
    ['400', 'no body', { body: null }],
    ['400', 'broken JSON', { body: '{' }],
    ['400', 'JSON that is no object', { body: 'false' }],
    ['413', 'a long body', { body: 'x'.repeat(1500) }],
    ['413', 'a long body in pieces', inPieces(...Array.from({ length: 100 }, () => 'x'.repeat(100)))],
    [
      '413',
      'a long body in a short coding',
      { body: gzipSync('x'.repeat(1e6)), headers: { 'content-encoding': 'gzip' } },
    ],
  ] as [string, string, RequestInit][])('%s for %s, in the form of the dialect', async (status, _, init) => {
    const { gateway, stage } = scene(undefined, { limits: { maxBodyBytes: 1000 } });
    const answer = await gateway.fetch(requestOf(undefined, init));
    expect(String(answer.status)).toBe(status);
    expect(await answer.json()).toHaveProperty('error.message');
    expect(stage.plays).toHaveLength(0);
  });

  it('without end is cut off', async () => {
    let cancelled = false;
    const stream = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(600)),
      cancel: () => {
        cancelled = true;
      },
    });
    const { gateway } = scene(undefined, { limits: { maxBodyBytes: 1000 } });
    const answer = await gateway.fetch(requestOf(undefined, { body: stream, duplex: 'half' } as RequestInit));
    expect(answer.status).toBe(413);
    expect(cancelled).toBe(true);
  });

  it.each([
    ['an object', body],
    ['text', text],
    ['bytes', Buffer.from(text)],
  ])('that the host has read is taken from it as %s', async (_, given) => {
    const request = requestOf();
    await request.text();
    expect((await scene().gateway.answer(request, { body: given }))?.status).toBe(200);
  });

  it.each([false, null, ''])('%j, as a host has read it, is refused', async (given) => {
    expect((await scene().gateway.answer(requestOf(), { body: given }))?.status).toBe(400);
  });

  it('that the host has read and not given is said to be missing', async () => {
    const request = requestOf();
    await request.text();
    const answer = await scene().gateway.fetch(request);
    expect(answer.status).toBe(500);
    expect(await answer.text()).toContain('{ body }');
  });

  it('that breaks off ends quietly', async () => {
    const stream = new ReadableStream({ pull: (controller) => controller.error(new Error('reset')) });
    const at = scene();
    await at.gateway.fetch(requestOf(undefined, { body: stream, duplex: 'half' } as RequestInit));
    await eventually(() => at.endings().length > 0);
    expect(at.endings()).toMatchObject([{ error: { type: 'cancelled' } }]);
    expect(at.stage.plays).toHaveLength(0);
  });
});

describe.each(['chat', 'messages'] as const)('a client of %s that leaves', (id) => {
  const asking = (signal: AbortSignal): Request =>
    requestOf(asked[id].path, { body: JSON.stringify(asked[id].body), signal });

  it.each([
    ['the signal', true, false],
    ['cancel', false, true],
    ['the signal and cancel', true, true],
  ])('by %s aborts the upstream, once', async (_, signal, cancel) => {
    const at = scene(new Stage(begun));
    const abort = new AbortController();
    const { body: stream } = await at.gateway.fetch(asking(abort.signal));
    if (signal) abort.abort();
    if (cancel) stream?.cancel().catch(() => {});
    await eventually(() => at.endings().length > 0);
    await turn();
    expect(at.endings()).toMatchObject([{ ending: 'client-closed' }]);
    expect(at.stage.play.abortedAt).toBeDefined();
  });

  it('while the upstream has not answered aborts it too, and the host is given a head', async () => {
    const at = scene(new Stage(() => new Play(new Promise(() => {}))));
    const abort = new AbortController();
    const answer = at.gateway.fetch(asking(abort.signal));
    await eventually(() => at.stage.plays.length > 0);
    abort.abort();
    expect((await answer).status).toBe(499);
    expect(at.stage.play.abortedAt).toBeDefined();
  });

  it('before it has come makes no request of the upstream', async () => {
    const at = scene(new Stage(begun));
    const answer = await at.gateway.fetch(asking(AbortSignal.abort()));
    expect(answer.status).toBe(499);
    expect(at.stage.plays).toHaveLength(0);
    expect(at.endings()).toMatchObject([{ ending: 'client-closed' }]);
  });

  it('after the ending has had everything', async () => {
    const at = scene(new Stage(told));
    const abort = new AbortController();
    const answer = await at.gateway.fetch(asking(abort.signal));
    await answer.text();
    abort.abort();
    await turn();
    expect(at.endings()).toMatchObject([{ ending: 'completed' }]);
  });
});

function knows(format: string): boolean {
  try {
    Reflect.construct(DecompressionStream, [format]);
    return true;
  } catch {
    return false;
  }
}
