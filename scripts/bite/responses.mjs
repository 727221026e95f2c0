/** Lines of the Responses dialect. */

/** @import { Mutation } from './mutations.mjs' */

const folder = 'packages/core/src/dialects/responses';

/** @type {readonly Mutation[]} */
export const responses = [
  {
    name: 'sequence_number after an insert',
    file: `${folder}/encode.ts`,
    find: 'if (data.sequence_number !== this.#writer.sequence) {',
    replace: 'if (data.sequence_number === undefined) {',
  },
  {
    name: 'terminal output equals done items',
    file: `${folder}/encode.ts`,
    find: "return !this.#output.items.some((item) => typeof item.done === 'string');",
    replace: 'return true;',
  },
  {
    name: 'a done item is repeated as it was',
    file: `${folder}/output.ts`,
    find: "return typeof this.done === 'string' ? this.done : JSON.stringify(this.done);",
    replace: "return this.json('completed');",
  },
  {
    name: 'output too large to be repeated',
    file: `${folder}/encode.ts`,
    find: 'return this.#output.size > this.options.limits.maxAccumulatedBytes;',
    replace: 'return this.#output.size === Number.POSITIVE_INFINITY;',
  },
  {
    name: 'a failure begins what has not begun',
    file: `${folder}/encode.ts`,
    find: "let out = this.#begun ? '' : this.#start({ type: 'response-start' });",
    replace: "let out = '';",
  },
  {
    name: 'a failure is an event and a response',
    file: `${folder}/encode.ts`,
    find: "out += this.#writer.event('error', flat);",
    replace: '',
  },
  {
    name: 'a refusal without words is incomplete',
    file: `${folder}/encode.ts`,
    find: "if (reason === 'refusal' && !this.#isRefused()) return 'content_filter';",
    replace: '',
  },
  {
    name: 'dense content_index',
    file: `${folder}/decode.ts`,
    find: "if (data.content_index !== run.index) this.rewrite(data, 'content_index', run.index);\n    if (part.type",
    replace: 'if (part.type',
  },
  {
    name: 'incomplete reason',
    file: `${folder}/decode.ts`,
    find: "return entryOf(reasonOfIncomplete, detail ?? 'max_output_tokens') ?? 'other';",
    replace: "return 'length';",
  },
  {
    name: 'refusal of a whole answer',
    file: `${folder}/decode.ts`,
    find: "return this.refused ? 'refusal' : 'stop';",
    replace: "return 'stop';",
  },
  {
    name: 'calls end an answer as calls',
    file: `${folder}/decode.ts`,
    find: "if (this.items.all.some((item) => clientItems.has(item.type) && !item.hosted)) return 'tool_calls';",
    replace: '',
  },
  {
    name: 'duplicate response.created',
    file: `${folder}/decode.ts`,
    find: "if (this.started) return this.drop('duplicate_start', 'A second response.created.');",
    replace: '',
  },
  {
    name: 'ids of items differ',
    file: `${folder}/items.ts`,
    find: 'this.#taken.has(free);',
    replace: 'times < 2;',
  },
  {
    name: 'a known id wins over an index',
    file: `${folder}/items.ts`,
    find: 'if (placed !== undefined && (placed.wireId === id || id === undefined)) return placed;',
    replace: 'if (placed !== undefined) return placed;',
  },
  {
    name: 'an item told of at the end alone',
    file: `${folder}/whole.ts`,
    find: 'if (!item.done) this.invent(() => this.#settle(item, wire));',
    replace: '',
  },
  {
    name: 'a whole input wins over its pieces',
    file: `${folder}/whole.ts`,
    find: 'if (whole === undefined || whole === item.input) return undefined;',
    replace: 'if (whole !== item.input) return undefined;',
  },
];
