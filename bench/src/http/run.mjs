/** `npm run bench:http`: the gateway in Express against a raw pipe, under the same load in the same seconds; only ratios. */
import { loadavg } from 'node:os';
import { dialects } from '@streamglot/core';
import { httpGoals } from '../goals.mjs';
import { askOf } from './asks.mjs';
import { start } from './child.mjs';
import { firstByte, idle, paced, streams, warm } from './measures.mjs';

/** @import { Figure, Sides } from './measures.mjs' */

/** What is measured on each pair, in the same processes, once they are warm. */
const warmMeasures = { paced, streams, first: firstByte };
const titles = {
  paced: 'CPU for each paced event',
  streams: 'CPU for each short stream',
  first: 'time to the first byte',
  idle: 'heap of an idle stream',
};

const only = process.argv[2] ?? '';
const known = Object.keys(dialects);
let above = 0;
console.log('times the raw pipe: median, middle half');
for (const from of known) for (const to of known) await measurePair(from, to);
for (const dialect of known) await measureIdle(dialect);
const verdict = above === 0 ? 'every row within its goal' : `${above} rows above their goal`;
console.log(`\n${verdict}; load average ${loadavg()[0]?.toFixed(1)}`);
process.exit(above === 0 ? 0 : 1);

/**
 * @param {string} from
 * @param {string} to
 */
async function measurePair(from, to) {
  const wanted = Object.entries(warmMeasures).filter(([what]) => `${what} ${from}>${to}`.includes(only));
  if (wanted.length === 0) return;
  await among(from, to, async (sides) => {
    await warm(sides);
    for (const [what, measure] of wanted)
      report(/** @type {keyof typeof warmMeasures} */ (what), `${from}>${to}`, await measure(sides));
  });
}

/** @param {string} dialect */
async function measureIdle(dialect) {
  if (`idle ${dialect}`.includes(only))
    await among(dialect, dialect, async (sides) => report('idle', dialect, await idle(sides)));
}

/**
 * Runs something among new processes: the upstream, the product and the pipe.
 * @param {string} from
 * @param {string} to
 * @param {(sides: Sides) => Promise<void>} work
 */
async function among(from, to, work) {
  const upstream = await start('upstream.mjs');
  const [product, pipe] = await Promise.all([start('product.mjs', upstream.url), start('pipe.mjs', upstream.url)]);
  try {
    await work({
      upstream,
      product: {
        child: product,
        target: (way) => ({
          url: product.url + askOf(to).path.replace('{model}', `${way}-${from}`),
          body: askOf(to).body(`${way}-${from}`),
        }),
      },
      pipe: {
        child: pipe,
        target: (way) => ({
          url: `${pipe.url}/${way}/pipe${askOf(from).path.replace('{model}', 'bench-model')}`,
          body: askOf(from).body('bench-model'),
        }),
      },
    });
  } finally {
    for (const child of [upstream, product, pipe]) child.stop();
  }
}

/**
 * @param {keyof typeof titles} what
 * @param {string} pair
 * @param {Figure} figure
 */
function report(what, pair, { median, low, high, note = '' }) {
  const goal = httpGoals[what];
  if (median > goal) above++;
  const range = `${low.toFixed(2)}-${high.toFixed(2)}`;
  const verdict = median > goal ? 'ABOVE' : '';
  console.log(
    `${pair.padEnd(20)} ${titles[what].padEnd(26)} ${median.toFixed(2).padStart(5)}  ${range.padEnd(10)} goal ${goal}  ${note}${verdict}`,
  );
}
