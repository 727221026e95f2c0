/** Requests of the Messages dialect: a client's read, an upstream's written. */
import {
  Aliases,
  asNumber,
  asObject,
  badField,
  type CanonicalRequest,
  compact,
  type DecodedRequest,
  type EncodedRequest,
  GatewayError,
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
import { defaultMaxTokens, encodeReasoning } from './reasoning.ts';
import { type MessagesRequest, parseRequest } from './schema.ts';
import { threadUnsupported } from './terms.ts';
import { decodeToolChoice, decodeTools, encodeTools, formatOf } from './tools.ts';
import { decodeTurns, encodeTurns } from './turns.ts';

const path = '/messages';

/** Tool names are `^[a-zA-Z0-9_-]{1,64}$` by the documentation; the API has been seen to take 128 (2026-11-29). */
const nameLimit = 64;

/** Reads a client's request. Throws `GatewayError` (400) that names the field. */
export function decodeRequest(wire: WireRequest): DecodedRequest {
  const native = asObject(wire.body);
  if (native === undefined) throw badField('', 'expected a JSON object');
  if (asObject(native.thread) !== undefined) throw threaded();
  const body = parseRequest(native);
  return { request: decode(body, native), context: contextOf(body) };
}

/** A thread leaves out what the server is to remember from the requests before; nothing here remembers any. */
function threaded(): GatewayError {
  const message = 'thread: no conversation is kept between requests; send the whole history';
  return new GatewayError({ type: 'invalid_request', code: threadUnsupported, message, param: 'thread' });
}

function decode(body: MessagesRequest, native: JsonObject): CanonicalRequest {
  const { system, turns, untranslated } = decodeTurns(body);
  const { untranslated: ofOptions = [], ...options } = decodeOptions(body);
  const toolChoice = decodeToolChoice(body);
  const lost = body.tool_choice && toolChoice === undefined;
  const alone = [
    ...untranslated,
    ...ofOptions,
    ...(lost ? [{ field: 'tool_choice', severity: 'severe' } as const] : []),
  ];
  return {
    model: body.model,
    system,
    turns,
    tools: decodeTools(body),
    ...(toolChoice !== undefined && { toolChoice }),
    ...options,
    ...(alone.length > 0 && { untranslated: alone }),
    native: { dialect: 'messages', body: native },
  };
}

function contextOf(body: MessagesRequest): RequestContext {
  return compact({
    dialect: 'messages',
    model: body.model,
    stream: body.stream === true,
    showReasoning: body.thinking?.display === 'omitted' ? false : undefined,
    carries: 'thoughts',
  });
}

/** Writes a request for a Messages upstream, and says what it cannot express. */
export function encodeRequest(
  request: CanonicalRequest,
  context: RequestContext,
  options: RequestOptions,
): EncodedRequest {
  const { native } = request;
  return native?.dialect === 'messages'
    ? passOn(request, native.body, context, options)
    : write(request, context, options);
}

/** The client's own body with what the upstream must have otherwise; all that we do not know goes on. */
function passOn(
  request: CanonicalRequest,
  client: JsonObject,
  context: RequestContext,
  options: RequestOptions,
): EncodedRequest {
  const losses = new Losses('messages', {});
  const origin = originOf('messages', request.model, options.provider);
  const unsealer = new Unsealer(origin, { dialect: 'messages' }, losses);
  const history = withoutCarriers(client, unsealer, losses);
  const body: JsonObject = { ...history, model: request.model, ...streaming(client, options) };
  body.max_tokens ??=
    options.maxOutputTokens ?? defaultMaxTokens + (asNumber(asObject(body.thinking)?.budget_tokens) ?? 0);
  const sent = options.sampling === false ? withoutDrawing(body, ['temperature', 'top_p', 'top_k'], losses) : body;
  const restore = stamper(origin, context, opaqueIn);
  return { path, query: {}, headers: {}, body: sent, losses: losses.list, ...(restore && { restore }) };
}

function streaming(client: JsonObject, options: RequestOptions): JsonObject {
  return options.stream ? { stream: true } : client.stream === undefined ? {} : { stream: false };
}

function write(sealed: CanonicalRequest, context: RequestContext, options: RequestOptions): EncodedRequest {
  const own = context.dialect === 'messages';
  const losses = new Losses('messages', sealed);
  const origin = originOf('messages', sealed.model, options.provider);
  const request = unsealed(sealed, new Unsealer(origin, context, losses));
  const names = new Aliases(nameLimit);
  const { body: tools, forced, custom, jsonTool } = encodeTools(request, names, losses);
  const conversation = encodeTurns(request, { own, names, losses });
  const { maxTokens, thinking, effort, thinks } = encodeReasoning(request, options, { forced }, losses);
  const config = compact({ effort, format: formatOf(request.output) });
  const body = compact({
    model: request.model,
    max_tokens: maxTokens,
    ...conversation,
    ...tools,
    thinking,
    output_config: Object.keys(config).length > 0 ? config : undefined,
    ...encodeOptions(request, options, thinks, losses),
    ...streaming({}, options),
  });
  const seal = sealing(origin, context);
  const stamp = stamper(origin, context, opaqueIn);
  const restore = restorer({ names: names.changed, custom, seal, stamp, ...(jsonTool !== undefined && { jsonTool }) });
  return { path, query: {}, headers: {}, body, losses: losses.list, ...(restore && { restore }) };
}
