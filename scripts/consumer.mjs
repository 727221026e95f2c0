/** Uses the packed tarballs as a stranger's app does: type-checks every entry, then imports it with plain node. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Compilers that must read the declarations, the project's own among them. */
const compilers = ['typescript', 'typescript59'];

/** Packages that also run where there is no Node; their declarations must do without its types. */
const portable = /^@streamglot\/(core|providers|routing|gateway|web|next)(?!\/pages$)(\/|$)/;

/** What public declarations may not mention; it is there only once they have been checked. Frameworks never are. */
const undeclared = new Set(['zod']);

/**
 * What keeps a stranger from using the tarballs, one text for each fault.
 * @param {string} root of the repository
 * @param {string} folder with the tarballs
 * @param {readonly string[]} tarballs
 */
export function consumed(root, folder, tarballs) {
  const app = `${folder}/app`;
  rmSync(app, { recursive: true, force: true });
  const manifests = tarballs.map((name) => unpacked(`${folder}/${name}`, app));
  const entries = manifests.flatMap(({ name, exports }) =>
    Object.keys(exports).flatMap((path) => (path === './package.json' ? [] : [name + path.slice(1)])),
  );
  writeApp(app, entries);
  const declared = manifests.flatMap((manifest) => dependencies(manifest));
  for (const one of declared) if (!undeclared.has(one.name)) link(root, app, one);
  symlinkSync(`${root}node_modules/@types`, `${app}/node_modules/@types`);
  const faults = compilers.flatMap((compiler) =>
    ['tsconfig.json', 'worker.json'].flatMap((project) =>
      run(app, [`${root}node_modules/${compiler}/bin/tsc`, '-p', `${app}/${project}`]),
    ),
  );
  for (const one of declared) if (undeclared.has(one.name)) link(root, app, one);
  return [...faults, ...run(app, [`${app}/index.js`])];
}

/**
 * A package's manifest, as it is published.
 * @typedef {{ name: string, exports: Record<string, unknown>, dependencies?: Record<string, string> }} Manifest
 */

/**
 * @param {string} tarball
 * @param {string} app
 * @returns {Manifest}
 */
function unpacked(tarball, app) {
  const list = execFileSync('tar', ['-xzOf', tarball, 'package/package.json'], { encoding: 'utf8' });
  const manifest = /** @type {Manifest} */ (JSON.parse(list));
  const target = `${app}/node_modules/${manifest.name}`;
  mkdirSync(target, { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '--strip-components=1', '-C', target]);
  return manifest;
}

/**
 * @param {string} app
 * @param {readonly string[]} entries
 */
function writeApp(app, entries) {
  writeFileSync(`${app}/package.json`, JSON.stringify({ name: 'app', private: true, type: 'module' }));
  for (const file of ['index.ts', 'index.js']) writeFileSync(`${app}/${file}`, uses(entries));
  writeFileSync(`${app}/worker.ts`, uses(entries.filter((entry) => portable.test(entry))));
  writeFileSync(`${app}/tsconfig.json`, project('index.ts', { types: ['node'] }));
  writeFileSync(`${app}/worker.json`, project('worker.ts', { types: [], lib: ['es2023', 'dom', 'dom.iterable'] }));
}

/**
 * Code that imports entries and needs something of each.
 * @param {readonly string[]} entries
 */
function uses(entries) {
  const imports = entries.map((entry, at) => `import * as entry${at} from '${entry}';`);
  const needs = entries.map(
    (entry, at) => `if (Object.keys(entry${at}).length === 0) throw new Error('${entry} is empty');`,
  );
  return [...imports, ...needs, ''].join('\n');
}

/**
 * @param {string} file
 * @param {Record<string, unknown>} world
 */
function project(file, world) {
  const options = { target: 'es2023', module: 'nodenext', strict: true, skipLibCheck: false, noEmit: true, ...world };
  return JSON.stringify({ compilerOptions: options, files: [file] });
}

/** @param {Manifest} manifest */
function dependencies({ name, dependencies = {} }) {
  const owner = name.split('/')[1] ?? '';
  const names = Object.keys(dependencies);
  return names.filter((one) => !one.startsWith('@streamglot/')).map((one) => ({ name: one, owner }));
}

/**
 * @param {string} root
 * @param {string} app
 * @param {{ name: string, owner: string }} dependency
 */
function link(root, app, { name, owner }) {
  const target = `${app}/node_modules/${name}`;
  if (existsSync(target)) return;
  mkdirSync(dirname(target), { recursive: true });
  symlinkSync(realpathSync(`${root}packages/${owner}/node_modules/${name}`), target);
}

/**
 * @param {string} cwd
 * @param {string[]} args
 */
function run(cwd, args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8' });
  return status === 0 ? [] : [`node ${args.join(' ')}\n${stdout}${stderr}`];
}
