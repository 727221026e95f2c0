/** Requests of the Interactions dialect: a client's read, an upstream's written. */
import {
  Aliases,
  asObject,
  badField,
  type CanonicalRequest,
  compact,
  type DecodedRequest,
  type EncodedRequest,
  type JsonObject,
  Losses,
  originOf,
  type RequestContext,
  type RequestOptions,
  restorer,
  sealing,
  stamper,
  Unsealer,
  unsealed,
  type WireRequest,
  withoutDrawing,
} from '../../dialect.ts';
import { opaqueIn, withoutCarriers } from './carried.ts';
import { decodeOptions, encodeOptions } from './options.ts';
import { type InteractionsRequest, parseRequest } from './schema.ts';
import { decodeToolChoice, decodeTools, encodeTools } from './tools.ts';
import { decodeTurns, encodeTurns } from './turns.ts';

const path = '/interactions';

/** Names of functions have at most 64 characters (ai.google.dev, function calling, seen 2026-11-29). */
const nameLimit = 64;

/** Reads a client's request. Throws `GatewayError` (400) that names the field. */
export function decodeRequest(wire: WireRequest): DecodedRequest {
  const native = asObject(wire.body);
  if (native === undefined) throw badField('', 'expected a JSON object');
  const body = parseRequest(native);
  const model = body.model || body.agent;
  if (!model) throw badField('model', 'expected the name of a model, got nothing');
  const { input } = body;
  if (!body.previous_interaction_id && (input == null || (Array.isArray(input) && input.length === 0)))
    throw badField('input', 'expected a string, content or steps, got nothing');
  return { request: decode(body, model, native), context: contextOf(body, model) };
}

function decode(body: InteractionsRequest, model: string, native: JsonObject): CanonicalRequest {
  const { untranslated = [], ...options } = decodeOptions(body);
  const toolChoice = decodeToolChoice(body);
  const isLost = body.generation_config?.tool_choice != null && toolChoice === undefined;
  const lost = isLost ? [{ field: 'generation_config.tool_choice', severity: 'severe' } as const] : [];
  const alone = [...untranslated, ...lost];
  const previous = body.previous_interaction_id;
  return {
    model,
    ...decodeTurns(body),
    tools: decodeTools(body),
    ...(toolChoice !== undefined && { toolChoice }),
    ...options,
    ...(alone.length > 0 && { untranslated: alone }),
    ...(previous && { refers: { previousResponseId: previous, items: [] } }),
    native: { dialect: 'interactions', body: native },
  };
}

/** The client sees thoughts only if it asks for their summaries. */
function contextOf(body: InteractionsRequest, model: string): RequestContext {
  return compact({
    dialect: 'interactions',
    model,
    stream: body.stream === true,
    showReasoning: body.generation_config?.thinking_summaries === 'auto' ? undefined : false,
    carries: 'thoughts',
  });
}

/** Writes a request for an Interactions upstream, and says what it cannot express. */
export function encodeRequest(
  request: CanonicalRequest,
  context: RequestContext,
  options: RequestOptions,
): EncodedRequest {
  const { native } = request;
  return native?.dialect === 'interactions'
    ? passOn(request, native.body, context, options)
    : write(request, context, options);
}

const drawn: readonly string[] = ['temperature', 'top_p', 'top_k', 'presence_penalty', 'frequency_penalty'];

/** The client's own body with what the upstream must have otherwise; all that we do not know goes on. */
function passOn(
  request: CanonicalRequest,
  client: JsonObject,
  context: RequestContext,
  options: RequestOptions,
): EncodedRequest {
  const losses = new Losses('interactions', {});
  const origin = originOf('interactions', request.model, options.provider);
  const named = client.model == null && client.agent != null ? { agent: request.model } : { model: request.model };
  const unsealer = new Unsealer(origin, { dialect: 'interactions' }, losses);
  const body: JsonObject = { ...withoutCarriers(client, unsealer), ...named, ...streaming(client, options) };
  const config = asObject(body.generation_config);
  if (options.sampling === false && config !== undefined)
    body.generation_config = withoutDrawing(config, drawn, losses, 'generation_config.');
  const restore = stamper(origin, context, opaqueIn);
  return { path, query: {}, headers: {}, body, losses: losses.list, ...(restore && { restore }) };
}

function streaming(client: JsonObject, { stream }: RequestOptions): JsonObject {
  return stream ? { stream: true } : client.stream === undefined ? {} : { stream: false };
}

function write(sealed: CanonicalRequest, context: RequestContext, options: RequestOptions): EncodedRequest {
  const losses = new Losses('interactions', sealed);
  const origin = originOf('interactions', sealed.model, options.provider);
  const request = unsealed(sealed, new Unsealer(origin, context, losses));
  const names = new Aliases(nameLimit);
  const { tools, choice, custom } = encodeTools(request, names, losses);
  const conversation = encodeTurns(request, { own: context.dialect === 'interactions', names, losses });
  const body = {
    model: request.model,
    ...conversation,
    ...compact({ tools }),
    ...encodeOptions(request, choice, options, losses),
    ...streaming({}, options),
  };
  const stamp = stamper(origin, context, opaqueIn);
  const restore = restorer({ names: names.changed, custom, seal: sealing(origin, context), stamp });
  return { path, query: {}, headers: {}, body, losses: losses.list, ...(restore && { restore }) };
}
