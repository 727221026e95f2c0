/** Errors of the dialect: over HTTP, and inside a stream that has begun. */
import {
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
  wordsOf,
} from '../../dialect.ts';
import { errorTypes, errorWords, threadUnsupported } from './terms.ts';

/** Clients throw on input that is no JSON. */
export const notJson: CanonicalError = {
  type: 'upstream',
  code: 'malformed_tool_arguments',
  message: 'The upstream sent the input of a tool call as something that is not JSON.',
};

/** Clients complete a cut input without a word, so a call that claims to be whole must be. */
export const torn: CanonicalError = {
  type: 'upstream',
  code: 'malformed_tool_arguments',
  message: 'The upstream cut off the input of a tool call and called it whole.',
};

/** Reads an HTTP error, whatever its body is. A spent limit is never worth a retry, so its `retry-after` is not read. */
export function decodeError({ status, headers, body }: ErrorAnswer): CanonicalError {
  const error = readError(body, status);
  const requestId = error.requestId ?? headers.get('request-id') ?? headers.get('x-request-id');
  const retryAfterMs = error.type === 'billing' ? undefined : retryAfter(headers);
  return compact({ ...error, status, requestId, retryAfterMs });
}

/** Writes an error as an HTTP answer. */
export function encodeError(error: CanonicalError): { status: number; body: JsonObject } {
  return { status: errorWords[error.type].status, body: writeError(error) };
}

/** Reads an error object: `{type, error: {type, message, details}, request_id}`, or what look-alike servers make of it. */
export function readError(body: unknown, status?: number): CanonicalError {
  const outer = asObject(body) ?? {};
  const inner = asObject(outer.error) ?? (outer.type === 'error' ? { ...outer, type: undefined } : outer);
  const code = asText(asObject(inner.details)?.error_code) ?? asText(inner.code);
  const message = wordsOf(inner.message) ?? asText(outer.error) ?? wordsOf(outer.message) ?? asText(body);
  return compact({
    type: typeOf(asText(inner.type), code, status ?? asNumber(inner.code) ?? asNumber(inner.statusCode)),
    code: code ?? (isTooLong(message) ? 'context_length_exceeded' : undefined),
    message: message === undefined ? 'The upstream answered with an error.' : scrub(message.slice(0, 2000)),
    requestId: asText(outer.request_id),
    native: body,
  });
}

/** An error object of this dialect; also the payload of an `error` event. */
export function writeError(error: CanonicalError): JsonObject {
  const { type } = errorWords[error.type];
  const details = error.code === undefined ? undefined : detailsOf(error.code);
  const requestId = error.requestId ?? null;
  return { type: 'error', error: compact({ type, message: error.message, details }), request_id: requestId };
}

/** A thread that is refused must be named, or the client takes the refusal for an end. */
function detailsOf(code: string): JsonObject {
  return code === threadUnsupported ? { error_code: code, unsupported: ['thread'] } : { error_code: code };
}

/** A code about a spent limit outweighs the type, which may be a 400 or a 429. */
function typeOf(word: string | undefined, code: string | undefined, status: number | undefined): ErrorType {
  if (code !== undefined && /spend_limit|credit|insufficient_quota/.test(code)) return 'billing';
  const known = errorTypes.get(word ?? '') ?? errorTypes.get(code ?? '');
  return known ?? (status === undefined ? 'upstream' : errorTypeOf(status));
}

function isTooLong(message: string | undefined): boolean {
  return message !== undefined && /^prompt is too long\b/i.test(message);
}

function retryAfter(headers: ReadonlyMap<string, string>): number | undefined {
  const milliseconds = number(headers.get('retry-after-ms'));
  const seconds = number(headers.get('retry-after'));
  return milliseconds ?? (seconds === undefined ? undefined : seconds * 1000);
}

/** A header's number; a date says nothing without a clock. */
function number(header: string | undefined): number | undefined {
  return header === undefined || !/^\d+(\.\d+)?$/.test(header.trim()) ? undefined : Number(header);
}
