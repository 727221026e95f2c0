/** Requests of the Chat dialect: a client's read, an upstream's written. */
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
import { withoutCarriers } from './carried.ts';
import { opaqueIn } from './opaque.ts';
import { decodeOptions, encodeOptions } from './options.ts';
import { isHidden } from './reasoning.ts';
import { type ChatRequest, parseRequest } from './schema.ts';
import { decodeToolChoice, decodeTools, encodeTools } from './tools.ts';
import { decodeTurns, encodeTurns } from './turns.ts';

const path = '/chat/completions';

/** Tool names are `^[a-zA-Z0-9_-]{1,64}$` (platform.openai.com, function calling, seen 2026-11-29). */
const nameLimit = 64;

/** Reads a client's request. Throws `GatewayError` (400) that names the field. */
export function decodeRequest(wire: WireRequest): DecodedRequest {
  const native = asObject(wire.body);
  if (native === undefined) throw badField('', 'expected a JSON object');
  const body = parseRequest(native);
  return { request: decode(body, native), context: contextOf(body) };
}

function decode(body: ChatRequest, native: JsonObject): CanonicalRequest {
  const { untranslated = [], ...options } = decodeOptions(body);
  const toolChoice = decodeToolChoice(body);
  const lost = (body.tool_choice ?? body.function_call) != null && toolChoice === undefined;
  const alone = [...untranslated, ...(lost ? [{ field: 'tool_choice', severity: 'severe' } as const] : [])];
  return {
    model: body.model,
    ...decodeTurns(body.messages),
    tools: decodeTools(body),
    ...(toolChoice !== undefined && { toolChoice }),
    ...options,
    ...(alone.length > 0 && { untranslated: alone }),
    native: { dialect: 'chat', body: native },
  };
}

function contextOf(body: ChatRequest): RequestContext {
  const customTools = (body.tools ?? []).flatMap(({ custom }) => custom?.name ?? []);
  return compact({
    dialect: 'chat',
    model: body.model,
    stream: body.stream === true,
    includeUsage: body.stream_options?.include_usage ?? undefined,
    customTools: customTools.length > 0 ? customTools : undefined,
    showReasoning: isHidden(body) ? false : undefined,
    carries: 'calls',
  });
}

/** Writes a request for a Chat upstream, and says what it cannot express. */
export function encodeRequest(
  request: CanonicalRequest,
  context: RequestContext,
  options: RequestOptions,
): EncodedRequest {
  const { native } = request;
  return native?.dialect === 'chat' ? passOn(request, native.body, context, options) : write(request, context, options);
}

const drawn: readonly string[] = [
  'temperature',
  'top_p',
  'top_k',
  'frequency_penalty',
  'presence_penalty',
  'logit_bias',
];

/** The client's own body with what the upstream must have otherwise; all that we do not know goes on. */
function passOn(
  request: CanonicalRequest,
  client: JsonObject,
  context: RequestContext,
  options: RequestOptions,
): EncodedRequest {
  const losses = new Losses('chat', {});
  const origin = originOf('chat', request.model, options.provider);
  const history = withoutCarriers(client, new Unsealer(origin, { dialect: 'chat' }, losses));
  const body: JsonObject = { ...history, model: request.model, ...streaming(client, options) };
  if (!options.stream) delete body.stream_options;
  const sent = options.sampling === false ? withoutDrawing(body, drawn, losses) : body;
  const restore = stamper(origin, context, opaqueIn);
  return { path, query: {}, headers: {}, body: sent, losses: losses.list, ...(restore && { restore }) };
}

/** Usage is always asked for: the gateway counts, whatever the client wants to see. */
function streaming(client: JsonObject, options: RequestOptions): JsonObject {
  if (options.stream)
    return { stream: true, stream_options: { ...asObject(client.stream_options), include_usage: true } };
  return client.stream === undefined ? {} : { stream: false };
}

function write(sealed: CanonicalRequest, context: RequestContext, options: RequestOptions): EncodedRequest {
  const losses = new Losses('chat', sealed);
  const origin = originOf('chat', sealed.model, options.provider);
  const request = unsealed(sealed, new Unsealer(origin, context, losses));
  const names = new Aliases(nameLimit);
  const tools = encodeTools(request, names, losses);
  const messages = encodeTurns(request, context.dialect === 'chat', names, losses);
  reportBreakpoints(request, losses);
  const body = {
    model: request.model,
    messages,
    ...tools,
    ...encodeOptions(request, options, losses),
    ...streaming({}, options),
  };
  const stamp = stamper(origin, context, opaqueIn);
  const restore = restorer({ names: names.changed, seal: sealing(origin, context, true), stamp });
  return { path, query: {}, headers: {}, body, losses: losses.list, ...(restore && { restore }) };
}

/** Chat upstreams find repeated prefixes by themselves; the first breakpoint stands for all of them. */
function reportBreakpoints(request: CanonicalRequest, losses: Losses): void {
  const marked = [...request.system, ...request.tools, ...request.turns.flatMap(({ parts }) => parts)].find(
    (piece) => 'cacheControl' in piece,
  );
  const at = request.cacheControl === undefined ? marked?.at : 'cacheControl';
  if (at !== undefined) losses.minor(at === 'cacheControl' ? at : `${at}.cache_control`, 'Chat caches by itself');
}
