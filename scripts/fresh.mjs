/** Proves that a fresh clone runs with nothing but node and npm: `node scripts/fresh.mjs`. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { codeBlocks, curls } from './markdown.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const port = '3217';
const patience = 300_000;

for (const CI of [undefined, 'true']) {
  const place = mkdtempSync(`${tmpdir()}/streamglot-`);
  try {
    await prove(place, CI === undefined ? {} : { CI });
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/**
 * @param {string} place
 * @param {Record<string, string>} more
 */
async function prove(place, more) {
  const clone = `${place}/clone`;
  const env = { ...bareEnvironment(place), ...more };
  const name = Object.keys(more).join() || 'no CI';
  execFileSync('git', ['clone', '--quiet', root, clone]);
  await answers(clone, env);
  console.log(`npm start (${name}): the README's requests are answered, SIGTERM ends it`);
  execFileSync('npm', ['test'], { cwd: clone, env, stdio: ['ignore', 'ignore', 'inherit'] });
  console.log(`npm test (${name}): ${count(clone)}`);
}

/**
 * An environment with a new home, and a PATH on which only node, npm, npx and the shell's own tools are.
 * @param {string} place
 */
function bareEnvironment(place) {
  mkdirSync(`${place}/home`);
  mkdirSync(`${place}/bin`);
  for (const tool of ['node', 'npm', 'npx', 'sh', 'env', 'sed', 'dirname', 'uname'])
    symlinkSync(execFileSync('sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).trim(), `${place}/bin/${tool}`);
  return { HOME: `${place}/home`, PATH: `${place}/bin`, PORT: port };
}

/**
 * @param {string} clone
 * @param {Record<string, string>} env
 */
async function answers(clone, env) {
  const server = spawn('npm', ['start'], { cwd: clone, env, stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = new Promise((resolve) => server.on('close', resolve));
  try {
    await reachable(`http://127.0.0.1:${port}/v1/models`);
    const shell = codeBlocks(readFileSync(`${clone}/README.md`, 'utf8')).filter(({ language }) => language === 'sh');
    for (const { url, init } of shell.flatMap(({ code }) => curls(code)))
      await ask(url.replace(':3000', `:${port}`), init);
  } finally {
    server.kill('SIGTERM');
    await ended;
  }
  const still = await fetch(`http://127.0.0.1:${port}/v1/models`).catch(() => undefined);
  if (still !== undefined) throw new Error('the server outlived npm start');
}

/** @param {string} url */
async function reachable(url) {
  for (const end = Date.now() + patience; Date.now() < end; await sleep(250))
    if (await fetch(url).catch(() => undefined)) return;
  throw new Error(`${url} did not answer within ${patience / 1000} s`);
}

/**
 * @param {string} url
 * @param {RequestInit} init
 */
async function ask(url, init) {
  const answer = await fetch(url, init);
  const body = await answer.text();
  if (!answer.ok || !/\[DONE\]|message_stop|"status":"completed"|"finishReason":"STOP"/.test(body))
    throw new Error(`${url}: ${answer.status} ${body}`);
}

/** @param {string} clone */
function count(clone) {
  const args = ['scripts/summary.mjs', 'test/results.json'];
  return execFileSync(process.execPath, args, { cwd: clone, encoding: 'utf8' }).trim();
}
