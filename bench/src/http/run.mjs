/** `npm run bench:http`: the gateway in Express against a raw pipe, under the same load in the same seconds; only ratios. */
import { loadavg } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { dialects } from '@streamglot/core';
import { httpGoals } from '../goals.mjs';
import { spread } from '../pace.mjs';
import { askOf } from './asks.mjs';
import { start } from './child.mjs';
import { firstByte, keepGoing, open } from './load.mjs';

/** @import { Child } from './child.mjs' */
/** @import { Target } from './load.mjs' */
/** @import { Spread } from '../pace.mjs' */

/** @typedef {{ child: Child, target: Target }} Side */
/** @typedef {{ product: Side, pipe: Side, upstream: Child }} Sides */
/** @typedef {Spread & { note?: string }} Figure */

const only = process.argv[2] ?? '';
const known = Object.keys(dialects);
const pairs = known.flatMap((from) => known.map((to) => ({ from, to })));

/** What is measured, how the upstream streams for it, and of which pairs. */
const chapters = /** @type {const} */ ([
  { what: 'paced', title: 'CPU for each paced event', way: 'paced', measure: pacedCpu, of: pairs },
  {
    what: 'streams',
    title: 'CPU for each short stream: 1 / streams a core can serve',
    way: 'burst',
    measure: streamCpu,
    of: pairs,
  },
  { what: 'first', title: 'time to the first byte', way: 'burst', measure: firstBytes, of: pairs },
  {
    what: 'idle',
    title: 'memory of each of 1,000 idle streams',
    way: 'idle',
    measure: idleMemory,
    of: pairs.slice(0, 2),
  },
]);

let above = 0;
for (const { what, title, way, measure, of } of chapters) {
  const rows = of.filter(({ from, to }) => `${what} ${from}>${to}`.includes(only));
  if (rows.length > 0) console.log(`\n${title}, times the raw pipe: median, middle half`);
  for (const { from, to } of rows) report(what, `${from}>${to}`, await measured(way, from, to, measure));
}
console.log(
  `\nload average ${loadavg()[0]?.toFixed(1)}; ${above === 0 ? 'every row within its goal' : `${above} rows above their goal`}`,
);
process.exit(above === 0 ? 0 : 1);

/**
 * @param {keyof typeof httpGoals} what
 * @param {string} pair
 * @param {Figure} figure
 */
function report(what, pair, { median, low, high, note = '' }) {
  const goal = httpGoals[what];
  if (median > goal) above++;
  const range = `${low.toFixed(2)}-${high.toFixed(2)}`;
  console.log(
    `${`${what} ${pair}`.padEnd(28)} ${median.toFixed(2).padStart(6)}  ${range.padEnd(12)} goal ${goal}  ${note}${median > goal ? '  ABOVE' : ''}`,
  );
}

/**
 * Each row has processes of its own.
 * @param {string} way
 * @param {string} from
 * @param {string} to
 * @param {(sides: Sides) => Promise<Figure>} measure
 */
async function measured(way, from, to, measure) {
  const upstream = await start('upstream.mjs');
  const [product, pipe] = await Promise.all([start('product.mjs', upstream.url), start('pipe.mjs', upstream.url)]);
  const ours = { url: product.url + askOf(to).path, body: askOf(to).body(`${way}-${from}`) };
  const raw = { url: `${pipe.url}/${way}/pipe${askOf(from).path}`, body: askOf(from).body('bench-model') };
  try {
    return await measure({ product: { child: product, target: ours }, pipe: { child: pipe, target: raw }, upstream });
  } finally {
    for (const child of [upstream, product, pipe]) child.stop();
  }
}

/**
 * A hundred streams on each side, an event every 50 ms in each: mostly the price of a small chunk.
 * @param {Sides} sides
 */
async function pacedCpu({ product, pipe, upstream }) {
  const loads = [product, pipe].map(({ target }) => keepGoing(target, 100));
  await wait(4000);
  const ratios = [];
  for (let round = 0; round < 6; round++) {
    const before = await Promise.all([product.child.use(), pipe.child.use(), upstream.use()]);
    await wait(2500);
    const after = await Promise.all([product.child.use(), pipe.child.use(), upstream.use()]);
    /** @param {0 | 1} side @param {string} whom */
    const cpu = (side, whom) =>
      (after[side].cpu - before[side].cpu) / ((after[2].events[whom] ?? 0) - (before[2].events[whom] ?? 0));
    ratios.push(cpu(0, 'product') / cpu(1, 'pipe'));
  }
  for (const load of loads) load.stop();
  return spread(ratios);
}

/**
 * Four clients on each side, stream after stream of 40 events in one burst.
 * @param {Sides} sides
 */
async function streamCpu({ product, pipe }) {
  const both = [product, pipe];
  const loads = both.map(({ target }) => keepGoing(target, 4));
  await wait(3000);
  const ratios = [];
  for (let round = 0; round < 6; round++) {
    const done = loads.map((load) => load.done);
    const before = await Promise.all(both.map(({ child }) => child.use()));
    await wait(1000);
    const after = await Promise.all(both.map(({ child }) => child.use()));
    const [ours = 0, raw = 0] = loads.map(
      (load, side) => ((after[side]?.cpu ?? 0) - (before[side]?.cpu ?? 0)) / (load.done - (done[side] ?? 0)),
    );
    ratios.push(ours / raw);
  }
  for (const load of loads) load.stop();
  return spread(ratios);
}

/**
 * One stream at a time, both sides in turn.
 * @param {Sides} sides
 * @returns {Promise<Figure>}
 */
async function firstBytes({ product, pipe }) {
  const ratios = [];
  const added = [];
  for (let round = 0; round < 500; round++) {
    const ours = await firstByte(product.target);
    const raw = await firstByte(pipe.target);
    if (round < 200) continue;
    ratios.push(ours / raw);
    added.push(ours - raw);
  }
  return { ...spread(ratios), note: `adds ${(spread(added).median * 1000).toFixed(0)} us` };
}

/**
 * @param {Sides} sides
 * @returns {Promise<Figure>}
 */
async function idleMemory({ product, pipe }) {
  const ours = await perStream(product);
  const raw = await perStream(pipe);
  const note = `resident ${kilo(ours.resident)} to ${kilo(raw.resident)} kB; heap ${kilo(ours.heap)} to ${kilo(raw.heap)} kB`;
  return { ...spread([ours.resident / raw.resident]), note };
}

/** @param {number} bytes */
function kilo(bytes) {
  return (bytes / 1000).toFixed(1);
}

/**
 * The memory of a stream that waits, once the process has had some.
 * @param {Side} side
 */
async function perStream({ child, target }) {
  const leave = await open(target, 100);
  leave();
  await wait(1000);
  const before = await child.use(true);
  await open(target, 1000);
  await wait(1000);
  const after = await child.use(true);
  return { resident: (after.resident - before.resident) / 1000, heap: (after.heap - before.heap) / 1000 };
}
