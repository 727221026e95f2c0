/** Schema findings as an error that names the field. */
import { GatewayError } from '../model/error.ts';

interface Finding {
  readonly path: readonly PropertyKey[];
  readonly code?: string | undefined;
  readonly message: string;
  readonly expected?: unknown;
  readonly values?: readonly unknown[];
  readonly errors?: readonly (readonly Finding[])[];
}

interface Schema<T> {
  safeParse(value: unknown): { success: true; data: T } | { success: false; error: { issues: readonly unknown[] } };
}

/** The value as its schema has it; `at` is where the request has it. Throws `GatewayError` (400) for the first wrong field. */
export function validate<T>(schema: Schema<T>, value: unknown, at = ''): T {
  const result = checked(schema, value);
  if (result === undefined) throw badField(at, 'more is wrong with it than can be told');
  if (result.success) return result.data;
  const finding = deepest(result.error.issues[0] as Finding);
  throw badField(pathOf(at, finding.path), `${expectation(finding)}, got ${nameOf(memberAt(value, finding.path))}`);
}

/** Nothing where the findings are too many: the schema library hands them on as arguments, and a million overflow its stack. */
function checked<T>(schema: Schema<T>, value: unknown): ReturnType<Schema<T>['safeParse']> | undefined {
  try {
    return schema.safeParse(value);
  } catch (thrown) {
    if (thrown instanceof RangeError) return undefined;
    throw thrown;
  }
}

/** A request that is wrong in one field; an empty name stands for the whole body. */
export function badField(param: string, problem: string): GatewayError {
  const message = `${param === '' ? 'The body' : param}: ${problem}`;
  return new GatewayError({
    type: 'invalid_request',
    code: 'invalid_value',
    message,
    ...(param !== '' && { param }),
  });
}

/** The value of a member that its neighbours demand. Throws `GatewayError` (400) where it is missing. */
export function required<T>(value: T | null | undefined, at: string): T {
  if (value === null || value === undefined) throw badField(at, 'required here, got nothing');
  return value;
}

/** In a union, the branch that got furthest tells most. */
function deepest(finding: Finding): Finding {
  const branches = (finding.errors ?? []).flatMap((issues) => issues.slice(0, 1));
  const best = branches.map(deepest).sort((a, b) => b.path.length - a.path.length)[0];
  return best === undefined || best.path.length === 0 ? finding : { ...best, path: [...finding.path, ...best.path] };
}

const kinds: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
};

/** What should stand there; a schema's own words win over those for its kind. */
function expectation(finding: Finding): string {
  if (finding.message !== '' && finding.message !== 'Invalid input') return finding.message;
  if (finding.values !== undefined)
    return `expected ${finding.values.length > 1 ? 'one of ' : ''}${finding.values.map((value) => JSON.stringify(value)).join(', ')}`;
  const expected = [finding, ...(finding.errors ?? []).flat()].flatMap(({ expected }) => kinds[String(expected)] ?? []);
  return expected.length > 0 ? `expected ${expected.join(' or ')}` : 'expected another form';
}

function nameOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (typeof value === 'string') return value.length > 40 ? 'a string' : JSON.stringify(value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return Array.isArray(value) ? (value.length === 0 ? 'an empty array' : 'an array') : 'an object';
}

function memberAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce((holder, step) => (holder as Record<PropertyKey, unknown> | undefined)?.[step], value);
}

/** A path such as `messages[0].content`. */
function pathOf(at: string, path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, step) =>
      typeof step === 'number' ? `${text}[${step}]` : text === '' ? String(step) : `${text}.${String(step)}`,
    at,
  );
}
