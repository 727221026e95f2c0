/** Every link of the documentation leads somewhere: to a file, and to a heading in it. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const pages = pagesIn('');

test.each(pages)('the links of %s lead somewhere', (page) => {
  const text = prose(page);
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  expect(links.filter((link) => !/^https?:/.test(link) && !leads(page, link))).toEqual([]);
});

test('pages of every room are looked at', () => {
  expect(pages).toEqual(expect.arrayContaining(['README.md', 'docs/README.md', 'packages/core/README.md']));
  expect(pages.length).toBeGreaterThan(30);
});

test('links that lead nowhere are seen', () => {
  expect(leads('README.md', 'docs/nothing.md')).toBe(false);
  expect(leads('README.md', 'docs/configuration.md#nothing')).toBe(false);
  expect(leads('README.md', 'docs/configuration.md#kept-answers')).toBe(true);
});

/** The pages of a folder and of those in it, but for what is installed or built; a copy has no git to ask. */
function pagesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return /^(?:node_modules|dist|\..*)$/.test(entry.name) ? [] : pagesIn(path);
    return path.endsWith('.md') ? [path] : [];
  });
}

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
