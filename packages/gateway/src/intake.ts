/** What a request asks for: in which dialect, which model, what its upstream is told, and who keeps the answer. */
import type { CanonicalRequest, DecodedRequest, RequestContext } from '@streamglot/core';
import { readBody } from './body.ts';
import type { GatewayRequest } from './client.ts';
import { unsupported } from './error.ts';
import type { Model } from './model.ts';
import { modelNamed } from './models.ts';
import type { Route } from './routes.ts';
import type { Settings } from './schema.ts';
import { type Form, forms } from './store/form.ts';
import { Keeper } from './store/keeper.ts';
import { type Recalled, recalled, relocated } from './store/recall.ts';
import { type Shelf, shelfOf } from './store/shelf.ts';
import { summarized } from './summary.ts';

/** A request that was understood, with the model that will answer it. */
export interface Intake {
  readonly model: Model;
  readonly request: CanonicalRequest;
  readonly context: RequestContext;
  /** Keeps the answer; absent where nothing is kept of it. */
  readonly keeper?: Keeper;
}

/** A request as it came in, and what is known of it by then. */
export interface Incoming {
  readonly settings: Settings;
  readonly route: Route;
  readonly request: GatewayRequest;
  readonly principal: unknown;
  /** What invented ids are made from. */
  readonly seed: string;
  /** Is told of a store that fails. */
  readonly failed: (thrown: unknown) => void;
}

/** Reads and understands a request. Rejects with `GatewayError` that says what is wrong with it. */
export async function intake(incoming: Incoming): Promise<Intake> {
  const { settings, seed } = incoming;
  const { decoded, name, model } = await understood(incoming);
  const { keeper, ...whole } = await remembered(incoming, decoded, model);
  const { request, context } = summarized(
    whole,
    model.reasoningSummary ?? settings.reasoningSummary,
    model.upstream.dialect,
  );
  const startedAt = Math.floor(Date.now() / 1000);
  return {
    model,
    request: addressed(request, model),
    context: { ...context, model: name, seed, startedAt, ...(settings.seals(context.dialect) && { seals: true }) },
    ...(keeper !== undefined && { keeper }),
  };
}

/** A request as its dialect reads it, and its model. Rejects with `GatewayError` that says what is wrong with it. */
export async function understood({
  settings,
  route,
  request,
}: Pick<Incoming, 'settings' | 'route' | 'request'>): Promise<{ decoded: DecodedRequest; name: string; model: Model }> {
  const body = await readBody(request, settings.limits);
  const { path, query, headers } = { ...request, path: route.path };
  const decoded = route.dialect.decodeRequest({ path, query, headers, body });
  const name = decoded.context.model ?? decoded.request.model;
  return { decoded, name, model: modelNamed(name, settings.models) };
}

/** A request with the things in it that it only names; of the dialects that name things. */
async function remembered(
  incoming: Incoming,
  decoded: DecodedRequest,
  model: Model,
): Promise<DecodedRequest & { keeper?: Keeper }> {
  const { request, context } = decoded;
  const { native, refers } = request;
  const form = forms[context.dialect];
  if (form === undefined || native === undefined) return decoded;
  const { body } = native;
  const isNative = model.upstream.dialect === context.dialect;
  refuseState(body, form, isNative);
  const shelf = shelfOf(incoming.settings, incoming.principal);
  const provider = model.owner;
  const recall = await recalled({ body, form, refers, provider, native: isNative, shelf, seed: incoming.seed });
  const keeper = body.store === false ? undefined : keeperOf(incoming, form, shelf, recall, provider);
  return {
    request: refers === undefined ? request : reread(incoming, recall),
    context: shelf === undefined && context.echo ? { ...context, echo: { ...context.echo, store: false } } : context,
    ...(keeper !== undefined && { keeper }),
  };
}

/** State that is kept nowhere here. */
function refuseState({ background, prompt }: Readonly<Record<string, unknown>>, form: Form, isNative: boolean): void {
  if (background === true && !(isNative && form.object === 'interaction'))
    throw unsupported('background', 'answers are made while their client waits, streamed or not');
  if (prompt != null && !isNative) throw unsupported('prompt', 'no prompts are kept here, nor by the upstream');
}

function keeperOf(
  { failed }: Incoming,
  form: Form,
  shelf: Shelf | undefined,
  recall: Recalled,
  provider: string,
): Keeper | undefined {
  const { input, conversation } = recall;
  if (shelf === undefined || input === undefined) return undefined;
  return new Keeper({ shelf, form, input, provider, failed, ...(conversation !== undefined && { conversation }) });
}

function reread({ route, request }: Incoming, { body, at }: Recalled): CanonicalRequest {
  const { query, headers } = request;
  return relocated(route.dialect.decodeRequest({ path: route.path, query, headers, body }).request, at);
}

function addressed(request: CanonicalRequest, { target, maxOutputTokens }: Model): CanonicalRequest {
  const most = request.maxOutputTokens ?? maxOutputTokens;
  return {
    ...request,
    ...(target !== undefined && { model: target }),
    ...(most !== undefined && { maxOutputTokens: most }),
  };
}
