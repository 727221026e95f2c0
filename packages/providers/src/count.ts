/** Asking a Messages upstream how many tokens a request has. */
import { type EncodedRequest, GatewayError } from '@streamglot/core';

/** Members that say how to answer; the endpoint refuses them (platform.claude.com, count tokens, seen 2026-11-29). */
const answering = [
  'container',
  'inference_geo',
  'max_tokens',
  'metadata',
  'service_tier',
  'stop_sequences',
  'stream',
  'temperature',
  'top_k',
  'top_p',
];

/** The request for a count, made from the one for an answer. */
export function countRequest(encoded: EncodedRequest): EncodedRequest {
  const members = Object.entries(encoded.body).filter(([name]) => !answering.includes(name));
  return { ...encoded, path: `${encoded.path}/count_tokens`, body: Object.fromEntries(members) };
}

/** The count in an answer. Throws `GatewayError` where there is none. */
export function countOf(text: string): number {
  const tokens = readCount(text);
  if (tokens !== undefined) return tokens;
  const message = 'The upstream answered with something that is no count of tokens.';
  throw new GatewayError({ type: 'upstream', code: 'unexpected_body', message });
}

function readCount(text: string): number | undefined {
  try {
    const { input_tokens: tokens } = JSON.parse(text) as { input_tokens?: unknown };
    return typeof tokens === 'number' ? tokens : undefined;
  } catch {
    return undefined;
  }
}
