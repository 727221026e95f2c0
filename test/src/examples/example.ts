/** An example as a stranger runs it: its own `start` script in a shell, told by HOST and PORT where to listen. */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { alone, digestOf, environment, root } from '../next/build.ts';
import { type Program, startProgram } from '../support/program.ts';

/** The names of all examples. */
export const names: readonly string[] = readdirSync(join(root, 'examples')).filter((name) => !name.includes('.'));

/** Starts an example, and waits until it answers. */
export async function startExample(name: string, more: NodeJS.ProcessEnv = {}): Promise<Program> {
  const folder = join(root, 'examples', name);
  const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  if (scripts.prestart !== undefined) await prepare(folder, scripts.prestart);
  return startProgram((port) => ({
    command: 'sh',
    args: ['-c', scripts.start],
    cwd: folder,
    env: { ...shell(folder), HOST: '127.0.0.1', PORT: String(port), ...more },
  }));
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
