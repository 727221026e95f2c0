/** A case through the product: bytes in pieces, what the client asked, what the provider's options are. */
import { createTranslator, decodeRequest, type KnownDialect } from '@streamglot/core';
import type { Wired } from '../support/json.ts';
import { wireOf } from '../support/wire/index.ts';
import type { FaultCase } from './cases.ts';

/** The least that a request of each dialect must say. */
const bodies: Readonly<Record<string, Wired>> = {
  chat: { messages: [{ role: 'user', content: 'hello' }] },
  messages: { messages: [{ role: 'user', content: 'hello' }], max_tokens: 1000 },
  responses: { input: 'hello' },
  interactions: { input: 'hello', generation_config: { thinking_summaries: 'auto' } },
  gemini: { contents: [{ role: 'user', parts: [{ text: 'hello' }] }] },
};

/** Where each dialect takes stop strings; Responses has none. */
const stops: Readonly<Record<string, string>> = { chat: 'stop', messages: 'stop_sequences' };

/** What a client of `to` gets of a case whose bytes come in these chunks. */
export function translate(fault: FaultCase, to: KnownDialect, chunks: readonly Uint8Array[]): string {
  const translator = createTranslator(optionsOf(fault, to));
  const out = chunks.map((chunk) => translator.push(chunk));
  return Buffer.concat([...out, translator.end()]).toString('utf8');
}

function optionsOf(fault: FaultCase, to: KnownDialect): Parameters<typeof createTranslator>[0] {
  const options = Object.entries(fault.options).map(([name, value]) => [camelCase(name), value]);
  const context = fault.request === undefined ? {} : { context: contextOf(fault.request, to) };
  const includeUsage = !isQuiet(fault, to);
  return {
    from: fault.from as KnownDialect,
    to,
    includeUsage,
    ...fault.http,
    ...context,
    ...Object.fromEntries(options),
  };
}

/** Whether the client said that it wants no usage. */
export function isQuiet({ request }: FaultCase, to: string): boolean {
  return to === 'chat' && request !== undefined && 'stream_options' in request && !request.stream_options;
}

function contextOf(asked: Wired, to: KnownDialect): ReturnType<typeof decodeRequest>['context'] {
  const { stop_sequences: stop, model = 'demo-model', ...rest } = asked;
  const own = to === 'chat' || to === 'responses' ? rest : {};
  const body = {
    model,
    stream: true,
    ...bodies[to],
    ...(stop !== undefined && to !== 'gemini' && to !== 'interactions' && { [stops[to] ?? 'stop']: stop }),
    ...own,
  };
  return decodeRequest(to, {
    path: wireOf(to).path.replace('{model}', String(model)),
    query: { alt: 'sse' },
    headers: {},
    body,
  }).context;
}

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
