/** Judges the repository by the house rules: `node scripts/rules.mjs`. */
import { fileURLToPath } from 'node:url';
import { importRules } from './house/arrows.mjs';
import { readHouse } from './house/house.mjs';
import { shapeRules } from './house/shape.mjs';
import { wordRules } from './house/words.mjs';

/** @import { House } from './house/house.mjs' */

/** Every rule of the house. */
export const rules = [...wordRules, ...importRules, ...shapeRules];

/**
 * All that breaks a rule, one line each: `file:line rule: message`.
 * @param {House} house
 */
export function judge(house) {
  return rules.flatMap(({ name, check }) =>
    [...check(house)].map(({ path, line, message }) => `${path}:${line} ${name}: ${message}`),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const house = readHouse(fileURLToPath(new URL('..', import.meta.url)));
  const violations = judge(house);
  for (const violation of violations) console.error(violation);
  console.log(`${rules.length} rules, ${house.sources.length} files of code, ${violations.length} violations`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}
