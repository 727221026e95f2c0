/** Errors of Responses: in the body of an HTTP answer, as an `error` event in both of its shapes, in a failed response. */
import {
  asNumber,
  asObject,
  asText,
  type CanonicalError,
  compact,
  type ErrorAnswer,
  type ErrorType,
  entryOf,
  errorTypeOf,
  type JsonObject,
  scrub,
  statusOf,
  wordsOf,
} from '../../dialect.ts';
import { errorOfCode, errorWords } from './terms.ts';

/** Reads an error object: `{message, type, param, code}`, or a bare text. */
export function readError(value: unknown, status?: number): CanonicalError {
  const error = asObject(value) ?? {};
  const code = asText(error.code) ?? codeOf(error.type);
  return compact({
    type: typeOf(error, status),
    code,
    status,
    message: scrub(wordsOf(error.message) ?? asText(value) ?? 'The upstream reported an error.'),
    param: asText(error.param),
    native: value,
  });
}

/** Reads an `error` event: flat as documented, or nested as servers also send it. */
export function readErrorEvent(data: JsonObject): CanonicalError {
  if (data.error !== undefined && data.error !== null) return readError(data.error, asNumber(data.status));
  return readError({ ...data, type: undefined });
}

/** Reads an error answer, whatever shape its body has. */
export function decodeError({ status, headers, body }: ErrorAnswer): CanonicalError {
  const whole = asObject(body);
  const inner = whole?.error ?? whole?.detail ?? (whole !== undefined ? whole : undefined);
  const error = asObject(inner) ?? { message: asText(inner), code: whole?.code };
  return compact({
    ...readError(error, status),
    message: scrub(asText(error.message) ?? `The upstream answered with status ${status}.`),
    native: body,
    requestId: headers.get('x-request-id'),
    retryAfterMs: retryAfter(headers),
  });
}

/** Writes an error as an HTTP answer. */
export function encodeError(error: CanonicalError): { status: number; body: unknown } {
  return { status: httpStatus(error), body: { error: errorBody(error) } };
}

/** The error as OpenAI writes it in a body. */
export function errorBody(error: CanonicalError): Record<string, unknown> {
  const words = errorWords[error.type];
  return {
    message: error.message,
    type: words.type,
    param: error.param ?? null,
    code: error.code ?? words.code,
  };
}

/** Running out of credit is a 429 with OpenAI, not a 402. */
function httpStatus({ type }: CanonicalError): number {
  return type === 'billing' ? 429 : statusOf[type];
}

function typeOf(error: JsonObject, status: number | undefined): ErrorType {
  for (const word of [error.code, error.type]) {
    const type = typeof word === 'string' ? entryOf(errorOfCode, word) : undefined;
    if (type !== undefined) return type;
  }
  const named = asNumber(error.code) ?? asNumber(Number(asText(error.code) ?? Number.NaN));
  if (named !== undefined && named >= 400) return errorTypeOf(named);
  if (status !== undefined) return errorTypeOf(status);
  return asText(error.code)?.includes('image') ? 'invalid_request' : 'upstream';
}

/** The word `error` as a type says nothing. */
function codeOf(type: unknown): string | undefined {
  return type === 'error' ? undefined : asText(type);
}

/** Milliseconds that the upstream asks to wait; a date in `retry-after` is left to the caller's clock. */
function retryAfter(headers: ReadonlyMap<string, string>): number | undefined {
  const ms = Number(headers.get('retry-after-ms') ?? Number.NaN);
  if (Number.isFinite(ms)) return ms;
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds * 1000 : undefined;
}
