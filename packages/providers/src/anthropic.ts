/** Anthropic's API, in the Messages dialect. */
import { dialectOf, type Provider } from '@streamglot/core';
import { baseOf, versioned } from './address.ts';
import { lowered } from './headers.ts';
import { type HttpOptions, httpProvider } from './http.ts';
import { keyOf } from './secrets.ts';

/** The versions of the API that are in use (seen 2026-11-29). Under the newer one temperature and its kin are a 400. */
export type AnthropicVersion = '2023-06-01' | '2026-10-21';

/** What `anthropic` takes: a key, or the token of an account. */
export type AnthropicOptions = HttpOptions & AnthropicKey & AnthropicSettings;

/** How requests are paid for. A key that the environment lacks throws when the provider is made. */
export type AnthropicKey = { apiKey: string | undefined; authToken?: never } | { authToken: string; apiKey?: never };

/** The rest of what `anthropic` takes. */
export interface AnthropicSettings {
  /** With or without `/v1`; `https://api.anthropic.com` unless told. */
  baseURL?: string;
  version?: AnthropicVersion;
  /** Beta features of every request, beside those that the client asks for. */
  beta?: readonly string[];
  /** Headers of every request; they win over all others. */
  headers?: Readonly<Record<string, string>>;
}

/** The models of Anthropic. Throws `TypeError` for a key or a base URL that cannot be used. */
export function anthropic(options: AnthropicOptions): Provider {
  const { apiKey, authToken, baseURL = 'https://api.anthropic.com', version = '2023-06-01', ...rest } = options;
  const { beta = [], headers, ...http } = rest;
  const key =
    authToken === undefined ? keyOf('anthropic()', 'apiKey', apiKey) : keyOf('anthropic()', 'authToken', authToken);
  return httpProvider({
    name: 'anthropic',
    dialect: dialectOf('messages'),
    base: versioned(baseOf('anthropic()', baseURL), 'v1'),
    headers: {
      ...(authToken === undefined ? { 'x-api-key': key } : { authorization: `Bearer ${key}` }),
      'anthropic-version': version,
      ...(beta.length > 0 && { 'anthropic-beta': beta.join(',') }),
      ...lowered(headers),
    },
    http,
    sampling: version === '2023-06-01',
  });
}
