/** One error shape for every dialect: data inside a stream, carried by `GatewayError` before one. */

/** What kind of failure it is; each dialect has its own word and HTTP status for it. */
export type ErrorType =
  | 'invalid_request'
  | 'authentication'
  | 'billing'
  | 'permission'
  | 'not_found'
  | 'conflict'
  | 'too_large'
  | 'rate_limit'
  | 'cancelled'
  | 'timeout'
  | 'overloaded'
  | 'upstream'
  | 'api_error'
  | 'unimplemented';

/** A failure as data. */
export interface CanonicalError {
  type: ErrorType;
  /** A stable machine word: ours (`stream_truncated`) or the upstream's (`context_length_exceeded`). */
  code?: string;
  /** The HTTP status of the upstream, where there was one. */
  status?: number;
  message: string;
  /** Path of the request field that is to blame. */
  param?: string;
  requestId?: string;
  /** How long to wait before another try, in milliseconds. */
  retryAfterMs?: number;
  /** The upstream's own error body, for observers; never written to a client. */
  native?: unknown;
}

/** The HTTP status of each error type where the dialect has no other. */
export const statusOf: Readonly<Record<ErrorType, number>> = {
  invalid_request: 400,
  authentication: 401,
  billing: 402,
  permission: 403,
  not_found: 404,
  conflict: 409,
  too_large: 413,
  rate_limit: 429,
  cancelled: 499,
  timeout: 504,
  overloaded: 503,
  upstream: 502,
  api_error: 500,
  unimplemented: 501,
};

/** Nothing was generated in time. */
export const lateOutput: CanonicalError = {
  type: 'timeout',
  code: 'first_output_timeout',
  message: 'The upstream took too long to generate anything.',
};

/** The client took nothing of what waited for it. */
export const unreadAnswer: CanonicalError = {
  type: 'cancelled',
  code: 'write_stalled',
  message: 'The client stopped reading.',
};

const typeOfStatus: Readonly<Record<number, ErrorType>> = {
  400: 'invalid_request',
  401: 'authentication',
  402: 'billing',
  403: 'permission',
  404: 'not_found',
  405: 'invalid_request',
  408: 'timeout',
  409: 'conflict',
  413: 'too_large',
  422: 'invalid_request',
  429: 'rate_limit',
  499: 'cancelled',
  500: 'api_error',
  501: 'unimplemented',
  502: 'upstream',
  503: 'overloaded',
  504: 'timeout',
  529: 'overloaded',
};

/** The error type that an HTTP status stands for when the body does not say more. */
export function errorTypeOf(status: number): ErrorType {
  return typeOfStatus[status] ?? (status >= 400 && status < 500 ? 'invalid_request' : 'upstream');
}

/** An error thrown before an answer began; `error` is what the client is told. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  readonly error: CanonicalError;
  /** The headers of the upstream's answer, where it answered; names in lower case. */
  readonly headers?: ReadonlyMap<string, string>;

  constructor(error: CanonicalError, options?: ErrorOptions & { headers?: ReadonlyMap<string, string> }) {
    super(error.message, options);
    this.error = error;
    if (options?.headers !== undefined) this.headers = options.headers;
  }
}

/** The one gate from anything thrown to an error that can be shown; what is not ours stays hidden. */
export function toCanonicalError(thrown: unknown): CanonicalError {
  if (thrown instanceof GatewayError) return thrown.error;
  return { type: 'api_error', code: 'internal', message: 'The gateway failed to handle the request.' };
}

const secrets =
  /(bearer\s+|basic\s+)?\b(?:sk|pk|rk|key|xai|gsk|ya29|AIza)[-_.]?[A-Za-z0-9_\-.]{16,}|bearer\s+[A-Za-z0-9_\-.=]{8,}/gi;

/** Takes keys and tokens out of a text that an upstream wrote. */
export function scrub(message: string): string {
  return message.replace(secrets, '[redacted]');
}
