/** What the schema of a configuration is made of. */
import * as z from 'zod/mini';
import { ConfigError } from './error.ts';

/** A number above 0; `Infinity` is one. */
export const amount: z.ZodMiniCustom<number, number> = z.custom<number>(
  (value) => typeof value === 'number' && value > 0,
  {
    error: 'expected a number above 0',
  },
);

/** Whether and how reasoning is shown. */
export const summary: z.ZodMiniEnum<{ none: 'none'; auto: 'auto'; concise: 'concise'; detailed: 'detailed' }> = z.enum(
  ['none', 'auto', 'concise', 'detailed'],
  { error: 'expected "none", "auto", "concise" or "detailed"' },
);

/** An amount for each name, none of them needed. */
export function amounts<K extends string>(
  of: Readonly<Record<K, number>>,
): Record<K, z.ZodMiniOptional<typeof amount>> {
  return Object.fromEntries(Object.keys(of).map((name) => [name, z.optional(amount)])) as Record<
    K,
    z.ZodMiniOptional<typeof amount>
  >;
}

/** What is there of an object: an absent member and an undefined one differ. */
export function defined<T extends object>(given: T | undefined): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(given ?? {}).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

/** The mistake that an issue stands for; `at` is the path of what was checked. */
export function mistake(issue: z.core.$ZodIssue, at: readonly string[] = []): ConfigError {
  const path = [...at, ...issue.path.map(String)].join('.');
  if (issue.code === 'unrecognized_keys')
    return new ConfigError([path, issue.keys[0]].filter(Boolean).join('.'), 'is not a setting; check its spelling.');
  return new ConfigError(path, `${issue.message}.`);
}

/** Whether it is an object, whatever is in it. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Whether it can be called. */
export function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}
