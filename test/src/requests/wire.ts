/** Short ways to read a client's body and to write it for an upstream. */
import {
  type CanonicalRequest,
  type DecodedRequest,
  dialects,
  type EncodedRequest,
  type KnownDialect,
  type RequestOptions,
} from '@streamglot/core';

/** The dialects under test. */
export type Side = KnownDialect;

/** Where a client asks whose model stands in the path. */
const paths: Partial<Record<Side, string>> = { gemini: '/v1beta/models/m:generateContent' };

/** A client's body, read, whose path may say more. */
export function decode(dialect: Side, body: unknown, path = paths[dialect] ?? ''): DecodedRequest {
  return dialects[dialect].decodeRequest({ path, query: {}, headers: {}, body });
}

/** A client's body as an upstream gets it. */
export function translate(
  from: Side,
  to: Side,
  body: unknown,
  options: Partial<RequestOptions> = {},
): EncodedRequest & { body: Record<string, unknown> } {
  const { request, context } = decode(from, body);
  return { ...dialects[to].encodeRequest(request, context, { stream: false, ...options }) };
}

/** The request without the client's own words, so that it is written and not passed on. */
export function rewritten(dialect: Side, { request, context }: DecodedRequest): Record<string, unknown> {
  const { native: _native, ...rest } = request;
  return { ...dialects[dialect].encodeRequest(rest satisfies CanonicalRequest, context, { stream: false }).body };
}
