/** What a broken connection is called: the runtime's error codes in the canonical vocabulary. */
import { type CanonicalError, type CloseCause, GatewayError } from '@streamglot/core';

const refused: CanonicalError = {
  type: 'upstream',
  code: 'connect_failed',
  message: 'The upstream could not be reached.',
};
const slow: CanonicalError = {
  type: 'timeout',
  code: 'connect_timeout',
  message: 'The upstream took too long to connect.',
};
const broken: CanonicalError = {
  type: 'upstream',
  code: 'connection_reset',
  message: 'The connection to the upstream broke off before it answered.',
};
const garbled: CanonicalError = {
  type: 'upstream',
  code: 'invalid_response',
  message: 'The upstream answered with something that is not HTTP.',
};

const unsendable: CanonicalError = {
  type: 'invalid_request',
  code: 'invalid_header',
  message: 'A header of the request cannot be sent over HTTP.',
};

/** Codes of Node and undici, and one name where undici has a code for each fault, or none; whatever is not listed is a failure to connect. */
const errors: Readonly<Record<string, CanonicalError>> = {
  UND_ERR_CONNECT_TIMEOUT: slow,
  ETIMEDOUT: slow,
  ECONNRESET: broken,
  EPIPE: broken,
  UND_ERR_SOCKET: broken,
  UND_ERR_HEADERS_OVERFLOW: garbled,
  HTTPParserError: garbled,
  UND_ERR_INVALID_ARG: unsendable,
};

/** The error of a request that got no head. */
export function failure(thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError) return thrown;
  return new GatewayError(errors[codeOf(thrown)] ?? refused, { cause: thrown });
}

/** Why a body stopped early: the peer closed in order, or the connection broke. */
export function causeOf(thrown: unknown): CloseCause {
  return orderly.has(codeOf(thrown)) ? 'closed' : 'reset';
}

/** undici's words for a FIN before the end that the head announced. */
const orderly: ReadonlySet<string> = new Set(['UND_ERR_SOCKET', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH']);

/** Fetch hides the code in the cause of a TypeError. */
function codeOf(thrown: unknown): string {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if (Object.hasOwn(errors, error.name)) return error.name;
    if ('code' in error && typeof error.code === 'string') return error.code;
  }
  return '';
}
