/** Keys: checked when a provider is made, and taken out of whatever an upstream says. */
import { type CanonicalError, scrub } from '@streamglot/core';
import type { HeaderMap } from './headers.ts';

/** The key itself. Throws `TypeError` for one that is empty or that no header can carry. */
export function keyOf(owner: string, option: string, key: string | undefined): string {
  if (typeof key === 'string' && /^[\x21-\x7e]+$/.test(key)) return key;
  const problem = typeof key !== 'string' || key === '' ? 'it is missing' : 'it has spaces or line ends in it';
  throw new TypeError(`${owner}: ${option} must be a key: ${problem}.`);
}

/** The keys among headers; whoever has one must be asked who they are. */
export function secretsOf(headers: HeaderMap): readonly string[] {
  return Object.entries(headers)
    .filter(([name, value]) => carriers.has(name) && value !== '')
    .map(([, value]) => value.replace(/^(?:bearer|basic)\s+/i, ''));
}

const carriers: ReadonlySet<string> = new Set(['authorization', 'x-api-key', 'api-key', 'x-goog-api-key']);

/** An error as it may be shown and logged: without these secrets and without anything that looks like one. */
export function cleaned(error: CanonicalError, secrets: readonly string[]): CanonicalError {
  const clean = (text: string): string =>
    scrub(secrets.reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text));
  const native = error.native === undefined ? undefined : JSON.stringify(error.native);
  return {
    ...error,
    message: clean(error.message),
    ...(native !== undefined && { native: JSON.parse(clean(native)) as unknown }),
  };
}
