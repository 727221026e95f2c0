/** All that is wrong with what a client gets: what it should have, how it is written, and the checks that a case names. */
import { grammarOf } from '../support/grammar/index.ts';
import type { Expectation } from './cases.ts';
import { findingOf } from './checks/index.ts';
import { expectations } from './expectations.ts';
import type { Finding } from './finding.ts';
import { outcomeOf } from './outcome.ts';
import { isRelayed, unlawful } from './relay.ts';

/** What is known beside the result that is asked for. */
export interface Circumstances {
  /** What the upstream sent, where it speaks the client's dialect: a relay may show the same. */
  upstream: string | undefined;
  /** Whether the client asked for no usage. */
  quiet: boolean;
}

/** Everything that is wrong; nothing if the stream is right. */
export function wrongs(expect: Expectation, dialect: string, stream: string, more: Circumstances): readonly string[] {
  const got = outcomeOf(dialect, stream);
  const upstream = more.upstream === undefined ? undefined : outcomeOf(dialect, more.upstream);
  const found = Object.entries(expectations).flatMap(([name, compare]) =>
    say(name, compare({ expect, got, upstream, quiet: more.quiet })),
  );
  const broken =
    more.upstream === undefined ? grammarOf(dialect).violations(stream) : unlawful(dialect, stream, more.upstream);
  const checked = (expect.checks ?? [])
    .filter(({ to, check }) => check !== 'grammar' && (to === '*' || to === dialect))
    .flatMap((named) => {
      const finding = findingOf(named, got, expect);
      const shown = upstream === undefined ? undefined : findingOf(named, upstream, expect);
      return finding === undefined || isRelayed(named, finding, shown) ? [] : say(`check ${named.check}`, finding);
    });
  return [...found, ...broken.map((rule) => `grammar: ${rule}`), ...checked];
}

function say(name: string, finding: Finding | undefined): readonly string[] {
  if (finding === undefined) return [];
  return [`${name}: expected ${JSON.stringify(finding.expected)}, got ${JSON.stringify(finding.got)}`.slice(0, 400)];
}
