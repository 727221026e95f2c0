/** Replies that no model is asked for: lists of models, counts of tokens, and what is kept. */
import { readBody } from './body.ts';
import { counted } from './count.ts';
import type { Incoming } from './intake.ts';
import { modelsBody } from './models.ts';
import type { Route } from './routes.ts';
import { type ShelfKind, shelfEndpoints } from './store/endpoints.ts';
import { shelfOf } from './store/shelf.ts';

/** One reply. */
export interface Aside {
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The upstream's id of the request, where one was asked. */
  readonly requestId?: string;
  /** The model's name as the client said it, where it named one. */
  readonly model?: string;
}

/** The reply to a request that is not for an answer. Rejects with `GatewayError`. */
export async function aside(incoming: Incoming, signal: AbortSignal): Promise<Aside> {
  const { kind } = incoming.route;
  if (kind === 'count') return count(incoming, signal);
  if (isShelf(kind)) return { body: await kept(incoming, kind) };
  return { body: modelsBody(incoming.route, incoming.settings.models) };
}

async function count(incoming: Incoming, signal: AbortSignal): Promise<Aside> {
  const { inputTokens, requestId, isEstimate, model } = await counted(incoming, signal);
  return {
    body: incoming.route.dialect.id === 'gemini' ? { totalTokens: inputTokens } : { input_tokens: inputTokens },
    model,
    ...(isEstimate && { headers: { 'x-streamglot-estimate': 'true' } }),
    ...(requestId !== undefined && { requestId }),
  };
}

function isShelf(kind: Route['kind']): kind is ShelfKind {
  return Object.hasOwn(shelfEndpoints, kind);
}

function kept({ settings, route, request, principal, seed }: Incoming, kind: ShelfKind): Promise<unknown> {
  return shelfEndpoints[kind]({
    method: request.method,
    id: route.id ?? '',
    query: request.query,
    shelf: shelfOf(settings, principal),
    body: () => readBody(request, settings.limits),
    seed,
  });
}
