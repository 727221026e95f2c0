/** Who asks: the key that came along, and what the host makes of it. */
import type { DialectId } from '@streamglot/core';
import type { GatewayRequest } from './client.ts';
import { unauthorized } from './error.ts';

/** What `authorize` sees of a request; its body has not been read yet. */
export interface AuthorizeRequest {
  readonly method: string;
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The key, from `x-api-key`, `x-goog-api-key`, `Authorization: Bearer` or the query's `key`. */
  readonly key?: string;
  /** The dialect that the client speaks. */
  readonly dialect: DialectId;
  /** The host's own request object: Express's or Node's. */
  readonly host?: unknown;
}

/** Says who asks; `undefined` is answered with 401. A `GatewayError` that it throws is answered as it is. */
export type Authorize<Principal> = (
  request: AuthorizeRequest,
) => Principal | undefined | Promise<Principal | undefined>;

/** Who asks; `undefined` where the host's own middleware stands in front or nothing is worth guarding. */
export async function authorized(
  authorize: 'host' | Authorize<unknown> | undefined,
  request: GatewayRequest,
  dialect: DialectId,
): Promise<unknown> {
  if (typeof authorize !== 'function') return undefined;
  const { method, path, headers, host } = request;
  const key = keyOf(request);
  const principal = await authorize({ method, path, headers, dialect, host, ...(key !== undefined && { key }) });
  if (principal === undefined) throw unauthorized(key);
  return principal;
}

function keyOf({ headers, query }: GatewayRequest): string | undefined {
  const bearer = /^Bearer\s+(\S+)\s*$/i.exec(headers.authorization ?? '')?.[1];
  return headers['x-api-key'] || headers['x-goog-api-key'] || bearer || query.key;
}
