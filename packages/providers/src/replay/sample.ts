/** A value that a JSON Schema allows, the same one each time. */

type Schema = Readonly<Record<string, unknown>>;

/** Deeper than this only an empty value is given, as schemas may refer to themselves. */
const maxDepth = 8;

/** How much work one sample may be: values given, schemas looked up, characters written; a schema may ask for any number. */
const mostWork = 20_000;

/** The simplest value of a schema; `name` is what texts say where the schema leaves them free. */
export function sample(schema: unknown, name = 'text'): unknown {
  return sampleOf(schema, { name, root: asSchema(schema), depth: 0, work: { left: mostWork } });
}

interface Place {
  name: string;
  root: Schema;
  depth: number;
  /** What the whole sample has left to spend. */
  work: { left: number };
}

function sampleOf(value: unknown, place: Place): unknown {
  if (place.work.left-- <= 0) return null;
  const schema = resolved(asSchema(value), place);
  const given = givenBy(schema);
  if (given !== undefined) return given;
  const inner = { ...place, depth: place.depth + 1 };
  const choice = firstOf(schema.anyOf) ?? firstOf(schema.oneOf);
  if (choice !== undefined && place.depth <= maxDepth)
    return sampleOf({ ...without(schema, 'anyOf', 'oneOf'), ...choice }, inner);
  const type = typeOf(schema);
  return (Object.hasOwn(samplers, type) ? samplers[type] : samplers.object)?.(schema, inner);
}

/** What the schema itself offers, the surest first. */
function givenBy(schema: Schema): unknown {
  if ('const' in schema) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if ('default' in schema) return schema.default;
  return Array.isArray(schema.examples) ? schema.examples[0] : undefined;
}

const samplers: Readonly<Record<string, (schema: Schema, place: Place) => unknown>> = {
  null: () => null,
  boolean: () => true,
  string: textSample,
  integer: (schema) => numberSample(schema, true),
  number: (schema) => numberSample(schema, false),
  array: arraySample,
  object: objectSample,
};

const formats: Readonly<Record<string, string>> = {
  'date-time': '2026-01-01T00:00:00Z',
  date: '2026-01-01',
  time: '00:00:00Z',
  duration: 'P1D',
  email: 'someone@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/',
  uuid: '00000000-0000-4000-8000-000000000000',
};

function textSample({ format, minLength, maxLength }: Schema, { name, work }: Place): string {
  const text = typeof format === 'string' && Object.hasOwn(formats, format) ? (formats[format] as string) : name;
  const least = Math.min(numberOr(minLength, 0), Math.max(0, work.left));
  work.left -= least;
  return text.padEnd(least, '.').slice(0, numberOr(maxLength, Number.POSITIVE_INFINITY));
}

/** The first of the obvious numbers that the schema allows. */
function numberSample(schema: Schema, whole: boolean): number {
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum, multipleOf } = schema;
  const low = Math.max(numberOr(minimum, -Infinity), numberOr(exclusiveMinimum, -Infinity));
  const high = Math.min(numberOr(maximum, Infinity), numberOr(exclusiveMaximum, Infinity));
  const step = numberOr(multipleOf, whole ? 1 : 0);
  const steps = [
    Math.ceil(low / step),
    Math.floor(low / step) + 1,
    Math.floor(high / step),
    Math.ceil(high / step) - 1,
  ];
  const candidates = [1, 0, low, high, (low + high) / 2, low + 1, high - 1, ...steps.map((times) => times * step)];
  const allowed = (value: number): boolean =>
    Number.isFinite(value) &&
    value >= low &&
    value <= high &&
    value !== exclusiveMinimum &&
    value !== exclusiveMaximum &&
    (step === 0 || Number.isInteger(value / step)) &&
    (!whole || Number.isInteger(value));
  return candidates.find(allowed) ?? 0;
}

function arraySample(schema: Schema, place: Place): unknown[] {
  const fixed = Array.isArray(schema.prefixItems) ? schema.prefixItems : [];
  if (place.depth > maxDepth) return [];
  const length = Math.max(numberOr(schema.minItems, 1), fixed.length);
  const most = Math.max(0, Math.min(length, numberOr(schema.maxItems, length), place.work.left));
  return Array.from({ length: most }, (_, at) => sampleOf(fixed[at] ?? schema.items ?? { type: 'string' }, place));
}

function objectSample(schema: Schema, place: Place): Record<string, unknown> {
  if (place.depth > maxDepth) return {};
  const properties = asSchema(schema.properties);
  const required = new Set(asList(schema.required).filter((name) => typeof name === 'string'));
  const names = new Set([...Object.keys(properties).filter((name) => required.has(name)), ...required]);
  const sampled = [...names].slice(0, Math.max(0, place.work.left)).map((name) => {
    const property = Object.hasOwn(properties, name) ? properties[name] : { type: 'string' };
    return [name, sampleOf(property, { ...place, name })];
  });
  return Object.fromEntries(sampled) as Record<string, unknown>;
}

/** References into the schema itself followed, and the parts of `allOf` taken together. */
function resolved(schema: Schema, place: Place, hops = 0): Schema {
  const { $ref } = schema;
  if (place.work.left-- <= 0) return {};
  if (typeof $ref === 'string' && hops < maxDepth)
    return resolved({ ...without(schema, '$ref'), ...target($ref, place.root) }, place, hops + 1);
  if (!Array.isArray(schema.allOf) || hops >= maxDepth) return schema;
  const parts = schema.allOf.map((part) => resolved(asSchema(part), place, hops + 1));
  return parts.reduce(joined, without(schema, 'allOf'));
}

function joined(all: Schema, part: Schema): Schema {
  const required = [...asList(all.required), ...asList(part.required)];
  const properties = { ...asSchema(all.properties), ...asSchema(part.properties) };
  return { ...all, ...part, required, properties };
}

function target(ref: string, root: Schema): Schema {
  const steps = ref.replace(/^#\/?/, '').split('/').filter(Boolean);
  const names = steps.map((step) => unescaped(step).replaceAll('~1', '/').replaceAll('~0', '~'));
  return asSchema(names.reduce<unknown>((at, name) => asSchema(at)[name], root));
}

function unescaped(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

function typeOf(schema: Schema): string {
  const type = Array.isArray(schema.type) ? schema.type.find((one) => one !== 'null') : schema.type;
  if (typeof type === 'string') return type;
  if ('properties' in schema || 'required' in schema) return 'object';
  return 'items' in schema || 'prefixItems' in schema ? 'array' : 'string';
}

function firstOf(branches: unknown): Schema | undefined {
  const list = asList(branches).map(asSchema);
  return list.find((branch) => branch.type !== 'null') ?? list[0];
}

function asSchema(value: unknown): Schema {
  return typeof value === 'object' && value !== null ? (value as Schema) : {};
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function numberOr(value: unknown, other: number): number {
  return typeof value === 'number' ? value : other;
}

function without(schema: Schema, ...names: readonly string[]): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => !names.includes(name)));
}
