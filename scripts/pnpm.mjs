/** Runs the pinned pnpm, which need not be installed: `node scripts/pnpm.mjs exec turbo run build`. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('../', import.meta.url);

/**
 * Runs pnpm at the root and returns its exit code. What npm has put into the environment would change pnpm's own
 * settings, so it is left out.
 * @param {readonly string[]} args
 * @param {'inherit' | 'ignore'} [output]
 */
export function pnpm(args, output = 'inherit') {
  const { packageManager } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
  const { status } = spawnSync('npx', ['--yes', packageManager, ...args], {
    cwd: root,
    env: { ...env, CI: 'true', TURBO_TELEMETRY_DISABLED: '1' },
    stdio: ['ignore', output, 'inherit'],
    shell: process.platform === 'win32',
  });
  return status ?? 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = pnpm(process.argv.slice(2));
