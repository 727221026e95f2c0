/** The example as a stranger runs it: what it prints can be asked, and a signal ends it cleanly in the middle of a stream. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { curls } from '../../../scripts/markdown.mjs';
import { freePort } from '../support/program.ts';
import { ask } from './serve.ts';

const folder = fileURLToPath(new URL('../../../examples/express', import.meta.url));
const run = ['--conditions=@streamglot/source', '--import', 'tsx', 'src/server.ts'];

let server: ChildProcess;
let printed = '';

beforeEach(async () => {
  const env = { PATH: process.env.PATH, PORT: String(await freePort()) };
  server = spawn(process.execPath, run, { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  printed = '';
  for await (const piece of server.stdout ?? []) {
    printed += String(piece);
    if (curls(printed).length === 2) break;
  }
});

afterEach(() => {
  server.kill('SIGKILL');
});

it('prints requests that it answers, one for each dialect', async () => {
  const texts = [];
  for (const { url, init } of curls(printed)) texts.push(await (await fetch(url, init)).text());
  expect(texts[0]).toMatch(/data: \[DONE\]\n\n$/);
  expect(texts[1]).toMatch(/event: message_stop\n.*\n\n$/);
});

it.each(['SIGTERM', 'SIGINT'] as const)('lets streams finish on %s and exits with 0', async (signal) => {
  const [first] = curls(printed);
  const answer = await ask(first?.url ?? '', first?.init.body);
  await answer.until('delta');
  const exit = once(server, 'exit');
  server.kill(signal);
  expect(await answer.all()).toMatch(/data: \[DONE\]\n\n$/);
  expect(await exit).toEqual([0, null]);
});
