/** Lines of the Chat dialect. */

/** @import { Mutation } from './mutations.mjs' */

const folder = 'packages/core/src/dialects/chat';

/** @type {readonly Mutation[]} */
export const chat = [
  {
    name: 'role',
    file: `${folder}/encode.ts`,
    find: "this.#chunk(choice, { role: 'assistant', content: '' });",
    replace: "this.#chunk(choice, { content: '' });",
  },
  {
    name: 'usage chunk',
    file: `${folder}/encode.ts`,
    find: 'this.#gaps() + this.#owed() + DONE;',
    replace: 'this.#gaps() + DONE;',
  },
  {
    name: 'error form',
    file: `${folder}/encode.ts`,
    find: "return dataEvent(JSON.stringify({ error: errorObject(error), finish_reason: 'error' }));",
    replace: "return dataEvent(JSON.stringify({ error: errorObject(error), finish_reason: 'error' })) + DONE;",
  },
  {
    name: 'the held finish',
    file: `${folder}/decode.ts`,
    find: 'this.#held.push({ choice, ended, wire, native: this.native, alone: false });',
    replace: 'this.#release(choice, ended);',
  },
  {
    name: 'a finish for every choice',
    file: `${folder}/decode.ts`,
    find: 'if (this.#choices.size === 0 || !whole) return;',
    replace: 'if (this.#choices.size === 0) return;',
  },
  {
    name: '[DONE] alone is no answer',
    file: `${folder}/decode.ts`,
    find: 'if (this.#choices.size === 0) this.fail(empty);',
    replace: '',
  },
  {
    name: '[DONE] in several ways',
    file: `${folder}/decode.ts`,
    find: '/^"?\\[done\\]"?$/i',
    replace: '/^\\[DONE\\]$/',
  },
  {
    name: 'role of a first delta',
    file: `${folder}/choice.ts`,
    find: "if (delta.role === 'assistant') return;",
    replace: 'if (delta !== undefined) return;',
  },
  {
    name: 'stop beside calls',
    file: `${folder}/choice.ts`,
    find: "if (reason === 'stop' && this.calls.any) return this.#corrected('tool_calls', word);",
    replace: '',
  },
  {
    name: 'annotations come once',
    file: `${folder}/citations.ts`,
    find: 'if (this.#seen.has(annotation)) return false;',
    replace: '',
  },
  {
    name: 'refusal finish',
    file: `${folder}/choice.ts`,
    find: "const refused = reason === 'stop' && this.#runs.refused && !this.#runs.answered;",
    replace: 'const refused = false;',
  },
  {
    name: 'index with a new id is a new call',
    file: `${folder}/calls.ts`,
    find: 'return isWhole(call) && (id !== call.wireId || elsewhere);',
    replace: 'return false;',
  },
  {
    name: 'arguments as an object',
    file: `${folder}/fragment.ts`,
    find: 'return value === undefined || value === null ? undefined : JSON.stringify(value);',
    replace: 'return undefined;',
  },
  {
    name: 'ids of calls differ',
    file: `${folder}/calls.ts`,
    find: 'if (!this.#calls.some(({ id }) => id === wireId)) return wireId;',
    replace: 'if (wireId !== undefined) return wireId;',
  },
  {
    name: 'calls are numbered densely',
    file: `${folder}/calls.ts`,
    find: "if (wire.index !== call.place) this.#set(wire, 'index', call.place);",
    replace: '',
  },
  {
    name: 'reasoning outside of completion',
    file: `${folder}/usage.ts`,
    find: "return reasoning > 0 && counter(wire, 'total') === input + output + reasoning ? reasoning : 0;",
    replace: 'return 0;',
  },
  {
    name: 'reasoning inside of completion',
    file: `${folder}/usage.ts`,
    find: "counter(wire, 'total') === input + output + reasoning ?",
    replace: "counter(wire, 'total') !== undefined ?",
  },
  {
    name: 'call without arguments',
    file: `${folder}/writer.ts`,
    find: "(json && status !== 'incomplete' ? '{}' : '')",
    replace: "''",
  },
  {
    name: 'index of a call among calls',
    file: `${folder}/encode.ts`,
    find: 'const call = this.#shown(choice).calls++;',
    replace: 'const call = (this.#shown(choice).calls++, block);',
  },
  {
    name: 'relayed usage is not owed',
    file: `${folder}/encode.ts`,
    find: "if (event.type === 'usage') this.#usage = undefined;",
    replace: "if (event.type === 'usage') this.write(event);",
  },
  {
    name: 'usage that nobody asked for',
    file: `${folder}/encode.ts`,
    find: "return this.#includeUsage === false && isUsageOnly(data) ? '' : dataEvent(payload);",
    replace: 'return dataEvent(payload);',
  },
  {
    name: 'parts of a summary',
    file: `${folder}/writer.ts`,
    find: 'const another = part !== undefined && writer.part !== undefined && part !== writer.part;',
    replace: 'const another = false;',
  },
];
