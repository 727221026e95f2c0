/** Relayed events that end something, and the responses in them: what they repeat must be there and readable, else it is put in from what the client has seen. */
import { asObject, asText, entryOf, type JsonObject, type Native, parseJson } from '../../dialect.ts';
import { type OutputItem, partOf } from './output.ts';
import { completeItem, isSoundItem, isSoundPart } from './shape.ts';
import { partTerms, toolItems } from './terms.ts';

/** Sets right a relayed event that ends a text, a part, an input or an item; returns whether anything was wrong. */
export function completeEnd(native: Native, type: string, item: OutputItem | undefined): boolean {
  const complete = item === undefined ? undefined : completions.get(type);
  const data = complete === undefined ? undefined : asObject(native.data);
  return item !== undefined && data !== undefined && complete?.(data, item) === true;
}

/** Sets right one kind of event. */
type Complete = (data: JsonObject, item: OutputItem) => boolean;

const completeText =
  (field: string): Complete =>
  (data, item) => {
    const part = typeof data[field] === 'string' ? undefined : partOf(item, data);
    if (part === undefined) return false;
    data[field] = parseJson(part.said.json);
    return true;
  };

const completePart: Complete = (data, item) => {
  const part = partOf(item, data);
  const said = asObject(data.part);
  if (part === undefined || (said?.type === part.kind && isSoundPart(said))) return false;
  data.part = { ...said, ...asObject(parseJson(part.json)) };
  return true;
};

const completeInput =
  (field: string): Complete =>
  (data, item) => {
    if (typeof data[field] === 'string') return false;
    data[field] = parseJson(item.inputJson);
    return true;
  };

/** What its upstream says of how it ended counts, for what is written knows nothing of that. */
const completeDone: Complete = (data, item) => {
  const wire = asObject(data.item) ?? {};
  if (isSoundItem(wire)) return false;
  completeItem(wire, asObject(parseJson(item.json('completed'))) ?? {});
  return true;
};

const completions: ReadonlyMap<string, Complete> = new Map([
  ...Object.values(partTerms).flatMap((term): [string, Complete][] => [
    [term.textDone, completeText(term.field)],
    [term.done, completePart],
  ]),
  ...Object.values(toolItems).flatMap(({ input }): [string, Complete][] =>
    input === undefined ? [] : [[`${input.event}.done`, completeInput(input.field)]],
  ),
  ['response.output_item.done', completeDone],
]);

/** The status of a response by the event that tells of it, while it runs. */
const runningStates: Readonly<Record<string, string>> = {
  'response.created': 'in_progress',
  'response.in_progress': 'in_progress',
  'response.queued': 'queued',
};

/** Gives a response that runs its status; returns whether it had none. */
export function completeState(type: string, response: JsonObject): boolean {
  const running = entryOf(runningStates, type);
  if (running === undefined || typeof response.status === 'string') return false;
  response.status = running;
  return true;
}

/** Sets right what a response says of its end: why it is incomplete, and its usage, which must be there once it `ends`. */
export function completeReport(response: JsonObject, ends: boolean): boolean {
  const { incomplete_details: details, usage } = response;
  const isUnexplained = details != null && asText(asObject(details)?.reason) === undefined;
  const isUncounted = usage !== null && asObject(usage) === undefined && (ends || usage !== undefined);
  if (isUnexplained) response.incomplete_details = null;
  if (isUncounted) response.usage = null;
  return isUnexplained || isUncounted;
}
