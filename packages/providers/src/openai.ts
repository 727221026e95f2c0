/** OpenAI's API, in the Chat dialect. */
import { dialectOf, type Provider } from '@streamglot/core';
import { baseOf } from './address.ts';
import { lowered } from './headers.ts';
import { type HttpOptions, httpProvider } from './http.ts';
import { keyOf } from './secrets.ts';

/** What `openai` takes. */
export interface OpenAIOptions extends HttpOptions {
  apiKey: string;
  /** With its version, as OpenAI's own clients have it; `https://api.openai.com/v1` unless told. */
  baseURL?: string;
  organization?: string;
  project?: string;
  /** Headers of every request; they win over all others. */
  headers?: Readonly<Record<string, string>>;
}

/** The models of OpenAI. Throws `TypeError` for a key or a base URL that cannot be used. */
export function openai(options: OpenAIOptions): Provider {
  const { apiKey, baseURL = 'https://api.openai.com/v1', organization, project, headers, ...http } = options;
  const key = keyOf('openai()', 'apiKey', apiKey);
  return httpProvider({
    name: 'openai',
    dialect: dialectOf('chat'),
    base: baseOf('openai()', baseURL),
    headers: {
      authorization: `Bearer ${key}`,
      ...(organization !== undefined && { 'openai-organization': organization }),
      ...(project !== undefined && { 'openai-project': project }),
      ...lowered(headers),
    },
    http,
  });
}
