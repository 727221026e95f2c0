/** Asking an upstream how many tokens a request has. */
import { type DialectId, type EncodedRequest, GatewayError } from '@streamglot/core';

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

/** The dialects that have an endpoint for it. */
export const countable: ReadonlySet<DialectId> = new Set(['messages', 'gemini']);

/** The request for a count, made from the one for an answer. */
export function countRequest(dialect: DialectId, encoded: EncodedRequest): EncodedRequest {
  return dialect === 'gemini' ? wrapped(encoded) : stripped(encoded);
}

/** Gemini takes the whole request as a member, with its model (ai.google.dev/api/tokens, seen 2026-11-29). */
function wrapped({ path, body, ...encoded }: EncodedRequest): EncodedRequest {
  const model = path.replace(/^\//, '').replace(/:\w+$/, '');
  const counting = path.replace(/:\w+$/, ':countTokens');
  return { ...encoded, path: counting, query: {}, body: { generateContentRequest: { model, ...body } } };
}

function stripped(encoded: EncodedRequest): EncodedRequest {
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
    const { input_tokens, totalTokens } = JSON.parse(text) as { input_tokens?: unknown; totalTokens?: unknown };
    const tokens = input_tokens ?? totalTokens;
    return typeof tokens === 'number' ? tokens : undefined;
  } catch {
    return undefined;
  }
}
