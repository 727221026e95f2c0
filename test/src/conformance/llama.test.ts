/** The three flawed dialects of a llama-server, read by every client in every client dialect. */

import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dialects, type KnownDialect } from '@streamglot/core';
import { llmGateway } from '@streamglot/express';
import { compatible } from '@streamglot/providers';
import express from 'express';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Serving, serve } from '../express/serve.ts';
import { type Client, clients, clientsOf } from '../support/clients/index.ts';
import { dataFolder, hasData, withoutData } from '../support/data.ts';
import { parsed } from '../support/json.ts';
import { type Answer, readerOf } from '../support/reading/index.ts';

const FOLDER = 'corpus/llamacpp';
const ids = Object.keys(dialects) as KnownDialect[];
const isPresent = hasData(FOLDER);
if (!isPresent) console.log(withoutData('llama-server', FOLDER));

test(isPresent ? 'has captures of all three dialects' : 'reads nothing where the captures are absent', () => {
  expect(captures.length > 0).toBe(isPresent);
});

/** One capture; the name of its file is the name of the model that plays it. */
interface Capture {
  model: string;
  dialect: KnownDialect;
  whole: boolean;
  text: string;
}

/** Errors say nothing to be read, and several choices have no place in the other dialects. */
const left = /error|-n2|meta\.json$/;

const captures: readonly Capture[] = isPresent
  ? readdirSync(dataFolder(FOLDER))
      .filter((file) => !left.test(file))
      .map((file) => ({
        model: file.replace(/\.\w+$/, ''),
        dialect: ids.find((id) => file.startsWith(id)) ?? 'chat',
        whole: file.endsWith('.json'),
        text: readFileSync(`${dataFolder(FOLDER)}/${file}`, 'utf8'),
      }))
  : [];

/** Plays the capture that the request names. */
async function play(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { model } = JSON.parse(Buffer.concat(chunks).toString()) as { model: string };
  const { whole, text = '' } = captures.find((capture) => capture.model === model) ?? {};
  response.setHeader('content-type', whole ? 'application/json' : 'text/event-stream');
  response.end(text);
}

/** What the capture says, by readers that do not know the product. */
function told({ dialect, text, whole }: Capture): Answer {
  const reader = readerOf(dialect, { recorded: true });
  for (const line of text.split('\n')) if (line.startsWith('data: {')) reader.take(parsed(line.slice('data: '.length)));
  return whole ? toldWhole(JSON.parse(text)) : reader.reading.answers[0];
}

interface WholeBody {
  choices?: { message: { content: string } }[];
  content?: { text?: string }[];
  output?: { content: { text: string }[] }[];
}

function toldWhole({ choices, content, output }: WholeBody): Answer {
  const said = choices?.[0]?.message.content;
  const parts = content ?? output?.flatMap((item) => item.content) ?? [];
  return {
    text: said ?? parts.map(({ text }) => text ?? '').join(''),
    refusal: '',
    reasoning: [],
    calls: [],
    end: undefined,
    word: undefined,
  };
}

let held = 0;
let upstream: Server;
let app: Serving;

beforeAll(async () => {
  upstream = createServer((request, response) => void play(request, response)).listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  const baseURL = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/v1`;
  const providers = Object.fromEntries(
    ids.map((dialect) => [dialect, compatible({ name: dialect, baseURL, dialect })]),
  );
  const models = Object.fromEntries(captures.map(({ model, dialect }) => [model, `${dialect}/${model}`]));
  app = await serve(express().use(llmGateway({ providers, models: models as Record<string, `chat/${string}`> })));
});

afterAll(async () => {
  if (isPresent)
    console.log(`llama-server: ${captures.length} captures, ${clients.length} clients, ${held} cells hold`);
  await app[Symbol.asyncDispose]();
  upstream.close();
});

/** Whether a client shows what the capture says: not one that runs the calls itself, or that refuses half of one. */
function canRead(client: Client, { whole }: Capture, { calls, end }: Answer): boolean {
  if ((client.whole === true) !== whole) return false;
  if (calls.length > 0 && client.loops === 'always') return false;
  if (end !== 'length') return true;
  return client.throws?.length === undefined && (calls.length === 0 || raw.has(client.name));
}

/** The clients that show every piece as it came. */
const raw: ReadonlySet<string> = new Set(['openai', 'anthropic', 'openai responses']);

describe.runIf(isPresent).each(captures)('the capture $model', (capture) => {
  const answer = told(capture);

  test('says something', () => {
    expect(answer.text.length + answer.calls.length).toBeGreaterThan(0);
  });

  for (const client of ids.flatMap((id) => clientsOf(id)).filter((client) => canRead(client, capture, answer)))
    test.concurrent(`is read rightly by ${client.name}`, async () => {
      const { model } = capture;
      const seen = await client.run({ base: app.url, model, prompt: 'Hi', tools: answer.calls.length > 0 });
      expect(seen.error).toBeUndefined();
      expect(seen.text).toBe(answer.text);
      expect(seen.calls.map(({ name, input }) => ({ name, input }))).toEqual(
        answer.calls.map(({ name, input }) => ({ name, input })),
      );
      if (raw.has(client.name)) expect(seen.reasoning).toBe(answer.reasoning.join('\n\n'));
      held += 1;
    });
});
