/** Every line that is broken to see whether a test notices. */
import { chat } from './chat.mjs';
import { core } from './core.mjs';
import { gateway } from './gateway.mjs';
import { messages } from './messages.mjs';

/**
 * A line to break: `find` is in `file` exactly once, and `replace` stands there instead.
 * @typedef {{ name: string, file: string, find: string, replace: string }} Mutation
 */

/** @type {readonly Mutation[]} */
export const mutations = [...core, ...chat, ...messages, ...gateway];
