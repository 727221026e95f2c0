/** Any API that speaks a dialect of the registry: a local server, a cloud, another gateway. */
import { type Dialect, dialectOf, type KnownDialect, type Provider } from '@streamglot/core';
import { baseOf, versioned } from './address.ts';
import { type HeaderMap, lowered } from './headers.ts';
import { type HttpOptions, httpProvider } from './http.ts';
import { keyOf } from './secrets.ts';

/** What `compatible` takes. */
export interface CompatibleOptions extends HttpOptions, Habits {
  /** Stands before the model in the upstream's id; `compatible` unless told. */
  name?: string;
  /** Chat: with its version, such as `http://127.0.0.1:11434/v1`. Messages: with or without `/v1`. */
  baseURL: string;
  dialect: KnownDialect | Dialect;
  apiKey?: string;
  /** Headers of every request; they win over all others. */
  headers?: Readonly<Record<string, string>>;
}

/** Habits of a server that cannot be seen from its stream; all off by default. */
export interface Habits {
  /** Reads `<think>` in text as reasoning. */
  extractThinkTags?: boolean;
  /** Each text delta repeats the whole text so far. */
  cumulativeDeltas?: boolean;
  /** A close without a terminal event is an end if all that was begun is whole. */
  acceptMissingTerminal?: boolean;
  /** Whether it takes temperature and its kin; absent means it does. */
  sampling?: boolean;
}

/** The models behind a base URL. Throws `TypeError` for a key or a base URL that cannot be used. */
export function compatible(options: CompatibleOptions): Provider {
  const { name = 'compatible', baseURL, dialect: chosen, apiKey, headers, ...rest } = options;
  const { extractThinkTags, cumulativeDeltas, acceptMissingTerminal, sampling, ...http } = rest;
  const dialect = typeof chosen === 'string' ? dialectOf(chosen) : chosen;
  const custom = conventions[dialect.id] ?? bearer;
  const base = baseOf('compatible()', baseURL);
  const key = apiKey === undefined ? undefined : keyOf('compatible()', 'apiKey', apiKey);
  return httpProvider({
    name,
    dialect,
    base: custom.version === undefined ? base : versioned(base, custom.version),
    headers: { ...custom.headers, ...(key !== undefined && custom.key(key)), ...lowered(headers) },
    http,
    ...(sampling !== undefined && { sampling }),
    habits: {
      ...(extractThinkTags !== undefined && { extractThinkTags }),
      ...(cumulativeDeltas !== undefined && { cumulativeDeltas }),
      ...(acceptMissingTerminal !== undefined && { acceptMissingTerminal }),
    },
  });
}

/** How servers of a dialect are addressed. */
interface Convention {
  key: (key: string) => HeaderMap;
  headers: HeaderMap;
  /** The first step of every path, where base URLs are commonly written without it. */
  version?: string;
}

const bearer: Convention = { key: (key) => ({ authorization: `Bearer ${key}` }), headers: {} };

const google: Convention = { key: (key) => ({ 'x-goog-api-key': key }), headers: {}, version: 'v1beta' };

const conventions: Readonly<Partial<Record<string, Convention>>> = {
  messages: {
    key: (key) => ({ 'x-api-key': key }),
    headers: { 'anthropic-version': '2023-06-01' },
    version: 'v1',
  },
  gemini: google,
  interactions: google,
};
