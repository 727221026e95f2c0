/** The gateway's own failures: configuration mistakes, and requests that it turns away. */
import { type CanonicalError, GatewayError } from '@streamglot/core';

/** A mistake in the configuration, found at start-up; the message names the path and the fix. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  /** Where in the configuration, such as `models.fast`. */
  readonly path: string;

  constructor(path: string, fix: string) {
    super(path === '' ? fix : `${path}: ${fix}`);
    this.path = path;
  }
}

/** A request that the gateway itself turns away, with the HTTP status to do it with. */
export class Refusal extends GatewayError {
  readonly status: number;
  /** Headers of the answer. */
  readonly reply: Readonly<Record<string, string>>;

  constructor(status: number, error: CanonicalError, reply: Readonly<Record<string, string>> = {}) {
    super(error);
    this.status = status;
    this.reply = reply;
  }
}

/** Nobody known asks. */
export function unauthorized(key: string | undefined): Refusal {
  const message =
    key === undefined
      ? 'No API key was given: send it as "Authorization: Bearer <key>" or "x-api-key: <key>".'
      : 'This API key is not accepted.';
  return new Refusal(401, { type: 'authentication', code: 'invalid_api_key', message });
}

/** The path is known, the method is not. */
export function wrongMethod(method: string, allowed: string): Refusal {
  const message = `This path takes ${allowed}, not ${method}.`;
  return new Refusal(405, { type: 'invalid_request', code: 'method_not_allowed', message }, { allow: allowed });
}

/** The body says that it is something other than JSON. */
export function wrongContentType(found: string): Refusal {
  const message = `The content type must be application/json, not ${found}.`;
  return new Refusal(415, { type: 'invalid_request', code: 'unsupported_media_type', message });
}

/** The body is in an encoding that nobody here undoes; `known` names those that the host does. */
export function wrongContentEncoding(found: string, known = 'gzip, deflate, br'): Refusal {
  const message = `The content encoding ${found} is not supported; send ${known} or none.`;
  return new Refusal(415, { type: 'invalid_request', code: 'unsupported_content_encoding', message });
}

/** The body is larger than `maxBytes`; `headers` says whether the connection can go on. */
export function bodyTooLarge(maxBytes: number, headers?: Readonly<Record<string, string>>): Refusal {
  const message = `The body is larger than ${maxBytes} bytes.`;
  return new Refusal(413, { type: 'too_large', code: 'body_too_large', message }, headers);
}

/** The body is not what it has to be. */
export function badBody(code: string, message: string): Refusal {
  return new Refusal(400, { type: 'invalid_request', code, message });
}

/** No model of that name is configured. */
export function unknownModel(name: string): Refusal {
  const message = `The model "${name}" does not exist here.`;
  return new Refusal(404, { type: 'not_found', code: 'model_not_found', message, param: 'model' });
}

/** A request names something that is not kept, or not for whoever asks. */
export function unknownReference(param: string, id: string): Refusal {
  const message = `${param}: nothing is known of "${id.slice(0, 200)}": it was not stored, or has been forgotten, or belongs to somebody else.`;
  return new Refusal(400, { type: 'invalid_request', code: codes[param] ?? 'item_not_found', message, param });
}

const codes: Readonly<Record<string, string>> = {
  previous_response_id: 'previous_response_not_found',
  previous_interaction_id: 'previous_interaction_not_found',
  conversation: 'conversation_not_found',
};

/** A field asks for what is not done here. */
export function unsupported(param: string, reason: string): Refusal {
  return new Refusal(400, {
    type: 'invalid_request',
    code: 'unsupported_field',
    message: `${param}: ${reason}.`,
    param,
  });
}

/** Nothing of that id is kept for whoever asks. */
export function unknownRecord(kind: string, id: string): Refusal {
  const message = `${kind} with id "${id.slice(0, 200)}" not found.`;
  return new Refusal(404, { type: 'not_found', code: 'not_found', message });
}

/** The gateway takes no new requests. */
export function shuttingDown(): Refusal {
  const error: CanonicalError = { type: 'overloaded', code: 'shutdown', message: 'The gateway is shutting down.' };
  return new Refusal(503, error, { connection: 'close', 'retry-after': '1' });
}
