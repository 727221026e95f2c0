/** Every official client that judges. */
import { agents } from './agents.ts';
import { anthropic } from './anthropic.ts';
import type { Client } from './client.ts';
import { google } from './google.ts';
import { interactions } from './interactions.ts';
import { langchain } from './langchain.ts';
import { openai } from './openai.ts';
import { responses } from './responses.ts';
import { vercel } from './vercel.ts';

export type { Ask, Client, Family, Seen } from './client.ts';

/** The clients of all dialects. */
export const clients: readonly Client[] = [
  ...openai,
  ...responses,
  ...anthropic,
  ...google,
  ...interactions,
  ...vercel,
  ...langchain,
  ...agents,
];

/** The clients that speak a dialect. Throws where there is none: its conformance cannot be tested. */
export function clientsOf(dialect: string): readonly Client[] {
  const speakers = clients.filter((client) => client.dialect === dialect);
  if (speakers.length === 0) throw new Error(`no client speaks ${dialect}: add one in test/src/support/clients`);
  return speakers;
}
