/** One request through the gateway, without a socket and on the test's own time: gates, endings, deadlines, backpressure. */
import { GatewayError } from '@streamglot/core';
import { createGateway, type GatewayConfig, type GatewayEvent, type GatewayRequest } from '@streamglot/gateway';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { asked, Listener, requestOf } from './client.ts';
import { delta, failing, opening, Play, providerOf } from './play.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

type Name = keyof typeof asked;
const names = Object.keys(asked) as Name[];

interface Scene {
  play: Play;
  client: Listener;
  events: GatewayEvent[];
  done: Promise<void>;
  gateway: ReturnType<typeof createGateway>;
  ending(): GatewayEvent & { type: 'ending' };
}

function scene(
  name: Name,
  more: Partial<GatewayConfig> & { play?: Play; body?: object; request?: Partial<GatewayRequest> } = {},
): Scene {
  const { play = new Play(), body, request, ...config } = more;
  const events: GatewayEvent[] = [];
  const client = new Listener();
  const gateway = createGateway({
    providers: { play: providerOf(play) },
    models: { m: 'play/upstream-model' },
    observe: (event) => events.push(event),
    ...config,
  } as GatewayConfig);
  const wire = requestOf(asked[name].path, { ...asked[name].body, ...body }, request);
  const route = gateway.route(wire.method, wire.path, '', wire.headers);
  if (route === undefined) throw new Error('no route');
  const done = gateway.handle(route, wire, client);
  const ending = () => events.find((event) => event.type === 'ending') as GatewayEvent & { type: 'ending' };
  return { play, client, events, done, gateway, ending };
}

/** Lets everything happen that waits for no timer. */
async function settled(): Promise<void> {
  await vi.advanceTimersByTimeAsync(0);
}

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

  it('gives a sign of life while the upstream is silent, also before the head', async () => {
    let answer: (head: object) => void = () => {};
    const play = new Play(new Promise((settle) => (answer = settle)));
    const { client, done } = scene(name, { play, keepAliveMs: 1000 });
    await vi.advanceTimersByTimeAsync(999);
    expect(client.status).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(client.status).toBe(200);
    expect(client.writes).toHaveLength(1);
    expect(client.writes[0]).toMatch(/^:/);
    answer({});
    await settled();
    play.say(...opening, delta('Hel'));
    await settled();
    await vi.advanceTimersByTimeAsync(2000);
    const signs = client.writes.slice(-2);
    expect(signs[0]).toBe(signs[1]);
    expect(signs[0]).toMatch(name === 'messages' ? /^event: ping\n/ : /^:/);
    play.say(failing({ type: 'overloaded', message: 'Busy.' }));
    await done;
    expect(client.text).toContain('Busy.');
  });

  it('gives no sign of life while events flow', async () => {
    const { play, client, done } = scene(name, { keepAliveMs: 1000 });
    play.say(...opening);
    for (let at = 0; at < 5; at++) {
      await vi.advanceTimersByTimeAsync(900);
      play.say(delta('x'));
      await settled();
    }
    play.tell('');
    await done;
    expect(client.text).not.toMatch(/^:|ping/m);
  });

  it('answers a failure after a sign of life in-band: the status has gone out', async () => {
    let refuse: (thrown: unknown) => void = () => {};
    const play = new Play(new Promise((_, reject) => (refuse = reject)));
    const { client, done } = scene(name, { play, keepAliveMs: 1000 });
    await vi.advanceTimersByTimeAsync(1000);
    refuse(new GatewayError({ type: 'rate_limit', message: 'Busy.' }));
    await done;
    expect(client.status).toBe(200);
    expect(client.text).toContain('Busy.');
    expect(client.ended).toBe(true);
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

  it.each([
    ['no output', { firstOutputMs: 500 }, 'deadline', false],
    ['no output after a sign of life', { firstOutputMs: 500 }, 'deadline', true],
  ] as const)('ends at its deadline: %s', async (_, timeouts, expected, alive) => {
    const { play, client, done, ending } = scene(name, { timeouts, ...(alive && { keepAliveMs: 300 }) });
    await vi.advanceTimersByTimeAsync(500);
    await done;
    expect(client.status).toBe(alive ? 200 : 504);
    expect(client.text).toContain('longer than is allowed');
    expect(ending().ending).toBe(expected);
    expect(play.calls[0]?.signal.aborted).toBe(true);
  });

  it.each([
    ['silence', { silenceMs: 500 }, 'stalled', 'stopped sending'],
    ['total time', { totalMs: 500 }, 'deadline', 'longer than is allowed'],
  ] as const)('ends in-band at its limit of %s', async (_, timeouts, expected, words) => {
    const { play, client, done, ending } = scene(name, { timeouts });
    play.say(...opening, delta('Hel'));
    await vi.advanceTimersByTimeAsync(499);
    expect(client.ended).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await done;
    expect(client.text).toContain(words);
    expect(ending().ending).toBe(expected);
    expect(play.calls[0]?.signal.aborted).toBe(true);
  });

  it('reads no further than its buffer while the client is slow, and its clocks stand still', async () => {
    const { play, client, done, ending } = scene(name, {
      bufferBytes: 1000,
      timeouts: { silenceMs: 500, totalMs: 5000 },
    });
    client.slow = true;
    play.say(...opening);
    for (let at = 0; at < 100; at++) play.say(delta('x'.repeat(100)));
    await settled();
    const { pulled } = play;
    expect(pulled).toBeLessThan(15);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(play.pulled).toBe(pulled);
    expect(client.ended).toBe(false);
    client.slow = false;
    client.drain();
    play.tell('');
    await done;
    expect(client.text.match(/x{100}/g)).toHaveLength(100);
    expect(ending()).toMatchObject({ ending: 'completed', timing: { pausedMs: 60_000 } });
  });

  it('turns requests away once it shuts down, lets streams finish, and ends those that do not', async () => {
    const { play, client, gateway, done, ending } = scene(name);
    play.say(...opening, delta('Hel'));
    await settled();
    const closed = gateway.shutdown({ drainMs: 1000 });
    const late = new Listener();
    const wire = requestOf(asked[name].path, asked[name].body);
    const route = gateway.route('POST', wire.path, '', wire.headers);
    if (route === undefined) throw new Error('no route');
    await gateway.handle(route, wire, late);
    expect(late.status).toBe(503);
    expect(late.headers).toMatchObject({ connection: 'close' });
    expect(late.json).toMatchObject({ error: { message: 'The gateway is shutting down.' } });
    await vi.advanceTimersByTimeAsync(999);
    expect(client.ended).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await Promise.all([done, closed]);
    expect(client.text).toContain('shutting down');
    expect(ending().ending).toBe('shutdown');
  });

  it('has shut down as soon as the last stream has finished', async () => {
    const { play, gateway, ending } = scene(name);
    play.say(...opening, delta('Hel'));
    await settled();
    const closed = gateway.shutdown({ drainMs: 60_000 });
    play.tell('');
    await closed;
    expect(ending().ending).toBe('completed');
    expect(vi.getTimerCount()).toBe(0);
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

  it('leaves no timer behind', async () => {
    const { play, done } = scene(name);
    play.tell('Hi');
    await done;
    expect(vi.getTimerCount()).toBe(0);
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

  it('is not larger than its limit', async () => {
    const { play, client, done } = scene(name, { body, limits: { maxAccumulatedBytes: 250 } });
    play
      .say(...opening)
      .say(delta('a'))
      .tell('b');
    await done;
    expect(client.json).toMatchObject({ error: { message: 'The answer is larger than 250 bytes.' } });
    expect(client.status).not.toBe(200);
  });
});
