/** Every dialect that the stand-in upstream speaks. */
import { chat } from './chat.ts';
import { gemini } from './gemini.ts';
import { interactions } from './interactions.ts';
import { messages } from './messages.ts';
import { responses } from './responses.ts';
import type { Wire } from './wire.ts';

export { type Asked, frank, type Look, type Wire } from './wire.ts';

/** The wires by the id of their dialect. */
export const wires: Readonly<Record<string, Wire>> = { chat, messages, responses, gemini, interactions };

/** The wire of a dialect. Throws for one that nobody wrote a wire for: its conformance cannot be tested. */
export function wireOf(dialect: string): Wire {
  const wire = wires[dialect];
  if (wire === undefined) throw new Error(`no wire for dialect ${dialect}: write test/src/support/wire/${dialect}.ts`);
  return wire;
}
