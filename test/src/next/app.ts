/** A Next.js app with the gateway in both of its routers: built once for all tests of a run, started for each file. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { CompatibleOptions } from '@streamglot/providers';
import { siteFiles, siteHeaders } from './site.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const next = join(root, 'test/node_modules/next/dist/bin/next');
/** What a build may read: the repository, unless its packages are installed beside another one. */
const reach = realpathSync(next).startsWith(root) ? root.replace(/.$/, '') : '/';
const builds = join(root, 'test/.next');

/** The prefixes at which the app serves the gateway. */
export const places = {
  'app router': '/api',
  'pages router, body parsed': '/api/parsed',
  'pages router, body not parsed': '/api/raw',
} as const;

/** The files of the app. A function as configuration, since a build has no keys; a signal in place of a host's shutdown. */
const files = {
  'package.json': '{ "private": true, "type": "module" }',
  'next.config.mjs': `
    const source = (path) => ({ source: path + '/:path*', destination: '/api/v1/:path*' });
    export default {
      turbopack: { root: ${JSON.stringify(reach)} },
      rewrites: async () => [source('/rewritten')],
      headers: async () => ${siteHeaders},
    };`,
  'settings.mjs': `
    import { compatible } from '@streamglot/providers';
    export function settings() {
      const { up, down, ...config } = JSON.parse(process.env.GATEWAY);
      const providers = { up: compatible(up), ...(down && { down: compatible(down) }) };
      return { providers, authorize: 'host', ...config };
    }`,
  'app/api/[[...llm]]/route.js': `
    import { llmGateway } from '@streamglot/next';
    import { settings } from '../../../settings.mjs';
    const gateway = llmGateway(settings);
    process.once('SIGUSR2', () => gateway.shutdown({ drainMs: 300 }));
    export const { GET, POST, DELETE } = gateway;`,
  'app/one/v1/messages/route.js': `
    import { llmGateway } from '@streamglot/next';
    import { settings } from '../../../../settings.mjs';
    export const { POST } = llmGateway(settings);`,
  'pages/api/parsed/[[...llm]].js': `
    import { llmGateway } from '@streamglot/next/pages';
    import { settings } from '../../../settings.mjs';
    export default llmGateway(settings);`,
  'pages/api/raw/[...llm].js': `
    import { llmGateway } from '@streamglot/next/pages';
    import { settings } from '../../../settings.mjs';
    export const config = { api: { bodyParser: false } };
    export default llmGateway(settings);`,
  ...siteFiles,
};

/** What the app's gateway is told: its one provider, and settings that are data. */
export interface Told {
  up: Omit<CompatibleOptions, 'fetch'>;
  models: Readonly<Record<string, `up/${string}`>>;
  [setting: string]: unknown;
}

/** A running app. */
export interface NextApp {
  url: string;
  /** All that it has written to its terminal. */
  log(): string;
  /** Sends it the signal on which its app router's gateway shuts down. */
  shutdown(): void;
  stop(): Promise<void>;
}

/** Builds the app unless that has been done, and starts it. */
export async function startNext(told: Told): Promise<NextApp> {
  const folder = await built();
  const port = await freePort();
  const env = { ...environment(), GATEWAY: JSON.stringify(told) };
  const args = [next, 'start', '--port', String(port), '--hostname', '127.0.0.1'];
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (piece: string) => {
      log += piece;
    });
  const url = `http://127.0.0.1:${port}`;
  await answering(`${url}/api/v1/models`, child, () => log);
  return { url, log: () => log, shutdown: () => child.kill('SIGUSR2'), stop: () => stopped(child) };
}

/** The folder of the build of these sources. Processes that want one come one after another, and the first makes it. */
async function built(): Promise<string> {
  const folder = join(builds, digest());
  mkdirSync(builds, { recursive: true });
  const unlock = await locked(join(builds, 'lock'));
  try {
    await run(join(root, 'node_modules/typescript/bin/tsc'), ['-b', 'packages/next', 'packages/providers'], root);
    if (!existsSync(join(folder, '.next/BUILD_ID'))) await build(folder);
  } finally {
    unlock();
  }
  return folder;
}

/** Waits until nobody else holds the lock; one whose holder died is void after a while. */
async function locked(lock: string): Promise<() => void> {
  for (;;) {
    try {
      mkdirSync(lock);
      return () => rmSync(lock, { recursive: true, force: true });
    } catch {
      const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
      if (age > 120_000) rmSync(lock, { recursive: true, force: true });
      await delay(200);
    }
  }
}

async function build(folder: string): Promise<void> {
  for (const name of readdirSync(builds)) if (name !== 'lock') rmSync(join(builds, name), { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  await run(next, ['build'], folder);
}

/** Stands for all that a build is made of. */
function digest(): string {
  const hash = createHash('sha256').update(JSON.stringify(files));
  const packages = join(root, 'packages');
  for (const name of readdirSync(packages, { recursive: true, encoding: 'utf8' }).sort())
    if (/^[^/]+\/src\/.*\.ts$/.test(name)) hash.update(name).update(readFileSync(join(packages, name)));
  return hash
    .update(readFileSync(join(root, 'pnpm-lock.yaml')))
    .digest('hex')
    .slice(0, 16);
}

async function run(script: string, args: readonly string[], cwd: string): Promise<void> {
  await promisify(execFile)(process.execPath, [script, ...args], { cwd, env: environment() }).catch((failure) => {
    throw new Error(`${script} ${args.join(' ')}\n${failure.stdout}${failure.stderr}`);
  });
}

/** Vitest's own NODE_ENV would make a build of another kind. */
function environment(): NodeJS.ProcessEnv {
  return { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1', NODE_OPTIONS: '' };
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
  for (let tries = 0; tries < 300 && child.exitCode === null; tries++) {
    if (await fetch(url).catch(() => undefined)) return;
    await delay(100);
  }
  child.kill('SIGKILL');
  throw new Error(`The app does not answer.\n${log()}`);
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}
