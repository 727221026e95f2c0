/** Lines of the core that every dialect rests on. */

/** @import { Mutation } from './mutations.mjs' */

/** @type {readonly Mutation[]} */
export const core = [
  {
    name: 'end cause',
    file: 'packages/core/src/codec/decoder.ts',
    find: 'this.fail(interruption(cause));',
    replace: "this.fail(interruption('closed'));",
    by: 'src/laws/endings',
  },
  {
    name: 'a cut stream is no whole one',
    file: 'packages/core/src/codec/decoder.ts',
    find: 'if (!this.#over) this.fail(interruption(cause));',
    replace: 'if (!this.#over) this.complete();',
    by: 'src/laws/endings',
  },
  {
    name: 'client-closed says nothing more',
    file: 'packages/core/src/codec/decoder.ts',
    find: "if (cause !== 'client-closed') {",
    replace: 'if (cause !== undefined) {',
    by: 'src/laws/endings',
  },
  {
    name: 'mend clears the text',
    file: 'packages/core/src/codec/decoder.ts',
    find: 'native.text = undefined;',
    replace: '',
    by: 'src/messages/relay',
  },
  {
    name: 'unreadable payload is an error',
    file: 'packages/core/src/codec/decoder.ts',
    find: 'else this.fail(malformed(frame.data));',
    replace: "else this.drop('frame_ignored', 'An event that is not JSON.');",
    by: 'src/laws/endings',
  },
  {
    name: 'an error is not relayed',
    file: 'packages/core/src/codec/decoder.ts',
    find: "for (const event of this.#events) if (event.native === this.native) event.native = undefined;\n    this.native = undefined;\n    this.#events.push({ type: 'error', error });",
    replace: "this.#events.push({ type: 'error', error, native: this.native });",
    by: 'src/laws/endings',
  },
  {
    name: 'limit of blocks',
    file: 'packages/core/src/codec/decoder.ts',
    find: 'if (block >= this.options.limits.maxBlocks)',
    replace: 'if (block > 2 * this.options.limits.maxBlocks)',
    by: 'src/messages/decode',
  },
  {
    name: 'limit of depth',
    file: 'packages/core/src/codec/decoder.ts',
    find: 'if (isDeeper(data, this.options.limits.maxDepth))',
    replace: 'if (isDeeper(data, Number.POSITIVE_INFINITY))',
    by: 'src/laws/endings',
  },
  {
    name: 'a finish ends what is open',
    file: 'packages/core/src/codec/decoder.ts',
    find: 'this.shutAll(choice);\n    if (!this.#over)',
    replace: 'if (!this.#over)',
    by: 'src/chat/decode',
  },
  {
    name: 'relayed flag',
    file: 'packages/core/src/codec/encoder.ts',
    find: 'native.relayed = true;',
    replace: '',
    by: 'src/messages/relay',
  },
  {
    name: 'nothing after an ending',
    file: 'packages/core/src/codec/encoder.ts',
    find: 'at < events.length && !this.#over; at++',
    replace: 'at < events.length; at++',
    by: 'src/messages/queue',
  },
  {
    name: 'an escape cut at the end of a piece',
    file: 'packages/core/src/codec/json.ts',
    find: 'if (code === 92) this.#escaped = ++at === text.length;',
    replace: 'if (code === 92) at++;',
  },
  {
    name: 'the last event may lack its blank line',
    file: 'packages/core/src/wire/sse.ts',
    find: "const rest = this.push('\\n\\n');",
    replace: "const rest = this.push('');",
  },
  {
    name: 'limit of a frame',
    file: 'packages/core/src/wire/sse.ts',
    find: "if (error.type === 'max-buffer-size-exceeded') this.#overflow();\n        else ",
    replace: '',
  },
  {
    name: 'half a character waits',
    file: 'packages/core/src/wire/bytes.ts',
    find: 'this.#clear = ascii;',
    replace: 'this.#clear = true;',
    by: 'src/laws/cuts',
  },
  {
    name: 'limit of a whole answer',
    file: 'packages/core/src/reader.ts',
    find: 'return this.#length > this.#decoding.limits.maxAccumulatedBytes ? this.#end(failure(oversize)) : [];',
    replace: 'return [];',
    by: 'src/laws/endings',
  },
  {
    name: 'a line end in an event name',
    file: 'packages/core/src/wire/write.ts',
    find: ".replace(/[\\r\\n]+/g, ' ')}\\ndata:",
    replace: '}\\ndata:',
    by: 'src/messages/relay',
  },
];
