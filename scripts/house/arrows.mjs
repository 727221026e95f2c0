/** Rules about who may import whom. */
import { resolved } from './house.mjs';

/** @import { House, Rule, Violation } from './house.mjs' */
/** @import { Source } from './source.mjs' */

/** The floors, lowest first: a package imports only from floors below its own. */
const floors = [
  ['core'],
  ['providers', 'routing'],
  ['gateway'],
  ['node', 'web', 'inspector'],
  ['express', 'koa', 'next'],
  ['cli'],
];

const scope = '@streamglot/';
const core = 'packages/core/src/';
const dialects = `${core}dialects/`;

/**
 * Packages import downward, by name, and never out of their own folder by path.
 * @param {House} house
 * @returns {Iterable<Violation>}
 */
function* arrows(house) {
  for (const source of house.under('packages/')) {
    const own = packageOf(source.path);
    if (floorOf(own) < 0)
      yield { path: source.path, line: 1, message: `${own} stands on no floor of scripts/house/arrows.mjs` };
    for (const { target, line } of source.imports) {
      const message = crossing(source.path, own, target);
      if (message !== undefined) yield { path: source.path, line, message };
    }
  }
}

/**
 * @param {string} path
 * @param {string} own
 * @param {string} target
 */
function crossing(path, own, target) {
  if (target.startsWith('.')) {
    const to = resolved(path, target);
    return to.startsWith(`packages/${own}/`) ? undefined : `reaches out of its package to ${to}`;
  }
  if (!target.startsWith(scope)) return undefined;
  const other = target.slice(scope.length).split('/')[0] ?? '';
  return floorOf(other) >= 0 && floorOf(other) < floorOf(own)
    ? undefined
    : `${own} may not import ${other}: arrows point down`;
}

/** @param {string} name */
function floorOf(name) {
  return floors.findIndex((floor) => floor.includes(name));
}

/** @param {string} path */
function packageOf(path) {
  return path.split('/')[1] ?? '';
}

/**
 * No file imports itself by way of others, not even for types.
 * @param {House} house
 * @returns {Iterable<Violation>}
 */
function* circles(house) {
  const graph = new Map(house.sources.map((source) => [source.path, neighbours(source)]));
  /** @type {Set<string>} */
  const done = new Set();
  for (const start of graph.keys()) {
    const circle = circleFrom(start, graph, done, []);
    if (circle !== undefined) yield { path: start, line: 1, message: `imports itself: ${circle.join(' -> ')}` };
  }
}

/**
 * @param {string} path
 * @param {ReadonlyMap<string, readonly string[]>} graph
 * @param {Set<string>} done
 * @param {readonly string[]} trail
 * @returns {readonly string[] | undefined}
 */
function circleFrom(path, graph, done, trail) {
  if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path];
  if (done.has(path)) return undefined;
  done.add(path);
  for (const next of graph.get(path) ?? []) {
    const circle = circleFrom(next, graph, done, [...trail, path]);
    if (circle !== undefined) return circle;
  }
  return undefined;
}

/** @param {Source} source */
function neighbours(source) {
  return source.imports
    .filter(({ target }) => target.startsWith('.'))
    .map(({ target }) => resolved(source.path, target));
}

/**
 * A dialect's file imports the contract, its own folder and, in schema.ts, the schema library.
 * @param {House} house
 * @returns {Iterable<Violation>}
 */
function* siblings(house) {
  for (const source of house.under(dialects)) {
    const [name = '', file] = source.path.slice(dialects.length).split('/');
    if (file === undefined) continue;
    const allowed = [/^\.\/[^/]+$/, /^\.\.\/\.\.\/dialect\.ts$/, ...(file === 'schema.ts' ? [/^zod\/mini$/] : [])];
    for (const { target, line } of source.imports)
      if (!allowed.some((pattern) => pattern.test(target)))
        yield { path: source.path, line, message: `the ${name} dialect may not import ${target}` };
  }
}

/**
 * Nobody in core knows an implementation of the contract, except the registry and the index on top of it.
 * @param {House} house
 * @returns {Iterable<Violation>}
 */
function* registry(house) {
  for (const source of house.under(core)) {
    if (source.path.startsWith(dialects) || source.path === `${core}index.ts`) continue;
    for (const { target, line } of source.imports)
      if (target.startsWith('.') && resolved(source.path, target).startsWith(dialects))
        yield {
          path: source.path,
          line,
          message: `imports ${target}: only the registry and index.ts know the dialects`,
        };
  }
}

/** What also runs where there is no Node; of core, another rule says so. */
const portable = /^packages\/(routing\/src\/|gateway\/src\/|web\/src\/|next\/src\/(?!pages\.ts$))/;

/**
 * What runs on workers names no module of Node, nor a package that does.
 * @param {House} house
 * @returns {Iterable<Violation>}
 */
function* workers(house) {
  for (const source of house.sources.filter(({ path }) => portable.test(path)))
    for (const { target, line } of source.imports)
      if (target.startsWith('node:') || target === `${scope}node`)
        yield { path: source.path, line, message: `runs on workers too and may not import ${target}` };
}

/** @type {readonly Rule[]} */
export const importRules = [
  { name: 'arrows', law: 'packages import downward only', check: arrows },
  { name: 'workers', law: 'what runs on workers imports nothing of Node', check: workers },
  { name: 'circles', law: 'no circle of imports', check: circles },
  { name: 'siblings', law: 'a dialect imports the contract and its own folder', check: siblings },
  { name: 'registry', law: 'the contract never imports an implementation', check: registry },
];
