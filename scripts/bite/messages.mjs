/** Lines of the Messages dialect. */

/** @import { Mutation } from './mutations.mjs' */

const folder = 'packages/core/src/dialects/messages';

/** @type {readonly Mutation[]} */
export const messages = [
  {
    name: 'finish map',
    file: `${folder}/terms.ts`,
    find: "['max_tokens', 'length'],",
    replace: "['max_tokens', 'stop'],",
  },
  {
    name: 'cached-token formula',
    file: `${folder}/usage.ts`,
    find: 'const inputTokens = sumOf(uncached, cacheRead, cacheWrite);',
    replace: 'const inputTokens = sumOf(uncached, cacheWrite);',
  },
  {
    name: 'block index',
    file: `${folder}/queue.ts`,
    find: 'entry.index = this.#next++;',
    replace: 'entry.index = entry.block;',
  },
  {
    name: 'signature',
    file: `${folder}/decode.ts`,
    find: 'held.value += value;',
    replace: 'held.value = value;',
  },
  {
    name: 'duplicate message_start',
    file: `${folder}/decode.ts`,
    find: 'if (message === undefined || this.started) return this.#secondStart();',
    replace: 'if (message === undefined) return this.#secondStart();',
  },
  {
    name: 'a later null keeps the stop reason',
    file: `${folder}/decode.ts`,
    find: 'else if (this.#finish !== undefined) this.#keepReason(delta);',
    replace: '',
  },
  {
    name: 'a later stop reason wins',
    file: `${folder}/decode.ts`,
    find: 'this.#finish = { reason, nativeReason, native: this.native, ...more };',
    replace: 'this.#finish ??= { reason, nativeReason, native: this.native, ...more };',
  },
  {
    name: 'usage of a message_delta is there',
    file: `${folder}/decode.ts`,
    find: "if (typeof usage?.output_tokens === 'number') return;",
    replace: 'if (usage !== undefined) return;',
  },
  {
    name: 'ids of tool uses differ',
    file: `${folder}/track.ts`,
    find: "const id = ids.unique(given ?? ids.invent('toolu_', this.#calls));",
    replace: "const id = given ?? ids.invent('toolu_', this.#calls);",
  },
  {
    name: 'a delta of another kind',
    file: `${folder}/track.ts`,
    find: "const fits = found !== undefined && (found.kind === kind || found.kind === 'item');",
    replace: 'const fits = found !== undefined;',
  },
  {
    name: 'relayed indexes are dense',
    file: `${folder}/track.ts`,
    find: 'if (data.index !== open.block) this.mend().index = open.block;',
    replace: '',
  },
  {
    name: 'input that came with the start',
    file: `${folder}/track.ts`,
    find: 'else if (whole !== undefined) this.invent(() => give(whole));',
    replace: '',
  },
  {
    name: 'null keeps a counter',
    file: `${folder}/usage.ts`,
    find: '.filter(([, count]) => count !== null && count !== undefined)',
    replace: '.filter(([, count]) => count !== undefined)',
  },
  {
    name: 'the output count of a start is a placeholder',
    file: `${folder}/usage.ts`,
    find: 'if (!this.#outputKnown) {',
    replace: 'if (usage.outputTokens === undefined) {',
  },
  {
    name: 'cached tokens stand beside the input',
    file: `${folder}/usage.ts`,
    find: 'Math.max(0, usage.inputTokens - outside)',
    replace: 'usage.inputTokens',
  },
  {
    name: 'a call closes on balanced JSON',
    file: `${folder}/queue.ts`,
    find: 'const ended = open.input.ended || ',
    replace: 'const ended = ',
  },
  {
    name: 'limit of what waits',
    file: `${folder}/queue.ts`,
    find: 'if (this.#queued > this.#limits.maxQueuedBytes)',
    replace: 'if (this.#queued === Number.POSITIVE_INFINITY)',
  },
  {
    name: 'what has left the queue waits no more',
    file: `${folder}/queue.ts`,
    find: 'this.#queued = entry.pieces.reduce((queued, piece) => queued - piece.length, this.#queued);',
    replace: '',
  },
  {
    name: 'input that is no JSON',
    file: `${folder}/queue.ts`,
    find: "if (state === 'malformed') return this.#refuse();",
    replace: '',
  },
  {
    name: 'a torn call is not whole',
    file: `${folder}/encode.ts`,
    find: 'if (isTorn && finish !== undefined && !isOwn(finish)) return this.abort(torn);',
    replace: '',
  },
  {
    name: 'signatures of others',
    file: `${folder}/encode.ts`,
    find: "if (!isCarrier(value)) return '';",
    replace: '',
  },
  {
    name: 'one message_delta',
    file: `${folder}/encode.ts`,
    find: 'if (this.#isStopped) return STOP;',
    replace: '',
  },
  {
    name: 'text in an object is escaped',
    file: 'packages/core/src/codec/wrap.ts',
    find: 'return JSON.stringify(text).slice(1, -1);',
    replace: 'return text;',
    by: 'src/messages/encode',
  },
  {
    name: 'tool_use needs a call',
    file: `${folder}/message.ts`,
    find: "if (reason === 'tool_calls' && !hasCalls) return 'end_turn';",
    replace: '',
  },
];
