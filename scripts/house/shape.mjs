/** Rules about files and functions: where they stand, how long they are, what they say of themselves. */

/** @import { House, Rule, Violation } from './house.mjs' */
/** @import { Node, Source } from './source.mjs' */

/** Files stay under so many lines; the first prefix that fits counts. */
const fileLimits = /** @type {const} */ ([
  ['examples/', 40],
  ['packages/express/', 60],
  ['packages/koa/', 60],
  ['packages/next/', 60],
  ['', 400],
]);
const functionLimit = 60;

const drawers = new Set(['utils', 'util', 'helpers', 'helper', 'common', 'lib', 'types', 'misc', 'shared']);
const fileName = /^[a-z0-9]+(-[a-z0-9]+)*(\.(test|config))?\.(ts|tsx|mjs)$/;
const dialectFiles = ['schema', 'terms', 'decode', 'encode', 'request', 'response', 'error', 'index'];

/**
 * The first line says in one sentence what the file is for.
 * @param {House} house
 * @returns {Iterable<Violation>}
 */
function* caption(house) {
  for (const source of house.sources) {
    const first = source.lines[0]?.startsWith('#!') ? 1 : 0;
    const text = /^\/\*\* (.+) \*\/$/.exec(source.lines[first] ?? '')?.[1];
    const at = { path: source.path, line: first + 1 };
    if (text === undefined) yield { ...at, message: 'the first line is not a /** caption */' };
    else if (!/[.!?]$/.test(text) || /[.!?] [A-Z]/.test(text))
      yield { ...at, message: 'the caption is not one sentence' };
  }
}

/**
 * @param {House} house
 * @returns {Iterable<Violation>}
 */
function* fileSize(house) {
  for (const { path, lines } of house.sources) {
    const limit = fileLimits.find(([prefix]) => path.startsWith(prefix))?.[1] ?? 0;
    if (lines.length >= limit) yield { path, line: 1, message: `${lines.length} lines; the limit here is ${limit}` };
  }
}

/**
 * Functions stay short; the callback of `describe` is a chapter, not a function.
 * @param {House} house
 * @returns {Iterable<Violation>}
 */
function* functionSize(house) {
  for (const source of house.sources)
    for (const node of source.nodes) {
      if (!/^(Function(Declaration|Expression)|ArrowFunctionExpression)$/.test(node.type) || isChapter(source, node))
        continue;
      const line = source.lineAt(node.start);
      const length = source.lineAt(node.end) - line + 1;
      if (length >= functionLimit)
        yield { path: source.path, line, message: `a function of ${length} lines; the limit is ${functionLimit}` };
    }
}

/**
 * @param {Source} source
 * @param {Node} node
 */
function isChapter(source, node) {
  const parent = source.parent(node);
  return parent?.type === 'CallExpression' && /^describe\b/.test(source.text.slice(parent.start, parent.end));
}

/**
 * A folder or file is named after what is in it.
 * @param {House} house
 * @returns {Iterable<Violation>}
 */
function* drawer(house) {
  for (const path of house.files.keys())
    for (const part of path.split('/'))
      if (drawers.has(part.replace(/\..*$/, ''))) yield { path, line: 1, message: `"${part}" is a drawer, not a name` };
}

/**
 * @param {House} house
 * @returns {Iterable<Violation>}
 */
function* names(house) {
  for (const { path } of house.sources)
    if (!fileName.test(path.split('/').at(-1) ?? ''))
      yield { path, line: 1, message: 'file names are short and lower-case' };
}

/**
 * Every dialect has the same files.
 * @param {House} house
 * @returns {Iterable<Violation>}
 */
function* fileSet(house) {
  for (const dialect of house.dialects)
    for (const file of dialectFiles) {
      const path = `packages/core/src/dialects/${dialect}/${file}.ts`;
      if (!house.files.has(path)) yield { path, line: 1, message: `the ${dialect} dialect lacks this file` };
    }
}

/**
 * Whatever a package exports has a sentence of its own.
 * @param {House} house
 * @returns {Iterable<Violation>}
 */
function* documented(house) {
  for (const source of house.under('packages/'))
    for (const node of source.body) {
      if (!/^Export(Named|Default)Declaration$/.test(node.type) || !node.declaration) continue;
      if (!isOverload(source, node) && !hasSentence(source, node))
        yield { path: source.path, line: source.lineAt(node.start), message: 'an export without its sentence' };
    }
}

/**
 * @param {Source} source
 * @param {Node} node
 */
function hasSentence(source, node) {
  const comment = source.comments.findLast(({ end }) => end <= node.start);
  if (comment === undefined || comment.start === 0 || !comment.value.startsWith('*')) return false;
  return source.text.slice(comment.end, node.start).trim() === '';
}

/**
 * A further signature of the function above it.
 * @param {Source} source
 * @param {Node} node
 */
function isOverload(source, node) {
  const before = source.body[source.body.indexOf(node) - 1];
  return (
    before?.type === node.type && declaredName(before) !== undefined && declaredName(before) === declaredName(node)
  );
}

/** @param {Node} node */
function declaredName(node) {
  const declaration = /** @type {{ id?: { name?: string } } | undefined} */ (node.declaration);
  return declaration?.id?.name;
}

/** @type {readonly Rule[]} */
export const shapeRules = [
  { name: 'caption', law: 'the first line of a file says what it is for', check: caption },
  { name: 'file-size', law: 'files stay short', check: fileSize },
  { name: 'function-size', law: 'functions stay short', check: functionSize },
  { name: 'drawer', law: 'no folder or file is a drawer', check: drawer },
  { name: 'names', law: 'file names are short and lower-case', check: names },
  { name: 'file-set', law: 'every dialect has the same files', check: fileSet },
  { name: 'documented', law: 'every export has its sentence', check: documented },
];
