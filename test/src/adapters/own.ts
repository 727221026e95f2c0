/** The host's own part of the app: what every host answers to whatever the gateway leaves to it. */

/** An answer of the host's. */
export interface OwnAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Headers that the host's CORS middleware puts on every answer. */
export const cors: Readonly<Record<string, string>> = { 'access-control-allow-origin': 'https://app.example' };

/** Answers a request of the host's; `endings` are those that its gateway has told of. */
export function own(method: string, path: string, body: unknown, endings: readonly string[]): OwnAnswer {
  if (method === 'OPTIONS')
    return { status: 204, headers: { 'access-control-allow-methods': 'POST', 'x-own': 'options' }, body: '' };
  if (method === 'HEAD') return { status: 200, headers: { 'x-own': 'head' }, body: '' };
  if (path === '/own/endings') return json(200, endings);
  if (path === '/own/echo') return json(200, { method, body });
  return json(404, { own: `nothing at ${path}` });
}

function json(status: number, value: unknown): OwnAnswer {
  return { status, headers: { 'content-type': 'application/json', 'x-own': 'json' }, body: JSON.stringify(value) };
}

/** A body as a host's parser leaves it, or as its route reads it, as a value. */
export function parsedFrom(body: unknown): unknown {
  const text = body instanceof Uint8Array ? new TextDecoder().decode(body) : body;
  return typeof text === 'string' ? (text === '' ? undefined : JSON.parse(text)) : text;
}
