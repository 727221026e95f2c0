/** Errors of Chat servers: as an HTTP answer, as the body of a 200, and in the middle of a stream. */
import {
  asNumber,
  asObject,
  asText,
  bareError,
  type CanonicalError,
  compact,
  type ErrorAnswer,
  type ErrorType,
  errorTypeOf,
  type JsonObject,
  scrub,
  wordsOf,
} from '../../dialect.ts';
import { envelopeCodes, errorMeanings, errorWords } from './terms.ts';

/** The error that a payload is, in whichever shape, or nothing: `{error: {...}}`, `{error: "..."}`, `{code, error}`, an event named `error`, `base_resp`, or nothing but an explanation. */
export function errorIn(payload: JsonObject, name?: string): CanonicalError | undefined {
  const { error } = payload;
  if (typeof error === 'string' && error !== '') return canonical({ ...payload, message: error }, payload);
  const said = asObject(error);
  if (said !== undefined && Object.keys(said).length > 0) return canonical(said, payload);
  if (name === 'error' || payload.type === 'error' || payload.object === 'error') return canonical(payload, payload);
  const isChunk = payload.choices !== undefined || payload.usage !== undefined;
  const bare = isChunk ? undefined : bareError(payload, name);
  return enveloped(payload) ?? (bare && canonical(bare, payload));
}

/** Reads an HTTP error answer, whatever its body is. */
export function decodeError({ status, headers, body }: ErrorAnswer): CanonicalError {
  const payload = asObject(Array.isArray(body) ? body[0] : body) ?? { message: body };
  const error = errorIn(payload) ?? canonical(payload, body);
  const meaning = meaningOf(payload) ?? meaningOf(asObject(payload.error) ?? {});
  return {
    ...error,
    type: meaning ?? errorTypeOf(status),
    status,
    ...compact({ requestId: headers.get('x-request-id'), retryAfterMs: retryAfter(headers) }),
  };
}

/** Writes an error as an HTTP answer. */
export function encodeError(error: CanonicalError): { status: number; body: { error: JsonObject } } {
  return { status: errorWords[error.type].status, body: { error: errorObject(error) } };
}

/** The `error` object, as it stands in bodies and in streams. */
export function errorObject(error: CanonicalError): JsonObject {
  const words = errorWords[error.type];
  return {
    message: error.message,
    type: words.type,
    param: error.param ?? null,
    code: error.code ?? words.code ?? null,
  };
}

function canonical(said: JsonObject, native: unknown): CanonicalError {
  const status = statusIn(said);
  const code = asText(said.code);
  const type = meaningOf(said) ?? (status === undefined ? 'upstream' : errorTypeOf(status));
  const message = wordsOf(said.message) ?? wordsOf(said.detail) ?? asText(said.msg);
  return {
    type,
    message: scrub(message ?? 'The upstream reported an error.'),
    native,
    ...compact({ code: code ?? asText(said.type), status, param: asText(said.param) }),
  };
}

function enveloped(payload: JsonObject): CanonicalError | undefined {
  const envelope = asObject(payload.base_resp);
  const code = asNumber(envelope?.status_code) ?? 0;
  if (code === 0) return undefined;
  const message = scrub(asText(envelope?.status_msg) ?? 'The upstream reported an error.');
  return { type: envelopeCodes[code] ?? 'upstream', code: String(code), message, native: payload };
}

/** The code says more than the type; a message is asked only where neither says anything. */
function meaningOf(said: JsonObject): ErrorType | undefined {
  const words = [said.code, said.type, said.status].filter((word) => typeof word === 'string');
  for (const word of words.length > 0 ? words : [said.message]) {
    const meaning = typeof word === 'string' ? meaningOfWord(word.toLowerCase()) : undefined;
    if (meaning !== undefined) return meaning;
  }
  return undefined;
}

function meaningOfWord(word: string): ErrorType | undefined {
  return errorMeanings.find(([pattern]) => pattern.test(word))?.[1];
}

/** Where an error has an HTTP status: as such, or as its code, as a number or in digits. */
function statusIn(said: JsonObject): number | undefined {
  const words = [said.status_code, said.status, said.code].filter((value) => typeof value !== 'object');
  const numbers = words.map((value) => Number(value));
  return numbers.find((number) => number >= 400 && number < 600);
}

/** A delay in seconds or a number of milliseconds; dates are not read, for there is no clock here. */
function retryAfter(headers: ReadonlyMap<string, string>): number | undefined {
  const milliseconds = Number.parseFloat(headers.get('retry-after-ms') ?? '');
  if (Number.isFinite(milliseconds)) return milliseconds;
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds * 1000 : undefined;
}
