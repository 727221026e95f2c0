/** Requests that real clients sent, read from the data that lies beside the repository. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KnownDialect } from '@streamglot/core';
import { dataFolder } from '../support/data.ts';

/** One recorded request, by the file that holds it. */
export interface Recording {
  file: string;
  dialect: KnownDialect;
  body: Record<string, unknown>;
}

const folders: Readonly<Record<string, Recording['dialect']>> = {
  'openai-chat': 'chat',
  'openai-compatible': 'chat',
  'xai-chat': 'chat',
  'anthropic-messages': 'messages',
  'anthropic-compatible': 'messages',
  'openai-responses': 'responses',
  'openai-responses-compatible': 'responses',
  'xai-responses': 'responses',
  'gemini-sse': 'gemini',
  'gemini-json-array': 'gemini',
  'gemini-interactions': 'interactions',
};

/** Where each dialect has its conversation. */
const spoken: Readonly<Record<KnownDialect, string>> = {
  chat: 'messages',
  messages: 'messages',
  responses: 'input',
  gemini: 'contents',
  interactions: 'input',
};

/** Every recorded request, less the few that are not a request of a conversation at all. */
export function recordings(): Recording[] {
  return [...corpus(), ...clients()].filter(({ dialect, body }) => isConversation(body[spoken[dialect]]));
}

/** Some recordings are of requests that the API refused because a message was no object. */
function isConversation(messages: unknown): boolean {
  if (!Array.isArray(messages)) return typeof messages === 'string';
  return messages.every((message) => typeof message === 'object' && message !== null);
}

/** Some services name the model in the URL; here it has to be in the body, where the dialect has it there. */
function corpus(): Recording[] {
  return Object.entries(folders).flatMap(([folder, dialect]) =>
    filesIn(join(dataFolder('corpus'), folder), '.request.json').map((file) => ({
      file,
      dialect,
      body: dialect === 'gemini' ? bodyOf(file) : { model: 'model-of-the-url', ...bodyOf(file) },
    })),
  );
}

function clients(): Recording[] {
  return filesIn(dataFolder('clients/requests'), '.json').flatMap((file): Recording[] => {
    const { url, body: kept } = JSON.parse(readFileSync(file, 'utf8')) as {
      url: string;
      body: Record<string, unknown>;
    };
    const body = Array.isArray(kept.tools)
      ? { ...kept, tools: kept.tools.flatMap((tool) => leftOut(tool, url)) }
      : kept;
    const dialect = asked.find(([path]) => url.includes(path))?.[1];
    return dialect === undefined ? [] : [{ file, dialect, body }];
  });
}

const asked: readonly (readonly [path: string, dialect: KnownDialect])[] = [
  ['/chat/completions', 'chat'],
  ['/messages', 'messages'],
  ['/responses', 'responses'],
  ['/interactions', 'interactions'],
  [':generateContent', 'gemini'],
  [':streamGenerateContent', 'gemini'],
];

/** Long lists of tools were shortened: the last entry only names the others. */
interface LeftOut {
  __left_out?: number;
  names?: string[];
  functionDeclarations?: LeftOut[];
}

function leftOut(tool: LeftOut, url: string): unknown {
  const { functionDeclarations: functions, names = [] } = tool;
  if (functions !== undefined) return { ...tool, functionDeclarations: functions.flatMap((one) => leftOut(one, url)) };
  return tool.__left_out === undefined ? tool : names.map((name) => toolOf(name, url));
}

function toolOf(name: string, url: string): unknown {
  if (url.includes('/messages')) return { name, input_schema: { type: 'object', properties: {} } };
  if (url.includes('/responses') || url.includes('/interactions')) return { type: 'function', name };
  return url.includes('enerateContent') ? { name } : { type: 'function', function: { name } };
}

function bodyOf(file: string): Record<string, unknown> {
  const body = JSON.parse(readFileSync(file, 'utf8')) as unknown;
  return typeof body === 'object' && body !== null ? { ...body } : {};
}

function filesIn(folder: string, ending: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name));
}
