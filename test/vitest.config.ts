/** How the tests run: every package from its sources, results also as JSON for the closing line of CI. */
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take longest go first, so that nobody waits for one of them alone at the end. */
const long = ['routing/', 'adapters/adapters', 'recordings/', 'conformance/matrix', 'faults/', 'hostile/', 'laws/'];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((one, other) => rankOf(one) - rankOf(other));
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = long.findIndex((path) => moduleId.includes(`/src/${path}`));
  return rank < 0 ? long.length : rank;
}

// No 'module' condition: some dependencies' "module" entries are extensionless ESM that Node cannot load.
export default defineConfig({
  ssr: { resolve: { conditions: ['@streamglot/source', 'node', 'development|production'] } },
  test: {
    include: ['src/**/*.test.ts'],
    testTimeout: 20_000,
    // The default leaves one of two cores to whoever works beside the tests.
    maxWorkers: '100%',
    sequence: { sequencer: LongestFirst },
    reporters: ['default', ['json', { outputFile: 'results.json' }]],
  },
});
