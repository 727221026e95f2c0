/** The host's own part of the app: what every host answers to whatever the gateway leaves to it. */

/**
 * An answer of the host's.
 * @typedef {{ status: number, headers: Readonly<Record<string, string>>, body: string }} OwnAnswer
 */

/**
 * Headers that the host's CORS middleware puts on every answer.
 * @type {Readonly<Record<string, string>>}
 */
export const cors = { 'access-control-allow-origin': 'https://app.example' };

/**
 * Answers a request of the host's; `endings` are those that its gateway has told of.
 * @param {string} method
 * @param {string} path
 * @param {unknown} body
 * @param {readonly string[]} endings
 * @returns {OwnAnswer}
 */
export function own(method, path, body, endings) {
  if (method === 'OPTIONS')
    return { status: 204, headers: { 'access-control-allow-methods': 'POST', 'x-own': 'options' }, body: '' };
  if (method === 'HEAD') return { status: 200, headers: { 'x-own': 'head' }, body: '' };
  if (path === '/own/endings') return json(200, endings);
  if (path === '/own/echo') return json(200, { method, body });
  return json(404, { own: `nothing at ${path}` });
}

/**
 * @param {number} status
 * @param {unknown} value
 * @returns {OwnAnswer}
 */
function json(status, value) {
  return { status, headers: { 'content-type': 'application/json', 'x-own': 'json' }, body: JSON.stringify(value) };
}

/**
 * A body as a host's parser leaves it, or as its route reads it, as a value.
 * @param {unknown} body
 * @returns {unknown}
 */
export function parsedFrom(body) {
  const text = body instanceof Uint8Array ? new TextDecoder().decode(body) : body;
  if (typeof text !== 'string') return text;
  return text === '' ? undefined : JSON.parse(text);
}
