/** Which whole answers take so long that they are better streamed, and collected on the way. */
import type { DialectId } from '@streamglot/core';

/**
 * Output tokens above which a Messages request is streamed whatever the client asked for. Its official client refuses
 * whole answers that may take ten minutes: above 21,333 tokens, for some models above 8,192 (its source, seen
 * 2026-11-29); connections that are silent for so long break.
 */
const longestWhole = 8192;

/** Whether a request is to be streamed, whatever its client asked for. */
export function isLong(dialect: DialectId, body: Readonly<Record<string, unknown>>): boolean {
  return dialect === 'messages' && typeof body.max_tokens === 'number' && body.max_tokens > longestWhole;
}
