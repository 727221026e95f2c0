/** The measures over sockets: each takes the product and the pipe under the same load, and gives their ratio. */
import { setTimeout as wait } from 'node:timers/promises';
import { spread } from '../pace.mjs';
import { keepGoing, open, timeToFirst } from './load.mjs';

/** @import { Child, Use } from './child.mjs' */
/** @import { Target } from './load.mjs' */
/** @import { Spread } from '../pace.mjs' */

/** Who is measured, and what to ask of it for each way of streaming. */
/** @typedef {{ child: Child, target: (way: string) => Target }} Side */
/** @typedef {{ product: Side, pipe: Side, upstream: Child }} Sides */
/** @typedef {Spread & { note?: string }} Figure */

const rounds = 8;
const warmStreams = 15000;
const warmMs = 60_000;

/**
 * Short streams until both sides are compiled: a process in service has long been warm, and a cold one costs five times as much.
 * @param {Sides} sides
 */
export async function warm({ product, pipe }) {
  const loads = [product, pipe].map(({ target }) => keepGoing(target('burst'), 8));
  const end = performance.now() + warmMs;
  while (loads.some(({ done }) => done < warmStreams) && performance.now() < end) await wait(100);
  await Promise.all(loads.map((load) => load.stop()));
}

/**
 * A hundred streams on each side, an event every 50 ms in each: mostly the price of a small chunk.
 * @param {Sides} sides
 * @returns {Promise<Figure>}
 */
export async function paced({ product, pipe, upstream }) {
  const loads = [product, pipe].map(({ target }) => keepGoing(target('paced'), 100));
  await wait(5000);
  const figure = await ratios(2500, async () => {
    const { counts } = await upstream.use();
    return costs({ product, pipe }, [counts.product ?? 0, counts.pipe ?? 0]);
  });
  await Promise.all(loads.map((load) => load.stop()));
  return figure;
}

/**
 * Four clients on each side, stream after stream of 40 events in one burst. The inverse is the streams that a core can serve.
 * @param {Sides} sides
 * @returns {Promise<Figure>}
 */
export async function streams(sides) {
  const loads = [sides.product, sides.pipe].map(({ target }) => keepGoing(target('burst'), 4));
  const figure = await ratios(1500, () => costs(sides, [loads[0]?.done ?? 0, loads[1]?.done ?? 0]));
  await Promise.all(loads.map((load) => load.stop()));
  return figure;
}

/**
 * One stream at a time, both sides in turn.
 * @param {Sides} sides
 * @returns {Promise<Figure>}
 */
export async function firstByte({ product, pipe }) {
  const times = [];
  const added = [];
  for (let round = 0; round < 500; round++) {
    const ours = await timeToFirst(product.target('burst'));
    const raw = await timeToFirst(pipe.target('burst'));
    times.push(ours / raw);
    added.push(ours - raw);
  }
  return { ...spread(times), note: `adds ${(spread(added).median * 1000).toFixed(0)} us ` };
}

/**
 * A thousand streams that have begun and say nothing, after a collection.
 * @param {Sides} sides
 * @returns {Promise<Figure>}
 */
export async function idle({ product, pipe }) {
  const ours = await heldBy(product);
  const raw = await heldBy(pipe);
  const kilo = (/** @type {number} */ bytes) => (bytes / 1000).toFixed(1);
  const resident = `resident ${kilo(ours.resident)} against ${kilo(raw.resident)} kB`;
  return {
    ...spread([ours.heap / raw.heap]),
    note: `${kilo(ours.heap)} against ${kilo(raw.heap)} kB; ${resident} `,
  };
}

/**
 * What one stream of a thousand takes, in bytes, once the process has had some.
 * @param {Side} side
 */
async function heldBy({ child, target }) {
  const leave = await open(target('idle'), 100);
  leave();
  await wait(1000);
  const before = await child.use(true);
  const leaveAll = await open(target('idle'), 1000);
  await wait(1000);
  const after = await child.use(true);
  leaveAll();
  return { resident: (after.resident - before.resident) / 1000, heap: (after.heap - before.heap) / 1000 };
}

/** CPU time of the product and of the pipe so far, and what they did with it. @typedef {{ cpu: [number, number], done: [number, number] }} Costs */

/**
 * @param {Pick<Sides, 'product' | 'pipe'>} sides
 * @param {[number, number]} done
 * @returns {Promise<Costs>}
 */
async function costs({ product, pipe }, done) {
  const [ours, raw] = await Promise.all([product.child.use(), pipe.child.use()]);
  return { cpu: [ours.cpu, raw.cpu], done };
}

/**
 * The ratio of CPU for each thing done, round after round.
 * @param {number} milliseconds of a round
 * @param {() => Promise<Costs>} look
 */
async function ratios(milliseconds, look) {
  const found = [];
  for (let round = 0; round < rounds; round++) {
    const before = await look();
    await wait(milliseconds);
    const after = await look();
    const each = (/** @type {0 | 1} */ side) =>
      (after.cpu[side] - before.cpu[side]) / (after.done[side] - before.done[side]);
    found.push(each(0) / each(1));
  }
  return spread(found);
}
