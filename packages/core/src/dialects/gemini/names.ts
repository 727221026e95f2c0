/** Members of a request as the API takes them: in camel case or snake case, and one thing in place of a list of one. */
import { asObject, type JsonObject } from '../../dialect.ts';

/** Members whose insides are the client's own. */
const free: ReadonlySet<string> = new Set([
  'args',
  'response',
  'parameters',
  'parametersJsonSchema',
  'responseSchema',
  'responseJsonSchema',
  'schema',
  'labels',
]);

/** Members that are lists of objects. */
const lists: ReadonlySet<string> = new Set(['contents', 'parts', 'tools', 'functionDeclarations', 'responseFormat']);

/** A request with all its members as the reference has them, where they are the dialect's and not the client's. */
export function normalised(body: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => {
      const camel = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
      return [camel, free.has(camel) ? value : lists.has(camel) ? listed(value) : renamed(value)];
    }),
  );
}

function renamed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(renamed);
  return typeof value === 'object' && value !== null ? normalised(value as JsonObject) : value;
}

function listed(value: unknown): unknown {
  return renamed(asObject(value) === undefined ? value : [value]);
}
