/** Who a provider is, as clients are told in the opaque reasoning that they carry. */
import { Ids } from '@streamglot/core';
import type { HeaderMap } from './headers.ts';

/** Addresses at which a provider is the one that its name says. */
const homes: Readonly<Record<string, string>> = {
  anthropic: 'https://api.anthropic.com',
  gemini: 'https://generativelanguage.googleapis.com',
  openai: 'https://api.openai.com',
};

/** Members that say on whose account requests are made; encrypted reasoning can be read on no other. */
const accounts = ['openai-organization', 'openai-project'];

/**
 * The identity of a service: its name at its own address, and elsewhere a name that differs by address and says nothing
 * of it, for clients are not told where upstreams are.
 */
export function identityOf({ name, base, headers }: { name: string; base: URL; headers: HeaderMap }): string {
  const account = accounts.flatMap((header) => headers[header] ?? []);
  if (homes[name] === base.origin && account.length === 0) return name;
  return new Ids([base.origin, ...account].join('/')).invent(`${name}-`);
}
