/** Named checks of Chat streams. */
import { count, list, object, text, type Wired } from '../../support/json.ts';
import { details } from '../details.ts';
import { at, equal, first, holds, includes } from '../finding.ts';
import { choicesOf, deltasOf, type Outcome } from '../outcome.ts';
import type { Checks } from './check.ts';

export const chatChecks: Checks = {
  arguments_concat: ({ answer }, json) =>
    equal(
      json,
      answer.calls.map((call) => call.json),
    ),
  arguments_is_string: (outcome) => {
    const sent = fragments(outcome).flatMap(({ function: body }) => object(body).arguments ?? []);
    return holds(sent.length > 0 && sent.every((piece) => typeof piece === 'string'), 'strings', sent);
  },
  delta_refusal_concat: ({ answer }, refusal) => equal(refusal, answer.refusal),
  ends_with_done: ({ events }) => equal('[DONE]', events.at(-1)?.data),
  error_object_in_last_data: ({ events }) => {
    const error = events.at(-1)?.json?.error;
    return holds(Object.keys(object(error)).length > 0, 'an error in the last event', events.at(-1)?.data);
  },
  event_count: (outcome, counts) =>
    equal(counts, Object.fromEntries(Object.keys(object(counts)).map((what) => [what, counted(outcome, what)]))),
  finish_reason: (outcome, word) =>
    equal(word, ofFirst(outcome).findLast(({ finish_reason }) => finish_reason)?.finish_reason),
  first_fragment_of_call_has_id_and_name: (outcome) =>
    first(
      byCall(outcome).map(([fragment]) => {
        const name = at(fragment, 'function.name');
        return holds(Boolean(fragment?.id) && Boolean(name), 'an id and a name', fragment);
      }),
    ),
  id_constant: (outcome) => equal(1, new Set(details.ids(outcome)).size),
  id_only_on_first_fragment: (outcome) =>
    first(
      byCall(outcome).flatMap((all) =>
        all.map((fragment, place) => holds(place === 0 || !('id' in fragment), 'no id', fragment)),
      ),
    ),
  /** A comment is a block of its own everywhere but here, where it stands before the next event. */
  keepalive_has_no_blank_line: ({ stream }) => holds(!/(^|\n):[^\n]*\n\n/.test(stream), 'no blank line', 'one'),
  logprobs_kept: (outcome, _, { logprobs }) => equal(logprobs, details.logprobs(outcome)),
  no_chunk_with_empty_choices: ({ payloads }) => {
    const empty = payloads.find(({ choices }) => Array.isArray(choices) && choices.length === 0);
    return holds(empty === undefined, 'none', empty);
  },
  no_usage_chunk: (outcome) => equal(0, counted(outcome, 'usage')),
  role_count: (outcome, times) =>
    equal(times, ofFirst(outcome).filter(({ delta }) => text(object(delta).role) !== '').length),
  tool_indexes: (outcome, indexes) => equal(indexes, [...new Set(fragments(outcome).map(({ index }) => index))]),
  usage: ({ payloads }, usage) => includes(usage, payloads.findLast((payload) => payload.usage)?.usage),
};

function ofFirst(outcome: Outcome): readonly Wired[] {
  return choicesOf(outcome).filter(({ index }) => count(index) === 0);
}

/** The fragments of calls, of all choices. */
function fragments(outcome: Outcome): readonly Wired[] {
  return deltasOf(outcome).flatMap(({ tool_calls }) => list(tool_calls));
}

/** The fragments of each call of the first choice. */
function byCall(outcome: Outcome): readonly (readonly Wired[])[] {
  const all = ofFirst(outcome).flatMap(({ delta }) => list(object(delta).tool_calls));
  const indexes = [...new Set(all.map(({ index }) => index))];
  return indexes.map((index) => all.filter((fragment) => fragment.index === index));
}

function counted(outcome: Outcome, what: string): number {
  if (what === 'finish') return choicesOf(outcome).filter(({ finish_reason }) => finish_reason).length;
  if (what === 'usage') return outcome.payloads.filter(({ usage }) => usage).length;
  return outcome.payloads.length;
}
