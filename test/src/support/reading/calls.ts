/** Chat tool calls from their fragments: as the official accumulator joins them, or as recorded habits need it. */
import { object, parsed, text, type Wired } from '../json.ts';
import type { AnswerDraft, CallDraft } from './reading.ts';

/** Which call a fragment continues; none where it begins one. */
export type Finder = (calls: readonly CallDraft[], fragment: Wired) => CallDraft | undefined;

/** The official accumulator goes by index alone. */
export const byIndex: Finder = (calls, { index }) => calls.find((call) => call.index === index);

/** Recorded servers leave the index out, number all calls 0, and send whole calls one after the other. */
export const byHabit: Finder = (calls, fragment) => {
  const id = idOf(fragment);
  const index = fragment.index ?? undefined;
  const last = index === undefined ? calls.at(-1) : calls.findLast((call) => call.index === index);
  if (id !== undefined && (index === undefined || (last?.id !== undefined && last.id !== id)))
    return calls.find((call) => call.id === id);
  return last !== undefined && id === undefined && beginsAnother(last, fragment) ? undefined : last;
};

/** Without an id, a name after whole arguments is the next call. */
function beginsAnother({ name, json }: CallDraft, fragment: Wired): boolean {
  return text(bodyOf(fragment).name) !== '' && name !== '' && parsed(json) !== undefined;
}

/** Adds a fragment to the calls of an answer. */
export function takeFragment(answer: AnswerDraft, fragment: Wired, find: Finder): void {
  const call = find(answer.calls, fragment) ?? answer.call(fragment.index, fragment.custom !== undefined);
  const { name, arguments: sent, input = sent } = bodyOf(fragment);
  const id = idOf(fragment);
  // A second id replaces the first in the official accumulator; recorded servers number their fragments.
  if (id !== undefined && (call.id === undefined || find === byIndex)) call.id = id;
  if (text(name) !== call.name) call.name += text(name);
  if (typeof input === 'string') call.json += input;
  else if (input !== null && input !== undefined) call.json += JSON.stringify(input);
}

function bodyOf(fragment: Wired): Wired {
  return object(fragment.function ?? fragment.custom);
}

function idOf({ id }: Wired): string | undefined {
  return id === null || id === undefined || id === '' ? undefined : String(id);
}
