/** What a request asks for: who asks, in which dialect, which model, and what its upstream is told. */
import type { CanonicalRequest, RequestContext } from '@streamglot/core';
import { readBody } from './body.ts';
import type { GatewayRequest } from './client.ts';
import { modelNamed } from './models.ts';
import type { Route } from './routes.ts';
import type { Model, Settings } from './schema.ts';

/** A request that was understood, with the model that will answer it. */
export interface Intake {
  readonly model: Model;
  readonly request: CanonicalRequest;
  readonly context: RequestContext;
}

/** Reads and understands a request. Rejects with `GatewayError` that says what is wrong with it. */
export async function intake(settings: Settings, route: Route, request: GatewayRequest, seed: string): Promise<Intake> {
  const body = await readBody(request, settings.limits.maxBodyBytes);
  const { path, query, headers } = { ...request, path: route.path };
  const decoded = route.dialect.decodeRequest({ path, query, headers, body });
  const name = decoded.context.model ?? decoded.request.model;
  const model = modelNamed(name, settings.models);
  const startedAt = Math.floor(Date.now() / 1000);
  return {
    model,
    request: addressed(decoded.request, model),
    context: { ...decoded.context, model: name, seed, startedAt },
  };
}

function addressed(request: CanonicalRequest, { target, maxOutputTokens }: Model): CanonicalRequest {
  const most = request.maxOutputTokens ?? maxOutputTokens;
  return {
    ...request,
    ...(target !== undefined && { model: target }),
    ...(most !== undefined && { maxOutputTokens: most }),
  };
}
