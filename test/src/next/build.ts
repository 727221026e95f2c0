/** What builds of Next.js apps share: one at a time over all processes, from compiled packages, known by what they are made of. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The repository. */
export const root: string = fileURLToPath(new URL('../../..', import.meta.url));
/** Where builds lie. */
export const builds: string = join(root, 'test/.next');

/** Makes a build while nobody else does, and once the packages are compiled. */
export async function alone(build: () => Promise<void>): Promise<void> {
  mkdirSync(builds, { recursive: true });
  const unlock = await locked(join(builds, 'lock'));
  try {
    await runNode(join(root, 'node_modules/typescript/bin/tsc'), ['-b', 'packages/next', 'packages/providers'], root);
    await build();
  } finally {
    unlock();
  }
}

/** Stands for all that a build is made of: the packages' sources, what is installed, and the text of the app. */
export function digestOf(text: string): string {
  const hash = createHash('sha256').update(text);
  const packages = join(root, 'packages');
  for (const name of readdirSync(packages, { recursive: true, encoding: 'utf8' }).sort())
    if (/^[^/]+\/src\/.*\.ts$/.test(name)) hash.update(name).update(readFileSync(join(packages, name)));
  return hash
    .update(readFileSync(join(root, 'pnpm-lock.yaml')))
    .digest('hex')
    .slice(0, 16);
}

/** Vitest's own NODE_ENV would make a build of another kind. */
export function environment(): NodeJS.ProcessEnv {
  return { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1', NODE_OPTIONS: '' };
}

/** Runs a script to its end. Throws what it has said where it fails. */
export async function runNode(script: string, args: readonly string[], cwd: string): Promise<void> {
  await promisify(execFile)(process.execPath, [script, ...args], { cwd, env: environment() }).catch((failure) => {
    throw new Error(`${script} ${args.join(' ')}\n${failure.stdout}${failure.stderr}`);
  });
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
