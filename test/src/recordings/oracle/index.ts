/** What each dialect's official SDK reads in a stream; nothing here knows the product. */
import { readChat } from './chat.ts';
import { readMessages } from './messages.ts';
import type { Reading } from './reading.ts';
import { readResponses } from './responses.ts';
import type { Body } from './sdk.ts';

type Read = (body: Body, recorded: boolean, provider?: string) => Promise<Reading>;

const readers: Readonly<Record<string, Read>> = {
  chat: readChat,
  messages: readMessages,
  responses: readResponses,
};

/** Reads what an upstream sent, with the habits that recordings show. */
export function readRecorded(dialect: string, body: Body, provider: string): Promise<Reading> {
  return readerOf(dialect)(body, true, provider);
}

/** Reads what we wrote, as strictly as the strictest part of the SDK. */
export function readWritten(dialect: string, body: Body): Promise<Reading> {
  return readerOf(dialect)(body, false);
}

function readerOf(dialect: string): Read {
  const reader = readers[dialect];
  if (reader === undefined) throw new Error(`no oracle for ${dialect}: write oracle/${dialect}.ts`);
  return reader;
}
