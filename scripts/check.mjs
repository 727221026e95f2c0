/** Runs every check of the repository and says which failed: `npm run check`. */
import { spawnSync } from 'node:child_process';
import { delimiter } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const PATH = [`${root}node_modules/.bin`, process.env.PATH].join(delimiter);

const steps = /** @type {const} */ ([
  ['format and lint', 'biome', 'check', '--diagnostic-level=warn', '--error-on-warnings', '.'],
  ['types', 'tsc', '-b'],
  ['house rules', 'node', 'scripts/rules.mjs'],
  ['unused code', 'knip'],
  ['tests', 'vitest', 'run', '--root', 'test'],
]);

const results = steps.map(([name, command, ...args]) => {
  console.log(`\n== ${name}`);
  const started = performance.now();
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit', env: { ...process.env, PATH } });
  return { name, passed: status === 0, seconds: (performance.now() - started) / 1000 };
});

console.log('');
for (const { name, passed, seconds } of results)
  console.log(`${passed ? 'ok    ' : 'FAILED'} ${name} (${seconds.toFixed(1)} s)`);
process.exitCode = results.every(({ passed }) => passed) ? 0 : 1;
