/** Requests of the dialect, whose URL says which model is asked and whether it streams: a client's read, an upstream's written. */
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
  pipe,
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
import { demandsSignatures, opaqueIn, signed, withoutCarriers } from './carried.ts';
import { Binding, withOwnToken } from './continuation.ts';
import { normalised } from './names.ts';
import { decodeOptions, encodeOptions } from './options.ts';
import { isShown } from './reasoning.ts';
import { type GeminiRequest, parseRequest } from './schema.ts';
import { decodeToolChoice, decodeTools, encodeTools } from './tools.ts';
import { decodeTurns, encodeTurns } from './turns.ts';

/** Names of functions have at most 64 characters (ai.google.dev/api/caching, FunctionDeclaration, seen 2026-11-29). */
const nameLimit = 64;

/** Reads a client's request. Throws `GatewayError` (400) that names the field. */
export function decodeRequest(wire: WireRequest): DecodedRequest {
  const given = asObject(wire.body);
  if (given === undefined) throw badField('', 'expected a JSON object');
  const { model, streams } = calledBy(wire.path);
  // A request for a count of tokens may hold the one whose tokens are to be counted.
  const native = asObject(given.generateContentRequest) ?? given;
  const body = parseRequest(normalised(native));
  return { request: decode(body, model, native), context: contextOf(body, model, streams, wire.query.alt) };
}

/** The model and the method of a path such as `/v1beta/models/demo:streamGenerateContent`. */
function calledBy(path: string): { model: string; streams: boolean } {
  const [, name, method] = /\/(?:models|tunedModels)\/(.+):(\w+)$/.exec(path) ?? [];
  if (name === undefined || method === undefined) throw badField('model', 'expected the name of a model in the path');
  return { model: decoded(name), streams: method === 'streamGenerateContent' };
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    throw badField('model', 'expected a name in URL form in the path');
  }
}

function decode(body: GeminiRequest, model: string, native: JsonObject): CanonicalRequest {
  const { untranslated = [], ...options } = decodeOptions(body);
  const toolChoice = decodeToolChoice(body);
  const mode = body.toolConfig?.functionCallingConfig?.mode;
  const isLost = Boolean(mode) && mode !== 'MODE_UNSPECIFIED' && toolChoice === undefined;
  const alone = [...untranslated, ...(isLost ? [{ field: 'toolConfig', severity: 'severe' } as const] : [])];
  return {
    model,
    ...decodeTurns(body),
    tools: decodeTools(body),
    ...(toolChoice !== undefined && { toolChoice }),
    ...options,
    ...(alone.length > 0 && { untranslated: alone }),
    native: { dialect: 'gemini', body: native },
  };
}

/** `alt=sse` asks for server-sent events: one, where the answer comes whole; a stream without it is one array. */
function contextOf(body: GeminiRequest, model: string, streams: boolean, alt: string | undefined): RequestContext {
  const isSse = alt === 'sse';
  return compact({
    dialect: 'gemini',
    model,
    stream: streams,
    framing: isSse ? 'sse' : streams ? 'json-array' : undefined,
    showReasoning: isShown(body) ? undefined : false,
    carries: 'calls',
  });
}

/** Writes a request for a Gemini upstream, and says what it cannot express. */
export function encodeRequest(
  request: CanonicalRequest,
  context: RequestContext,
  options: RequestOptions,
): EncodedRequest {
  const { native } = request;
  return native?.dialect === 'gemini'
    ? passOn(request, native.body, context, options)
    : write(request, context, options);
}

/** Where a model is asked; a stream is always asked for as server-sent events. */
function addressOf(model: string, stream: boolean): Pick<EncodedRequest, 'path' | 'query' | 'headers'> {
  const name = model.split('/').map(encodeURIComponent).join('/');
  const path = `${/^(models|tunedModels|publishers|projects)\//.test(model) ? '' : '/models'}/${name}`;
  return stream
    ? { path: `${path}:streamGenerateContent`, query: { alt: 'sse' }, headers: {} }
    : { path: `${path}:generateContent`, query: {}, headers: {} };
}

const drawn: readonly string[] = ['temperature', 'topP', 'topK', 'frequencyPenalty', 'presencePenalty'];

/** The client's own body with what the upstream must have otherwise; all that we do not know goes on. */
function passOn(
  request: CanonicalRequest,
  client: JsonObject,
  context: RequestContext,
  options: RequestOptions,
): EncodedRequest {
  const losses = new Losses('gemini', {});
  const origin = originOf('gemini', request.model, options.provider);
  const unsealer = new Unsealer(origin, { dialect: 'gemini' }, losses);
  const history = signed(withoutCarriers(client, unsealer), origin, losses);
  const { model: _, ...body } = withOwnToken(history, unsealer, losses);
  const config = asObject(body.generationConfig);
  if (options.sampling === false && config !== undefined)
    body.generationConfig = withoutDrawing(config, drawn, losses, 'generationConfig.');
  const stamp = stamper(origin, context, opaqueIn);
  const restore = stamp === undefined ? new Binding(origin) : pipe(new Binding(origin), stamp);
  return { ...addressOf(request.model, options.stream), body, losses: losses.list, restore };
}

function write(sealed: CanonicalRequest, context: RequestContext, options: RequestOptions): EncodedRequest {
  const own = context.dialect === 'gemini';
  const losses = new Losses('gemini', sealed);
  const origin = originOf('gemini', sealed.model, options.provider);
  const request = unsealed(sealed, new Unsealer(origin, context, losses));
  const names = new Aliases(nameLimit);
  const { body: tools, custom } = encodeTools(request, names, losses);
  const demands = demandsSignatures(origin);
  const conversation = encodeTurns(request, { own, names, losses, called: new Map(), demands });
  const body = { ...conversation, ...tools, ...encodeOptions(request, options, losses) };
  const stamp = stamper(origin, context, opaqueIn);
  const restore = restorer({ names: names.changed, custom, seal: sealing(origin, context), stamp });
  return { ...addressOf(request.model, options.stream), body, losses: losses.list, ...(restore && { restore }) };
}
