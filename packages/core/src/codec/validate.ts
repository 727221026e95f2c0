/** Schema findings as an error that names the field. */
import type { CanonicalError } from '../model/error.ts';
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

/** The value as its schema has it. Throws `GatewayError` with the path of the first field that is wrong. */
export function validate<T>(schema: Schema<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new GatewayError(invalid(deepest(result.error.issues[0] as Finding)));
}

/** A request that is wrong in one field. */
export function badField(param: string, problem: string): GatewayError {
  return new GatewayError({ type: 'invalid_request', code: 'invalid_value', param, message: `${param}: ${problem}` });
}

function invalid(finding: Finding): CanonicalError {
  const param = pathOf(finding.path);
  const message = `${param === '' ? 'The body' : param}: ${sentence(finding)}`;
  return { type: 'invalid_request', code: 'invalid_value', message, ...(param !== '' && { param }) };
}

/** In a union, the branch that got furthest tells most. */
function deepest(finding: Finding): Finding {
  const branches = (finding.errors ?? []).flatMap((issues) => issues.slice(0, 1));
  const best = branches.map(deepest).sort((a, b) => b.path.length - a.path.length)[0];
  return best === undefined || best.path.length === 0 ? finding : { ...best, path: [...finding.path, ...best.path] };
}

function sentence(finding: Finding): string {
  if (finding.values !== undefined)
    return `expected one of ${finding.values.map((value) => JSON.stringify(value)).join(', ')}`;
  if (typeof finding.expected === 'string') return `expected ${finding.expected}`;
  if (finding.code === 'invalid_union') return 'this form is not known';
  return finding.message;
}

/** A path such as `messages[0].content`. */
function pathOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, step) =>
      typeof step === 'number' ? `${text}[${step}]` : text === '' ? String(step) : `${text}.${String(step)}`,
    '',
  );
}
