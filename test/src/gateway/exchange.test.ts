/** One request through the gateway, without a socket: gates, statuses, endings, headers. */
import { GatewayError } from '@streamglot/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { closing, delta, failing, opening, Play } from './play.ts';
import { names, scene, settled } from './scene.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe.each(names)('a stream for a %s client', (name) => {
  it('goes out batch by batch, one write each', async () => {
    const { play, client, done } = scene(name);
    await settled();
    play.say(...opening);
    await settled();
    play.chunk([delta('Hello')], [delta(' there')]);
    await settled();
    const before = client.writes.length;
    expect(client.writes.at(-1)).toContain('Hello');
    expect(client.writes.at(-1)).toContain(' there');
    play.say(delta('!'));
    await settled();
    expect(client.writes.length).toBe(before + 1);
    play.tell('');
    await done;
    expect(client.ended).toBe(true);
  });

  it('holds status and headers until the answer begins', async () => {
    const { play, client, done } = scene(name);
    await settled();
    expect(client.status).toBeUndefined();
    play.tell('Hi');
    await done;
    expect(client.status).toBe(200);
    expect(client.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
    });
  });

  it('asks the upstream for its own model and answers with the name that the client used', async () => {
    const { play, client, done } = scene(name);
    play.tell('Hi');
    await done;
    expect(play.calls[0]?.request.model).toBe('upstream-model');
    expect(play.calls[0]?.context.model).toBe('m');
    expect(client.text).not.toContain('upstream-model');
  });

  it('tells the upstream how much its answer may hold', async () => {
    const { play, done } = scene(name, { limits: { maxBlocks: 7 } });
    play.tell('Hi');
    await done;
    expect(play.calls[0]?.limits).toMatchObject({ maxBlocks: 7, maxDepth: 256 });
  });

  it('reads no request that nests deeper than that', async () => {
    const { client, done } = scene(name, { body: { metadata: { a: { b: {} } } }, limits: { maxDepth: 3 } });
    await done;
    expect(client.status).toBe(400);
    expect(client.text).toContain('nests too deeply');
  });

  it('gives each request a seed and a time', async () => {
    const { play, done } = scene(name);
    play.tell('Hi');
    await done;
    const { seed, startedAt } = play.calls[0]?.context ?? {};
    expect(seed).toMatch(/^[0-9a-f]{24}$/);
    expect(startedAt).toBe(Math.floor(Date.now() / 1000));
  });

  it('reports one ending, with usage and timing', async () => {
    const { play, done, events, ending } = scene(name);
    await settled();
    vi.advanceTimersByTime(40);
    play.say(...opening);
    await settled();
    vi.advanceTimersByTime(60);
    play.tell('');
    await done;
    expect(events.filter((event) => event.type === 'ending')).toHaveLength(1);
    expect(ending()).toMatchObject({
      ending: 'completed',
      status: 200,
      model: 'm',
      usage: { inputTokens: 3, outputTokens: 2 },
      bytes: 300,
      timing: { firstOutputMs: 40, upstreamMs: 100, totalMs: 100, pausedMs: 0 },
    });
  });

  it.each([
    ['rate_limit', 429],
    ['authentication', 401],
    ['invalid_request', 400],
  ] as const)('turns a failure before the head into a real status: %s', async (type, status) => {
    const headers = new Map([
      ['retry-after', '7'],
      ['x-should-retry', 'true'],
      ['anthropic-ratelimit-requests-remaining', '0'],
      ['x-ratelimit-remaining-tokens', '12'],
      ['set-cookie', 'a=b'],
      ['server', 'x'],
    ]);
    const error = { type, message: 'No.', requestId: 'req_up' };
    const play = new Play(Promise.reject(new GatewayError(error, { headers })));
    const { client, done, ending } = scene(name, { play });
    await done;
    expect(client.status).toBe(status);
    expect(client.json).toMatchObject({ error: { message: 'No.' } });
    expect(client.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'retry-after': '7',
      'x-should-retry': 'true',
      'anthropic-ratelimit-requests-remaining': '0',
      'x-ratelimit-remaining-tokens': '12',
      'x-request-id': 'req_up',
      'request-id': 'req_up',
    });
    expect(client.headers).not.toHaveProperty('set-cookie');
    expect(client.headers).not.toHaveProperty('server');
    expect(ending()).toMatchObject({ ending: 'error', status });
  });

  it('says when to try again where only the error knows', async () => {
    const error = { type: 'rate_limit' as const, message: 'Slow down.', retryAfterMs: 1500 };
    const { client, done } = scene(name, { play: new Play(Promise.reject(new GatewayError(error))) });
    await done;
    expect(client.headers).toMatchObject({ 'retry-after': '2', 'retry-after-ms': '1500' });
  });

  it.each([
    ['as the first event', []],
    ['right after the start', [opening[0]]],
  ])('turns an error %s into a real status', async (_, first) => {
    const { play, client, done } = scene(name);
    play.say(...(first as typeof opening), failing({ type: 'rate_limit', message: 'Busy.' }));
    await done;
    expect(client.status).toBe(429);
    expect(client.json).toMatchObject({ error: { message: 'Busy.' } });
  });

  it('tells a failure after output in-band, in the form of the dialect', async () => {
    const { play, client, done, ending } = scene(name);
    play.say(...opening, delta('Hel')).say(failing({ type: 'overloaded', message: 'Busy.' }));
    await done;
    expect(client.status).toBe(200);
    expect(client.text).toContain('Busy.');
    expect(client.text).not.toContain('[DONE]');
    expect(client.text).not.toContain('message_stop');
    expect(ending()).toMatchObject({ ending: 'error', error: { message: 'Busy.' } });
  });

  it('tells an upstream that ends without an ending from a whole answer', async () => {
    const { play, client, done, ending } = scene(name);
    play.say(...opening, delta('Hel')).cut();
    await done;
    expect(client.text).toContain('closed the stream before its answer ended');
    expect(client.text).not.toContain('[DONE]');
    expect(ending().ending).toBe('truncated');
  });

  it('hides what an upstream throws that is no GatewayError, but shows it to observers', async () => {
    const { play, client, done, events, ending } = scene(name);
    play.say(...opening, delta('Hel')).crash('secret detail');
    await done;
    expect(client.text).not.toContain('secret detail');
    expect(ending().ending).toBe('internal');
    expect(events.find((event) => event.type === 'fault')).toMatchObject({ thrown: { message: 'secret detail' } });
    const early = scene(name, { play: new Play(Promise.reject(new Error('secret detail'))) });
    await early.done;
    expect(early.client.status).toBe(500);
    expect(early.client.text).not.toContain('secret detail');
  });

  it('stops when the client leaves: the upstream is aborted and nothing more is written', async () => {
    const { play, client, done, ending } = scene(name);
    play.say(...opening, delta('Hel'));
    await settled();
    const before = client.writes.length;
    client.leave();
    expect(play.calls[0]?.signal.aborted).toBe(true);
    expect(play.returned).toBe(true);
    play.say(delta('lo'));
    await done;
    expect(client.writes.length).toBe(before);
    expect(ending()).toMatchObject({ ending: 'client-closed' });
  });

  it('has completed when the client leaves after the ending', async () => {
    const { play, client, done, ending } = scene(name);
    play.tell('Hi');
    await settled();
    client.leave();
    await done;
    expect(ending().ending).toBe('completed');
  });

  it('has completed, and leaves the upstream alone, when the client leaves before it has taken the ending', async () => {
    const { play, client, done, ending } = scene(name);
    client.slow = true;
    play.tell('Hi');
    await settled();
    client.leave();
    client.destroy();
    await done;
    expect(ending().ending).toBe('completed');
    expect(play.calls[0]?.signal.aborted).toBe(false);
  });

  it('does not break when an observer does', async () => {
    const { play, client, done } = scene(name, {
      observe: () => {
        throw new Error('log is full');
      },
    });
    play.tell('Hi');
    await done;
    expect(client.status).toBe(200);
    const rejecting = scene(name, { observe: () => Promise.reject(new Error('log is full')) });
    rejecting.play.tell('Hi');
    await rejecting.done;
    expect(rejecting.client.status).toBe(200);
  });

  it('passes headers on by list', async () => {
    const headers = {
      'content-type': 'application/json',
      'anthropic-beta': 'x-1',
      'openai-beta': 'y=1',
      'idempotency-key': 'k',
      traceparent: '00-1',
      cookie: 'secret',
      authorization: 'Bearer secret',
      'x-api-key': 'secret',
    };
    const { play, done } = scene(name, { request: { headers } });
    play.tell('Hi');
    await done;
    expect(Object.fromEntries(play.calls[0]?.headers ?? [])).toEqual({
      'anthropic-beta': 'x-1',
      'openai-beta': 'y=1',
      'idempotency-key': 'k',
      traceparent: '00-1',
    });
  });
});

describe.each(names)('a whole answer for a %s client', (name) => {
  const body = { stream: false };

  it('is one JSON body', async () => {
    const { play, client, done, ending } = scene(name, { body });
    play.tell('Hello');
    await done;
    expect(client.status).toBe(200);
    expect(client.headers['content-type']).toBe('application/json; charset=utf-8');
    const { choices, content } = client.json as { choices?: { message: { content: string } }[]; content?: object[] };
    if (name === 'chat') expect(choices?.[0]?.message.content).toBe('Hello');
    else expect(content?.[0]).toMatchObject({ type: 'text', text: 'Hello' });
    expect(play.calls[0]?.stream).toBe(false);
    expect(ending().ending).toBe('completed');
  });

  it.each([
    [
      'an error after output',
      (play: Play) => play.say(...opening).say(failing({ type: 'overloaded', message: 'Busy.' })),
      'error',
    ],
    ['a cut', (play: Play) => play.say(...opening).cut(), 'truncated'],
    ['a crash', (play: Play) => play.say(...opening).crash('x'), 'internal'],
  ] as const)('becomes a real status after %s', async (_, act, expected) => {
    const { play, client, done, ending } = scene(name, { body });
    act(play);
    await done;
    expect(client.status).toBeGreaterThanOrEqual(500);
    expect(client.json).toHaveProperty('error.message');
    expect(ending().ending).toBe(expected);
  });

  it.each([
    [
      'on the way',
      (play: Play) =>
        play
          .say(...opening)
          .say(delta('a'))
          .say(delta('b'))
          .say(...closing),
    ],
    [
      'in its last piece',
      (play: Play) =>
        play
          .say(...opening, delta('a'))
          .say(delta('b'))
          .say(...closing),
    ],
  ] as const)('is not larger than its limit, found out %s', async (_, act) => {
    const { play, client, done, ending } = scene(name, { body, limits: { maxAccumulatedBytes: 250 } });
    act(play);
    await done;
    expect(client.status).not.toBe(200);
    expect(client.json).toMatchObject({ error: { message: 'The answer is larger than 250 bytes.' } });
    expect(ending().ending).toBe('error');
  });
});
