/** The registry: one line for each dialect. */
import { entryOf } from '../codec/json.ts';
import type { Dialect } from '../dialect.ts';
import { chat } from './chat/index.ts';
import { gemini } from './gemini/index.ts';
import { interactions } from './interactions/index.ts';
import { messages } from './messages/index.ts';
import { responses } from './responses/index.ts';

/** Every dialect by its id. */
export const dialects: Readonly<Record<KnownDialect, Dialect>> = {
  chat,
  messages,
  responses,
  gemini,
  interactions,
};

/** The ids of the dialects in the registry. */
export type KnownDialect = 'chat' | 'messages' | 'responses' | 'gemini' | 'interactions';

/** The dialect of an id. Throws `RangeError` for one that is not in the registry. */
export function dialectOf(id: string): Dialect {
  const dialect = entryOf<Dialect>(dialects, id);
  if (dialect === undefined)
    throw new RangeError(`Unknown dialect "${id}"; known are ${Object.keys(dialects).join(', ')}.`);
  return dialect;
}
