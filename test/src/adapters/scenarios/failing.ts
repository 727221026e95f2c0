/** Failures before and after the head, and what they leave of the connection. */
import { expect } from 'vitest';
import { NOWHERE } from '../config.ts';
import type { Reply } from '../lines/line.ts';
import { type Asking, ask, dialects, type Id, ids, newToken, type Place, type Scenario, within } from '../scenario.ts';

interface Refusal {
  readonly status: number;
  readonly asking?: Asking;
  readonly headers?: Readonly<Record<string, string>>;
}

const refusals: Readonly<Record<string, Refusal>> = {
  'the upstream’s rate limit': { status: 429, asking: { model: 'rate limit' }, headers: { 'retry-after': '7' } },
  'the upstream’s own key is wrong': { status: 401, asking: { model: 'bad key' } },
  'no upstream': { status: 502, asking: { model: NOWHERE } },
  'no such model': { status: 404, asking: { model: 'gone' } },
  'no JSON': { status: 400, asking: { body: '{"model":' } },
  'another content type': { status: 415, asking: { headers: { 'content-type': 'text/plain' } } },
};

/** A failure in the form of the dialect, as an HTTP status. */
async function expectRefusal(reply: Reply, id: Id, { status, headers = {} }: Refusal): Promise<void> {
  expect(reply.status).toBe(status);
  expect(reply.headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8', ...headers });
  expect(await reply.json()).toMatchObject({
    ...(id === 'messages' && { type: 'error' }),
    error: { message: expect.any(String), [kindIn[id] ?? 'type']: expect.any(String) },
  });
}

async function beforeTheHead(at: Place): Promise<void> {
  for (const id of ids)
    for (const refusal of Object.values(refusals))
      for (const stream of [true, false])
        await expectRefusal(await ask(at, id, newToken(), { ...refusal.asking, stream }), id, refusal);
}

async function wrongMethod(at: Place): Promise<void> {
  const reply = await within(at.line.ask(at.url + dialects.chat.path, { method: 'GET' }), 'an answer to GET');
  expect(reply).toMatchObject({ status: 405, headers: { allow: 'POST' } });
  await reply.all();
}

/** The member of an error that says what kind it is, where that is not `type`. */
const kindIn: Readonly<Partial<Record<Id, string>>> = { gemini: 'status', interactions: 'code' };

const marks: Readonly<Record<Id, RegExp>> = {
  chat: /data: \{"error":\{.*\n\n$/,
  messages: /event: error\ndata: \{"type":"error".*\n\n$/,
  responses: /event: response\.failed\ndata: .*\n\n$/,
  interactions: /event: error\ndata: \{"error".*\n\n$/,
  gemini: /data: \{"error":\{.*\n\n: .*\n\n$/,
};

async function afterTheHead(at: Place): Promise<void> {
  for (const model of ['error mid-stream', 'upstream cut', 'upstream reset'])
    for (const id of ids) {
      const reply = await ask(at, id, newToken(), { model });
      const text = await within(reply.all(), `the end of "${model}"`);
      expect(reply.status).toBe(200);
      expect(text).toContain('The answer');
      expect(text).toMatch(marks[id]);
      expect(text).not.toContain(dialects[id].terminal);
    }
}

/** One connection: it serves on after each kind of failure. */
async function reuse(at: Place): Promise<void> {
  const line = at.newLine(1);
  const failures = [...Object.values(refusals), { status: 200, asking: { model: 'error mid-stream' } }];
  let first = true;
  for (const { asking } of failures) {
    const failed = await ask(at, 'chat', newToken(), { ...asking, line });
    await failed.all();
    expect(failed.reused).toBe(!first);
    first = false;
    const next = await ask(at, 'messages', newToken(), { line });
    expect(next.reused).toBe(true);
    await next.until(dialects.messages.terminal);
    await next.all();
  }
}

/** How things fail. */
export const failing: readonly Scenario[] = [
  { name: 'errors before the head', run: beforeTheHead },
  { name: 'another method', run: wrongMethod },
  { name: 'errors after the head', run: afterTheHead },
  { name: 'a connection serves on after errors', run: reuse },
];
