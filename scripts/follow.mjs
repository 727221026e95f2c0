/** Follows every getting-started page in an empty folder, with npm and the packed tarballs: `node scripts/follow.mjs [page]`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { codeBlocks, curls } from './markdown.mjs';
import { served } from './scope.mjs';

/** @typedef {{ language: string, code: string }} Block */

const root = fileURLToPath(new URL('..', import.meta.url));
const tarballs = `${root}.pack`;
const atOnce = 2;
const patience = 30_000;
const word = process.argv[2] ?? '';

if (!existsSync(tarballs)) throw new Error('There are no tarballs: run `npm run pack` first.');
const scope = await served(tarballs);
/** By this npm takes our own packages from the tarballs, and all others as ever, from its cache where it can. */
const npmrc = [
  `@streamglot:registry=${scope.base}`,
  'audit=false',
  'fund=false',
  'loglevel=error',
  'prefer-offline=true',
];
const pages = readdirSync(`${root}docs/start`).filter((page) => page.includes(word));
/** Next.js takes longest, so it comes early. */
const waiting = pages.toReversed();
/** @type {string[]} */
const failed = [];
await Promise.all(Array.from({ length: atOnce }, work));
scope.close();
console.log(`${pages.length} pages followed, ${failed.length} failed`);
process.exitCode = pages.length > 0 && failed.length === 0 ? 0 : 1;

async function work() {
  for (let page = waiting.shift(); page !== undefined; page = waiting.shift()) {
    const place = mkdtempSync(join(tmpdir(), 'streamglot-'));
    const started = performance.now();
    try {
      const asked = await follow(`${root}docs/start/${page}`, place);
      console.log(`${page}: ${asked} answers as it says, ${((performance.now() - started) / 1000).toFixed(1)} s`);
    } catch (error) {
      failed.push(page);
      console.error(`${page}: ${error instanceof Error ? error.message : error}`);
    } finally {
      rmSync(place, { recursive: true, force: true });
    }
  }
}

/**
 * Does what a page says, and returns how many requests were answered as it says.
 * @param {string} page
 * @param {string} place
 */
async function follow(page, place) {
  const port = await freePort();
  const blocks = codeBlocks(readFileSync(page, 'utf8').replaceAll('3000', String(port)));
  const shell = blocks.filter(({ language, code }) => language === 'sh' && curls(code).length === 0);
  const commands = shell.flatMap(({ code }) => code.trim().split('\n'));
  writeFileSync(join(place, '.npmrc'), npmrc.join('\n'));
  for (const block of blocks) write(place, block);
  for (const command of commands.slice(0, -1)) await run(command, place);
  const server = start(commands.at(-1) ?? '', place);
  try {
    await listening(port, server);
    return await asks(blocks);
  } finally {
    await stop(server);
  }
}

/**
 * A block whose first line is a comment with a path is that file.
 * @param {string} place
 * @param {Block} block
 */
function write(place, { code }) {
  const path = /^\/\/ (\S+\.\w+)\n/.exec(code)?.[1];
  if (path === undefined) return;
  mkdirSync(dirname(join(place, path)), { recursive: true });
  writeFileSync(join(place, path), code);
}

/**
 * Makes the requests of a page; the block behind one holds lines that its answer must have.
 * @param {readonly Block[]} blocks
 */
async function asks(blocks) {
  let asked = 0;
  for (const [at, { language, code }] of blocks.entries()) {
    if (language !== 'sh') continue;
    const promised = blocks[at + 1]?.language === 'text' ? (blocks[at + 1]?.code ?? '').trim().split('\n') : [];
    for (const { url, init } of curls(code)) {
      const answer = await fetch(url, init);
      const text = await answer.text();
      const missing = promised.find((line) => !text.includes(line));
      if (answer.status !== 200 || promised.length === 0 || missing !== undefined)
        throw new Error(`${url} answers ${answer.status} without ${missing}:\n${text}`);
      asked++;
    }
  }
  if (asked === 0) throw new Error('The page asks for nothing.');
  return asked;
}

/** What a stranger's shell has. */
function environment() {
  const own = Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_)/i.test(name));
  return { ...Object.fromEntries(own), NEXT_TELEMETRY_DISABLED: '1' };
}

/**
 * @param {string} command
 * @param {string} cwd
 */
function start(command, cwd) {
  const child = spawn('sh', ['-c', command], {
    cwd,
    env: environment(),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const said = { child, output: '' };
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (said.output += piece));
  return said;
}

/**
 * @param {string} command
 * @param {string} cwd
 */
async function run(command, cwd) {
  const said = start(command, cwd);
  const [code] = await once(said.child, 'close');
  if (code !== 0) throw new Error(`"${command}" exits with ${code}:\n${said.output}`);
}

/** @param {ReturnType<typeof start>} server */
async function stop({ child }) {
  if (child.exitCode !== null || child.pid === undefined) return;
  const closed = once(child, 'close');
  process.kill(-child.pid, 'SIGTERM');
  await closed;
}

/**
 * @param {number} port
 * @param {ReturnType<typeof start>} server
 */
async function listening(port, server) {
  for (const end = Date.now() + patience; Date.now() < end && server.child.exitCode === null; await pause(100))
    if (await fetch(`http://127.0.0.1:${port}`).catch(() => undefined)) return;
  throw new Error(`The server does not answer:\n${server.output}`);
}

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
