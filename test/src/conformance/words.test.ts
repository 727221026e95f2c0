/** Every word with which a Gemini upstream ends an answer, also those that its SDK does not know, read over a socket. */
import { dialects, type KnownDialect } from '@streamglot/core';
import { llmGateway } from '@streamglot/express';
import { compatible } from '@streamglot/providers';
import express from 'express';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, type Serving, serve } from '../express/serve.ts';
import { eventsOf } from '../support/events.ts';
import { parsed } from '../support/json.ts';
import { readerOf } from '../support/reading/index.ts';
import type { End } from '../support/reading/reading.ts';

const ids = Object.keys(dialects) as KnownDialect[];

/** The same word for clients of every dialect. */
const all = (word: string): Readonly<Record<string, string>> => Object.fromEntries(ids.map((id) => [id, word]));

const filtered = { ...all('content_filter'), messages: 'refusal' };
const limited = all('length');
const stopped = all('stop');
const failed = all('error');
const unsaid = { ...stopped, gemini: 'other' };

/** What a client of each dialect is told of a word (24 in the official client 3.3.0, seen 2026-11-29, and one that is of none). */
const words: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  STOP: stopped,
  MAX_TOKENS: limited,
  CONTINUATION: { ...limited, gemini: 'other' },
  SAFETY: filtered,
  RECITATION: filtered,
  LANGUAGE: filtered,
  BLOCKLIST: filtered,
  PROHIBITED_CONTENT: filtered,
  SPII: filtered,
  ESCALATION: filtered,
  PUP_LIMITED_DISABLED: filtered,
  MODEL_ARMOR: filtered,
  IMAGE_SAFETY: filtered,
  IMAGE_PROHIBITED_CONTENT: filtered,
  IMAGE_RECITATION: filtered,
  MALFORMED_FUNCTION_CALL: failed,
  UNEXPECTED_TOOL_CALL: failed,
  MALFORMED_RESPONSE: failed,
  MISSING_THOUGHT_SIGNATURE: failed,
  TOO_MANY_TOOL_CALLS: { ...stopped, messages: 'pause', responses: 'other', gemini: 'pause', interactions: 'length' },
  OTHER: unsaid,
  IMAGE_OTHER: unsaid,
  NO_IMAGE: unsaid,
  FINISH_REASON_UNSPECIFIED: unsaid,
  A_WORD_OF_TOMORROW: unsaid,
};

const path = '/v1beta/models/{model}:streamGenerateContent';

/** How each dialect is asked for a stream. */
const asks: Readonly<Record<KnownDialect, readonly [path: string, (model: string) => object]>> = {
  chat: ['/v1/chat/completions', (model) => ({ model, stream: true, messages: [{ role: 'user', content: 'Hi' }] })],
  messages: [
    '/v1/messages',
    (model) => ({ model, stream: true, max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] }),
  ],
  responses: ['/v1/responses', (model) => ({ model, stream: true, input: 'Hi' })],
  interactions: ['/v1beta/interactions', (model) => ({ model, stream: true, input: 'Hi' })],
  gemini: [path, () => ({ contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] })],
};
const framings = ['events', 'an array'] as const;

/** Ends its answer with the word that its model is called, in the framing that stands before it. */
function play(target: string): string {
  const [, framing, word] = /models\/(\w+)-(\w+):/.exec(target) ?? [];
  const payloads = [{ text: 'Half' }, { text: ' of it' }].map((part, at) => ({
    candidates: [{ content: { parts: [part], role: 'model' }, ...(at === 1 && { finishReason: word }), index: 0 }],
    usageMetadata: { promptTokenCount: 2, candidatesTokenCount: 3, totalTokenCount: 5 },
    modelVersion: 'demo',
    responseId: 'r',
  }));
  return framing === 'events'
    ? payloads.map((payload) => `data: ${JSON.stringify(payload)}\r\n\r\n`).join('')
    : JSON.stringify(payloads, null, 2);
}

let upstream: Serving;
let app: Serving;

beforeAll(async () => {
  upstream = await serve((request, response) =>
    request.resume().on('end', () => response.end(play(request.url ?? ''))),
  );
  const up = compatible({ baseURL: upstream.url, dialect: 'gemini', apiKey: 'key-of-the-upstream' });
  const names = Object.keys(words).flatMap((word) => [`events-${word}`, `array-${word}`]);
  const models = Object.fromEntries(names.map((name) => [name, `up/${name}` as const]));
  app = await serve(express().use(llmGateway({ providers: { up }, models, authorize: 'host' })));
});

afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

/** What a client is told: the text, why it ended, and the upstream's word. */
async function told(to: KnownDialect, model: string, query = '?alt=sse'): Promise<[string, End | undefined, unknown]> {
  const [path, body] = asks[to];
  const place = path.includes('{model}') ? path.replace('{model}', model) + query : path;
  const answer = await (await ask(app.url + place, body(model))).all();
  const reader = readerOf(to, { recorded: false });
  const events = answer.trimStart().startsWith('[')
    ? (JSON.parse(answer) as unknown[])
    : eventsOf(answer).map(({ data }) => parsed(data));
  for (const event of events) reader.take(event);
  const { answers, error } = reader.reading;
  return [answers[0].text, error === undefined ? answers[0].end : 'error', answers[0].word];
}

describe.each(ids)('a client of %s', (to) => {
  for (const framing of framings)
    test.each(Object.keys(words))(`is told what %s means, from ${framing}`, async (word) => {
      const model = `${framing === 'events' ? 'events' : 'array'}-${word}`;
      const [text, end, said] = await told(to, model);
      expect([text, end]).toEqual(['Half of it', words[word]?.[to]]);
      if (to === 'gemini') expect(said).toBe(word);
    });
});

test.each(Object.keys(words))('a client that reads an array is told %s itself', async (word) => {
  expect(await told('gemini', `array-${word}`, '')).toEqual(['Half of it', words[word]?.gemini, word]);
});

test('the words are all that the official client has, and one more', () => {
  expect(Object.keys(words)).toHaveLength(24 + 1);
});
