/** Which clients may be answered by several providers in their own dialect. */
import type { DialectId, Upstream } from '@streamglot/core';

/** Tells of a dialect whether several of these upstreams' makers speak it; one of which nothing is known may be anybody. */
export function severalMakers(upstreams: readonly Upstream[]): (dialect: DialectId) => boolean {
  const known = new Map<DialectId, Set<string>>();
  const strangers = new Set(upstreams.filter(({ makers }) => makers === undefined));
  for (const { provider, dialect } of upstreams.flatMap(({ makers = [] }) => makers))
    known.set(dialect, (known.get(dialect) ?? new Set()).add(provider));
  return (asked) => {
    const speaking = [...strangers].filter(({ dialect = asked }) => dialect === asked);
    return (known.get(asked)?.size ?? 0) + speaking.length > 1;
  };
}
