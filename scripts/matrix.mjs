/** Writes the table of dialects into README.md from the registry: `npm run docs`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { dialects } from '../packages/core/src/index.ts';

const readme = fileURLToPath(new URL('../README.md', import.meta.url));
const place = /(<!-- matrix -->).*?(<!-- \/matrix -->)/s;

/** The table: a row for each dialect that a client may speak, a column for each that an upstream may. */
export function matrix() {
  const all = Object.values(dialects);
  const head = ['client \\ upstream', ...all.map(({ title }) => title)];
  const rows = all.map(({ id, title, routes }) => [
    `**${title}** ${routes.map((route) => `\`${route}\``).join(' ')}`,
    ...all.map((upstream) => (upstream.id === id ? 'relayed, repaired' : 'translated')),
  ]);
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((cells) => cells[column]?.length ?? 0)));
  const rule = widths.map((width) => '-'.repeat(width));
  /** @param {readonly string[]} cells */
  const line = (cells) => `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [head, rule, ...rows].map(line).join('\n');
}

/**
 * A text with the table of today between its marks.
 * @param {string} text
 */
export function withMatrix(text) {
  return text.replace(place, (_, open, close) => `${open}\n${matrix()}\n${close}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(readme, withMatrix(readFileSync(readme, 'utf8')));
