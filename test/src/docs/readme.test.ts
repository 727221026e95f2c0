/** The README tells the truth: its code runs, its requests are answered, its table is the registry's. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { dialects } from '@streamglot/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { generated } from '../../../scripts/docs.mjs';
import { codeBlocks, curls } from '../../../scripts/markdown.mjs';

const folder = fileURLToPath(new URL('../..', import.meta.url));
const readme = readFileSync(`${folder}../README.md`, 'utf8');
const blocks = codeBlocks(readme);
const [first = '', ...others] = blocks.filter(({ language }) => language === 'ts').map(({ code }) => code);
const requests = blocks.filter(({ language }) => language === 'sh').flatMap(({ code }) => curls(code));

/** What proves, on the wire, that a dialect's stream is whole. */
const terminal: Readonly<Record<string, RegExp>> = {
  chat: /"finish_reason":"stop".*data: \[DONE\]\n\n$/s,
  gemini: /"finishReason":"STOP"[^\n]*\n\n$/,
  interactions: /"status":"completed"[^\n]*\n\nevent: done\ndata: \[DONE\]\n\n$/,
  messages: /event: message_stop\ndata: \{"type":"message_stop"\}\n\n$/,
  responses: /event: response\.completed\ndata: [^\n]*"status":"completed"[^\n]*\n\n$/,
};

let port = '';
let server: ChildProcess;

beforeAll(async () => {
  port = await freePort();
  server = spawn(process.execPath, runOf(first), { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  await listening(`http://127.0.0.1:${port}/v1/models`);
});

afterAll(() => {
  server.kill();
});

test('the first screen holds one sentence, eight lines of Express and at most three badges', () => {
  const [, sentence = ''] = /^# Streamglot\n+(?:(?:\[?!\[.*\n)+\n)?\*\*(.+)\*\*\n/.exec(readme) ?? [];
  expect(sentence).toMatch(/^[^.]+\.$/);
  expect(first.split('\n').filter((line) => line !== '')).toHaveLength(8);
  expect(readme.match(/!\[/g) ?? []).toHaveProperty(
    'length',
    expect.toSatisfy((count: number) => count <= 3),
  );
});

test('every dialect of the registry is asked by a curl', () => {
  const asked = requests.map(({ url }) => new URL(url).pathname);
  expect(asked).toHaveLength(Object.keys(dialects).length);
  for (const [at, { routes }] of Object.values(dialects).entries())
    expect(routes.map((route) => route.replace('{model}', 'fast'))).toContain(asked[at]);
});

test.each(requests.map((request, at) => ({ ...request, dialect: Object.keys(dialects)[at] ?? '' })))(
  'the $dialect curl gets a whole stream',
  async ({ url, init, dialect }) => {
    const answer = await fetch(here(url), init);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toContain('text/event-stream');
    expect(await answer.text()).toMatch(terminal[dialect] ?? /no terminal is known/);
  },
);

test.each(others.map((code, at) => ({ code, number: at + 2 })))('block $number of code runs', async ({ code }) => {
  const { stdout } = await promisify(execFile)(process.execPath, runOf(code), { cwd: folder });
  expect(stdout).toMatch(terminal.chat as RegExp);
});

test.each(generated)('the tables of %s are current', (path, renew) => {
  const page = readFileSync(`${folder}../${path}`, 'utf8');
  expect(page).toMatch(/<!-- (\w+) -->\n\|.*<!-- \/\1 -->/s);
  expect(renew(page)).toBe(page);
});

/** The arguments by which node runs a block of code against the sources. */
function runOf(code: string): string[] {
  return ['--conditions=@streamglot/source', '--import', 'tsx', '--input-type=module', '-e', here(code)];
}

function here(text: string): string {
  return text.replaceAll('3000', port);
}

async function freePort(): Promise<string> {
  const probe = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return String(typeof address === 'object' && address !== null ? address.port : '');
}

async function listening(url: string): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    if (await fetch(url).catch(() => undefined)) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${url} does not answer`);
}
