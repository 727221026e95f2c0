/** `npm run bench`: every pair of the registry against the floor, as a table; exits with 1 above a goal. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { dialects } from '@streamglot/core';
import { anchors } from './anchors.mjs';
import { growthGoal, heapGoal, timeGoals } from './goals.mjs';

/** @import { KnownDialect } from '@streamglot/core' */
/** @import { Row } from './case.mjs' */
/** @import { Spread } from './pace.mjs' */

const script = fileURLToPath(new URL('case.mjs', import.meta.url));
const known = /** @type {KnownDialect[]} */ (Object.keys(dialects));
const pairs = known.flatMap((from) => known.map((to) => ({ from, to })));
const only = process.argv[2] ?? '';

/** What is measured, how, and up to where it is good. */
const chapters = /** @type {const} */ ([
  { what: 'time', title: 'times the floor: median, middle half', reads: ['event', '16k'], flags: [] },
  // A young generation that holds a whole pass, so that no collection hides what was allocated.
  {
    what: 'heap',
    title: 'times the heap of the floor; bytes for each event',
    reads: ['event'],
    flags: ['--expose-gc', '--max-semi-space-size=128', '--min-semi-space-size=128'],
  },
  {
    what: 'growth',
    title: 'dearer in a stream of 200,000 events than of 2,000: median, middle half',
    reads: ['16k'],
    flags: [],
  },
]);

console.log(`node ${process.version}, 2,000 events; anchors: ${(await anchors()).origin}`);
let above = 0;
for (const chapter of chapters) {
  const rows = rowsOf(chapter);
  if (rows.length > 0) console.log(`\n${chapter.title}`);
  for (const row of rows) report(chapter, row);
}
console.log(`\n${above === 0 ? 'every row within its goal' : `${above} rows above their goal`}`);
process.exitCode = above === 0 ? 0 : 1;

/**
 * @param {typeof chapters[number]} chapter
 * @returns {Row[]}
 */
function rowsOf({ what, reads }) {
  const all = pairs.flatMap((pair) =>
    kindsOf(pair).flatMap((kind) => reads.map((read) => ({ what, ...pair, kind, read }))),
  );
  return all.filter((row) => `${what} ${nameOf(row)}`.includes(only));
}

/**
 * What its streams carry. Where calls are whole, one that is as long as a stream would be one event only.
 * @param {Pick<Row, 'from' | 'to'>} pair
 * @returns {readonly Row['kind'][]}
 */
function kindsOf({ from, to }) {
  return ['text', from === 'gemini' || to === 'gemini' ? 'calls' : 'tool'];
}

/** @param {Row} row */
function nameOf({ from, to, kind, read }) {
  return `${from}>${to} ${kind} ${read}`;
}

/**
 * @param {typeof chapters[number]} chapter
 * @param {Row} row
 */
function report({ flags }, row) {
  const goal = goalOf(row);
  const { median, low, high, note } = measured(flags, row);
  const good = median !== undefined && median <= goal;
  if (!good) above++;
  const range = note ?? `${low?.toFixed(2) ?? ''}-${high?.toFixed(2) ?? ''}`;
  const value = median?.toFixed(2) ?? 'failed';
  console.log(
    `${nameOf(row).padEnd(32)} ${value.padStart(7)}  ${range.padEnd(12)} goal ${goal}${good ? '' : '  ABOVE'}`,
  );
}

/** @param {Row} row */
function goalOf({ what, from, to }) {
  if (what === 'heap') return heapGoal;
  return what === 'growth' ? growthGoal : Math.max(1, timeGoals.from[from] ?? 1, timeGoals.to[to] ?? 1);
}

/**
 * @param {readonly string[]} flags
 * @param {Row} row
 * @returns {Partial<Spread> & { note?: string }}
 */
function measured(flags, row) {
  const { status, stdout } = spawnSync(process.execPath, [...flags, script, JSON.stringify(row)], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return status === 0 ? JSON.parse(stdout) : {};
}
