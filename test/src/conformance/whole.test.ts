/** On every pair the whole answer equals the collected stream, whether or not the upstream streams; official clients collect. */
import Anthropic from '@anthropic-ai/sdk';
import type { KnownDialect } from '@streamglot/core';
import { llmGateway } from '@streamglot/express';
import { compatible } from '@streamglot/providers';
import express from 'express';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, type Serving, serve } from '../express/serve.ts';
import { opened } from '../support/carried.ts';
import { type Scene, scenes, TOOL } from '../support/scenes.ts';
import { wireOf } from '../support/wire/index.ts';

type Json = Readonly<Record<string, unknown>>;

const ids: readonly KnownDialect[] = ['chat', 'messages', 'responses'];
const pairs = ids.flatMap((from) => ids.map((to) => ({ from, to })));
const names = Object.values<Scene>(scenes)
  .filter(({ ending, refused, after }) => ending === 'whole' && refused === undefined && after === undefined)
  // The official helper of Chat cannot collect such a call.
  .filter(({ pieces }) => !pieces.some((piece) => piece.type === 'call' && piece.custom))
  .map(({ name }) => name);

const messages = [{ role: 'user' as const, content: 'Hi' }];
const schema = { type: 'object' as const, properties: {} };

/** How a dialect is asked, and how its official client adds up a stream. */
interface Official {
  path: string;
  body(model: string): Json;
  collect(base: string, body: Json): Promise<unknown>;
}

const officials: Readonly<Record<string, Official>> = {
  chat: {
    path: '/v1/chat/completions',
    body: (model) => ({ model, messages, tools: [{ type: 'function', function: { name: TOOL, parameters: schema } }] }),
    collect: async (base, body) => {
      const stream = openai(base).chat.completions.stream({
        ...body,
        stream_options: { include_usage: true },
      } as never);
      let reasoning = '';
      stream.on('chunk', ({ choices }) => {
        for (const { delta } of choices) reasoning += (delta as { reasoning_content?: string }).reasoning_content ?? '';
      });
      const completion = await stream.finalChatCompletion();
      for (const { message } of completion.choices) if (reasoning !== '') restore(message, reasoning);
      return completion;
    },
  },
  messages: {
    path: '/v1/messages',
    body: (model) => ({ model, messages, max_tokens: 100, tools: [{ name: TOOL, input_schema: schema }] }),
    collect: (base, body) =>
      new Anthropic({ apiKey: 'test', baseURL: base, maxRetries: 0 }).messages.stream(body as never).finalMessage(),
  },
  responses: {
    path: '/v1/responses',
    body: (model) => ({
      model,
      input: 'Hi',
      tools: [{ type: 'function', name: TOOL, parameters: schema, strict: false }],
    }),
    collect: (base, body) =>
      openai(base)
        .responses.stream(body as never)
        .finalResponse(),
  },
};

function openai(base: string): OpenAI {
  return new OpenAI({ apiKey: 'test', baseURL: `${base}/v1`, maxRetries: 0 });
}

/** The official accumulator keeps only the last piece of members that it does not know. */
function restore(message: object, reasoning: string): void {
  Object.assign(message, { reasoning_content: reasoning }, 'reasoning' in message && { reasoning });
}

/** What an answer says; the members around it are the upstream's own where its frames were relayed. */
const telling = [
  'choices',
  'content',
  'output',
  'status',
  'stop_reason',
  'stop_sequence',
  'incomplete_details',
  'usage',
];

/** The accumulator of openai 7 makes a text of a stream's empty beginning; a whole answer has none. */
const isNone = (key: string, member: unknown): boolean => key === 'content' && member === '';

/** Members that differ from answer to answer, what the official helpers add, and a second name of one thing. */
const passing = new Set(['id', 'parsed', 'parsed_arguments', 'reasoning']);

/** Members that carry what only its maker can read; two upstreams are two makers. */
const carrying = new Set(['signature', 'encrypted_content']);

/** Reasoning need not tell a status; what we write does, as some clients ask for it. */
function isReasoning(member: unknown): member is Json {
  return (member as Json | null)?.type === 'reasoning';
}

function essence(answer: unknown): unknown {
  const said = Object.entries(answer as Json).filter(([name]) => telling.includes(name));
  const kept = (key: string, member: unknown): unknown => {
    if (passing.has(key)) return undefined;
    if (isNone(key, member)) return null;
    if (isReasoning(member)) return { ...member, status: undefined };
    if (typeof member === 'string' && carrying.has(key)) return opened(member);
    return key === 'arguments' && typeof member === 'string' ? JSON.parse(member) : member;
  };
  return JSON.parse(JSON.stringify(Object.fromEntries(said), kept));
}

/** Streams each scene, whatever it is asked for. */
function streamingUpstream(dialect: KnownDialect): Promise<Serving> {
  const app = express().use(express.json({ limit: '1mb' }));
  app.post(officialOf(dialect).path, (request, response) => {
    const { model } = request.body as { model: keyof typeof scenes };
    const body = { model, stream: true, stream_options: { include_usage: true } };
    const frames = wireOf(dialect).write(scenes[model], { headers: {}, body });
    response.type('text/event-stream').end(frames.join(''));
  });
  return serve(app);
}

/** Answers each scene whole, as the official client of its dialect has collected it from a stream. */
function wholeUpstream(dialect: KnownDialect, streaming: Serving): Promise<Serving> {
  const { path, body, collect } = officialOf(dialect);
  const app = express().use(express.json());
  app.post(path, async (request, response) => {
    const { model } = request.body as { model: string };
    response.json(await collect(streaming.url, body(model)));
  });
  return serve(app);
}

function officialOf(dialect: KnownDialect): Official {
  const official = officials[dialect];
  if (official === undefined) throw new Error(`no official client of ${dialect}`);
  return official;
}

function gatewayOf(dialect: KnownDialect, url: string): Promise<Serving> {
  const up = compatible({ baseURL: `${url}/v1`, dialect, apiKey: 'key-of-the-upstream' });
  const models = Object.fromEntries(names.map((name) => [name, `up/${name}` as const]));
  return serve(express().use(llmGateway({ providers: { up }, models, authorize: 'host' })));
}

const upstreams: Serving[] = [];
const gateways = new Map<string, Serving>();

beforeAll(async () => {
  for (const id of ids) {
    const streaming = await streamingUpstream(id);
    const whole = await wholeUpstream(id, streaming);
    upstreams.push(streaming, whole);
    gateways.set(`${id} streams`, await gatewayOf(id, streaming.url));
    gateways.set(`${id} whole`, await gatewayOf(id, whole.url));
  }
});

afterAll(async () => {
  for (const serving of [...gateways.values(), ...upstreams]) await serving[Symbol.asyncDispose]();
});

describe.each(pairs)('a $to client of a $from upstream', ({ from, to }) => {
  const { path, body, collect } = officialOf(to);

  test.each(names)('gets one answer in four ways: %s', async (name) => {
    const answers = ['streams', 'whole'].map(async (way) => {
      const base = gateways.get(`${from} ${way}`)?.url ?? '';
      const answer = await ask(base + path, body(name));
      const text = await answer.all();
      expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
      return [essence(JSON.parse(text)), essence(await collect(base, body(name)))];
    });
    const [first, ...others] = (await Promise.all(answers)).flat();
    expect(JSON.stringify(first).length).toBeGreaterThan(100);
    for (const other of others) expect(other).toEqual(first);
  });
});
