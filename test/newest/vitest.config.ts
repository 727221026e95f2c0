/** The tests with the newest SDKs in place of those that Node 20 can install. */
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';
import base from '../vitest.config.ts';
import manifest from './package.json' with { type: 'json' };

const here = fileURLToPath(import.meta.url);
const names = Object.keys(manifest.dependencies);

/** Finds the SDKs that are installed here as if the tests stood in this folder. */
const newest: Plugin = {
  name: 'newest',
  enforce: 'pre',
  resolveId(id, importer) {
    if (importer === here || !names.some((name) => id === name || id.startsWith(`${name}/`))) return null;
    return this.resolve(id, here, { skipSelf: true });
  },
};

export default defineConfig({
  ...base,
  plugins: [newest],
  test: {
    ...base.test,
    include: [...(base.test?.include ?? []), 'newest/*.test.ts'],
    maxWorkers: '100%',
    reporters: ['default', ['json', { outputFile: 'newest/results.json' }]],
  },
});
