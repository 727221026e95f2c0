/** The table of dialects, from the registry. */
import { dialects } from '../packages/core/src/index.ts';
import { table } from './markdown.mjs';

const place = /(<!-- matrix -->).*?(<!-- \/matrix -->)/s;

/** The table: a row for each dialect that a client may speak, a column for each that an upstream may. */
export function matrix() {
  const all = Object.values(dialects);
  const head = ['client \\ upstream', ...all.map(({ title }) => title)];
  const rows = all.map(({ id, title, routes }) => [
    `**${title}** ${placesOf(routes)}`,
    ...all.map((upstream) => (upstream.id === id ? 'relayed, repaired' : 'translated')),
  ]);
  return table([head, ...rows]);
}

/**
 * Where a dialect is found, in short: under the newer root of two, and of a second method the name only.
 * @param {readonly string[]} routes
 */
function placesOf(routes) {
  const older = routes.filter(
    (route) => routes.includes(route.replace('/v1/', '/v1beta/')) && route.startsWith('/v1/'),
  );
  const [first = '', ...others] = routes.filter((route) => !older.includes(route));
  const [place] = first.split(':');
  const names = [first, ...others.map((route) => route.replace(`${place}:`, ':'))].map((name) => `\`${name}\``);
  return names.join(' ') + (older.length > 0 ? ', also under `/v1`' : '');
}

/**
 * A text with the table of today between its marks.
 * @param {string} text
 */
export function withMatrix(text) {
  return text.replace(place, (_, open, close) => `${open}\n${matrix()}\n${close}`);
}
