/** Every dialect of the registry, as the law of many turns needs it. */
import type { KnownDialect } from '@streamglot/core';
import { chat } from './chat.ts';
import { gemini } from './gemini.ts';
import { interactions } from './interactions.ts';
import { messages } from './messages.ts';
import { responses } from './responses.ts';
import type { Row } from './row.ts';

/** The rows; a dialect of the registry without one does not compile. */
export const rows: Readonly<Record<KnownDialect, Row>> = { chat, messages, responses, gemini, interactions };
