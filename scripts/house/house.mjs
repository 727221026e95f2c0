/** The repository as the rules see it: every tracked file by its path, and those that are code. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { Source } from './source.mjs';

/**
 * Something that breaks a rule.
 * @typedef {{ path: string, line: number, message: string }} Violation
 */

/**
 * A rule: its name, what it asks for, and the places that break it.
 * @typedef {{ name: string, law: string, check: (house: House) => Iterable<Violation> }} Rule
 */

const code = /^(packages\/[^/]+\/src|test\/src|scripts|bench\/src|examples\/[^/]+\/src)\/.*\.(ts|tsx|mjs)$/;

/** All tracked files. */
export class House {
  /** @param {ReadonlyMap<string, string>} files texts by path, relative to the root */
  constructor(files) {
    this.files = files;
    this.sources = [...files].filter(([path]) => code.test(path)).map(([path, text]) => new Source(path, text));
  }

  /**
   * The files of code below a folder.
   * @param {string} folder such as `packages/`
   */
  under(folder) {
    return this.sources.filter((source) => source.path.startsWith(folder));
  }

  /** The names of the dialects that have a folder. */
  get dialects() {
    const names = this.under('packages/core/src/dialects/').map((source) => source.path.split('/')[4] ?? '');
    return [...new Set(names.filter((name) => !name.includes('.')))];
  }
}

/**
 * The file that a relative import names.
 * @param {string} importer
 * @param {string} target
 */
export function resolved(importer, target) {
  return posix.join(posix.dirname(importer), target);
}

/**
 * Reads what git tracks, and what it would track, below a folder.
 * @param {string} root
 */
export function readHouse(root) {
  const options = { cwd: root, maxBuffer: 1 << 28 };
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], options);
  /** @type {Map<string, string>} */
  const files = new Map();
  for (const path of new Set(listed.toString().split('\0'))) {
    const text = path === '' ? undefined : textOf(`${root}/${path}`);
    if (text !== undefined) files.set(path, text);
  }
  return new House(files);
}

/** @param {string} path */
function textOf(path) {
  try {
    const bytes = readFileSync(path);
    return bytes.includes(0) ? undefined : bytes.toString();
  } catch {
    return undefined; // deleted but still tracked, or a link to a folder
  }
}
