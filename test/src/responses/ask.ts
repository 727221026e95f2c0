/** Requests taken from one dialect to another, without a socket. */
import type { DecodedRequest, EncodedRequest, RequestOptions } from '@streamglot/core';
import * as chat from '../../../packages/core/src/dialects/chat/request.ts';
import * as messages from '../../../packages/core/src/dialects/messages/request.ts';
import * as responses from '../../../packages/core/src/dialects/responses/request.ts';

const dialects = { chat, messages, responses };

/** The dialects between which requests are taken. */
export type Side = keyof typeof dialects;

/** A body as its dialect reads it. */
export function decode(dialect: Side, body: unknown): DecodedRequest {
  return dialects[dialect].decodeRequest({ path: '', query: {}, headers: {}, body });
}

/** A body of one dialect as another one asks for the same. */
export function translate(from: Side, to: Side, body: unknown, options: Partial<RequestOptions> = {}): EncodedRequest {
  const { request, context } = decode(from, body);
  return dialects[to].encodeRequest(request, context, { stream: false, ...options });
}

/** Losses in short: how grave, and of which field. */
export function named(losses: EncodedRequest['losses']): readonly string[] {
  return losses.map(({ field, severity }) => `${severity} ${field}`);
}
