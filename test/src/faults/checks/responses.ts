/** Named checks of Responses streams. */
import { list, object, type Wired } from '../../support/json.ts';
import { itemsDone, pairsOf } from '../details.ts';
import { equal, first, holds, includes } from '../finding.ts';
import { type Outcome, ofType } from '../outcome.ts';
import type { Checks } from './check.ts';

const terminals = ['response.completed', 'response.incomplete', 'response.failed', 'error'];

export const responsesChecks: Checks = {
  annotation_added_count: (outcome, times) =>
    equal(times, ofType(outcome, 'response.output_text.annotation.added').length),
  content_part_before_text_delta: ({ payloads }) => {
    const open = new Set<string>();
    for (const { type, output_index: item, content_index: part } of payloads) {
      if (type === 'response.content_part.added') open.add(`${item}/${part}`);
      if (type === 'response.output_text.delta' && !open.has(`${item}/${part}`))
        return { expected: 'the part before its text', got: `${item}/${part}` };
    }
    return undefined;
  },
  done_arguments: (outcome, json) =>
    equal(
      [json],
      [...new Set(ofType(outcome, 'response.function_call_arguments.done').map((event) => event.arguments))],
    ),
  incomplete_reason: (outcome, reason) => equal(reason, object(responseOf(outcome).incomplete_details).reason),
  item_field: (outcome, value) => {
    const { index, ...members } = object(value);
    const item = ofType(outcome, 'response.output_item.done').find(({ output_index }) => output_index === index)?.item;
    return includes(members, item) ?? includes(members, list(responseOf(outcome).output)[Number(index)]);
  },
  item_ids_constant: ({ payloads }) => {
    const ids = new Map<unknown, Set<unknown>>();
    for (const { output_index: index, item_id, item } of payloads) {
      const id = item_id ?? object(item).id;
      if (index !== undefined && id !== undefined) ids.set(index, (ids.get(index) ?? new Set()).add(id));
    }
    return first([...ids.values()].map((known) => equal(1, known.size)));
  },
  item_status: (outcome, statuses) =>
    first(
      Object.entries(object(statuses)).flatMap(([call, status]) =>
        [itemsDone(outcome), list(responseOf(outcome).output)].map((items) =>
          equal(status, items.find(({ call_id }) => call_id === call)?.status),
        ),
      ),
    ),
  logprobs_on_delta_and_done: (outcome, _, { logprobs }) =>
    first(
      ['response.output_text.delta', 'response.output_text.done'].map((type) =>
        equal(
          logprobs,
          ofType(outcome, type).flatMap((event) => pairsOf(event.logprobs)),
        ),
      ),
    ),
  output_indexes: (outcome, indexes) =>
    equal(
      indexes,
      ofType(outcome, 'response.output_item.added').map(({ output_index }) => output_index),
    ),
  output_types: (outcome, types) => {
    const done = equal(
      types,
      ofType(outcome, 'response.output_item.added').map(({ item }) => object(item).type),
    );
    const output = list(responseOf(outcome).output).map(({ type }) => type);
    return done ?? (terminalOf(outcome)?.type === 'response.failed' ? undefined : equal(types, output));
  },
  terminal: (outcome, type) => equal(type, terminalOf(outcome)?.type),
  terminal_output_matches_items: (outcome) => {
    const identities = (items: readonly Wired[]): unknown[] => items.map(({ id, type }) => ({ id, type }));
    return equal(identities(itemsDone(outcome)), identities(list(responseOf(outcome).output)));
  },
  terminal_usage: (outcome, usage) => includes(usage, responseOf(outcome).usage),
  terminal_usage_is_null: (outcome) => {
    const response = terminalOf(outcome)?.response;
    return holds(response !== undefined && (object(response).usage ?? null) === null, null, response);
  },
};

function terminalOf({ payloads }: Outcome): Wired | undefined {
  return payloads.findLast(({ type }) => terminals.includes(String(type)));
}

function responseOf(outcome: Outcome): Wired {
  return object(terminalOf(outcome)?.response);
}
