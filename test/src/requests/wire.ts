/** Short ways to read a client's body and to write it for an upstream. */
import type { CanonicalRequest, DecodedRequest, EncodedRequest, RequestOptions } from '@streamglot/core';
import * as chat from '../../../packages/core/src/dialects/chat/request.ts';
import * as messages from '../../../packages/core/src/dialects/messages/request.ts';

const dialects = { chat, messages };

/** The two dialects under test. */
export type Side = keyof typeof dialects;

/** A client's body, read. */
export function decode(dialect: Side, body: unknown): DecodedRequest {
  return dialects[dialect].decodeRequest({ path: '', query: {}, headers: {}, body });
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
