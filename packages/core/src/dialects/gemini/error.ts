/** Errors of the dialect: over HTTP, and inside a stream that has begun. */
import {
  asArray,
  asCount,
  asNumber,
  asObject,
  asText,
  type CanonicalError,
  compact,
  type ErrorAnswer,
  type ErrorType,
  errorTypeOf,
  type Finish,
  type JsonObject,
  scrub,
} from '../../dialect.ts';
import { errorTypes, errorWords, failureCodes, finishReasons } from './terms.ts';

/** Arguments are an object here, so text that is no JSON cannot be sent at all. */
export const notJson: CanonicalError = {
  type: 'upstream',
  code: 'malformed_tool_arguments',
  message: 'The upstream sent the arguments of a tool call as something that is not a JSON object.',
};

/** Reads an HTTP error, whatever its body is: the array framing puts it into a list. */
export function decodeError({ status, headers, body }: ErrorAnswer): CanonicalError {
  const error = readError(Array.isArray(body) ? body[0] : body, status);
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  const retryAfterMs = Number.isFinite(seconds) ? seconds * 1000 : error.retryAfterMs;
  return compact({ ...error, status, requestId: headers.get('x-request-id'), retryAfterMs });
}

/** Writes an error as an HTTP answer. */
export function encodeError(error: CanonicalError): { status: number; body: JsonObject } {
  return { status: errorWords[error.type].code, body: writeError(error) };
}

/** Reads an error object: `{error: {code, message, status, details}}`. */
export function readError(body: unknown, status?: number): CanonicalError {
  const outer = asObject(body) ?? {};
  const inner = asObject(outer.error) ?? outer;
  const details = asArray(inner.details).map((detail) => asObject(detail) ?? {});
  const message = asText(inner.message) ?? asText(outer.error) ?? asText(body);
  const reason = details.map((detail) => asText(detail.reason)).find((word) => word !== undefined);
  const code = asNumber(inner.code);
  return compact({
    type: typeOf(asText(inner.status), reason, status ?? code),
    code: isTooLong(message) ? 'context_length_exceeded' : reason?.toLowerCase(),
    status: status ?? code,
    message: message === undefined ? 'The upstream answered with an error.' : scrub(message.slice(0, 2000)),
    retryAfterMs: retryDelay(details),
    native: body,
  });
}

/** An error object of this dialect; also a payload of its streams. */
export function writeError(error: CanonicalError): JsonObject {
  const { status, code } = errorWords[error.type];
  const delay = error.retryAfterMs;
  const details = [
    ...(error.code === undefined ? [] : [infoOf(error.code)]),
    ...(delay === undefined ? [] : [{ '@type': `${types}RetryInfo`, retryDelay: `${delay / 1000}s` }]),
  ];
  return { error: { code, message: error.message, status, ...(details.length > 0 && { details }) } };
}

/** The form wants its reasons in capitals; the code itself stands beside it. */
function infoOf(code: string): JsonObject {
  return { '@type': `${types}ErrorInfo`, reason: code.toUpperCase(), metadata: { code } };
}

/** The error of an answer that ended with a word for a failure. */
export function failureOf(word: string, finishMessage: string | undefined, native: unknown): CanonicalError {
  const code = failureCodes.get(word) ?? word.toLowerCase();
  const said = finishMessage === undefined ? '' : `: ${scrub(finishMessage.slice(0, 2000))}`;
  return { type: 'upstream', code, message: `The upstream ended its answer with ${word}${said}`, native };
}

/** The finish as which an upstream of this dialect told a failure: its clients know the word. */
export function finishOf({ native }: CanonicalError): Finish | undefined {
  const wire = asObject(native) ?? {};
  const word = asText(wire.finishReason);
  if (word === undefined || finishReasons.get(word) !== 'error') return undefined;
  const message = asText(wire.finishMessage);
  return {
    type: 'finish',
    choice: asCount(wire.index) ?? 0,
    reason: 'error',
    nativeReason: word,
    ...(message !== undefined && { details: { message: scrub(message.slice(0, 2000)) } }),
    native: { dialect: 'gemini' },
  };
}

/** The prefix by which details of errors name what they are. */
const types = 'type.googleapis.com/google.rpc.';

/** A bad key is told as a bad argument; only its reason says so. */
function typeOf(word: string | undefined, reason: string | undefined, status: number | undefined): ErrorType {
  if (reason === 'API_KEY_INVALID') return 'authentication';
  const known = errorTypes.get(word ?? '');
  return known ?? (status === undefined ? 'upstream' : errorTypeOf(status));
}

function isTooLong(message: string | undefined): boolean {
  return message !== undefined && /exceeds the maximum number of tokens/i.test(message);
}

/** `retryDelay` is a duration such as `12.5s`. */
function retryDelay(details: readonly JsonObject[]): number | undefined {
  for (const { retryDelay: delay } of details) {
    const seconds = /^(\d+(?:\.\d+)?)s$/.exec(asText(delay) ?? '')?.[1];
    if (seconds !== undefined) return Math.round(Number(seconds) * 1000);
  }
  return undefined;
}
