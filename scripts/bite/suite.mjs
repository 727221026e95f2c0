/** The tests of a copy of the repository, run until the first is red. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';

/** @import { Mutation } from './mutations.mjs' */

/**
 * What a run has shown: the first red test and its file, or why the run itself came to nothing.
 * @typedef {{ red?: string, file?: string, broken?: string }} Result
 */

/**
 * What is read of vitest's report.
 * @typedef {{ testResults: { name: string, status: string, message: string,
 *   assertionResults: { fullName: string, status: string }[] }[] }} Report
 */

/** Where the tests of a file are, most likely; the first prefix that fits counts. */
const likely = /** @type {const} */ ([
  ['packages/core/src/dialects/chat/', 'src/chat/'],
  ['packages/core/src/dialects/gemini/', 'src/gemini/'],
  ['packages/core/src/dialects/interactions/', 'src/interactions/'],
  ['packages/core/src/dialects/messages/', 'src/messages/'],
  ['packages/core/src/dialects/responses/', 'src/responses/'],
  ['packages/core/', 'src/core/'],
  ['packages/providers/', 'src/providers/'],
  ['packages/routing/', 'src/routing/'],
  ['packages/gateway/', 'src/gateway/'],
  ['packages/node/', 'src/node/'],
  ['', 'src/express/'],
]);

/** Rules judge how code is written, not what it does; and Next does not build in a copy whose packages lie elsewhere. */
const apart = ['--exclude', 'src/house/**', '--exclude', 'src/examples/**'];

/** Runs vitest, one run at a time. */
export class Suite {
  /** @type {import('node:child_process').ChildProcess | undefined} */
  #child;

  /** @param {string} folder of the repository's copy */
  constructor(folder) {
    this.folder = folder;
    this.report = `${folder}/test/results.json`;
  }

  /** Whether all is green, as it has to be before anything is broken; a busy machine may try again. */
  green() {
    return this.#run('', '--retry=2');
  }

  /**
   * Looks for a red test, where it is likely first; a test that is red once only has seen nothing.
   * @param {Mutation} mutation
   * @returns {Promise<Result>}
   */
  async bite({ file, by }) {
    const near = await this.#run(by ?? likely.find(([prefix]) => file.startsWith(prefix))?.[1] ?? '');
    const seen = near.red === undefined && near.broken === undefined ? await this.#run('') : near;
    if (seen.file === undefined) return seen;
    const again = await this.#run(seen.file);
    return again.red === undefined ? { broken: `red only once: ${seen.red}` } : again;
  }

  /**
   * Runs the tests whose path holds a text, or all.
   * @param {string} filter
   * @param {string[]} more
   * @returns {Promise<Result>}
   */
  async #run(filter, ...more) {
    rmSync(this.report, { force: true });
    const filters = filter === '' ? [] : [filter];
    const args = ['run', '--root', 'test', '--bail=1', '--passWithNoTests', ...apart, ...more, ...filters];
    return (await this.#vitest(args)) === 0 ? {} : this.#read();
  }

  /** Ends a run that is under way; settles when nothing of it writes any more. */
  async stop() {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null) return;
    child.kill();
    await once(child, 'close');
  }

  /**
   * @param {string[]} args
   * @returns {Promise<number>}
   */
  #vitest(args) {
    return new Promise((resolve) => {
      const options = /** @type {const} */ ({ cwd: this.folder, stdio: 'ignore' });
      this.#child = spawn(`${this.folder}/node_modules/.bin/vitest`, args, options);
      this.#child.on('close', (code) => resolve(code ?? 1));
    });
  }

  /** A file that does not load, or an error beside the tests, is no test that has seen anything. */
  #read() {
    const files = reportAt(this.report)?.testResults ?? [];
    for (const { name, assertionResults } of files) {
      const red = assertionResults.find(({ status }) => status === 'failed');
      const file = name.slice(name.indexOf('/test/src/') + '/test/src/'.length);
      if (red !== undefined) return { file, red: `${file}: ${red.fullName}` };
    }
    const unloaded = files.find(({ status }) => status === 'failed');
    const why = unloaded === undefined ? 'an error beside it' : `${unloaded.name}: ${unloaded.message.split('\n')[0]}`;
    return { broken: `no test failed, but the run did: ${why}` };
  }
}

/**
 * @param {string} path
 * @returns {Report | undefined}
 */
function reportAt(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}
