/** Every line that is broken to see whether a test notices. */
import { chat } from './chat.mjs';
import { core } from './core.mjs';
import { gateway } from './gateway.mjs';
import { gemini } from './gemini.mjs';
import { interactions } from './interactions.mjs';
import { messages } from './messages.mjs';
import { responses } from './responses.mjs';
import { routing } from './routing.mjs';
import { turns } from './turns.mjs';

/**
 * A line to break: `find` is in `file` exactly once, and `replace` stands there instead. Tests in `by` are asked first,
 * where they are not those of the file's own folder.
 * @typedef {{ name: string, file: string, find: string, replace: string, by?: string }} Mutation
 */

/** @type {readonly Mutation[]} */
export const mutations = [
  ...core,
  ...chat,
  ...messages,
  ...responses,
  ...gemini,
  ...interactions,
  ...routing,
  ...gateway,
  ...turns,
];
