/** Headers of a request: who says what, and who wins. */

import type { DialectId } from '@streamglot/core';

/** Headers with their names in lower case. */
export type HeaderMap = Readonly<Record<string, string>>;

/** Values that are lists: every side adds to them. */
const lists: ReadonlySet<string> = new Set(['anthropic-beta', 'openai-beta']);

/** One map of all sources; the later wins, lists are joined without repeating an entry. */
export function merged(...sources: readonly (HeaderMap | ReadonlyMap<string, string> | undefined)[]): HeaderMap {
  const all: Record<string, string> = {};
  for (const source of sources)
    for (const [name, value] of source instanceof Map ? source : Object.entries(source ?? {})) {
      const before = all[name];
      all[name] = before !== undefined && lists.has(name) ? joined(before, value) : value;
    }
  return all;
}

/** Headers that only servers of one dialect know. */
const spoken: ReadonlyMap<string, DialectId> = new Map([['x-server-timeout', 'gemini']]);

/** The headers of a client that mean something to a server of a dialect. */
export function meant(
  passed: ReadonlyMap<string, string> | undefined,
  dialect: DialectId,
): ReadonlyMap<string, string> {
  return new Map([...(passed ?? [])].filter(([name]) => (spoken.get(name) ?? dialect) === dialect));
}

/** A user's headers with their names in lower case. */
export function lowered(headers: Readonly<Record<string, string>> = {}): HeaderMap {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** What the body and its answer are. Streams are asked for plain: a compressor on their way holds small events back. */
export function bodyHeaders(stream: boolean): HeaderMap {
  return {
    'content-type': 'application/json',
    accept: stream ? 'text/event-stream' : 'application/json',
    'accept-encoding': stream ? 'identity' : 'gzip, br',
    'user-agent': 'streamglot',
  };
}

function joined(...lists: readonly string[]): string {
  const entries = lists.flatMap((list) => list.split(',')).map((entry) => entry.trim());
  return [...new Set(entries)].filter((entry) => entry !== '').join(',');
}
