/** A reader for each dialect; none of them knows the product. */
import { ChatReader } from './chat.ts';
import { GeminiReader } from './gemini.ts';
import { InteractionsReader } from './interactions.ts';
import { MessagesReader } from './messages.ts';
import type { Reader, ReaderOptions } from './reading.ts';

export type { Answer } from './reading.ts';

import { ResponsesReader } from './responses.ts';

const readers: Readonly<Record<string, (options: ReaderOptions) => Reader>> = {
  chat: (options) => new ChatReader(options),
  messages: (options) => new MessagesReader(options),
  responses: () => new ResponsesReader(),
  gemini: () => new GeminiReader(),
  interactions: () => new InteractionsReader(),
};

/** A reader of a dialect. Throws for one that nobody wrote a reader for. */
export function readerOf(dialect: string, options: ReaderOptions): Reader {
  const reader = readers[dialect];
  if (reader === undefined) throw new Error(`no reader for ${dialect}: write test/src/support/reading/${dialect}.ts`);
  return reader(options);
}
