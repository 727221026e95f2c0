/** Named checks that mean the same for every dialect. */
import { text } from '../../support/json.ts';
import { details } from '../details.ts';
import { statuses } from '../errors.ts';
import { at, equal, holds } from '../finding.ts';
import { choicesOf, deltasOf } from '../outcome.ts';
import type { Checks } from './check.ts';

export const anyChecks: Checks = {
  /** A stream has no status line; an error before all output lets the gateway still choose one. */
  client_status_is_error: ({ error, answer }, status) => {
    if (error === undefined) return { expected: 'an error', got: answer.end ?? 'no ending' };
    const right = status === undefined || statuses[status as number]?.includes(error.type) !== false;
    return holds(right && !error.afterOutput, status ?? 'an error before all output', error);
  },
  every_data_is_json_or_done: ({ events }) => {
    const other = events.find(({ data, json }) => json === undefined && data !== '[DONE]');
    return holds(other === undefined, 'JSON or [DONE]', other?.data);
  },
  id_and_model_non_empty: (outcome) => {
    const { dialect, payloads } = outcome;
    const chunks = dialect === 'chat' ? payloads.filter(({ error }) => !error).length : 1;
    const named = [details.ids(outcome), details.models(outcome)];
    return holds(named.every(({ length }) => length >= chunks) && chunks > 0, `${chunks} ids and models`, named);
  },
  keeps_field: (outcome, path) => {
    const places = [...outcome.payloads, ...choicesOf(outcome), ...deltasOf(outcome)];
    const calls = deltasOf(outcome).flatMap(({ tool_calls }) => (Array.isArray(tool_calls) ? tool_calls : []));
    const kept = [...places, ...calls].some((place) => at(place, text(path)) !== undefined);
    return holds(kept, path, 'none');
  },
  model_in_every_event: (outcome, model) => equal([model], [...new Set(details.models(outcome))]),
  no_char: ({ stream, payloads }, char) =>
    holds(![stream, ...payloads.flatMap(stringsIn)].some((said) => said.includes(text(char))), `no ${char}`, 'found'),
  no_done_sentinel: ({ events }) => holds(!events.some(({ data }) => data === '[DONE]'), 'no [DONE]', '[DONE]'),
  text_concat: ({ answer }, said) => equal(said, answer.text),
};

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}
