/** What is the gateway's and what stays with the host: paths, methods, prefixes, headers. */
import { expect } from 'vitest';
import type { Reply } from '../lines/line.ts';
import { cors } from '../own.mjs';
import { ask, bodyOf, dialects, ids, newToken, type Place, pathOf, type Scenario, within } from '../scenario.ts';

const json = { 'content-type': 'application/json' };

function send(at: Place, method: string, path: string, body?: object): Promise<Reply> {
  const question = { method, ...(body && { headers: json, body: JSON.stringify(body) }) };
  return within(at.line.ask(at.host.url + path, question), `${method} ${path}`);
}

async function own(at: Place): Promise<void> {
  const echo = await send(at, 'POST', '/own/echo', { a: 'ü' });
  expect(await echo.json()).toEqual({ method: 'POST', body: { a: 'ü' } });
  expect(echo.headers).toMatchObject({ 'x-own': 'json', ...cors });
  const nowhere = await send(at, 'GET', '/own/nowhere');
  expect(nowhere.status).toBe(404);
  expect(nowhere.headers['x-own']).toBe('json');
  await nowhere.all();
}

async function prefixed(at: Place): Promise<void> {
  for (const id of ids) {
    const reply = await ask(at, id, newToken());
    expect(reply.status).toBe(200);
    await reply.until(dialects[id].terminal);
  }
  const query = await within(at.line.ask(`${at.url}/v1/models?limit=1`, { method: 'GET' }), 'a path with a query');
  expect(await query.json()).toMatchObject({ object: 'list' });
  const outside = await send(at, 'POST', dialects.chat.path, bodyOf('chat', newToken()));
  expect(outside.status).toBe(404);
  await outside.all();
  await own(at);
}

async function options(at: Place): Promise<void> {
  for (const id of ids) {
    const reply = await send(at, 'OPTIONS', pathOf(id));
    expect(reply).toMatchObject({ status: 204, headers: { 'x-own': 'options', ...cors } });
    await reply.all();
    const answer = await ask(at, id, newToken());
    expect(answer.headers).toMatchObject(cors);
    await answer.all();
  }
}

async function head(at: Place): Promise<void> {
  for (const path of ['/v1/models', dialects.chat.path]) {
    const reply = await send(at, 'HEAD', path);
    expect(reply).toMatchObject({ status: 200, headers: { 'x-own': 'head' } });
    expect(await reply.all()).toBe('');
  }
}

/** The endpoints beside the answers: models, tokens, and what is kept. */
async function beside(at: Place): Promise<void> {
  const models = await send(at, 'GET', '/v1/models?limit=5');
  expect(models.status).toBe(200);
  expect(await models.json()).toMatchObject({ object: 'list' });
  const count = await send(at, 'POST', '/v1/messages/count_tokens?beta=true', bodyOf('messages', 'Hi'));
  expect(await count.json()).toMatchObject({ input_tokens: expect.any(Number) });
  const made = await ask(at, 'responses', newToken(), { stream: false });
  const { id } = (await made.json()) as { id: string };
  const kept = await send(at, 'GET', `/v1/responses/${id}`);
  expect(await kept.json()).toMatchObject({ id, status: 'completed' });
  const removed = await send(at, 'DELETE', `/v1/responses/${id}`);
  expect(await removed.json()).toMatchObject({ id, deleted: true });
  const gone = await send(at, 'GET', `/v1/responses/${id}`);
  expect(gone.status).toBe(404);
  await gone.all();
}

/** Who answers what. */
export const routes: readonly Scenario[] = [
  { name: 'other routes are the host’s', run: own },
  { name: 'a prefix', setup: { mount: '/ai' }, run: prefixed },
  { name: 'a prefix that ends in /v1', setup: { mount: '/llm/v1' }, run: prefixed },
  { name: 'OPTIONS and CORS are the host’s', run: options },
  { name: 'HEAD is the host’s', run: head },
  { name: 'models, tokens and kept answers', run: beside },
];
