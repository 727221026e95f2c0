/** Rules about what the code may not say or touch. */
import { resolved } from './house.mjs';

/** @import { House, Rule, Violation } from './house.mjs' */
/** @import { Node, Source } from './source.mjs' */

const vendors =
  /openai|chatgpt|\bgpt|anthropic|claude|\bxai\b|\bgrok|google|vertex|mistral|azure|bedrock|deepseek|groq\b|cohere|openrouter|ollama|vllm|fireworks|perplexity/i;

/** Words of a protocol that hold a vendor's name; `google` alone is a member of `extra_content`. */
const wireWords =
  /^(anthropic-(version|beta|ratelimit-[a-z-]+)|openai-[a-z-]+|x-goog-[a-z-]+|google|google_(search|maps)(_[a-z]+)*|google(Search|Maps)[A-Za-z]*|type\.googleapis\.com\/google\.rpc\.)$/;

/** Globals that make the same input give another output, or bind to one runtime. */
const impure = new Set([
  'process',
  'performance',
  'crypto',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'fetch',
  'require',
]);
const impureMembers = new Set(['Date.now', 'Math.random']);

/** Paths of a machine, and hosts from which packages come. */
const places = [
  /(?<![\w.$}])\/(?:work|root|tmp|home|Users)\/[\w.-]/,
  /\b(?:registry\.(?:npmjs|yarnpkg|npmmirror)|registry\.org|(?:static\.)?crates\.io|pypi\.org|proxy\.golang|unpkg\.com|jsdelivr\.net|deb\.debian)\b/,
];

/**
 * A dialect is a protocol: no vendor's name in its identifiers or strings.
 * @param {House} house
 * @returns {Iterable<Violation>}
 */
function* vendor(house) {
  for (const source of house.under('packages/core/src/dialects/'))
    for (const node of source.nodes) {
      const word = wordOf(node);
      if (word !== undefined && vendors.test(word) && !wireWords.test(word))
        yield { path: source.path, line: source.lineAt(node.start), message: `names a vendor: ${word.slice(0, 40)}` };
    }
}

/** @param {Node} node */
function wordOf(node) {
  if (node.type === 'Identifier' || node.type === 'PrivateIdentifier') return String(node.name);
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node.type === 'TemplateElement') return /** @type {{ raw: string }} */ (node.value).raw;
  return undefined;
}

/**
 * Packages write to no console; `observe` is the hook.
 * @param {House} house
 * @returns {Iterable<Violation>}
 */
function* consoles(house) {
  for (const source of house.under('packages/')) {
    if (source.path.startsWith('packages/cli/')) continue;
    for (const node of source.nodes)
      if (isUsed(source, node) && node.name === 'console')
        yield { path: source.path, line: source.lineAt(node.start), message: 'writes to the console' };
  }
}

/**
 * Core has no clock, no randomness, no I/O and no Node module.
 * @param {House} house
 * @returns {Iterable<Violation>}
 */
function* pure(house) {
  for (const source of house.under('packages/core/src/')) {
    for (const { target, line } of source.imports)
      if (target.startsWith('node:')) yield { path: source.path, line, message: `core may not import ${target}` };
    for (const node of source.nodes) {
      const used = impureUse(source, node);
      if (used !== undefined)
        yield { path: source.path, line: source.lineAt(node.start), message: `core may not use ${used}` };
    }
  }
}

/**
 * @param {Source} source
 * @param {Node} node
 */
function impureUse(source, node) {
  if (isUsed(source, node) && impure.has(String(node.name))) return String(node.name);
  const text = node.type === 'MemberExpression' ? source.text.slice(node.start, node.end) : '';
  if (impureMembers.has(text)) return text;
  const bare = node.type === 'NewExpression' && /^new Date(\(\))?$/.test(source.text.slice(node.start, node.end));
  return bare ? 'new Date()' : undefined;
}

/**
 * Whether an identifier is used as a global is: something is read from it, called or copied.
 * @param {Source} source
 * @param {Node} node
 */
function isUsed(source, node) {
  const parent = source.parent(node);
  if (node.type !== 'Identifier' || parent === undefined) return false;
  return parent.object === node || parent.callee === node || parent.init === node;
}

/**
 * Fields are `#private`.
 * @param {House} house
 * @returns {Iterable<Violation>}
 */
function* privacy(house) {
  for (const source of house.sources)
    for (const node of source.nodes)
      if (node.accessibility === 'private' && node.kind !== 'constructor')
        yield { path: source.path, line: source.lineAt(node.start), message: 'private is written #name' };
}

/**
 * No path of somebody's machine and no package registry in any tracked file.
 * @param {House} house
 * @returns {Iterable<Violation>}
 */
function* place(house) {
  for (const [path, text] of house.files)
    for (const [index, line] of text.split('\n').entries()) {
      const found = places.map((pattern) => pattern.exec(line)?.[0]).find((match) => match !== undefined);
      if (found !== undefined) yield { path, line: index + 1, message: `names a place: ${found}` };
    }
}

/**
 * A relative import ends in the extension of the file that it names.
 * @param {House} house
 * @returns {Iterable<Violation>}
 */
function* extension(house) {
  for (const source of house.sources)
    for (const { target, line } of source.imports)
      if (target.startsWith('.') && !house.files.has(resolved(source.path, target)))
        yield { path: source.path, line, message: `no file is called ${target}` };
}

/**
 * A file that cannot be parsed cannot be judged.
 * @param {House} house
 * @returns {Iterable<Violation>}
 */
function* readable(house) {
  for (const source of house.sources)
    if (source.fault !== undefined) yield { path: source.path, line: 1, message: source.fault };
}

/** @type {readonly Rule[]} */
export const wordRules = [
  { name: 'readable', law: 'every file of code parses', check: readable },
  { name: 'vendor', law: 'no vendor in a dialect', check: vendor },
  { name: 'console', law: 'packages write to no console', check: consoles },
  { name: 'pure', law: 'core has no clock, no randomness and no I/O', check: pure },
  { name: 'privacy', law: 'fields are #private', check: privacy },
  { name: 'place', law: 'no machine path and no registry', check: place },
  { name: 'extension', law: 'imports name files that exist', check: extension },
];
