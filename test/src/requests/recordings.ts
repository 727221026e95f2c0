/** Requests that real clients sent, read from the data that lies beside the repository. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dataFolder } from '../support/data.ts';

/** One recorded request, by the file that holds it. */
export interface Recording {
  file: string;
  dialect: 'chat' | 'messages';
  body: Record<string, unknown>;
}

const folders: Readonly<Record<string, Recording['dialect']>> = {
  'openai-chat': 'chat',
  'openai-compatible': 'chat',
  'xai-chat': 'chat',
  'anthropic-messages': 'messages',
  'anthropic-compatible': 'messages',
};

/** Every recorded request of the two dialects, less the few that are not a request of a conversation at all. */
export function recordings(): Recording[] {
  return [...corpus(), ...clients()].filter(
    ({ body }) => Array.isArray(body.messages) && isConversation(body.messages),
  );
}

/** Some recordings are of requests that the API refused because a message was no object. */
function isConversation(messages: readonly unknown[]): boolean {
  return messages.every((message) => typeof message === 'object' && message !== null);
}

function corpus(): Recording[] {
  return Object.entries(folders).flatMap(([folder, dialect]) =>
    filesIn(join(dataFolder('corpus'), folder), '.request.json').map((file) => ({ file, dialect, body: bodyOf(file) })),
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
    if (url.includes('/chat/completions')) return [{ file, dialect: 'chat', body }];
    return url.includes('/messages') ? [{ file, dialect: 'messages', body }] : [];
  });
}

/** Long lists of tools were shortened: the last entry only names the others. */
function leftOut(tool: { __left_out?: number; names?: string[] }, url: string): unknown {
  if (tool.__left_out === undefined) return tool;
  const input_schema = { type: 'object', properties: {} };
  return tool.names?.map((name) =>
    url.includes('/messages') ? { name, input_schema } : { type: 'function', function: { name } },
  );
}

/** Some services name the model in the URL; here it has to be in the body. */
function bodyOf(file: string): Record<string, unknown> {
  const body = JSON.parse(readFileSync(file, 'utf8')) as unknown;
  return typeof body === 'object' && body !== null ? { model: 'model-of-the-url', ...body } : {};
}

function filesIn(folder: string, ending: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name));
}
