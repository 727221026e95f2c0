/** A copy of the repository in which anything may be broken, beside the installed packages of the original. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';

/** What git tracks, and what it would track, as it stands in the working tree. */
export class Copy {
  /** @param {string} root the original, with a slash at its end */
  constructor(root) {
    this.place = mkdtempSync(`${tmpdir()}/streamglot-bite-`);
    this.folder = `${this.place}/repository`;
    for (const file of filesOf(root)) this.#take(`${root}${file}`, file);
    symlinkSync(`${root}node_modules`, `${this.folder}/node_modules`);
    for (const workspace of workspacesOf(root)) this.#link(root, workspace);
  }

  /** Nothing is left of it. */
  remove() {
    rmSync(this.place, { recursive: true, force: true });
  }

  /**
   * @param {string} from
   * @param {string} file
   */
  #take(from, file) {
    if (!existsSync(from)) return; // deleted but still tracked
    mkdirSync(dirname(`${this.folder}/${file}`), { recursive: true });
    cpSync(from, `${this.folder}/${file}`, { verbatimSymlinks: true });
  }

  /**
   * The links of a workspace are relative, so that those to other workspaces lead to their copies.
   * @param {string} root
   * @param {string} workspace
   */
  #link(root, workspace) {
    const from = `${root}${workspace}node_modules`;
    if (!existsSync(from)) return;
    const filter = (/** @type {string} */ path) => !/node_modules\/\.(vite|cache)/.test(path.slice(from.length - 12));
    cpSync(from, `${this.folder}/${workspace}node_modules`, { recursive: true, verbatimSymlinks: true, filter });
  }
}

/** @param {string} root */
function filesOf(root) {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const listed = execFileSync('git', args, { cwd: root, maxBuffer: 1 << 28 }).toString();
  return new Set(listed.split('\0').filter((file) => file !== ''));
}

/**
 * The folders with a package.json of their own, each with a slash at its end.
 * @param {string} root
 */
function workspacesOf(root) {
  const manifests = [...filesOf(root)].filter((file) => file.endsWith('/package.json'));
  return manifests.map((file) => file.slice(0, -'package.json'.length));
}
