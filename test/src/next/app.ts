/** A Next.js app with the gateway in both of its routers: built once for all tests of a run, started for each file. */
import { existsSync, mkdirSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { CompatibleOptions } from '@streamglot/providers';
import { startProgram } from '../support/program.ts';
import { alone, builds, digestOf, environment, root, runNode } from './build.ts';
import { siteFiles, siteHeaders } from './site.ts';

const next = join(root, 'test/node_modules/next/dist/bin/next');
/** What a build may read: the repository, unless its packages are installed beside another one. */
const reach = realpathSync(next).startsWith(root) ? root.replace(/.$/, '') : '/';

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
  const start = (port: number) => ({
    command: process.execPath,
    args: [next, 'start', '--port', String(port), '--hostname', '127.0.0.1'],
    cwd: folder,
    env: { ...environment(), GATEWAY: JSON.stringify(told) },
  });
  const { url, log, kill, end } = await startProgram(start, '/api/v1/models');
  return { url, log, shutdown: () => kill('SIGUSR2'), stop: async () => void (await end('SIGKILL')) };
}

/** The folder of the build of these sources. Processes that want one come one after another, and the first makes it. */
async function built(): Promise<string> {
  const folder = join(builds, digestOf(JSON.stringify(files)));
  await alone(async () => {
    if (!existsSync(join(folder, '.next/BUILD_ID'))) await build(folder);
  });
  return folder;
}

async function build(folder: string): Promise<void> {
  for (const name of readdirSync(builds)) if (name !== 'lock') rmSync(join(builds, name), { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  await runNode(next, ['build'], folder);
}
