/** A request that cannot be understood or met is a 400 of the client's dialect that names the field, and goes no further. */
import { dialects, type KnownDialect } from '@streamglot/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientsOf } from '../support/clients/index.ts';
import { GatewayApp } from '../support/gateway.ts';
import { scenes } from '../support/scenes.ts';
import { Upstream } from '../support/upstream.ts';
import { play } from './cell.ts';

type Bad = readonly [what: string, wrong: Readonly<Record<string, unknown>>, names: RegExp];

/** What is wrong wherever messages are, under the name that the dialect has for them. */
const everywhere = (messages: string): readonly Bad[] => [
  [`no ${messages}`, { [messages]: undefined }, new RegExp(messages)],
  ['a message without a role', { [messages]: [{ content: 'Hello' }] }, new RegExp(`${messages}.*role`)],
  ['a content that is a number', { [messages]: [{ role: 'user', content: 5 }] }, new RegExp(`${messages}.*content`)],
  ['a part of an unknown type', { [messages]: [{ role: 'user', content: [{ type: 'smell' }] }] }, /content/],
  ['a temperature that is a text', { temperature: 'hot' }, /temperature/],
  ['a tool choice that nobody knows', { tool_choice: 'perhaps' }, /tool_choice/],
];

const bad: Readonly<Record<string, readonly Bad[]>> = {
  chat: [
    ...everywhere('messages'),
    ['messages that are a text', { messages: 'Hello' }, /messages/],
    ['a tool without a name', { tools: [{ type: 'function', function: {} }] }, /tools.*name/],
  ],
  gemini: [
    ['contents that are a text', { contents: 'Hello' }, /contents/],
    ['no contents', { contents: [] }, /contents/],
    ['a content that is a number', { contents: [{ role: 'user', parts: 5 }] }, /contents.*parts/],
    ['a temperature that is a text', { generationConfig: { temperature: 'hot' } }, /temperature/],
    ['a tool choice that nobody knows', { toolConfig: { functionCallingConfig: { mode: 'PERHAPS' } } }, /toolConfig/],
    ['a tool without a name', { tools: [{ functionDeclarations: [{}] }] }, /tools.*name/],
  ],
  interactions: [
    ['an input that is a number', { input: 5 }, /input/],
    ['no input', { input: undefined }, /input/],
    ['no model', { model: undefined }, /model/],
    ['a content that is a number', { input: [{ type: 'user_input', content: 5 }] }, /input.*content/],
    ['a content without a type', { input: [{ type: 'user_input', content: [{}] }] }, /input.*type/],
    ['a picture without its data', { input: [{ type: 'image', mime_type: 'image/png' }] }, /input.*data/],
    ['a result for no call', { input: [{ type: 'function_result', result: 'x' }] }, /call_id/],
    ['a temperature that is a text', { generation_config: { temperature: 'hot' } }, /temperature/],
    ['a tool choice that nobody knows', { generation_config: { tool_choice: 'perhaps' } }, /tool_choice/],
    ['a tool without a name', { tools: [{ type: 'function' }] }, /tools.*name/],
  ],
  messages: [
    ...everywhere('messages'),
    ['messages that are a text', { messages: 'Hello' }, /messages/],
    ['a tool without a name', { tools: [{ input_schema: { type: 'object' } }] }, /tools.*name/],
  ],
  responses: [
    ...everywhere('input'),
    ['an input that is a number', { input: 5 }, /input/],
    ['a tool without a name', { tools: [{ type: 'function' }] }, /tools.*name/],
  ],
};

/** What is well said, and only an upstream of the same dialect could do. */
const foreign: Readonly<Record<string, readonly Bad[]>> = {
  chat: [
    ['two answers', { n: 2 }, /\bn\b/],
    ['sound', { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'wav' } }, /modalities|audio/],
  ],
  gemini: [
    ['a tool of the provider', { tools: [{ googleSearch: {} }] }, /tools/],
    ['a cache', { cachedContent: 'cachedContents/c' }, /cachedContent/],
  ],
  interactions: [
    ['a tool of the provider', { tools: [{ type: 'google_search' }] }, /tools/],
    ['an answer in the background', { background: true }, /background/],
    ['an agent', { model: undefined, agent: 'text' }, /agent/],
    ['a picture as the answer', { response_format: { type: 'image' } }, /response_format/],
    ['an interaction that nobody kept', { previous_interaction_id: 'v1_0' }, /previous_interaction_id/],
  ],
  messages: [['a tool of the provider', { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }, /tools/]],
  responses: [
    ['a tool of the provider', { tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }] }, /tools/],
    ['an answer in the background', { background: true }, /background/],
    ['a stored prompt', { prompt: { id: 'pmpt_1' } }, /prompt/],
    ['a response that nobody kept', { previous_response_id: 'resp_0' }, /previous_response_id/],
    ['a conversation that nobody kept', { conversation: 'conv_0' }, /conversation/],
    ['an item that nobody kept', { input: [{ type: 'item_reference', id: 'msg_0' }] }, /input\[0\]/],
  ],
};

/** What some upstream of another dialect can do after all. */
function isMet(what: string, from: string): boolean {
  return from === 'gemini' && what === 'two answers';
}

const ids = Object.keys(dialects) as KnownDialect[];
const strangers = ids.flatMap((to) => ids.filter((from) => from !== to).map((from) => ({ to, from })));

// What a dialect does not know it may pass on to an upstream of its own; only another dialect's must be told.
describe.each(strangers)('a body of $to that a $from upstream', ({ to, from }) => {
  const [raw] = clientsOf(to);
  let upstream: Upstream;
  let app: GatewayApp;

  beforeAll(async () => {
    upstream = await Upstream.start();
    app = await GatewayApp.start(upstream, from);
  });

  afterAll(async () => {
    await app.stop();
    await upstream.stop();
  });

  async function refused(wrong: Bad[1], names: RegExp): Promise<void> {
    if (raw === undefined) throw new Error(`no client of ${to}`);
    const { seen } = await play(raw, scenes.text, { base: app.url, upstream, from }, { tools: true, wrong });
    expect(seen.error).toMatchObject({ name: to === 'gemini' ? 'ApiError' : 'BadRequestError', status: 400 });
    expect(seen.error?.message).toMatch(names);
    expect(upstream.received.splice(0)).toHaveLength(0);
  }

  test.each(bad[to] ?? [])('would not understand is refused, and the field is named: %s', (_, wrong, names) =>
    refused(wrong, names),
  );

  test.each((foreign[to] ?? []).filter(([what]) => !isMet(what, from)))(
    'could not meet is refused, and the field is named: %s',
    (_, wrong, names) => refused(wrong, names),
  );

  test('has tables of its own', () => {
    expect([bad[to], foreign[to]]).not.toContain(undefined);
  });
});
