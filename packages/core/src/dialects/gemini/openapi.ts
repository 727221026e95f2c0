/** The dialect's older form of schemas, after OpenAPI 3.0, as JSON Schema. */
import { asArray, asObject, type JsonObject } from '../../dialect.ts';

/** Members that hold one schema each. */
const single: readonly string[] = ['items', 'additionalProperties'];
/** Members that hold a schema for each name. */
const named: readonly string[] = ['properties', 'defs'];
/** Members that hold a list of schemas. */
const listed: readonly string[] = ['anyOf', 'any_of', 'prefixItems'];

/** Members that hold a number, which is 64 bits wide and so may be written as a text. */
const counts: readonly string[] = ['minItems', 'maxItems', 'minLength', 'maxLength', 'minProperties', 'maxProperties'];

/** A schema as JSON Schema: types in lower case, `nullable` as a type. */
export function toJsonSchema(schema: JsonObject): JsonObject {
  return converted(schema, toJsonSchema);
}

/** The form of an answer as JSON Schema. The older form cannot allow members that it does not name, and the model writes none. */
export function toClosedSchema(schema: JsonObject): JsonObject {
  const written = converted(schema, toClosedSchema);
  return written.properties === undefined ? written : { additionalProperties: false, ...written };
}

type Convert = (schema: JsonObject) => JsonObject;

function converted(schema: JsonObject, convert: Convert): JsonObject {
  const { nullable, propertyOrdering: _, ...rest } = schema;
  const written: JsonObject = {};
  for (const [name, value] of Object.entries(rest)) written[name] = memberOf(name, value, convert);
  if (typeof rest.type === 'string') written.type = typeOf(rest.type, nullable === true);
  return written;
}

function typeOf(word: string, nullable: boolean): unknown {
  const type = word.toLowerCase();
  return nullable ? [type, 'null'] : type;
}

function memberOf(name: string, value: unknown, convert: Convert): unknown {
  const object = asObject(value);
  if (counts.includes(name)) return Number(value);
  if (single.includes(name)) return object === undefined ? value : convert(object);
  if (listed.includes(name)) return asArray(value).map((entry) => convert(asObject(entry) ?? {}));
  if (!named.includes(name) || object === undefined) return value;
  return Object.fromEntries(Object.entries(object).map(([key, entry]) => [key, convert(asObject(entry) ?? {})]));
}
