/** Lines of the Gemini dialect, of its array framing and of what the gateway does for it. */

/** @import { Mutation } from './mutations.mjs' */

const folder = 'packages/core/src/dialects/gemini';
const array = { file: 'packages/core/src/wire/array.ts', by: 'src/gemini' };

/** @type {readonly Mutation[]} */
export const gemini = [
  {
    name: 'gemini: an error number',
    file: `${folder}/error.ts`,
    find: 'return { error: { code, message: error.message, status,',
    replace: 'return { error: { message: error.message, status,',
  },
  {
    name: 'gemini: the comment behind an error',
    file: `${folder}/frames.ts`,
    find: 'fail: () => FAILED,',
    replace: "fail: () => '',",
  },
  {
    name: 'gemini: line ends of JavaScript',
    file: `${folder}/frames.ts`,
    find: ".replaceAll('\\u2029', '\\\\u2029')",
    replace: '',
  },
  {
    name: 'gemini: an array is closed behind an error',
    file: `${folder}/frames.ts`,
    find: 'fail(): string {\n    return this.#array.end();',
    replace: "fail(): string {\n    return '';",
  },
  {
    name: 'gemini: failures in its own word',
    file: `${folder}/error.ts`,
    find: "if (word === undefined || finishReasons.get(word) !== 'error') return undefined;",
    replace: 'return undefined;',
    by: 'src/conformance/words',
  },
  {
    name: 'gemini: text after a finish',
    file: `${folder}/decode.ts`,
    find: 'if (candidate.read(wire) && this.#finishes.delete(index)) this.#isHasty = true;',
    replace: 'candidate.read(wire);',
  },
  {
    name: 'gemini: bytes that stop behind a hasty finish',
    file: `${folder}/decode.ts`,
    find: "|| (this.#isHasty && cause !== 'closed')) return;",
    replace: ') return;',
  },
  {
    name: 'gemini: a finish for every candidate',
    file: `${folder}/decode.ts`,
    find: '|| !isWhole ||',
    replace: '||',
  },
  {
    name: 'gemini: calls make the finish',
    file: `${folder}/decode.ts`,
    find: "reason === 'stop' && calls?.any === true ? 'tool_calls' : reason",
    replace: 'reason',
  },
  {
    name: 'gemini: a refused prompt',
    file: `${folder}/decode.ts`,
    find: "if (nativeReason === undefined) return this.note('prompt_feedback', feedback);",
    replace: "if (nativeReason !== 'SAFETY') return this.note('prompt_feedback', feedback);",
  },
  {
    name: 'gemini: finish reasons by number',
    file: `${folder}/decode.ts`,
    find: '(finishNumbers[reason] ?? String(reason))',
    replace: 'String(reason)',
  },
  {
    name: 'gemini: an empty text with a signature',
    file: `${folder}/candidate.ts`,
    find: "if (text !== '') this.#say(",
    replace: 'this.#say(',
  },
  {
    name: 'gemini: a thought is no text',
    file: `${folder}/candidate.ts`,
    find: "this.#say(part.thought === true ? 'reasoning' : 'text', text);",
    replace: "this.#say('text', text);",
  },
  {
    name: 'gemini: a call sent again',
    file: `${folder}/calls.ts`,
    find: 'if (!inPieces && this.#isTold(asText(call.id), name + input)) return;',
    replace: '',
  },
  {
    name: 'gemini: ids that two calls have',
    file: `${folder}/calls.ts`,
    find: "ids.unique(id ?? ids.invent('call_', number))",
    replace: "id ?? ids.invent('call_', number)",
  },
  {
    name: 'gemini: an argument that comes too late for its place',
    file: `${folder}/growth.ts`,
    find: "typeof step === 'number' ? step !== members.size : members.has(step)",
    replace: 'members.size < 0',
  },
  {
    name: 'gemini: arguments as they come',
    file: `${folder}/calls.ts`,
    find: 'this.#grow(open.block, text);',
    replace: '',
  },
  {
    name: 'gemini: thoughts beside the output',
    file: `${folder}/usage.ts`,
    find: 'const outputTokens = sumOf(asCount(raw.candidatesTokenCount), reasoning);',
    replace: 'const outputTokens = asCount(raw.candidatesTokenCount);',
  },
  {
    name: 'gemini: counters that stay',
    file: `${folder}/usage.ts`,
    find: 'if (isNews) this.#raw = { ...this.#raw, ...usage };',
    replace: 'if (isNews) this.#raw = usage;',
  },
  {
    name: 'gemini: offsets in bytes',
    file: 'packages/core/src/codec/offsets.ts',
    find: 'bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;',
    replace: 'bytes += 1;',
    by: 'src/gemini',
  },
  {
    name: 'gemini: places of the sources of others',
    file: `${folder}/sources.ts`,
    find: 'const startIndex = bytesOf(text.slice(0, blockStart + from));',
    replace: 'const startIndex = blockStart + from;',
  },
  {
    name: 'gemini: a place that is uncertain',
    file: `${folder}/sources.ts`,
    find: '(isPlain && (unit === undefined',
    replace: '((unit === undefined',
  },
  {
    name: 'gemini: chunks that come one after another',
    file: `${folder}/grounding.ts`,
    find: 'this.#chunks = again ? fresh : [...this.#chunks, ...fresh].slice(0, MOST_SOURCES);',
    replace: 'this.#chunks = fresh;',
  },
  {
    name: 'gemini: arguments wait until they are whole',
    file: `${folder}/queue.ts`,
    find: 'if (!call.isOver && !(forced && isWhole(call))) break;',
    replace: 'if (!call.isOver && !forced) break;',
  },
  {
    name: 'gemini: a torn call under STOP',
    file: `${folder}/encode.ts`,
    find: 'if (this.#calls.torn && isWhole) return this.abort(torn);',
    replace: '',
  },
  {
    name: 'gemini: a call before the text that overtakes it',
    file: `${folder}/encode.ts`,
    find: "const calls = this.#calls.waits ? this.#settle(true) : '';\n    if (logprobs",
    replace: "const calls = '';\n    if (logprobs",
  },
  {
    name: 'gemini: signatures of others',
    file: `${folder}/encode.ts`,
    find: "return isOwn(event) || isCarrier(delta.value) ? this.#sign(block, delta.value) : '';",
    replace: 'return this.#sign(block, delta.value);',
  },
  {
    name: 'gemini: thoughts only if asked for',
    file: `${folder}/encode.ts`,
    find: 'if (!isHidden) this.#writers.set(',
    replace: 'this.#writers.set(',
  },
  {
    name: 'gemini: usage with the last chunk',
    file: `${folder}/encode.ts`,
    find: '(this.#isOwed || ends.length > 0)',
    replace: 'ends.length > 1',
  },
  {
    name: 'gemini: forms name all members',
    file: `${folder}/openapi.ts`,
    find: '{ additionalProperties: false, ...written }',
    replace: 'written',
  },
  {
    name: 'array: a bracket in a text',
    ...array,
    find: "if (code === QUOTE) this.#place = 'string';",
    replace: 'if (code < 0) return false;',
  },
  {
    name: 'array: an escape at a cut',
    ...array,
    find: 'else if (code === BACKSLASH) this.#escaped = true;',
    replace: 'else if (code === BACKSLASH) at++;',
  },
  {
    name: 'array: an element as soon as it is whole',
    ...array,
    find: 'return --this.#depth === 0;',
    replace: 'return --this.#depth < 0;',
  },
  {
    name: 'array: an element that is too large',
    ...array,
    find: 'if (this.#length <= this.#maxFrame) this.#pieces.push(piece);',
    replace: 'if (this.#length > 0) this.#pieces.push(piece);',
  },
  {
    name: 'array: the comma between elements',
    ...array,
    find: "this.#begun ? ',\\n' : '[';",
    replace: "this.#begun ? '\\n' : '[';",
  },
  {
    name: 'array: none is one too',
    ...array,
    find: "this.#begun ? ']' : '[]';",
    replace: "']';",
  },
  {
    name: 'gemini: a key in its own header',
    file: 'packages/gateway/src/authorize.ts',
    find: "|| headers['x-goog-api-key'] ||",
    replace: '||',
    by: 'src/gemini',
  },
  {
    name: 'gemini: a key in the query',
    file: 'packages/gateway/src/authorize.ts',
    find: '|| bearer || query.key;',
    replace: '|| bearer;',
    by: 'src/gemini',
  },
  {
    name: 'gemini: white space between elements',
    file: 'packages/gateway/src/answer.ts',
    find: "context.framing === 'json-array' ? BETWEEN : dialect",
    replace: 'dialect',
    by: 'src/conformance/framing',
  },
];
