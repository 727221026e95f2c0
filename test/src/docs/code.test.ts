/** The code of the documentation is true: all of it type-checks, and what has an output behind it gives that output. */
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { codeBlocks } from '../../../scripts/markdown.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const place = join(root, 'test/.docs');

interface Snippet {
  page: string;
  name: string;
  code: string;
  /** Lines that its output has, where the page shows some. */
  prints: readonly string[];
}

const pages = [...markdown('docs'), ...readdirSync(join(root, 'packages')).map((name) => `packages/${name}/README.md`)];
const snippets = pages.flatMap(snippetsOf);
const run = promisify(execFile);

test('pages have code, and some of it says what it prints', () => {
  expect(snippets.length).toBeGreaterThan(20);
  expect(snippets.filter(({ prints }) => prints.length > 0).length).toBeGreaterThan(3);
});

test('all code of the documentation type-checks', async () => {
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place);
  for (const { name, code } of snippets) writeFileSync(join(place, name), code);
  const off = { composite: false, declaration: false, declarationMap: false, sourceMap: false };
  const how = { noEmit: true, isolatedDeclarations: false, allowJs: true, checkJs: true, lib: ['es2023', 'dom'] };
  const project = { extends: '../../tsconfig.base.json', compilerOptions: { ...off, ...how }, include: ['*'] };
  writeFileSync(join(place, 'tsconfig.json'), JSON.stringify(project));
  const faults = await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', place])
    .then(() => '')
    .catch(({ stdout }) => stdout);
  expect(faults).toBe('');
});

test.each(snippets.filter(({ prints }) => prints.length > 0))('$name prints what $page shows', async (snippet) => {
  const from = ['--conditions=@streamglot/source', '--import', 'tsx', '--input-type=module', '-e', snippet.code];
  const { stdout } = await run(process.execPath, from, { cwd: join(root, 'examples/codecs') });
  for (const line of snippet.prints) expect(stdout).toContain(line);
});

function markdown(folder: string): string[] {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.md')).map((name) => `${folder}/${name}`);
}

/** Blocks of code, each a module; text right behind one that is no server is what it prints. */
function snippetsOf(page: string): Snippet[] {
  const blocks = codeBlocks(readFileSync(join(root, page), 'utf8'));
  return blocks.flatMap(({ language, code }, at) => {
    if (language !== 'ts' && language !== 'js') return [];
    const next = blocks[at + 1];
    const prints = next?.language === 'text' ? next.code.trim().split('\n') : [];
    return [{ page, name: `${page.replace(/\W+/g, '-')}-${at}.${language}`, code, prints }];
  });
}
