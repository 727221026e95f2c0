/** Which paths are the gateway's: the dialects' own, from the registry, and those beside them. */
import { type Dialect, dialectOf, dialects, type KnownDialect } from '@streamglot/core';
import type { ShelfKind } from './store/endpoints.ts';

/** An endpoint that a request has met. */
export interface Route {
  /** The dialect in which the client is answered. */
  readonly dialect: Dialect;
  /** The path as the dialect knows it, whatever prefix the gateway is mounted at. */
  readonly path: string;
  /** What it is a request for. */
  readonly kind: 'answer' | 'models' | 'model' | 'count' | ShelfKind;
  /** The methods that the path takes. */
  readonly allow: readonly string[];
  /** The model's name, where the path carries it. */
  readonly model?: string;
  /** The id of something kept, where the path carries one. */
  readonly id?: string;
}

interface Pattern {
  readonly dialect: Dialect;
  readonly expression: RegExp;
}

const patterns: readonly Pattern[] = Object.values(dialects).flatMap((dialect) =>
  dialect.routes.map((route) => ({ dialect, expression: expressionOf(route) })),
);

interface Beside {
  readonly kind: Route['kind'];
  readonly expression: RegExp;
  readonly allow: readonly string[];
  readonly dialect: KnownDialect;
}

/** The paths beside the dialects' own. */
const beside: readonly Beside[] = (
  [
    ['count', '/v1/messages/count_tokens', ['POST'], 'messages'],
    ['count', '/v1beta/models/{model}:countTokens', ['POST'], 'gemini'],
    ['count', '/v1/models/{model}:countTokens', ['POST'], 'gemini'],
    ['response', '/v1/responses/{id}', ['GET', 'DELETE'], 'responses'],
    ['input_items', '/v1/responses/{id}/input_items', ['GET'], 'responses'],
    ['interaction', '/v1beta/interactions/{id}', ['GET', 'DELETE'], 'interactions'],
    ['interaction', '/v1/interactions/{id}', ['GET', 'DELETE'], 'interactions'],
    ['cancelled', '/v1beta/interactions/{id}/cancel', ['POST'], 'interactions'],
    ['cancelled', '/v1/interactions/{id}/cancel', ['POST'], 'interactions'],
    ['conversations', '/v1/conversations', ['POST'], 'responses'],
    ['conversation', '/v1/conversations/{id}', ['GET', 'DELETE'], 'responses'],
    ['conversation_items', '/v1/conversations/{id}/items', ['GET'], 'responses'],
  ] as const
).map(([kind, path, allow, dialect]) => ({ kind, expression: expressionOf(path), allow, dialect }));

function expressionOf(route: string): RegExp {
  const escaped = route.replace(/[.*+?^$()[\]\\|]/g, '\\$&');
  return new RegExp(`^${escaped.replace('{model}', '(?<model>.+)').replace('{id}', '(?<id>[^/]+)')}$`);
}

/**
 * The route of a path inside a mount, or nothing. The mount's own last segments count too, so that `/`, `/ai`, `/v1`
 * and `/ai/v1` all serve as mounts: inside `/ai/v1`, the path `/messages` is `/v1/messages`.
 */
export function routeOf(
  path: string,
  mount: string,
  headers: Readonly<Record<string, string | undefined>>,
): Route | undefined {
  const inside = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
  for (const candidate of candidates(inside, mount)) {
    const route = answerRoute(candidate) ?? besideRoute(candidate) ?? modelsRoute(candidate, headers);
    if (route !== undefined) return route;
  }
  return undefined;
}

/** A path as it is inside a mount whose prefix it shows; nothing where it lies outside. */
export function within(path: string, mount: string): string | undefined {
  const prefix = mount.endsWith('/') ? mount.slice(0, -1) : mount;
  if (path === prefix) return '/';
  return path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : undefined;
}

function candidates(path: string, mount: string): readonly string[] {
  const inside = path === '/' ? '' : path;
  const segments = mount.split('/').filter((segment) => segment !== '');
  return [path, ...segments.map((_, at) => `/${segments.slice(-1 - at).join('/')}${inside}`)];
}

function answerRoute(path: string): Route | undefined {
  for (const { dialect, expression } of patterns) {
    const match = expression.exec(path);
    if (match !== null) return { dialect, path, kind: 'answer', allow: ['POST'], ...modelIn(match.groups?.model) };
  }
  return undefined;
}

function modelsRoute(path: string, headers: Readonly<Record<string, string | undefined>>): Route | undefined {
  const match = /^\/v1(?<beta>beta)?\/models(?:\/(?<model>.+))?$/.exec(path);
  if (match === null || unknownVerb.test(path)) return undefined;
  const dialect = dialectOf(match.groups?.beta === undefined ? modelsDialect(headers) : 'gemini');
  const model = modelIn(match.groups?.model);
  return { dialect, path, kind: model.model === undefined ? 'models' : 'model', allow: ['GET'], ...model };
}

/** What may be done with a model beside answering, such as `:embedContent`: the host's own, if anyone's. */
const unknownVerb = /:[a-z]+(?:[A-Z][a-z]+)+$/;

function besideRoute(path: string): Route | undefined {
  for (const { kind, expression, allow, dialect } of beside) {
    const match = expression.exec(path);
    const id = match?.groups?.id;
    if (match !== null)
      return { dialect: dialectOf(dialect), path, kind, allow, ...(id !== undefined && { id: decoded(id) }) };
  }
  return undefined;
}

/** Only Google's clients send the first of these headers, and only Anthropic's one of the other two. */
function modelsDialect(headers: Readonly<Record<string, string | undefined>>): 'messages' | 'chat' | 'gemini' {
  if (headers['x-goog-api-key'] !== undefined) return 'gemini';
  return headers['anthropic-version'] !== undefined || headers['x-api-key'] !== undefined ? 'messages' : 'chat';
}

function modelIn(segment: string | undefined): { model?: string } {
  return segment === undefined ? {} : { model: decoded(segment) };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
