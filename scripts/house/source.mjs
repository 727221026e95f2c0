/** One file of code as the rules see it: lines, syntax tree, comments, imports. */
import { parseSync, visitorKeys } from 'oxc-parser';

/**
 * A node of the syntax tree; only what the rules read is named.
 * @typedef {{ type: string, start: number, end: number } & Record<string, unknown>} Node
 */

/** A file of code, parsed when a rule first asks. */
export class Source {
  /** @type {ReturnType<typeof parseSync> | undefined} */
  #parsed;
  /** @type {Node[] | undefined} */
  #nodes;
  /** @type {Map<Node, Node>} */
  #parents = new Map();

  /**
   * @param {string} path relative to the root of the repository
   * @param {string} text
   */
  constructor(path, text) {
    this.path = path;
    this.text = text;
    this.lines = text.replace(/\n$/, '').split('\n');
  }

  /** The comments, in order. */
  get comments() {
    return this.#parse().comments;
  }

  /** The statements of the file. */
  get body() {
    return /** @type {Node[]} */ (/** @type {unknown} */ (this.#parse().program.body));
  }

  /** What keeps the file from being read, if anything. */
  get fault() {
    return this.#parse().errors[0]?.message;
  }

  /** Every node of the tree, parents before children. */
  get nodes() {
    if (this.#nodes === undefined) {
      this.#nodes = [];
      this.#collect(/** @type {Node} */ (/** @type {unknown} */ (this.#parse().program)), this.#nodes);
    }
    return this.#nodes;
  }

  /** Every module that the file names: static, re-exported, dynamic and in types. */
  get imports() {
    return this.nodes.flatMap((node) => {
      const target = importTarget(node);
      return target === undefined ? [] : [{ target, line: this.lineAt(node.start) }];
    });
  }

  /**
   * The node that holds another.
   * @param {Node} node
   */
  parent(node) {
    return this.#parents.get(node);
  }

  /**
   * The line, from 1, at an offset of the text.
   * @param {number} offset
   */
  lineAt(offset) {
    return this.text.slice(0, offset).split('\n').length;
  }

  #parse() {
    this.#parsed ??= parseSync(this.path, this.text);
    return this.#parsed;
  }

  /**
   * @param {Node} node
   * @param {Node[]} into
   */
  #collect(node, into) {
    into.push(node);
    for (const key of visitorKeys[node.type] ?? []) {
      for (const child of [node[key]].flat()) {
        if (!isNode(child)) continue;
        this.#parents.set(child, node);
        this.#collect(child, into);
      }
    }
  }
}

const naming = new Set([
  'ImportDeclaration',
  'ExportNamedDeclaration',
  'ExportAllDeclaration',
  'ImportExpression',
  'TSImportType',
]);

/**
 * @param {Node} node
 * @returns {string | undefined}
 */
function importTarget(node) {
  if (!naming.has(node.type) || !isNode(node.source)) return undefined;
  return typeof node.source.value === 'string' ? node.source.value : undefined;
}

/**
 * Whether a value of the tree is a node of it.
 * @param {unknown} value
 * @returns {value is Node}
 */
function isNode(value) {
  return typeof value === 'object' && value !== null && typeof (/** @type {Node} */ (value).type) === 'string';
}
