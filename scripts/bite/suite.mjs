/** The tests of a copy of the repository, run until the first is red. */
import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';

/** @import { Mutation } from './mutations.mjs' */

/**
 * What a run has shown: the first red test, or why the run itself came to nothing.
 * @typedef {{ red?: string, broken?: string }} Result
 */

/**
 * What is read of vitest's report.
 * @typedef {{ testResults: { name: string, status: string, message: string,
 *   assertionResults: { fullName: string, status: string }[] }[] }} Report
 */

/** Where the tests of a file are, most likely; the first prefix that fits counts. */
const likely = /** @type {const} */ ([
  ['packages/core/src/dialects/chat/', 'src/chat/'],
  ['packages/core/src/dialects/messages/', 'src/messages/'],
  ['packages/core/src/dialects/responses/', 'src/responses/'],
  ['packages/core/', 'src/core/'],
  ['packages/providers/', 'src/providers/'],
  ['packages/gateway/', 'src/gateway/'],
  ['packages/node/', 'src/node/'],
  ['', 'src/express/'],
]);

/** Rules judge how code is written, not what it does. */
const apart = ['--exclude', 'src/house/**'];

/** Runs vitest, one run at a time. */
export class Suite {
  /** @type {import('node:child_process').ChildProcess | undefined} */
  #child;

  /** @param {string} folder of the repository's copy */
  constructor(folder) {
    this.folder = folder;
    this.report = `${folder}/test/results.json`;
  }

  /**
   * Looks for a red test, where it is likely first.
   * @param {Mutation} mutation
   * @returns {Promise<Result>}
   */
  async bite({ file, by }) {
    const first = by ?? likely.find(([prefix]) => file.startsWith(prefix))?.[1] ?? '';
    const near = await this.run(first);
    return near.red === undefined && near.broken === undefined ? this.run() : near;
  }

  /**
   * Runs the tests whose path holds a text, or all.
   * @param {string} filter
   * @returns {Promise<Result>}
   */
  async run(filter = '') {
    rmSync(this.report, { force: true });
    const args = ['run', '--root', 'test', '--bail=1', '--passWithNoTests', ...apart];
    const code = await this.#vitest(filter === '' ? args : [...args, filter]);
    return code === 0 ? {} : this.#read();
  }

  /** Ends a run that is under way. */
  stop() {
    this.#child?.kill();
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
      if (red !== undefined) return { red: `${name.split('/test/src/').at(-1)}: ${red.fullName}` };
    }
    const unloaded = files.find(({ status }) => status === 'failed');
    return { broken: `no test failed, but the run did: ${unloaded?.message.split('\n')[0] ?? 'an error beside it'}` };
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
