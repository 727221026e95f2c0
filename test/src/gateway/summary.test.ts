/** One setting says whether and how reasoning is shown: the request's, else its model's, else the configuration's. */
import type { DialectId } from '@streamglot/core';
import { describe, expect, test } from 'vitest';
import { Play } from './play.ts';
import { Player, talk } from './talk.ts';

/** An answer with reasoning, in no dialect of its own. */
const thinking = (): Play =>
  new Play().say(
    { type: 'response-start', id: 'a', model: 'it' },
    { type: 'block-start', block: 0, choice: 0, kind: 'reasoning' },
    { type: 'block-delta', block: 0, delta: { type: 'reasoning', form: 'summary', text: 'Hm, so.' } },
    { type: 'block-end', block: 0 },
    { type: 'block-start', block: 1, choice: 0, kind: 'text' },
    { type: 'block-delta', block: 1, delta: { type: 'text', text: 'Hello.' } },
    { type: 'block-end', block: 1 },
    { type: 'finish', choice: 0, reason: 'stop' },
    { type: 'response-end', status: 'completed' },
  );

const messages = [{ role: 'user', content: 'Hi' }];

/** How each dialect asks to think, and, where it can say it, to be shown it or not. */
const asks = {
  chat: {
    path: '/v1/chat/completions',
    body: { model: 'm', messages, reasoning_effort: 'low' },
    hidden: { reasoning: { exclude: true } },
  },
  messages: {
    path: '/v1/messages',
    body: { model: 'm', max_tokens: 5000, messages, thinking: { type: 'enabled', budget_tokens: 2000 } },
    hidden: { thinking: { type: 'enabled', budget_tokens: 2000, display: 'omitted' } },
    shown: { thinking: { type: 'enabled', budget_tokens: 2000, display: 'summarized' } },
  },
  responses: {
    path: '/v1/responses',
    body: { model: 'm', input: 'Hi', reasoning: { effort: 'low' } },
    shown: { reasoning: { effort: 'low', summary: 'concise' } },
  },
} as const;

type Client = keyof typeof asks;
const clients = Object.keys(asks) as Client[];

interface Setting {
  config?: string;
  model?: string;
  request?: object;
  upstream?: DialectId;
}

async function answered(client: Client, setting: Setting, stream: boolean) {
  const player = new Player(thinking, setting.upstream);
  const target = { target: 'm/it', ...(setting.model && { reasoningSummary: setting.model }) };
  const config = { models: { m: target }, ...(setting.config && { reasoningSummary: setting.config }) };
  const { path, body } = asks[client];
  const { text } = await talk({ m: player }, config).ask(path, { ...body, ...setting.request, stream });
  const request = player.requests[0];
  return { shown: text.includes('Hm, so.'), text, summary: request?.reasoning?.summary, native: request?.native?.body };
}

describe.each(clients)('a client of %s', (client) => {
  test.each([true, false])('sees what comes where nobody says anything, streamed: %s', async (stream) => {
    expect(await answered(client, {}, stream)).toMatchObject({ shown: true, summary: undefined });
  });

  test.each([true, false])('sees nothing where the configuration says none, streamed: %s', async (stream) => {
    expect(await answered(client, { config: 'none' }, stream)).toMatchObject({ shown: false, summary: 'none' });
  });

  test('is held to its model before the configuration', async () => {
    expect(await answered(client, { config: 'none', model: 'auto' }, true)).toMatchObject({
      shown: true,
      summary: 'auto',
    });
    expect(await answered(client, { config: 'auto', model: 'none' }, true)).toMatchObject({
      shown: false,
      summary: 'none',
    });
  });

  test('comes first with what it says itself', async () => {
    const { hidden, shown } = { hidden: undefined, shown: undefined, ...asks[client] };
    if (hidden) expect((await answered(client, { config: 'auto', request: hidden }, true)).shown).toBe(false);
    if (shown) expect((await answered(client, { config: 'none', request: shown }, true)).shown).toBe(true);
    expect(hidden ?? shown).toBeDefined();
  });

  test('asks a Responses upstream for summaries even where it did not ask to think', async () => {
    const plain = { reasoning_effort: undefined, thinking: undefined, reasoning: undefined };
    const setting = { config: 'detailed', request: plain };
    expect((await answered(client, { ...setting, upstream: 'responses' }, true)).summary).toBe('detailed');
    expect((await answered(client, { ...setting, upstream: 'messages' }, true)).summary).toBeUndefined();
  });
});

describe('a body that goes to its own dialect', () => {
  test.each([
    ['responses', 'auto', { reasoning: { effort: 'low', summary: 'auto' } }],
    ['responses', 'none', { reasoning: { effort: 'low' } }],
    ['messages', 'auto', { thinking: { type: 'enabled', budget_tokens: 2000, display: 'summarized' } }],
    ['messages', 'none', { thinking: { type: 'enabled', budget_tokens: 2000, display: 'omitted' } }],
    ['chat', 'auto', { reasoning_effort: 'low' }],
  ] as const)('asks in the words of %s: %s', async (client, config, words) => {
    const { native } = await answered(client, { config, upstream: client }, true);
    expect(native).toEqual({ ...asks[client].body, stream: true, ...words });
  });
});

test('a response says which setting held', async () => {
  const { text } = await answered('responses', { config: 'detailed' }, false);
  expect(JSON.parse(text)).toMatchObject({ reasoning: { effort: 'low', summary: 'detailed' } });
});

test('a relayed Chat chunk loses its reasoning where none is to be seen', async () => {
  const data = {
    id: 'c',
    model: 'it',
    choices: [{ index: 0, delta: { reasoning_content: 'Hm, so.', content: 'Hello.' } }],
  };
  const native = { dialect: 'chat', data, text: JSON.stringify(data) } as const;
  const play = (): Play =>
    new Play().say(
      { type: 'response-start', id: 'c', model: 'it', native },
      { type: 'block-start', block: 0, choice: 0, kind: 'text', native },
      { type: 'block-delta', block: 0, delta: { type: 'text', text: 'Hello.' }, native },
      { type: 'block-end', block: 0 },
      { type: 'finish', choice: 0, reason: 'stop' },
      { type: 'response-end', status: 'completed' },
    );
  const body = { ...asks.chat.body, stream: true };
  const { text } = await talk({ m: new Player(play) }, { reasoningSummary: 'none' }).ask(asks.chat.path, body);
  expect(text).toContain('"content":"Hello."');
  expect(text).not.toContain('Hm, so.');
});

test.each([true, false])(
  'a Responses stream closes with [DONE] where the configuration says so: %s',
  async (responsesDone) => {
    const { ask } = talk({ m: new Player() }, { encoding: { responsesDone } });
    const { text } = await ask('/v1/responses', { model: 'm', input: 'Hi', stream: true });
    expect(text.endsWith('data: [DONE]\n\n')).toBe(responsesDone);
  },
);
