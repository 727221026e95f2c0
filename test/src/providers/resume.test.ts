/** Answers that their upstream keeps: a stream that is cut goes on where it was, and nobody behind it notices. */

import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { CanonicalRequest, Upstream } from '@streamglot/core';
import { gemini, openai } from '@streamglot/providers';
import { route } from '@streamglot/routing';
import { afterEach, expect, test } from 'vitest';
import { callOf, read } from '../routing/script.ts';

/** How an answer is sent, part by part: up to a byte of it, then cut. */
interface Plan {
  readonly cuts: readonly number[];
  readonly how: 'FIN' | 'RST';
  /** The status with which the rest is refused. */
  readonly refused?: number;
}

interface Service {
  readonly upstream: Upstream;
  /** What was asked for after the first request. */
  readonly again: string[];
}

let server: Server | undefined;
afterEach(() => server?.closeAllConnections());

const interaction = { id: 'v1_abc', status: 'in_progress', object: 'interaction', model: 'm' };
const words = ['One ', 'two "event_id":"no" ', 'three ', 'four.'];

const interactions: readonly object[] = [
  { event_type: 'interaction.created', interaction },
  { event_type: 'step.start', index: 0, step: { type: 'model_output' } },
  ...words.map((text) => ({ event_type: 'step.delta', index: 0, delta: { text, type: 'text' } })),
  { event_type: 'step.stop', index: 0 },
  { event_type: 'interaction.completed', interaction: { ...interaction, status: 'completed' } },
].map((event, at) => ({ ...event, event_id: `mark-${at}` }));

const response = { id: 'resp_abc', object: 'response', status: 'in_progress', model: 'm', output: [], error: null };
const message = { id: 'msg_1', type: 'message', role: 'assistant', status: 'in_progress', content: [] };
const place = { item_id: 'msg_1', output_index: 0, content_index: 0 };
const part = { type: 'output_text', text: words.join(''), annotations: [] };
const full = { ...message, status: 'completed', content: [part] };

const responses: readonly object[] = [
  { type: 'response.created', response },
  { type: 'response.output_item.added', output_index: 0, item: message },
  { type: 'response.content_part.added', ...place, part: { ...part, text: '' } },
  ...words.map((delta) => ({ type: 'response.output_text.delta', ...place, delta })),
  { type: 'response.output_text.done', ...place, text: words.join('') },
  { type: 'response.content_part.done', ...place, part },
  { type: 'response.output_item.done', output_index: 0, item: full },
  { type: 'response.completed', response: { ...response, status: 'completed', output: [full] } },
].map((event, at) => ({ ...event, sequence_number: at }));

async function send(response: ServerResponse, text: string, how: Plan['how'] | undefined): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (let at = 0; at < text.length; at += 100) {
    response.write(text.slice(at, at + 100));
    await setTimeout(1);
  }
  if (how === undefined) response.end();
  else if (how === 'FIN') response.socket?.destroy();
  else response.socket?.resetAndDestroy();
}

/** A server that sends events and cuts them, and goes on behind the mark that is asked for. */
async function serve(
  events: readonly object[],
  { cuts, how, refused }: Plan,
): Promise<{ url: string; again: string[] }> {
  const again: string[] = [];
  const rest = [...cuts];
  const listening = createServer(async (request, response) => {
    request.resume();
    const { pathname, search, searchParams } = new URL(request.url ?? '', 'http://a');
    if (request.method === 'GET') again.push(pathname + search);
    if (request.method === 'GET' && refused !== undefined) return response.writeHead(refused).end('{}');
    const mark = searchParams.get('last_event_id')?.slice(5) ?? searchParams.get('starting_after');
    const left = mark === null ? events : events.slice(Number(mark) + 1);
    const text = left.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
    const cut = rest.shift();
    return send(response, text.slice(0, cut), cut === undefined ? undefined : how);
  }).listen(0, '127.0.0.1');
  await once(listening, 'listening');
  server = listening;
  return { url: `http://127.0.0.1:${(listening.address() as AddressInfo).port}`, again };
}

async function interactionsOf(plan: Plan): Promise<Service> {
  const { url, again } = await serve(interactions, plan);
  return { upstream: gemini({ apiKey: 'key', baseURL: url, dialect: 'interactions' }).upstream('m'), again };
}

const stored: Partial<CanonicalRequest> = { store: true };
const whole = words.join('');

test.each([
  ['FIN', [640]],
  ['RST', [640]],
  ['FIN', [320]],
  ['FIN', [500, 60, 200]],
] as const)('a stored interaction that is cut by %s at %j goes on where it was', async (how, cuts) => {
  const { upstream, again } = await interactionsOf({ how, cuts });
  const router = route([upstream]);
  const came = await read(router, callOf({}, stored));
  expect(came).toMatchObject({ text: whole, error: undefined });
  expect(again).toHaveLength(cuts.length);
  for (const asked of again)
    expect(asked).toMatch(/^\/v1beta\/interactions\/v1_abc\?stream=true&last_event_id=mark-\d$/);
  expect(router.deployments[0]).toMatchObject({ failures: 0, outcomes: { completed: 1, truncated: 0 } });
});

test('every cut gives the same answer', async () => {
  const bytes = interactions.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('').length;
  const first = JSON.stringify(interactions[0]).length + 8;
  for (let cut = first; cut < bytes - 150; cut += 61) {
    const { upstream } = await interactionsOf({ how: 'FIN', cuts: [cut] });
    expect([cut, (await read(upstream, callOf({}, stored))).text]).toEqual([cut, whole]);
    server?.closeAllConnections();
    server?.close();
  }
});

test('a response in the background goes on behind its last number', async () => {
  const { url, again } = await serve(responses, { how: 'RST', cuts: [900] });
  const upstream = openai({ apiKey: 'key', baseURL: `${url}/v1`, dialect: 'responses' }).upstream('m');
  const native = { dialect: 'responses' as const, body: { model: 'm', input: 'Hi.', stream: true, background: true } };
  const came = await read(upstream, callOf({ context: { dialect: 'responses', stream: true } }, { native }));
  expect(came).toMatchObject({ text: whole, error: undefined });
  expect(again).toMatchObject([expect.stringMatching(/^\/v1\/responses\/resp_abc\?stream=true&starting_after=\d$/)]);
});

test('what is not kept, or not there any more, is a cut', async () => {
  const plain = await interactionsOf({ how: 'FIN', cuts: [640] });
  const cut = await read(plain.upstream, callOf({}, { store: false }));
  expect([cut.error?.code, plain.again]).toEqual(['stream_truncated', []]);
  const gone = await interactionsOf({ how: 'FIN', cuts: [640], refused: 404 });
  const refused = await read(gone.upstream, callOf({}, stored));
  expect([refused.error?.code, gone.again.length]).toEqual(['stream_truncated', 1]);
});

test('an upstream that cuts again and again is given up', async () => {
  const { upstream, again } = await interactionsOf({ how: 'FIN', cuts: [640, 10, 10, 10, 10, 10] });
  expect((await read(upstream, callOf({}, stored))).error?.code).toBe('stream_truncated');
  expect(again).toHaveLength(3);
});

test('a client that leaves ends what goes on too', async () => {
  const { upstream, again } = await interactionsOf({ how: 'FIN', cuts: [640] });
  const client = new AbortController();
  const router = route([upstream]);
  const reading = read(router, callOf({ signal: client.signal }, stored));
  while (again.length === 0) await setTimeout(1);
  client.abort();
  await reading;
  expect(router.deployments[0]).toMatchObject({ inFlight: 0, outcomes: { abandoned: 1 } });
});
