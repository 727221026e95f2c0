/** Whole answers: a Response object to the events of one frame, and a collected response to an object. */
import {
  asArray,
  asObject,
  asText,
  type Block,
  type CanonicalEvent,
  type CanonicalResponse,
  type DecoderOptions,
  type Delta,
  type EncoderOptions,
  entryOf,
  type FrameEvents,
  isCarrier,
  type JsonObject,
  overlay,
  thinkingIn,
  withOriginal,
} from '../../dialect.ts';
import { ResponsesDecoder } from './decode.ts';
import { ResponsesEncoder } from './encode.ts';
import { readError } from './error.ts';
import { completeItem, isSoundItem } from './shape.ts';
import { terminalOfStatus } from './terms.ts';
import { completeUsage } from './usage.ts';

/** Reads a Response object as its last event would be read; an error body is an error. One that still runs reads as incomplete, and goes back as it is. */
export function decodeResponse(body: unknown, options: DecoderOptions): FrameEvents {
  const response = asObject(body);
  if (response === undefined || (response.output === undefined && asObject(response.error) !== undefined))
    return [{ type: 'error', error: readError(response?.error ?? body) }];
  const type = entryOf(terminalOfStatus, asText(response.status) ?? 'completed') ?? 'response.incomplete';
  const { status } = response;
  const events = new ResponsesDecoder(options).whole({ type, response });
  const original = asText(status) === undefined ? response : { ...response, status };
  return thinkingIn(withOriginal(events, 'responses', original), options);
}

/** Writes a Response object: the one that a stream of the same events would end with. */
export function encodeResponse(response: CanonicalResponse, options: EncoderOptions): unknown {
  const encoder = new ResponsesEncoder(options);
  encoder.push(eventsOf(response));
  const written = encoder.response;
  const original = response.dialect === 'responses' && response.error === undefined && asObject(response.original);
  return original ? givenBack(original, written, options) : written;
}

/** The members that clients read unasked, and those that name earlier answers, of which an upstream was not told. */
const required: ReadonlySet<string> = new Set([
  ...['id', 'object', 'created_at', 'status', 'model', 'output', 'usage', 'previous_response_id', 'conversation'],
]);

/** The upstream's own response; an item that clients could not read is completed by ours. */
function givenBack(original: JsonObject, written: JsonObject, { context }: EncoderOptions): JsonObject {
  const { output: items, ...rest } = written;
  completeUsage(original.usage);
  const ours = asArray(items);
  const output = Array.isArray(original.output)
    ? original.output.map((item, at) => (isSoundItem(item) ? item : completed(item, ours[at])))
    : ours;
  const needed = Object.entries(rest).filter(
    ([name, value]) => required.has(name) && (value !== null || name === 'usage'),
  );
  const whole = asObject(overlay({ ...original, output }, Object.fromEntries(needed), required)) ?? written;
  return context?.model === undefined ? whole : { ...whole, model: context.model };
}

function completed(item: unknown, ours: unknown): unknown {
  const wire = asObject(item);
  const known = asObject(ours);
  if (wire === undefined || known === undefined || (wire.id ?? known.id) !== known.id) return ours ?? item;
  completeItem(wire, known);
  return wire;
}

function eventsOf(response: CanonicalResponse): CanonicalEvent[] {
  const { dialect, id, model, createdAt, serviceTier, choices, usage, status, error } = response;
  const blocks = choices[0]?.blocks ?? [];
  const { reason = 'stop', nativeReason, details } = choices[0] ?? {};
  return [
    {
      type: 'response-start',
      ...(id !== undefined && { id }),
      ...(model !== undefined && { model }),
      ...(createdAt !== undefined && { createdAt }),
      ...(serviceTier !== undefined && { serviceTier }),
      ...(dialect !== undefined && { native: { dialect } }),
    },
    ...blocks.flatMap(blockEvents),
    ...(usage === undefined ? [] : [{ type: 'usage', usage, final: true } as const]),
    ...(error !== undefined
      ? [{ type: 'error', error } as const]
      : [
          {
            type: 'finish',
            choice: 0,
            reason,
            ...(nativeReason !== undefined && { nativeReason }),
            ...(details !== undefined && { details }),
          } as const,
          { type: 'response-end', status } as const,
        ]),
  ];
}

function blockEvents(whole: Block): CanonicalEvent[] {
  const { block, status, final } = whole;
  return [
    { ...whole, type: 'block-start' },
    ...deltasOf(whole).map((delta) => ({ type: 'block-delta', block, delta }) as const),
    { type: 'block-end', block, ...(status !== undefined && { status }), ...(final !== undefined && { final }) },
  ];
}

function deltasOf({ kind, text, input, citations, logprobs, data, final, signature }: Block): Delta[] {
  const said: Delta[] = kind === 'reasoning' ? reasoningOf(text, final) : [];
  if (kind !== 'reasoning' && text !== '')
    said.push(logprobs.length > 0 ? { type: 'text', text, logprobs } : { type: 'text', text });
  if (input !== '') said.push({ type: 'input', text: input });
  if (isCarrier(signature)) said.push({ type: 'signature', value: signature, mode: 'set' });
  return [
    ...said,
    ...citations.map((citation) => ({ type: 'citation', citation }) as const),
    ...data.map((piece) => ({ type: 'data', ...piece }) as const),
  ];
}

/** Where the upstream's dialect is ours, its own item tells the parts apart. */
function reasoningOf(text: string, final: Block['final']): Delta[] {
  const item = asObject(final?.item);
  if (item?.type !== 'reasoning') return [{ type: 'reasoning', form: 'summary', text }];
  return (['summary', 'content'] as const).flatMap((list) =>
    asArray(item[list]).map((part, at) => {
      const form = list === 'summary' ? 'summary' : 'raw';
      return { type: 'reasoning', form, text: asText(asObject(part)?.text) ?? '', part: at } as const;
    }),
  );
}
