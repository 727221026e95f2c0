/** Google's Gemini models, in the Gemini dialect or as Interactions: by an API key, or in a cloud project by its base URL and a token. */
import { dialectOf, type Provider, type RequestOptions } from '@streamglot/core';
import { baseOf, versioned } from './address.ts';
import { lowered } from './headers.ts';
import { type HttpOptions, httpProvider } from './http.ts';
import { keyOf } from './secrets.ts';

/** What `gemini` takes: an API key, or the base URL of a project and a token for it. */
export type GeminiOptions = HttpOptions & GeminiKey & GeminiSettings;

/** How requests are paid for. A token expires; whoever has one that does renews it and makes a new provider. */
export type GeminiKey = { apiKey: string; authToken?: never } | { authToken: string; baseURL: string; apiKey?: never };

/** The rest of what `gemini` takes. */
export interface GeminiSettings {
  /**
   * With or without `/v1beta`; `https://generativelanguage.googleapis.com` unless told. With a token: all that stands
   * before `/models` or `/interactions`, such as `https://…/v1/projects/p/locations/l/publishers/google`.
   */
  baseURL?: string;
  /** The dialect to ask in; `gemini` unless told. */
  dialect?: GeminiDialect;
  /** Headers of every request; they win over all others. */
  headers?: Readonly<Record<string, string>>;
}

/** The dialects of Google's API. */
export type GeminiDialect = 'gemini' | 'interactions';

/** The Gemini models. Throws `TypeError` for a key or a base URL that cannot be used. */
export function gemini(options: GeminiOptions): Provider {
  const { apiKey, authToken, baseURL = 'https://generativelanguage.googleapis.com', headers, ...rest } = options;
  const { dialect = 'gemini', ...http } = rest;
  const key =
    authToken === undefined ? keyOf('gemini()', 'apiKey', apiKey as string) : keyOf('gemini()', 'authToken', authToken);
  const base = baseOf('gemini()', baseURL);
  return httpProvider({
    name: 'gemini',
    dialect: dialectOf(dialect),
    base: authToken === undefined ? versioned(base, 'v1beta') : base,
    headers: {
      ...(authToken === undefined ? { 'x-goog-api-key': key } : { authorization: `Bearer ${key}` }),
      ...lowered(headers),
    },
    http,
    thinking: thinkingOf,
  });
}

/** Models before 3 take tokens to think with, later ones levels (ai.google.dev, thinking, seen 2026-11-29). */
function thinkingOf(model: string): RequestOptions['thinking'] {
  return /\bgemini-[12](?:\.|-|$)/.test(model) ? 'budget' : 'adaptive';
}
