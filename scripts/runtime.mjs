/** Runs tests under another Node, judged by the newest SDKs: `node scripts/runtime.mjs 22 src/conformance`. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The versions that npm brings, by major. */
const versions = /** @type {const} */ ({ 22: '22.23.3', 24: '24.22.3' });

/** What runs unless files are named: all that judges streams, and nothing that judges the repository or takes long. */
const suites = [
  'core',
  'chat',
  'messages',
  'responses',
  'gemini',
  'requests',
  'providers',
  'routing',
  'gateway',
  'state',
  'node',
  'web',
]
  .concat('koa', 'next', 'express', 'adapters', 'conformance', 'laws')
  .map((folder) => `src/${folder}/`);
const apart = ['express/soak', 'routing/leaving', 'routing/slow', 'routing/simulation'].flatMap((name) => [
  '--exclude',
  `src/${name}.test.ts`,
]);

const root = fileURLToPath(new URL('..', import.meta.url));
const newest = `${root}test/newest`;

const [major = '', ...files] = process.argv.slice(2);
if (!(major in versions)) throw new Error(`node scripts/runtime.mjs <${Object.keys(versions).join(' | ')}> [files]`);
const node = installNode(versions[/** @type {keyof typeof versions} */ (Number(major))]);
installSdks();
process.exitCode = test(node, files.length > 0 ? files : ['newest/', ...suites, ...apart]);

/**
 * The path of a Node of a version; npm has one for each platform.
 * @param {string} version
 */
function installNode(version) {
  const { platform, arch } = process;
  const name = `node-${platform === 'win32' ? 'win' : platform}-${arch}`;
  const folder = `${root}node_modules/.cache/streamglot/${version}`;
  const path = `${folder}/node_modules/${name}/bin/node${platform === 'win32' ? '.exe' : ''}`;
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/package.json`, '{ "private": true }');
  npm(['install', '--no-save', '--no-package-lock', `${name}@${version}`], folder);
  return path;
}

/** The newest SDKs are no part of the workspace: some of them refuse the Node that the rest is built for. */
function installSdks() {
  const lock = readFileSync(`${newest}/package-lock.json`);
  const wanted = createHash('sha256').update(lock).digest('hex');
  const stamp = `${newest}/node_modules/.stamp`;
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  npm(['ci'], newest);
  writeFileSync(stamp, wanted);
}

/**
 * The folder has a manifest of its own, or npm would work on that of the workspace; its option `--prefix` would look for
 * npm's global settings there too.
 * @param {string[]} args
 * @param {string} cwd
 */
function npm(args, cwd) {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync('npm', [...args, ...quiet], {
    cwd,
    env,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error(`npm ${args.join(' ')} failed in ${cwd}`);
}

/**
 * Whatever the tests start runs under the same Node.
 * @param {string} node
 * @param {readonly string[]} files
 */
function test(node, files) {
  const vitest = [
    `${root}node_modules/vitest/vitest.mjs`,
    'run',
    '--root',
    'test',
    '--config',
    'newest/vitest.config.ts',
  ];
  const env = { ...process.env, PATH: [dirname(node), process.env.PATH].join(delimiter) };
  return spawnSync(node, [...vitest, ...files], { cwd: root, env, stdio: 'inherit' }).status ?? 1;
}
