/** Every link of the documentation leads somewhere: to a file, and to a heading in it. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const listed = ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'];
const pages = execFileSync('git', listed, { cwd: root, encoding: 'utf8' }).trim().split('\n');

test.each(pages.filter((page) => existsSync(join(root, page))))('the links of %s lead somewhere', (page) => {
  const text = prose(page);
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  expect(links.filter((link) => !/^https?:/.test(link) && !leads(page, link))).toEqual([]);
});

test('links that lead nowhere are seen', () => {
  expect(leads('README.md', 'docs/nothing.md')).toBe(false);
  expect(leads('README.md', 'docs/configuration.md#nothing')).toBe(false);
  expect(leads('README.md', 'docs/configuration.md#kept-answers')).toBe(true);
});

function leads(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : join(dirname(page), path);
  if (!existsSync(join(root, target))) return false;
  if (anchor === undefined) return true;
  return !statSync(join(root, target)).isDirectory() && headings(target).includes(anchor);
}

/** Headings as links name them. */
function headings(page: string): string[] {
  return [...prose(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}

/** A page without its code. */
function prose(page: string): string {
  return readFileSync(join(root, page), 'utf8').replace(/^```.*?^```$/gms, '');
}
