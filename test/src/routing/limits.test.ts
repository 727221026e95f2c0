/** Shares of principals: requests at a time, requests and tokens in a minute. */
import { Limiter, limited, type PrincipalLimits } from '@streamglot/routing';
import { expect, test } from 'vitest';
import { VirtualClock } from './clock.ts';
import { callOf, read, refusing, Scripted, telling } from './script.ts';

function shared(limits: PrincipalLimits, clock = new VirtualClock()) {
  const upstream = new Scripted('a', clock, telling('A', 500, 500));
  const limiter = new Limiter(limits, clock);
  const ask = (principal?: string, signal = new AbortController().signal) =>
    read(limited(upstream, limiter), callOf({ signal, ...(principal !== undefined && { principal }) }));
  return { clock, upstream, limiter, ask };
}

test('a principal has so many requests at a time, and others have theirs', async () => {
  const { clock, limiter, ask } = shared({ maxInFlight: 2 });
  const all = [ask('ann'), ask('ann'), ask('ann'), ask('ben'), ask(), ask(), ask()];
  await clock.run();
  const codes = (await Promise.all(all)).map(({ error }) => error?.code);
  const over = 'concurrency_exceeded';
  expect(codes).toEqual([undefined, undefined, over, undefined, undefined, undefined, over]);
  expect(['ann', 'ben', undefined].map((name) => limiter.inFlight(name))).toEqual([0, 0, 0]);
});

test('a client that leaves gives its place back at once', async () => {
  const { clock, limiter, ask } = shared({ maxInFlight: 1 });
  const client = new AbortController();
  const leaving = ask('ann', client.signal);
  await clock.run(600);
  client.abort();
  expect(limiter.inFlight('ann')).toBe(0);
  const next = ask('ann');
  await clock.run();
  await leaving;
  expect((await next).text).toBe('A');
});

test('a failure gives the place back', async () => {
  const clock = new VirtualClock();
  const limiter = new Limiter({ maxInFlight: 1 }, clock);
  const upstream = limited(new Scripted('a', clock, refusing({})), limiter);
  for (let at = 0; at < 3; at++) expect((await read(upstream)).error?.code).toBeUndefined();
  expect(limiter.inFlight(undefined)).toBe(0);
});

test('requests in a minute fill up again', async () => {
  const { clock, ask } = shared({ requestsPerMinute: 2 });
  const all = [ask('ann'), ask('ann'), ask('ann')];
  await clock.run();
  const [, , third] = await Promise.all(all);
  expect(third?.error).toMatchObject({ type: 'rate_limit', code: 'rate_exceeded', retryAfterMs: 30_000 });
  await clock.run(30_000);
  const later = [ask('ann'), ask('ann')];
  await clock.run();
  expect((await Promise.all(later)).map(({ error }) => error?.code)).toEqual([undefined, 'rate_exceeded']);
});

test('tokens in a minute count when an answer tells them', async () => {
  const { clock, ask } = shared({ tokensPerMinute: 4 });
  const first = ask('ann');
  await clock.run();
  expect((await first).text).toBe('A');
  const second = await ask('ann');
  expect(second.error).toMatchObject({ code: 'rate_exceeded', retryAfterMs: 30_000 });
  await clock.run(clock.now() + 30_000);
  const third = ask('ann');
  await clock.run();
  expect((await third).text).toBe('A');
});

test('principals that use nothing are forgotten', async () => {
  const { clock, limiter } = shared({ requestsPerMinute: 1 });
  for (let at = 0; at < 5_000; at++) {
    limiter.take(`principal ${at}`)(0);
    await clock.run(clock.now() + 60_000);
  }
  expect(limiter.known).toBeLessThanOrEqual(1_000);
});
