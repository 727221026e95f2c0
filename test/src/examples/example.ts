/** An example as a stranger runs it: its own `start` script in a shell, told by HOST and PORT where to listen. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { alone, digestOf, environment, root } from '../next/build.ts';

/** The names of all examples. */
export const names: readonly string[] = readdirSync(join(root, 'examples')).filter((name) => !name.includes('.'));

/** A running example. */
export interface Example {
  url: string;
  /** All that it has written to its terminal. */
  log(): string;
  /** Sends a signal, and waits for what becomes of it: its exit code, else the signal that ended it. */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null>;
}

/** Starts an example, and waits until it answers. */
export async function startExample(name: string, more: NodeJS.ProcessEnv = {}): Promise<Example> {
  const folder = join(root, 'examples', name);
  const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  if (scripts.prestart !== undefined) await prepare(folder, scripts.prestart);
  const port = await freePort();
  const env = { ...shell(folder), HOST: '127.0.0.1', PORT: String(port), ...more };
  const child = spawn('sh', ['-c', scripts.start], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (piece: string) => {
      log += piece;
    });
  const url = `http://127.0.0.1:${port}`;
  await answering(url, child, () => log);
  return { url, log: () => log, end: (signal) => ended(child, signal) };
}

/** What `prestart` makes is kept as long as it would become the same. */
async function prepare(folder: string, script: string): Promise<void> {
  const stamp = join(folder, '.next/stamp');
  const wanted = digestOf(script + sourcesOf(folder));
  await alone(async () => {
    if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
    await promisify(execFile)('sh', ['-c', script], { cwd: folder, env: shell(folder) });
    writeFileSync(stamp, wanted);
  });
}

function sourcesOf(folder: string): string {
  const files = readdirSync(join(folder, 'src'), { recursive: true, withFileTypes: true });
  const texts = files
    .filter((file) => file.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name)));
  return texts.join('\n');
}

/** What npm puts before a script: the programs of the folder's own packages, and those of the repository. */
function shell(folder: string): NodeJS.ProcessEnv {
  const programs = [folder, root].map((place) => join(place, 'node_modules/.bin'));
  return { ...environment(), PATH: [...programs, process.env.PATH].join(delimiter) };
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

async function answering(url: string, child: ChildProcess, log: () => string): Promise<void> {
  for (let tries = 0; tries < 200 && child.exitCode === null; tries++) {
    if (await fetch(url).catch(() => undefined)) return;
    await delay(100);
  }
  child.kill('SIGKILL');
  throw new Error(`The example does not answer.\n${log()}`);
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const exit = once(child, 'exit');
    child.kill(signal);
    await exit;
  }
  return child.exitCode ?? child.signalCode;
}
