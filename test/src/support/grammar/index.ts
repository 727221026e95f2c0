/** A grammar for each dialect: what a clean stream of it looks like, known without the product's own code. */
import { chat } from './chat.ts';
import { gemini } from './gemini.ts';
import { interactions } from './interactions.ts';
import { messages } from './messages.ts';
import type { Grammar } from './report.ts';
import { responses } from './responses.ts';

export type { Grammar } from './report.ts';

const grammars: Readonly<Record<string, Grammar>> = { chat, messages, responses, gemini, interactions };

/** The grammar of a dialect. Throws for one that nobody wrote a grammar for. */
export function grammarOf(dialect: string): Grammar {
  const grammar = grammars[dialect];
  if (grammar === undefined) throw new Error(`no grammar for ${dialect}: write test/src/support/grammar/${dialect}.ts`);
  return grammar;
}
