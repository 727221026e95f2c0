/** Slow readers cost little memory, and say nothing about the upstream. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Batch, CanonicalEvent, Upstream } from '@streamglot/core';
import { type Router, route } from '@streamglot/routing';
import { expect, test } from 'vitest';
import { closing, delta, opening } from '../gateway/play.ts';
import { VirtualClock } from './clock.ts';
import type { Slow } from './leaving/slow.ts';
import { callOf } from './script.ts';

test('readers of 1 KB a second cost less than 2 MB each of an answer of 50 MB, and change no estimate', async () => {
  const program = fileURLToPath(new URL('leaving/slow.ts', import.meta.url));
  const how = ['--expose-gc', '--conditions=@streamglot/source', '--import', 'tsx', program, '30'];
  const { stdout } = await promisify(execFile)(process.execPath, how);
  const { readers, growth, sent, before, after, inFlight, failures } = JSON.parse(stdout) as Slow;
  const kB = (bytes: number): string => `${Math.round(bytes / 1024)} kB`;
  process.stdout.write(`\n${readers} slow readers: ${kB(growth)} of memory each, ${kB(sent)} sent to each\n`);
  expect(growth).toBeLessThan(2 * 1024 * 1024);
  expect(sent).toBeLessThan(25 * 1024 * 1024);
  expect([inFlight, failures]).toEqual([0, 0]);
  for (const name of ['firstOutputMs', 'tokensPerSecond'] as const) {
    expect(before[name]).toBeGreaterThan(0);
    expect((after[name] as number) / (before[name] as number)).toBeCloseTo(1, 1);
  }
}, 120_000);

/** An upstream of a constant speed, whatever its reader does: 40 tokens in 100 ms. */
function steady(clock: VirtualClock, pieces: number): Upstream {
  const usage: CanonicalEvent = { type: 'usage', usage: { outputTokens: pieces * 40 }, final: true };
  async function* batches(): AsyncGenerator<Batch> {
    for (let at = 0; at < pieces; at++) {
      await clock.sleep(100);
      const events = at === 0 ? [...opening, delta('A')] : [delta('B')];
      yield { frames: [events], receivedAt: clock.now(), bytes: 100 };
    }
    yield { frames: [[usage, ...closing.filter(({ type }) => type !== 'usage')]], receivedAt: clock.now(), bytes: 0 };
  }
  const head = { status: 200, headers: new Map<string, string>(), dialect: 'chat' as const };
  return { id: 'steady', open: async () => ({ head, batches: batches() }) };
}

/** Reads an answer, with a pause before each of its batches. */
async function readSlowly(router: Router, clock: VirtualClock, pauseMs: (batch: number) => number): Promise<void> {
  const { batches } = await router.open(callOf());
  const iterator = batches[Symbol.asyncIterator]();
  for (let at = 0; (await iterator.next()).done !== true; at++) {
    const ms = pauseMs(at);
    if (ms > 0) await clock.sleep(ms);
  }
}

async function speedOf(pauseMs: (batch: number) => number): Promise<number | undefined> {
  const clock = new VirtualClock();
  const router = route([steady(clock, 50)], 'throughput', { clock });
  const reading = readSlowly(router, clock, pauseMs);
  await clock.run();
  await reading;
  return router.deployments[0]?.tokensPerSecond;
}

test('speed is measured up to the first pause of the reader', async () => {
  const fast = (await speedOf(() => 0)) as number;
  expect(fast).toBeCloseTo(408, 0);
  const paused = (await speedOf((batch) => (batch < 20 ? 0 : 3_000))) as number;
  expect(Math.abs(paused / fast - 1)).toBeLessThan(0.1);
  const hiccup = (await speedOf((batch) => (batch === 30 ? 60_000 : 0))) as number;
  expect(Math.abs(hiccup / fast - 1)).toBeLessThan(0.1);
});

test('a reader that is slow from the beginning tells nothing of the speed', async () => {
  expect(await speedOf(() => 500)).toBeUndefined();
});
