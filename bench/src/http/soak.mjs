/** `npm run soak`: thousands of streams, many left at a random moment; nothing may be left of any. `node soak.mjs 1000` for some. */
import { Agent, request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { dialects } from '@streamglot/core';
import { askOf } from './asks.mjs';
import { start } from './child.mjs';
import { slope } from './slope.mjs';

/** @import { Child, Use } from './child.mjs' */

const { values, positionals } = parseArgs({ allowPositionals: true, options: { json: { type: 'boolean' } } });
const streams = Number(positionals[0] ?? 20_000);
const concurrency = 50;
const batches = 20;
/** Bytes of heap for each stream, beyond what the samples' scatter explains: less than any object that could be kept. */
const mostLeaked = streams >= 20_000 ? 32 : 2000;

const known = Object.keys(dialects);
const pairs = known.flatMap((from) => known.map((to) => ({ from, to })));
const ways = ['burst', 'brisk', 'brisk', 'torn', 'idle'];
const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
const random = randomFrom(20_261_129);

const upstream = await start('upstream.mjs', 'soak');
const product = await start('product.mjs', upstream.url);
const fresh = await product.use();
// What the first streams leave is compiled code and pools; only what comes after counts.
await batch(Math.ceil(streams / batches));
await quiet('answers');

/** @type {{ streams: number, heap: number, handles: number }[]} */
const samples = [];
for (let at = 0; at < batches; at++) {
  await batch(Math.ceil(streams / batches));
  const { product: use } = await quiet('answers');
  samples.push({ streams: at * Math.ceil(streams / batches), heap: use.heap, handles: use.handles });
}
agent.destroy();
const { product: left, upstream: behind } = await quiet('sockets');
for (const child of [product, upstream]) child.stop();

const { requests = 0, uncaught = 0, ...endings } = left.counts;
const ended = Object.values(endings).reduce((sum, count) => sum + count, 0);
const heap = slope(samples.slice(batches / 5).map((sample) => [sample.streams, sample.heap]));
const findings = {
  requests,
  endings,
  inFlight: requests - ended,
  uncaught,
  upstreamAnswers: behind.counts.answers,
  upstreamSockets: behind.counts.sockets,
  handles: left.handles - fresh.handles,
  heapPerStream: Math.round(heap.slope),
  heapError: Math.round(heap.error),
};
const wrong = [
  findings.inFlight !== 0 && 'requests are still in flight',
  uncaught !== 0 && 'something was not caught',
  findings.upstreamAnswers !== 0 && 'the upstream still answers',
  findings.upstreamSockets !== 0 && 'sockets to the upstream are open',
  findings.handles !== 0 && 'handles are left',
  (endings.internal ?? 0) !== 0 && 'answers ended with an internal error',
  heap.slope - 2 * heap.error > mostLeaked && 'the heap grows',
].filter((problem) => problem !== false);
console.log(values.json ? JSON.stringify({ ...findings, wrong }) : { ...findings, wrong });
process.exit(wrong.length === 0 || values.json ? 0 : 1);

/**
 * Runs some streams to their end, or to where they are left.
 * @param {number} count
 */
async function batch(count) {
  let begun = 0;
  const one = async () => {
    while (begun++ < count) await stream();
  };
  await Promise.all(Array.from({ length: concurrency }, one));
}

/** One stream; half of them are left, at any moment from before the head to the last byte. */
function stream() {
  const { from, to } = pick(pairs);
  const way = pick(ways);
  const { path, body } = askOf(to);
  const leaveAfter = way === 'idle' || random() < 0.5 ? random() * 60 : Number.POSITIVE_INFINITY;
  return /** @type {Promise<void>} */ (
    new Promise((settle) => {
      const headers = { 'content-type': 'application/json' };
      const url = product.url + path.replace('{model}', `${way}-${from}`);
      const asked = request(url, { agent, method: 'POST', headers }, (answer) => {
        answer.on('error', () => undefined).resume();
      });
      const timer = Number.isFinite(leaveAfter) ? setTimeout(() => asked.destroy(), leaveAfter) : undefined;
      asked.on('error', () => undefined);
      asked.on('close', () => {
        clearTimeout(timer);
        settle();
      });
      asked.end(body(`${way}-${from}`));
    })
  );
}

/**
 * Waits until the upstream has no answer open, or no socket either and the product is as it began, at most ten seconds;
 * then looks.
 * @param {'answers' | 'sockets'} what
 * @returns {Promise<{ product: Use, upstream: Use }>}
 */
async function quiet(what) {
  for (let tries = 0; tries < 100; tries++) {
    const { counts } = await upstream.use();
    const closed = what === 'answers' || (await product.use()).handles === fresh.handles;
    if (counts[what] === 0 && closed) break;
    await wait(100);
  }
  return { product: await product.use(true), upstream: await upstream.use() };
}

/**
 * @template T
 * @param {readonly T[]} list
 * @returns {T}
 */
function pick(list) {
  return /** @type {T} */ (list[Math.floor(random() * list.length)]);
}

/**
 * The same numbers from 0 to 1 on every run (mulberry32, public domain).
 * @param {number} seed
 */
function randomFrom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
