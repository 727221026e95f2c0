/** Models that can read one another's opaque reasoning, by the shape of their names. */
import type { DialectId } from '../model/event.ts';
import type { Origin } from './carrier.ts';

/**
 * The first row that fits counts, and its groups are the family. Gemini: one generation (ai.google.dev, thought
 * signatures, seen 2026-11-29). GPT and o-series: their clients keep encrypted reasoning when the model is switched
 * within the series (public reports, seen 2026-11-29). Claude, and all others: signatures of one model were refused by
 * another (public reports, seen 2026-11-29), so a family is one model, whatever its date.
 */
const families: readonly RegExp[] = [
  /\b(gemini-2\.5|gemini-\d+)/,
  /\b(gpt)-\d/,
  /(?:^|[/:])(o)\d/,
  /\b(grok-\d+)/,
  /([^/]+)$/,
];

/** What follows a model's name and is no part of it: a date, a version by date, `latest`. */
const suffix = /(?:[-@](?:\d{8}|\d{4}-\d{2}-\d{2}|latest|preview(?:-\d+)*))+$/;

/** The family of a model: two models of one name, but for its date, are always of one. */
export function familyOf(model: string): string {
  const name = model.toLowerCase().replace(suffix, '');
  for (const row of families) {
    const found = row.exec(name)?.[1];
    if (found !== undefined) return found;
  }
  return name;
}

/** Who is asked for a model in a dialect; the dialect's own id stands where no provider is known. */
export function originOf(dialect: DialectId, model: string, provider: string = dialect): Origin {
  return { provider, dialect, family: familyOf(model) };
}
