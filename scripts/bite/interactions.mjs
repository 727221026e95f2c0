/** Lines of the Interactions dialect, and of what the gateway keeps of it. */

/** @import { Mutation } from './mutations.mjs' */

const folder = 'packages/core/src/dialects/interactions';
const store = 'packages/gateway/src/store';

/** @type {readonly Mutation[]} */
export const interactions = [
  {
    name: 'interactions: the mark behind the end',
    file: `${folder}/encode.ts`,
    find: 'if (this.#isCompleted) return DONE;',
    replace: "if (this.#isCompleted) return '';",
  },
  {
    name: 'interactions: a completed interaction that was rewritten',
    file: `${folder}/encode.ts`,
    find: 'if (!this.#isCompleted) rewrite(native);',
    replace: 'if (this.#isCompleted) rewrite(native);',
  },
  {
    name: 'interactions: an id that stays',
    file: `${folder}/encode.ts`,
    find: 'if (isOther) interaction.id = id;',
    replace: '',
  },
  {
    name: 'interactions: a step that the client does not see open',
    file: `${folder}/encode.ts`,
    find: 'if (index === undefined) return rewrite(native);',
    replace: 'if (index === undefined) return;',
  },
  {
    name: 'interactions: torn arguments',
    file: `${folder}/encode.ts`,
    find: 'return this.abort(torn);',
    replace: "return '';",
  },
  {
    name: 'interactions: arguments that are no JSON',
    file: `${folder}/encode.ts`,
    find: 'return out + this.abort(notJson);',
    replace: 'return out;',
  },
  {
    name: 'interactions: steps without an end',
    file: `${folder}/encode.ts`,
    find: "return this.#steps.closeAll().map(stopEvent).join('');",
    replace: "return '';",
  },
  {
    name: 'interactions: proof of a good end',
    file: `${folder}/decode.ts`,
    find: 'if (this.#isEnded) this.complete();',
    replace: 'if (this.started) this.complete();',
  },
  {
    name: 'interactions: an interaction that still runs is no end',
    file: `${folder}/decode.ts`,
    find: 'if (told !== undefined && running.has(told)) return this.fail(unfinished);',
    replace: '',
  },
  {
    name: 'interactions: events after the end',
    file: `${folder}/decode.ts`,
    find: 'if (this.#isEnded) return this.#late(type);',
    replace: '',
  },
  {
    name: 'interactions: calls make the finish',
    file: `${folder}/decode.ts`,
    find: "failed === 'stop' && this.calls > 0 ? 'tool_calls' : failed",
    replace: 'failed',
  },
  {
    name: 'interactions: content of a start comes behind it',
    file: `${folder}/decode.ts`,
    find: 'wire.content = [];',
    replace: '',
  },
  {
    name: 'interactions: whole arguments come behind the start',
    file: `${folder}/decode.ts`,
    find: 'wire.arguments = {};',
    replace: '',
  },
  {
    name: 'interactions: empty arguments in front of the real ones',
    file: `${folder}/deltas.ts`,
    find: "if (step.input.isFresh && piece.trim() === '{}') return this.#keepPlace(step, piece);",
    replace: '',
  },
  {
    name: 'interactions: text of a thought',
    file: `${folder}/deltas.ts`,
    find: "if (step?.type !== 'thought') return",
    replace: 'if (step !== undefined) return',
  },
  {
    name: 'interactions: steps are counted',
    file: `${folder}/steps.ts`,
    find: 'if (this.#steps >= this.options.limits.maxBlocks) this.fail(crowded);',
    replace: '',
    by: 'src/hostile/limits',
  },
  {
    name: 'interactions: places in bytes',
    file: `${folder}/citation.ts`,
    find: 'const [from, to] = offsets.between(start ?? 0, end);',
    replace: 'const [from, to] = [start ?? 0, end];',
  },
  {
    name: 'interactions: thoughts beside the output',
    file: `${folder}/usage.ts`,
    find: 'sumOf(asCount(raw.total_output_tokens), reasoning)',
    replace: 'asCount(raw.total_output_tokens)',
  },
  {
    name: 'interactions: nothing is stored unasked',
    file: `${folder}/options.ts`,
    find: 'store: request.store === true,',
    replace: 'store: request.store,',
  },
  {
    name: 'interactions: thoughts that nobody asked for',
    file: `${folder}/request.ts`,
    find: "'auto' ? undefined : false",
    replace: "'auto' ? undefined : undefined",
  },
  {
    name: 'interactions: thoughts go to who made them',
    file: `${store}/steps.ts`,
    find: "if (value.type !== 'thought') return rest;",
    replace: 'return rest;',
    by: 'src/interactions',
  },
];
