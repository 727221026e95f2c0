/** The recordings are all there, are all judged, and the exceptions among them are few and real. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { dialects } from '@streamglot/core';
import { expect, test } from 'vitest';
import { withoutData } from '../support/data.ts';
import { folders, isPresent, recordings } from './corpus.ts';
import { exceptions } from './exceptions.ts';

if (!isPresent) console.log(withoutData('recordings', join('corpus', 'CATALOG.jsonl')));

const targets = Object.keys(dialects);

test.runIf(isPresent)('as many recordings are read as the catalogue has', () => {
  const counted = Object.fromEntries(
    Object.entries(folders).map(([dialect, known]) => [
      dialect,
      Object.fromEntries(
        Object.keys(known).map((folder) => [
          folder,
          recordings.filter((recording) => recording.folder === folder).length,
        ]),
      ),
    ]),
  );
  expect(counted).toEqual(folders);
  expect(recordings.length).toBe(736 + 121 + 13);
  const perFolder = Object.values(counted).flatMap((known) =>
    Object.entries(known).map(([name, count]) => `${name} ${count}`),
  );
  console.log(
    `recordings: ${recordings.length} streams x ${targets.length} dialects, ${exceptions.length} exceptions; ${perFolder.join(', ')}`,
  );
});

test('every dialect with recordings has its suite', () => {
  const judged = targets.filter((dialect) => dialect in folders);
  expect(judged.filter((dialect) => !existsSync(join(import.meta.dirname, `${dialect}.test.ts`)))).toEqual([]);
});

test.runIf(isPresent)('exceptions name recordings and dialects, and are at most one in a hundred', () => {
  const judged = recordings.filter(({ dialect }) => targets.includes(dialect));
  const known = new Set(judged.map(({ file, dialect }) => `${file} ${dialect}`));
  const unknown = exceptions.filter(({ file, from, to }) => !known.has(`${file} ${from}`) || !targets.includes(to));
  expect(unknown).toEqual([]);
  expect(exceptions.length).toBeLessThanOrEqual((judged.length * targets.length) / 100);
});
