/** What is found wrong: what should have been, and what there was instead. */
import { isDeepStrictEqual } from 'node:util';
import { object } from '../support/json.ts';

/** One thing that is not as it should be. */
export interface Finding {
  expected: unknown;
  got: unknown;
}

/** Two values that have to be equal. */
export function equal(expected: unknown, got: unknown): Finding | undefined {
  return isDeepStrictEqual(expected, got) ? undefined : { expected, got: got ?? null };
}

/** Something that has to hold. */
export function holds(condition: boolean, expected: unknown, got: unknown): Finding | undefined {
  return condition ? undefined : { expected, got: got ?? null };
}

/** Members that an object has to have, whatever else it has; a dot leads into an object. */
export function includes(expected: unknown, got: unknown): Finding | undefined {
  const members = Object.keys(object(expected));
  const found = Object.fromEntries(members.map((path) => [path, at(got, path)]));
  return equal(expected, got === undefined ? undefined : found);
}

/** The value at a path. */
export function at(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((inner, key) => object(inner)[key], value);
}

/** The first of some findings. */
export function first(findings: Iterable<Finding | undefined>): Finding | undefined {
  for (const finding of findings) if (finding !== undefined) return finding;
  return undefined;
}
