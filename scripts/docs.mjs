/** Writes into the documentation what the code knows better: `npm run docs`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { withMatrix } from './matrix.mjs';
import { withSettings } from './settings.mjs';

/** The pages that hold generated tables, and what renews them. */
export const generated = /** @type {const} */ ([
  ['README.md', withMatrix],
  ['docs/configuration.md', withSettings],
]);

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const [path, renew] of generated) {
    const file = new URL(`../${path}`, import.meta.url);
    writeFileSync(file, renew(readFileSync(file, 'utf8')));
  }
