/** Whole answers: an interaction to events, and a collected response to one. */
import {
  asObject,
  asText,
  type Block,
  type CanonicalResponse,
  compact,
  type DecoderOptions,
  type EncoderOptions,
  entryOf,
  type FrameEvents,
  GatewayError,
  isCarrier,
  isDeeper,
  type JsonObject,
  JsonText,
  parseJson,
  thinkingIn,
  torn,
  withOriginal,
} from '../../dialect.ts';
import { encodeAnnotation } from './citation.ts';
import { decodeInteraction } from './decode.ts';
import { endMembers, timeOf } from './end.ts';
import { errorBody, notJson, readError } from './error.ts';
import { mediaKinds, mimeTypes } from './terms.ts';
import { exclusive } from './usage.ts';

/** Reads a whole interaction; an error under a good status is an error all the same. */
export function decodeResponse(body: unknown, options: DecoderOptions): FrameEvents {
  const interaction = asObject(body);
  if (interaction !== undefined && members.some((member) => interaction[member] !== undefined))
    return thinkingIn(withOriginal(decodeInteraction(interaction, options), 'interactions', interaction), options);
  if (interaction?.error !== undefined) return [{ type: 'error', error: readError(interaction) }];
  const message = 'The upstream answered with something that is no interaction.';
  return [{ type: 'error', error: { type: 'upstream', code: 'unexpected_body', message, native: body } }];
}

/** Members of which each interaction has at least one. */
const members: readonly string[] = ['steps', 'status', 'outputs'];

/** Writes a whole interaction. A failed response is one that failed. Throws `GatewayError` where arguments are not what they are said to be. */
export function encodeResponse(response: CanonicalResponse, options: EncoderOptions): JsonObject {
  const { ids, context } = options;
  const own = response.dialect === 'interactions';
  const foreign = response.dialect !== undefined && !own;
  const [choice] = response.choices;
  const isWhole = choice?.reason === undefined || choice.reason === 'stop' || choice.reason === 'tool_calls';
  const isHidden = !own && context?.showReasoning === false;
  const shown = (choice?.blocks ?? []).map((block) =>
    isHidden && block.kind === 'reasoning' ? { ...block, text: '', data: [] } : block,
  );
  const hasCalls = shown.some(({ toolCall }) => toolCall?.executor === 'client');
  const created = timeOf(response.createdAt ?? context?.startedAt);
  const failed = { status: 'failed', errors: response.error === undefined ? undefined : [errorBody(response.error)] };
  const written = compact({
    id: (foreign ? undefined : response.id) ?? ids.invent('int_'),
    ...(response.error === undefined ? endMembers(choice, own, hasCalls) : failed),
    usage: exclusive(response.usage),
    created,
    updated: created,
    steps: shown.flatMap((block) => stepsOf(block, own, isWhole, options)),
    object: 'interaction',
    model: context?.model ?? response.model ?? 'unknown',
  });
  const original = own && response.error === undefined ? asObject(response.original) : undefined;
  return original === undefined ? written : givenBack(original, written, context?.model);
}

/** The members that clients read unasked. */
const required = ['id', 'status', 'object', 'model', 'usage'] as const;

/** The upstream's own interaction under the client's name of the model; steps that clients could not read are ours. */
function givenBack(original: JsonObject, written: JsonObject, model: string | undefined): JsonObject {
  const whole = { ...original };
  for (const name of required) if (whole[name] == null && written[name] !== undefined) whole[name] = written[name];
  const hasSteps = original.steps !== undefined || original.outputs !== undefined;
  if (hasSteps && !(Array.isArray(original.steps) && original.steps.every(isSound))) whole.steps = written.steps;
  if (model !== undefined && asText(original.model) !== undefined) whole.model = model;
  return whole;
}

function isSound(wire: unknown): boolean {
  const step = asObject(wire);
  if (asText(step?.type) !== 'function_call') return asText(step?.type) !== undefined;
  return asText(step?.id) !== undefined && asText(step?.name) !== undefined && asObject(step?.arguments) !== undefined;
}

function stepsOf(block: Block, own: boolean, isWhole: boolean, { limits, ids }: EncoderOptions): readonly JsonObject[] {
  const { kind, toolCall } = block;
  if (toolCall?.executor === 'client') {
    const args = argumentsOf(block, isWhole, limits.maxDepth);
    const id = toolCall.id || ids.invent('call_', block.block);
    const signature = own ? block.signature : undefined;
    if (args === undefined) return [];
    const call = compact({ type: 'function_call', id, name: toolCall.name, arguments: args, signature });
    return [...carrying(toolCall.signature), call, ...carrying(block.signature)];
  }
  if (kind === 'tool_call' || kind === 'tool_result' || kind === 'item') return own ? toolStep(block) : [];
  if (kind === 'reasoning') return thoughtOf(block, own);
  const content = [...mediaOf(block), ...textOf(block, own)];
  return content.length > 0 ? [{ type: 'model_output', content }] : [];
}

/** A thought for what the client has to send back with a call. */
function carrying(signature: string | undefined): readonly JsonObject[] {
  return isCarrier(signature) ? [{ signature, type: 'thought' }] : [];
}

/** The step of a tool that the provider runs: what its start said, and what its deltas added. */
function toolStep({ outputs }: Block): readonly JsonObject[] {
  const told = outputs.map((value) => asObject(value) ?? {});
  return told.length > 0 ? [Object.assign({}, ...told)] : [];
}

function thoughtOf({ text, signature, data }: Block, own: boolean): readonly JsonObject[] {
  const pictures = data.map(({ base64, mimeType }) => compact({ type: 'image', data: base64, mime_type: mimeType }));
  const summary = [...(text === '' ? [] : [{ type: 'text', text }]), ...pictures];
  const signed = own || isCarrier(signature) ? signature : undefined;
  if (summary.length === 0 && signed === undefined) return [];
  return [compact({ signature: signed, type: 'thought', summary: summary.length > 0 ? summary : undefined })];
}

function textOf({ text, citations }: Block, own: boolean): readonly JsonObject[] {
  const annotations = citations.flatMap((citation) => encodeAnnotation(citation, own) ?? []);
  if (text === '') return [];
  return [compact({ text, type: 'text', annotations: annotations.length > 0 ? annotations : undefined })];
}

function mediaOf({ kind, media, data }: Block): readonly JsonObject[] {
  if (!(kind in mediaKinds)) return [];
  const mime_type = media?.mimeType ?? entryOf(mimeTypes, kind);
  const whole = data.filter(({ partial }) => partial !== true);
  const located = media?.uri === undefined ? [] : [{ type: kind, uri: media.uri, mime_type }];
  return [
    ...located,
    ...whole.map((piece) => ({ type: kind, data: piece.base64, mime_type: piece.mimeType ?? mime_type })),
  ];
}

/** Arguments must be an object here; a call that a limit cut off is left out, for the status says so. */
function argumentsOf({ toolCall, input }: Block, isWhole: boolean, maxDepth: number): JsonObject | undefined {
  if (toolCall?.format === 'text') return { input };
  const json = new JsonText();
  json.add(input);
  if (json.state === 'cut' && !isWhole) return undefined;
  if (json.state === 'cut') throw new GatewayError(torn);
  if (json.state === 'empty' || input.trim() === 'null') return {};
  const args = isDeeper(input, maxDepth) ? undefined : asObject(parseJson(input));
  if (args === undefined) throw new GatewayError(notJson);
  return args;
}
