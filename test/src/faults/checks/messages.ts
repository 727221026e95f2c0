/** Named checks of Messages streams. */
import { object, text, type Wired } from '../../support/json.ts';
import { details } from '../details.ts';
import { equal, first, holds, includes } from '../finding.ts';
import { deltasOf, type Outcome, ofType } from '../outcome.ts';
import type { Checks } from './check.ts';

export const messagesChecks: Checks = {
  absent_events: (outcome, names) => {
    const found = typesOf(outcome).filter((type) => (names as readonly string[]).includes(type));
    return equal([], found);
  },
  block_indexes: (outcome, indexes) =>
    equal(
      indexes,
      ofType(outcome, 'content_block_start').map(({ index }) => index),
    ),
  block_types: (outcome, types) =>
    equal(
      types,
      blocks(outcome).map(({ type }) => type),
    ),
  error_type: (outcome, type) => equal(type, object(ofType(outcome, 'error').at(-1)?.error).type),
  event_count: (outcome, counts) => {
    const names = Object.keys(object(counts));
    return equal(counts, Object.fromEntries(names.map((name) => [name, ofType(outcome, name).length])));
  },
  every_event_has_event_line: ({ events }) => {
    const bare = events.find(({ name }) => name === undefined);
    return holds(events.length > 0 && bare === undefined, 'an event line', bare?.data);
  },
  first_event: (outcome, type) => equal(type, typesOf(outcome)[0]),
  last_event: (outcome, type) => equal(type, typesOf(outcome).at(-1)),
  message_delta_usage: (outcome, usage) => includes(usage, usageOf(outcome)),
  message_delta_usage_min: (outcome, least) => {
    const usage = usageOf(outcome);
    const enough = Object.entries(object(least)).every(([name, count]) => Number(usage[name]) >= Number(count));
    return holds(enough, least, usage);
  },
  partial_json_concat: ({ answer }, json) =>
    equal(
      json,
      answer.calls.map((call) => call.json),
    ),
  passes_delta: (outcome, type) =>
    holds(
      deltasOf(outcome).some((delta) => delta.type === type),
      type,
      'none',
    ),
  passes_event: (outcome, type) => holds(typesOf(outcome).includes(text(type)), type, 'none'),
  signature_of_block: (outcome, signatures) =>
    first(
      Object.entries(object(signatures)).map(([index, value]) => equal(value, signatureOf(outcome, Number(index)))),
    ),
  stop_reason: ({ answer }, word) => equal(word, answer.word),
  stop_sequence: (outcome, met) => equal(met, details.stopSequence(outcome)),
  stop_sequence_is_null: (outcome) => equal(null, details.stopSequence(outcome) ?? null),
  tool_start_input_is_empty_object: (outcome) =>
    first(
      blocks(outcome)
        .filter(({ type }) => type === 'tool_use')
        .map(({ input }) => equal({}, input)),
    ),
};

function typesOf({ payloads }: Outcome): readonly string[] {
  return payloads.map(({ type }) => text(type));
}

function blocks(outcome: Outcome): readonly Wired[] {
  return ofType(outcome, 'content_block_start').map(({ content_block }) => object(content_block));
}

/** The counters as a client has them at the end. */
function usageOf(outcome: Outcome): Wired {
  const start = object(ofType(outcome, 'message_start')[0]?.message).usage;
  return { ...object(start), ...object(ofType(outcome, 'message_delta').at(-1)?.usage) };
}

function signatureOf(outcome: Outcome, index: number): string {
  const own = outcome.payloads.filter((payload) => payload.index === index);
  return own.map(({ delta, content_block }) => text(object(delta ?? content_block).signature)).join('');
}
