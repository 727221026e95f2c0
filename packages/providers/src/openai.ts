/** OpenAI's API, in the Chat and the Responses dialect. */
import { dialectOf, type Provider } from '@streamglot/core';
import { baseOf } from './address.ts';
import { lowered } from './headers.ts';
import { type HttpOptions, httpProvider, type Service } from './http.ts';
import { keyOf } from './secrets.ts';

/** What `openai` takes. */
export interface OpenAIOptions extends HttpOptions {
  /** Throws when the provider is made if the environment lacks it. */
  apiKey: string | undefined;
  /** With its version, as OpenAI's own clients have it; `https://api.openai.com/v1` unless told. */
  baseURL?: string;
  organization?: string;
  project?: string;
  /** The dialect to ask in, for all models or by model; unless told, Responses where a model has no other, else Chat. */
  dialect?: OpenAIDialect | ((model: string) => OpenAIDialect);
  /** Headers of every request; they win over all others. */
  headers?: Readonly<Record<string, string>>;
}

/** The two dialects that OpenAI speaks. */
export type OpenAIDialect = 'chat' | 'responses';

/** The models of OpenAI. Throws `TypeError` for a key or a base URL that cannot be used. */
export function openai(options: OpenAIOptions): Provider {
  const { apiKey, baseURL = 'https://api.openai.com/v1', organization, project, headers, dialect, ...http } = options;
  const key = keyOf('openai()', 'apiKey', apiKey);
  const service: Omit<Service, 'dialect'> = {
    name: 'openai',
    base: baseOf('openai()', baseURL),
    headers: {
      authorization: `Bearer ${key}`,
      ...(organization !== undefined && { 'openai-organization': organization }),
      ...(project !== undefined && { 'openai-project': project }),
      ...lowered(headers),
    },
    http,
  };
  const chat = httpProvider({ ...service, dialect: dialectOf('chat') });
  const responses = httpProvider({ ...service, dialect: dialectOf('responses') });
  const speaks = typeof dialect === 'function' ? dialect : (model: string) => dialect ?? ownDialect(model);
  return { ...chat, upstream: (model) => (speaks(model) === 'responses' ? responses : chat).upstream(model) };
}

/** Models that have no Chat endpoint: pro, codex, deep research and computer use (OpenAI's model pages, seen 2026-11-29). */
const responsesOnly = /(^|[-/])(pro|codex|deep-research|computer-use)($|-)/;

function ownDialect(model: string): OpenAIDialect {
  return responsesOnly.test(model) ? 'responses' : 'chat';
}
