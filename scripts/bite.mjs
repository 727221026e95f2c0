/** Proves that the tests bite: breaks one line after another in a copy of the repository, and each must turn a test red. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Copy } from './bite/copy.mjs';
import { mutations } from './bite/mutations.mjs';
import { Suite } from './bite/suite.mjs';

/** @import { Mutation } from './bite/mutations.mjs' */

/**
 * What became of a mutation; only `red` is as it should be.
 * @typedef {{ red: boolean, name: string, place: string, change: string, by: string, seconds: number }} Outcome
 */

const root = fileURLToPath(new URL('..', import.meta.url));
const wanted = process.argv.slice(2);
const chosen = mutations.filter(({ name }) => wanted.length === 0 || wanted.some((word) => name.includes(word)));
const copy = new Copy(root);
const suite = new Suite(copy.folder);

for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM']))
  process.once(signal, async () => {
    await suite.stop();
    copy.remove();
    process.exit(1);
  });

try {
  process.exitCode = isFresh() && (await isGreen()) && (await bite()) ? 0 : 1;
} finally {
  copy.remove();
}

/** An entry whose line has moved on breaks nothing; it is told at once, before the minutes that the rest takes. */
function isFresh() {
  const stale = chosen.filter(({ file, find }) => textOf(`${copy.folder}/${file}`).split(find).length !== 2);
  for (const { name, file, find } of stale) console.error(`stale: ${name}: not once in ${file}: ${find}`);
  return stale.length === 0;
}

/** A red test says nothing about a mutation if it is red without one. */
async function isGreen() {
  if (wanted.length > 0) return true;
  const { red, broken } = await suite.green();
  const fault = red ?? broken;
  if (fault !== undefined) console.error(`not green before anything was broken: ${fault}`);
  return fault === undefined;
}

async function bite() {
  /** @type {Outcome[]} */
  const outcomes = [];
  for (const mutation of chosen) {
    const outcome = await tried(mutation);
    outcomes.push(outcome);
    console.log(rowOf(outcome));
  }
  const bad = outcomes.filter(({ red }) => !red);
  console.log(`\n${outcomes.length} lines broken, ${outcomes.length - bad.length} seen by a test`);
  for (const outcome of bad) console.error(`NOT SEEN ${rowOf(outcome)}`);
  return bad.length === 0 && outcomes.length > 0;
}

/**
 * @param {Mutation} mutation
 * @returns {Promise<Outcome>}
 */
async function tried(mutation) {
  const { name, file, find, replace } = mutation;
  const path = `${copy.folder}/${file}`;
  const text = textOf(path);
  const pieces = text.split(find);
  const line = (pieces[0] ?? '').split('\n').length;
  const about = { name, place: `${file}:${line}`, change: `${oneLine(find)} -> ${oneLine(replace) || 'nothing'}` };
  const started = performance.now();
  writeFileSync(path, pieces.join(replace));
  try {
    const { red, broken } = await suite.bite(mutation);
    return { ...about, red: red !== undefined, by: red ?? broken ?? 'survived', seconds: since(started) };
  } finally {
    writeFileSync(path, text);
  }
}

/** @param {string} path */
function textOf(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** @param {number} started */
function since(started) {
  return (performance.now() - started) / 1000;
}

/** @param {string} text */
function oneLine(text) {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** @param {Outcome} outcome */
function rowOf({ name, place, change, by, seconds }) {
  const cells = [name, place, `\`${change}\``, by].map((cell) => cell.replaceAll('|', '\\|'));
  return `| ${cells.join(' | ')} | ${seconds.toFixed(1)} s |`;
}
