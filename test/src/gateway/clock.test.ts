/** The gateway on a clock that the test turns: signs of life, deadlines, slow clients, shutdown. */
import { GatewayError } from '@streamglot/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { asked, Listener, requestOf } from './client.ts';
import { delta, failing, opening, Play } from './play.ts';
import { names, scene, settled } from './scene.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe.each(names)('a stream for a %s client', (name) => {
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

  it.each([
    ['no output', { firstOutputMs: 500 }, 'deadline', false],
    ['no output after a sign of life', { firstOutputMs: 500 }, 'deadline', true],
  ] as const)('ends at its deadline: %s', async (_, timeouts, expected, alive) => {
    const { play, client, done, ending } = scene(name, { timeouts, ...(alive && { keepAliveMs: 300 }) });
    await vi.advanceTimersByTimeAsync(500);
    await done;
    expect(client.status).toBe(alive ? 200 : 504);
    expect(client.text).toContain('too long to generate anything');
    expect(ending()).toMatchObject({ ending: expected, error: { code: 'first_output_timeout' } });
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

  it('blames no upstream for the time in which it was not read', async () => {
    const { play, client, done, ending } = scene(name, {
      bufferBytes: 100,
      timeouts: { silenceMs: 500, totalMs: 5000 },
    });
    client.slow = true;
    play.say(...opening, delta('x'.repeat(200)));
    await settled();
    await vi.advanceTimersByTimeAsync(60_000);
    client.slow = false;
    client.drain();
    await vi.advanceTimersByTimeAsync(499);
    expect(client.ended).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await done;
    expect(ending().ending).toBe('stalled');
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

  it('breaks off a client that does not even take the ending, a second after the drain', async () => {
    const { play, client, gateway, done, ending } = scene(name);
    client.slow = true;
    play.tell('Hi');
    await settled();
    expect(client.ended).toBe(true);
    const closed = gateway.shutdown({ drainMs: 1000 });
    await vi.advanceTimersByTimeAsync(1999);
    expect(client.destroyed).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await Promise.all([done, closed]);
    expect(client.destroyed).toBe(true);
    expect(ending().ending).toBe('completed');
  });

  it('may drain for ever', async () => {
    const { play, client, gateway, done } = scene(name);
    play.say(...opening);
    await settled();
    const closed = gateway.shutdown({ drainMs: Number.POSITIVE_INFINITY });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(client.ended).toBe(false);
    play.tell('');
    await Promise.all([done, closed]);
    expect(client.text).not.toContain('shutting down');
  });

  it('counts the pause of a client that leaves while it is slow, and looks after nothing any more', async () => {
    const { play, client, done, ending } = scene(name, { bufferBytes: 100 });
    client.slow = true;
    play.say(...opening, delta('x'.repeat(200)));
    await settled();
    await vi.advanceTimersByTimeAsync(5000);
    client.leave();
    await done;
    client.drain();
    expect(ending()).toMatchObject({ ending: 'client-closed', timing: { pausedMs: 5000 } });
    expect(vi.getTimerCount()).toBe(0);
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

  it('leaves no timer behind', async () => {
    const { play, done } = scene(name);
    play.tell('Hi');
    await done;
    expect(vi.getTimerCount()).toBe(0);
  });
});
