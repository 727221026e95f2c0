/** The table of dialects, from the registry. */
import { dialects } from '../packages/core/src/index.ts';
import { table } from './markdown.mjs';

const place = /(<!-- matrix -->).*?(<!-- \/matrix -->)/s;

/** The table: a row for each dialect that a client may speak, a column for each that an upstream may. */
export function matrix() {
  const all = Object.values(dialects);
  const head = ['client \\ upstream', ...all.map(({ title }) => title)];
  const rows = all.map(({ id, title, routes }) => [
    `**${title}** ${routes.map((route) => `\`${route}\``).join(' ')}`,
    ...all.map((upstream) => (upstream.id === id ? 'relayed, repaired' : 'translated')),
  ]);
  return table([head, ...rows]);
}

/**
 * A text with the table of today between its marks.
 * @param {string} text
 */
export function withMatrix(text) {
  return text.replace(place, (_, open, close) => `${open}\n${matrix()}\n${close}`);
}
