/** Requests of the Responses dialect: a client's read, an upstream's written. */
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
  type References,
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
import { parseRequest, type ResponsesRequest } from './schema.ts';
import { decodeToolChoice, decodeTools, encodeTools } from './tools.ts';
import { decodeTurns, encodeTurns } from './turns.ts';

const path = '/responses';

/** Tool names are `^[a-zA-Z0-9_-]{1,64}$` (platform.openai.com, function calling, seen 2026-11-29). */
const nameLimit = 64;

/** Reads a client's request. Throws `GatewayError` (400) that names the field. */
export function decodeRequest(wire: WireRequest): DecodedRequest {
  const native = asObject(wire.body);
  if (native === undefined) throw badField('', 'expected a JSON object');
  const body = parseRequest(native);
  const continues = body.previous_response_id ?? body.conversation ?? body.prompt;
  if (continues == null && (body.input == null || body.input.length === 0))
    throw badField('input', 'expected a string or an array of items, got nothing');
  return { request: decode(body, native), context: contextOf(body) };
}

function decode(body: ResponsesRequest, native: JsonObject): CanonicalRequest {
  const { system, turns, references } = decodeTurns(body);
  const { untranslated = [], ...options } = decodeOptions(body);
  const toolChoice = decodeToolChoice(body);
  const lost = body.tool_choice != null && toolChoice === undefined;
  const alone = [...untranslated, ...(lost ? [{ field: 'tool_choice', severity: 'severe' } as const] : [])];
  const refers = referencesOf(body, references);
  return {
    model: body.model,
    system,
    turns,
    tools: decodeTools(body),
    ...(toolChoice !== undefined && { toolChoice }),
    ...options,
    ...(alone.length > 0 && { untranslated: alone }),
    ...(refers !== undefined && { refers }),
    native: { dialect: 'responses', body: native },
  };
}

function referencesOf(body: ResponsesRequest, items: References['items']): References | undefined {
  const { previous_response_id: previous, conversation } = body;
  const named = typeof conversation === 'string' ? conversation : conversation?.id;
  if (!previous && !named && items.length === 0) return undefined;
  return { ...(previous && { previousResponseId: previous }), ...(named && { conversation: named }), items };
}

function contextOf(body: ResponsesRequest): RequestContext {
  const stream = body.stream === true;
  return { dialect: 'responses', model: body.model, stream, echo: echoOf(body), carries: 'thoughts' };
}

/** The members of a request that its response repeats as they came. */
const echoed = [
  'background',
  'instructions',
  'max_output_tokens',
  'max_tool_calls',
  'metadata',
  'parallel_tool_calls',
  'previous_response_id',
  'prompt',
  'prompt_cache_key',
  'reasoning',
  'safety_identifier',
  'service_tier',
  'temperature',
  'tool_choice',
  'tools',
  'top_logprobs',
  'top_p',
  'truncation',
  'user',
] as const satisfies readonly (keyof ResponsesRequest)[];

/** What the response repeats of the request. Not storing has to be asked for; omitted means stored, as with OpenAI. */
function echoOf(body: ResponsesRequest): JsonObject {
  const { conversation, reasoning, text } = body;
  return compact({
    ...Object.fromEntries(echoed.map((name) => [name, body[name] ?? undefined])),
    reasoning: reasoning ? { effort: null, summary: null, ...reasoning } : undefined,
    text: text ? { ...text, format: text.format ?? { type: 'text' } } : undefined,
    conversation: typeof conversation === 'string' ? { id: conversation } : (conversation ?? undefined),
    store: body.store ?? true,
  });
}

/** Writes a request for a Responses upstream, and says what it cannot express. */
export function encodeRequest(
  request: CanonicalRequest,
  context: RequestContext,
  options: RequestOptions,
): EncodedRequest {
  const { native } = request;
  return native?.dialect === 'responses'
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
  const losses = new Losses('responses', {});
  const origin = originOf('responses', request.model, options.provider);
  const unsealer = new Unsealer(origin, { dialect: 'responses' }, losses);
  const history = withoutCarriers(client, unsealer, losses);
  const body: JsonObject = { ...history, model: request.model, ...streaming(client, options) };
  if (!options.stream) delete body.stream_options;
  const sent = options.sampling === false ? withoutDrawing(body, ['temperature', 'top_p'], losses) : body;
  const restore = stamper(origin, context, opaqueIn);
  return { path, query: {}, headers: {}, body: sent, losses: losses.list, ...(restore && { restore }) };
}

function streaming(client: JsonObject, options: RequestOptions): JsonObject {
  return options.stream ? { stream: true } : client.stream === undefined ? {} : { stream: false };
}

function write(sealed: CanonicalRequest, context: RequestContext, options: RequestOptions): EncodedRequest {
  const losses = new Losses('responses', sealed);
  const origin = originOf('responses', sealed.model, options.provider);
  const request = unsealed(sealed, new Unsealer(origin, context, losses));
  const seal = sealing(origin, context);
  const names = new Aliases(nameLimit);
  const body = {
    model: request.model,
    ...encodeTools(request, names, losses),
    ...encodeTurns(request, { names, losses }),
    ...encodeOptions(request, options, losses),
    ...included(request, seal !== undefined),
    ...streaming({}, options),
  };
  const stamp = stamper(origin, context, opaqueIn);
  const restore = restorer({
    names: names.changed,
    seal,
    stamp,
    ...(request.stop !== undefined && { stop: request.stop }),
  });
  return { path, query: {}, headers: {}, body, losses: losses.list, ...(restore && { restore }) };
}

/** What is told beside the usual: probabilities where they were asked for, and reasoning in the form that a client can keep. */
function included({ logprobs, reasoning }: CanonicalRequest, keeps: boolean): JsonObject {
  const include = [
    ...(keeps && reasoning !== undefined && reasoning.effort !== 'none' ? ['reasoning.encrypted_content'] : []),
    ...(logprobs === undefined ? [] : ['message.output_text.logprobs']),
  ];
  return include.length === 0 ? {} : { include };
}
