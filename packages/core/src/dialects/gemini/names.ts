/** Names of members in a request: the API takes them in camel case and in snake case. */
import type { JsonObject } from '../../dialect.ts';

/** Members whose insides are the client's own. */
const free: ReadonlySet<string> = new Set([
  'args',
  'response',
  'parameters',
  'parametersJsonSchema',
  'responseSchema',
  'responseJsonSchema',
  'labels',
]);

/** A request with all its members in camel case, where they are the dialect's and not the client's. */
export function inCamelCase(body: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => {
      const camel = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
      return [camel, free.has(camel) ? value : renamed(value)];
    }),
  );
}

function renamed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(renamed);
  return typeof value === 'object' && value !== null ? inCamelCase(value as JsonObject) : value;
}
