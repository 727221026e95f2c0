/** The dialect's older form of schemas, after OpenAPI 3.0, as JSON Schema. */
import { asArray, asObject, type JsonObject } from '../../dialect.ts';

/** Members that hold one schema each. */
const single: readonly string[] = ['items', 'additionalProperties'];
/** Members that hold a schema for each name. */
const named: readonly string[] = ['properties', 'defs'];
/** Members that hold a list of schemas. */
const listed: readonly string[] = ['anyOf', 'any_of', 'prefixItems'];

/** A schema as JSON Schema: types in lower case, `nullable` as a type. */
export function toJsonSchema(schema: JsonObject): JsonObject {
  const { nullable, propertyOrdering: _, ...rest } = schema;
  const written: JsonObject = {};
  for (const [name, value] of Object.entries(rest)) written[name] = memberOf(name, value);
  if (typeof rest.type === 'string') written.type = typeOf(rest.type, nullable === true);
  return written;
}

function typeOf(word: string, nullable: boolean): unknown {
  const type = word.toLowerCase();
  return nullable ? [type, 'null'] : type;
}

function memberOf(name: string, value: unknown): unknown {
  const object = asObject(value);
  if (single.includes(name)) return object === undefined ? value : toJsonSchema(object);
  if (listed.includes(name)) return asArray(value).map((entry) => toJsonSchema(asObject(entry) ?? {}));
  if (!named.includes(name) || object === undefined) return value;
  return Object.fromEntries(Object.entries(object).map(([key, entry]) => [key, toJsonSchema(asObject(entry) ?? {})]));
}
