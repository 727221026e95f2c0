/** Packs every package as it would be published, and checks the tarballs: `node scripts/pack.mjs`. */
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { consumed } from './consumer.mjs';
import { pnpm } from './pnpm.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = `${root}.pack`;
const atOnce = 2;

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
const packed = pnpm(['-r', '--filter', './packages/*', 'pack', '--pack-destination', folder], 'ignore');
const tarballs = readdirSync(folder).filter((name) => name.endsWith('.tgz'));

const waiting = tarballs.flatMap((name) => [
  { name, tool: 'publint', args: [`${folder}/${name}`, '--strict'] },
  { name, tool: 'attw', args: [`${folder}/${name}`, '--profile', 'esm-only', '--quiet', '--no-color'] },
]);
/** @type {string[]} */
const failures = [];
await Promise.all(Array.from({ length: atOnce }, work));
for (const fault of consumed(root, folder, tarballs)) {
  failures.push('app');
  console.error(fault);
}

console.log(`${tarballs.length} tarballs packed and checked, ${failures.length} checks failed`);
process.exitCode = packed === 0 && tarballs.length > 0 && failures.length === 0 ? 0 : 1;

async function work() {
  for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
    const { code, output } = await run(job.tool, job.args);
    if (code === 0) continue;
    failures.push(job.name);
    console.error(`${job.tool} ${job.name}\n${output}`);
  }
}

/**
 * @param {string} tool
 * @param {string[]} args
 * @returns {Promise<{ code: number, output: string }>}
 */
function run(tool, args) {
  return new Promise((resolve) => {
    const child = spawn(`${root}node_modules/.bin/${tool}`, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
    child.on('close', (code) => resolve({ code: code ?? 1, output }));
  });
}
