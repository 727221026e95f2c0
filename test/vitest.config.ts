/** How the tests run: every package from its sources, results also as JSON for the closing line of CI. */
import { defineConfig } from 'vitest/config';

// No 'module' condition: some dependencies' "module" entries are extensionless ESM that Node cannot load.
export default defineConfig({
  ssr: { resolve: { conditions: ['@streamglot/source', 'node', 'development|production'] } },
  test: {
    include: ['src/**/*.test.ts'],
    testTimeout: 20_000,
    reporters: ['default', ['json', { outputFile: 'results.json' }]],
  },
});
