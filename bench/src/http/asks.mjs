/** The smallest streaming request of each dialect, and the path that takes it. */

/** @import { KnownDialect } from '@streamglot/core' */

/** @typedef {{ path: string, body: (model: string) => string }} Ask `{model}` in a path stands for the model. */

const messages = [{ role: 'user', content: 'hi' }];

/** @type {Readonly<Record<string, Ask>>} */
const table = {
  chat: {
    path: '/v1/chat/completions',
    body: (model) => JSON.stringify({ model, stream: true, messages }),
  },
  gemini: {
    path: '/v1beta/models/{model}:streamGenerateContent?alt=sse',
    body: () => JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }),
  },
  interactions: {
    path: '/v1beta/interactions',
    body: (model) => JSON.stringify({ model, stream: true, store: false, input: 'hi' }),
  },
  messages: {
    path: '/v1/messages',
    body: (model) => JSON.stringify({ model, stream: true, max_tokens: 100, messages }),
  },
  responses: {
    path: '/v1/responses',
    // What is kept on purpose would look like a leak.
    body: (model) => JSON.stringify({ model, stream: true, store: false, input: 'hi' }),
  },
};

/**
 * @param {string} dialect
 * @returns {Ask}
 */
export function askOf(dialect) {
  const ask = table[dialect];
  if (ask === undefined) throw new RangeError(`bench/src/http/asks.mjs has no request of ${dialect}`);
  return ask;
}

/**
 * The dialect whose path ends a path.
 * @param {string} path
 */
export function dialectAt(path) {
  return Object.keys(table).find((dialect) => path.endsWith(endOf(table[dialect]?.path ?? '')));
}

/**
 * What stands behind the model, in paths that have one.
 * @param {string} path
 */
function endOf(path) {
  return path.split('{model}').at(-1) ?? path;
}
