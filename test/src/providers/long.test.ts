/** A whole answer of Messages that may take long is streamed by its upstream, and is whole for its client. */
import Anthropic from '@anthropic-ai/sdk';
import { llmGateway } from '@streamglot/express';
import { compatible } from '@streamglot/providers';
import express from 'express';
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Serving, serve } from '../express/serve.ts';
import { joined, scenes } from '../support/scenes.ts';
import { Upstream } from '../support/upstream.ts';

let upstream: Upstream;
let app: Serving;

beforeAll(async () => {
  upstream = await Upstream.start();
  const up = compatible({ baseURL: upstream.url, dialect: 'messages', apiKey: 'key-of-the-upstream' });
  app = await serve(express().use(llmGateway({ providers: { up }, models: { text: 'up/text' }, authorize: 'host' })));
});

afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await upstream.stop();
});

test.each([
  [8192, false],
  [8193, true],
])('of %s tokens at most: streamed %s', async (max_tokens, streamed) => {
  const prompt = `long ${max_tokens}`;
  const messages = [{ role: 'user', content: prompt } as const];
  const client = new Anthropic({ apiKey: 'test', baseURL: app.url, maxRetries: 0 });
  const message = await client.messages.create({ model: 'text', max_tokens, messages });
  expect(message.content).toMatchObject([{ type: 'text', text: joined(scenes.text, 'text') }]);
  const chat = new OpenAI({ apiKey: 'test', baseURL: `${app.url}/v1`, maxRetries: 0 });
  const { choices } = await chat.chat.completions.create({ model: 'text', max_tokens, messages });
  expect(choices[0]?.message.content).toBe(joined(scenes.text, 'text'));
  expect(upstream.about(prompt).map(({ look }) => look.stream)).toEqual([streamed, streamed]);
});
