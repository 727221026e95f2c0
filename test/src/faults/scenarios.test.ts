/** Every fault case that is a sequence of steps is covered by a test that exists, or waits for something that is named. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isPresent, scenarioIds } from './cases.ts';
import { covered, waiting } from './scenarios.ts';

test.runIf(isPresent)('each of them is in one of the two tables', () => {
  expect([...Object.keys(covered), ...Object.keys(waiting)].sort()).toEqual([...scenarioIds].sort());
});

test.each(Object.entries(covered))('%s is covered', (_, tests) => {
  const missing = tests.filter(([file, name]) => {
    const source = readFileSync(join(import.meta.dirname, '..', file), 'utf8');
    return !source.includes(`'${name}'`);
  });
  expect(missing).toEqual([]);
});
