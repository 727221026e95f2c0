/** Errors of the dialect: over HTTP, in a stream that has begun, and of an interaction that failed. */
import {
  asArray,
  asNumber,
  asObject,
  asText,
  type CanonicalError,
  compact,
  type ErrorAnswer,
  type ErrorType,
  errorTypeOf,
  type JsonObject,
  scrub,
  statusOf,
  wordsOf,
} from '../../dialect.ts';
import { errorTypes, errorWords } from './terms.ts';

/** Clients parse arguments when a call ends. */
export const notJson: CanonicalError = {
  type: 'upstream',
  code: 'malformed_tool_arguments',
  message: 'The upstream sent the arguments of a tool call as something that is not JSON.',
};

/** Reads an HTTP error, whatever its body is. */
export function decodeError({ status, headers, body }: ErrorAnswer): CanonicalError {
  const ms = asNumber(Number(headers.get('retry-after-ms') ?? Number.NaN));
  const seconds = asNumber(Number(headers.get('retry-after') ?? Number.NaN));
  const retryAfterMs = ms ?? (seconds === undefined ? undefined : seconds * 1000);
  const error = readError(Array.isArray(body) ? body[0] : body, status);
  return compact({ ...error, status, requestId: headers.get('x-request-id'), retryAfterMs });
}

/** Writes an error as an HTTP answer. */
export function encodeError(error: CanonicalError): { status: number; body: JsonObject } {
  return { status: statusOf[error.type], body: { error: errorBody(error) } };
}

/** Reads an error object, `{error: {code, message}}`; the code is a word, or the number and status of the older APIs. */
export function readError(body: unknown, status?: number): CanonicalError {
  const outer = asObject(body) ?? {};
  const inner = asObject(outer.error) ?? outer;
  const word = (asText(inner.code) ?? asText(inner.status))?.toLowerCase();
  const numbered = asNumber(Number(inner.code ?? Number.NaN));
  const message = wordsOf(inner.message) ?? asText(outer.error) ?? asText(body);
  const known = word === undefined || !/^\d+$/.test(word) ? word : undefined;
  return compact({
    type: typeOf(known, status ?? numbered),
    code: isTooLong(message) ? 'context_length_exceeded' : known,
    status: status ?? numbered,
    message: message === undefined ? 'The upstream answered with an error.' : scrub(message.slice(0, 2000)),
    native: body,
  });
}

/** The error of an interaction that failed: its own, or that of the step that did. */
export function failureOf(interaction: JsonObject): CanonicalError {
  const [first] = asArray(interaction.errors);
  const steps = asArray(interaction.steps).map((step) => asObject(step)?.error);
  const said = first ?? interaction.error ?? steps.find((error) => error !== undefined);
  if (said === undefined)
    return { type: 'upstream', code: 'failed', message: 'The upstream says that the interaction failed.' };
  return readError({ error: said });
}

/** An error as the dialect writes it, in bodies and in events. Where clients act by the code, it is one that they know. */
export function errorBody({ type, code, message }: CanonicalError): JsonObject {
  const isUnderstood = code !== undefined && (!actedUpon.has(type) || errorTypes.get(code) === type);
  return { code: isUnderstood ? code : errorWords[type], message };
}

/** Kinds of failure that a client can do something about. */
const actedUpon: ReadonlySet<ErrorType> = new Set([
  'invalid_request',
  'authentication',
  'billing',
  'permission',
  'not_found',
  'rate_limit',
]);

function typeOf(word: string | undefined, status: number | undefined): ErrorType {
  const known = errorTypes.get(word ?? '');
  return known ?? (status === undefined ? 'upstream' : errorTypeOf(status));
}

function isTooLong(message: string | undefined): boolean {
  return message !== undefined && /exceeds the maximum number of tokens/i.test(message);
}
