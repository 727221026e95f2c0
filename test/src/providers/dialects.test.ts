/** The providers through the dialects that they speak: what OpenAI and Anthropic are sent, and what is read from them. */
import { createGzip } from 'node:zlib';
import type { CanonicalRequest, Provider } from '@streamglot/core';
import { Collector, createReader, dialectOf, GrammarCheck, Ids } from '@streamglot/core';
import { anthropic, compatible, openai, replay } from '@streamglot/providers';
import { describe, expect, test } from 'vitest';
import { batchesOf, endingOf, eventsOf, open, type Peer, refusalOf, serve, textOf, until } from './peer.ts';

const request: CanonicalRequest = {
  model: 'alias',
  system: [{ role: 'system', text: 'Be brief.' }],
  turns: [{ role: 'user', parts: [{ type: 'text', text: 'Hello' }] }],
  tools: [],
  sampling: { temperature: 0.5 },
};

const chatChunk = (choice: object): string =>
  `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [choice] })}\n\n`;
const chatStream = [
  chatChunk({ index: 0, delta: { role: 'assistant', content: 'Hi' }, finish_reason: null }),
  chatChunk({ index: 0, delta: {}, finish_reason: 'stop' }),
  'data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[],"usage":{"prompt_tokens":7,"completion_tokens":1,"total_tokens":8}}\n\n',
  'data: [DONE]\n\n',
];
const messagesStream = [
  'event: message_start\ndata: {"type":"message_start","message":{"id":"m1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":7,"output_tokens":1}}}\n\n',
  'event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n\n',
  'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}}\n\n',
  'event: content_block_stop\ndata: {"type":"content_block_stop","index":0}\n\n',
  'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":1}}\n\n',
  'event: message_stop\ndata: {"type":"message_stop"}\n\n',
];
const responsesEvent = (type: string, more: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
const message = { id: 'msg_1', type: 'message', role: 'assistant', status: 'completed' };
const responsesStream = [
  responsesEvent('response.created', { response: { id: 'resp_1', model: 'm', output: [], status: 'in_progress' } }),
  responsesEvent('response.output_item.added', { output_index: 0, item: { ...message, content: [] } }),
  responsesEvent('response.output_text.delta', { output_index: 0, item_id: 'msg_1', content_index: 0, delta: 'Hi' }),
  responsesEvent('response.completed', {
    response: {
      id: 'resp_1',
      model: 'm',
      status: 'completed',
      output: [{ ...message, content: [{ type: 'output_text', text: 'Hi', annotations: [] }] }],
    },
  }),
];

interface Spoken extends Peer {
  seen: { url: string; headers: Record<string, unknown>; body: Record<string, unknown> };
}

/** A server that answers with a stream and remembers what it was asked. */
async function speaking(stream: readonly string[], stays = false): Promise<Spoken> {
  const seen: Spoken['seen'] = { url: '', headers: {}, body: {} };
  const peer = await serve(async (asked, response, body) => {
    Object.assign(seen, { url: asked.url, headers: asked.headers, body: JSON.parse(body) });
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(stream.join(''));
    if (!stays) response.end();
  });
  return { ...peer, seen };
}

const apiKey = 'sk-test-0123456789abcdef0123';
const pairs: readonly [string, readonly string[], (baseURL: string) => Provider][] = [
  ['openai', chatStream, (baseURL) => openai({ apiKey, baseURL: `${baseURL}/v1` })],
  ['anthropic', messagesStream, (baseURL) => anthropic({ apiKey, baseURL })],
];

describe.each(pairs)('%s', (name, stream, providerAt) => {
  test('reads its stream: text, usage, ending', async () => {
    const batches = await batchesOf(await open(providerAt((await speaking(stream)).url), { request }));
    const collector = new Collector();
    for (const event of eventsOf(batches)) collector.add(event);
    const { usage, status, choices } = collector.response();
    expect([textOf(batches), status, choices[0]?.reason]).toEqual(['Hi', 'completed', 'stop']);
    expect(usage).toMatchObject({ inputTokens: 7, outputTokens: 1 });
  });

  test('ends with the terminal event, though the upstream stays open', async () => {
    const peer = await speaking(stream, true);
    expect(endingOf(await batchesOf(await open(providerAt(peer.url), { request })))).toBe('response-end');
    await until(() => peer.sockets[0]?.closed === true, 2_000);
  });

  test('reads a compressed stream', async () => {
    const peer = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' });
      const zip = createGzip();
      zip.pipe(response);
      zip.end(stream.join(''));
    });
    expect(textOf(await batchesOf(await open(providerAt(peer.url), { request })))).toBe('Hi');
  });

  test('each cut between two events is a truncation', async () => {
    for (let whole = 0; whole < stream.length - 1; whole++) {
      const batches = await batchesOf(
        await open(providerAt((await speaking(stream.slice(0, whole))).url), { request }),
      );
      const grammar = new GrammarCheck();
      for (const { frames } of batches) for (const events of frames) grammar.push(events);
      grammar.end();
      expect(grammar.violations).toEqual([]);
      if (name === 'anthropic' || whole < 2) expect([whole, endingOf(batches)]).toEqual([whole, 'stream_truncated']);
    }
  });

  const failures: readonly [number, string, string][] = [
    [401, 'authentication_error', 'authentication'],
    [429, 'rate_limit_error', 'rate_limit'],
    [500, 'api_error', 'api_error'],
  ];
  test.each(failures)('reads a %s', async (status, type, canonical) => {
    const peer = await serve((_request, response) => {
      response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '3', 'x-request-id': 'r9' });
      response.end(JSON.stringify({ type: 'error', error: { type, message: `no: ${apiKey}` } }));
    });
    const error = await refusalOf(open(providerAt(peer.url), { request }));
    expect(error).toMatchObject({ type: canonical, status, requestId: 'r9', retryAfterMs: 3_000 });
    expect(JSON.stringify(error)).not.toContain(apiKey);
  });

  test('an error under 200 is the ending', async () => {
    const peer = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"type":"error","error":{"type":"invalid_request_error","message":"model not found"}}');
    });
    const last = eventsOf(await batchesOf(await open(providerAt(peer.url), { request }))).at(-1);
    expect(last).toMatchObject({ type: 'error', error: { type: 'invalid_request', message: 'model not found' } });
  });
});

describe('openai', () => {
  test('is asked at its address, with its headers', async () => {
    const { url, seen } = await speaking(chatStream);
    const provider = openai({ apiKey, baseURL: `${url}/v1/`, organization: 'org', project: 'proj' });
    await batchesOf(await open(provider, { request }));
    expect(seen.url).toBe('/v1/chat/completions');
    expect(seen.headers).toMatchObject({
      authorization: `Bearer ${apiKey}`,
      'openai-organization': 'org',
      'openai-project': 'proj',
    });
    expect(seen.body).toMatchObject({ model: 'small', stream: true, temperature: 0.5 });
  });

  test.each([
    ['chat', 'gpt-4o', undefined],
    ['responses', 'o3-pro', undefined],
    ['responses', 'gpt-5-pro-2025-10-06', undefined],
    ['responses', 'gpt-5-codex', undefined],
    ['chat', 'prompt-model', undefined],
    ['responses', 'gpt-4o', 'responses'],
    ['chat', 'o3-pro', 'chat'],
    ['responses', 'ours', (model: string) => (model === 'ours' ? 'responses' : 'chat')],
  ] as const)('speaks %s to the model %s where it is told %s', (dialect, model, told) => {
    const provider = openai({ apiKey, ...(told !== undefined && { dialect: told }) });
    expect(provider.upstream(model)).toMatchObject({ id: `openai/${model}`, dialect });
  });

  test('asks in Responses at its address', async () => {
    const { url, seen } = await speaking(responsesStream);
    const provider = openai({ apiKey, baseURL: `${url}/v1`, dialect: 'responses' });
    expect(textOf(await batchesOf(await open(provider, { request })))).toBe('Hi');
    expect(seen.url).toBe('/v1/responses');
    expect(seen.body).toMatchObject({ model: 'small', stream: true, temperature: 0.5 });
  });

  test('a whole answer comes as events', async () => {
    const peer = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(
        '{"id":"c1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"unary"},"finish_reason":"stop"}]}',
      );
    });
    for (const stream of [true, false]) {
      const batches = await batchesOf(await open(openai({ apiKey, baseURL: peer.url }), { request, stream }));
      expect([textOf(batches), endingOf(batches)]).toEqual(['unary', 'response-end']);
    }
  });
});

describe('anthropic', () => {
  test('is asked at its address, whether or not the base names the version', async () => {
    for (const path of ['', '/', '/v1', '/v1/', '/proxy', '/proxy/v1']) {
      const { url, seen } = await speaking(messagesStream);
      await batchesOf(await open(anthropic({ apiKey, baseURL: url + path }), { request }));
      expect(seen.url).toBe(`${path.replace(/\/?(v1)?\/?$/, '')}/v1/messages`);
      expect(seen.headers).toMatchObject({ 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' });
      expect(seen.body).toMatchObject({ model: 'small', stream: true, temperature: 0.5 });
    }
  });

  test('under its newer version is asked without sampling, and says so', async () => {
    const { url, seen } = await speaking(messagesStream);
    const reply = await open(anthropic({ apiKey, baseURL: url, version: '2026-10-21' }), { request });
    await batchesOf(reply);
    expect(seen.headers).toMatchObject({ 'anthropic-version': '2026-10-21' });
    expect(seen.body).not.toHaveProperty('temperature');
    expect(reply.head.losses?.map(({ field }) => field)).toEqual([expect.stringContaining('temperature')]);
  });

  test('takes a token for a key, and the betas of both sides', async () => {
    const { url, seen } = await speaking(messagesStream);
    const provider = anthropic({ authToken: 'tok', baseURL: url, beta: ['b', 'c'] });
    await batchesOf(await open(provider, { request, headers: new Map([['anthropic-beta', 'a,b']]) }));
    expect(seen.headers).toMatchObject({ authorization: 'Bearer tok', 'anthropic-beta': 'a,b,c' });
    expect(seen.headers).not.toHaveProperty('x-api-key');
  });

  test('is asked for the tokens that the configuration names, where the client names none', async () => {
    const { url, seen } = await speaking(messagesStream);
    await batchesOf(await open(anthropic({ apiKey, baseURL: url, maxOutputTokens: 77 }), { request }));
    expect(seen.body).toMatchObject({ max_tokens: 77 });
  });
});

test('a habit of a server is told to its decoder', async () => {
  const { url } = await speaking([
    chatChunk({ index: 0, delta: { content: '<think>hm</think>Hi' }, finish_reason: null }),
    ...chatStream.slice(1),
  ]);
  const provider = compatible({ baseURL: url, dialect: 'chat', extractThinkTags: true });
  expect(textOf(await batchesOf(await open(provider, { request })))).toBe('Hi');
});

test.each([
  ['its caller', {}, { maxBlocks: 1 }, true],
  ['its own', { maxBlocks: 1 }, {}, true],
  ['its own, which win', { maxBlocks: 9 }, { maxBlocks: 1 }, false],
])('the limits of an answer are those of %s', async (_whose, own, callers, reached) => {
  const { url } = await speaking([
    chatChunk({ index: 0, delta: { reasoning_content: 'Hm', content: 'Hi' }, finish_reason: null }),
    ...chatStream.slice(1),
  ]);
  const provider = compatible({ baseURL: url, dialect: 'chat', limits: own });
  const events = eventsOf(await batchesOf(await open(provider, { request, limits: callers })));
  const ending = { type: 'error', error: { type: 'too_large', code: 'too_many_blocks' } };
  expect(events.at(-1)).toMatchObject(reached ? ending : { type: 'response-end' });
});

describe.each(['chat', 'messages'] as const)('scripted answers to a %s client', (id) => {
  const tool = { type: 'function', name: 'act', parameters: { type: 'object' } } as const;
  const scenes = ['text', 'reasoning', 'tool', 'parallel', 'interleaved', 'length', 'multibyte', 'cut', 'error', 'any'];
  test.each(scenes)('%s is read back as it was played', async (model) => {
    const call = { request: { ...request, tools: [tool] } };
    const provider = replay({ delayMs: 0 });
    const upstream = { name: provider.name, keyed: false, upstream: () => provider.upstream(model) };
    const played = await batchesOf(await open(upstream, call));
    const dialect = dialectOf(id);
    const limits = { maxFrameBytes: 1e6, maxBlocks: 99, maxDepth: 99, maxAccumulatedBytes: 1e6, maxQueuedBytes: 1e6 };
    const encoder = dialect.encoder({ ids: new Ids('seed'), limits, includeUsage: true });
    const written =
      played.flatMap(({ frames }) => frames.map((events) => encoder.push(events))).join('') + encoder.end();
    const reader = createReader(dialect);
    const read = [...reader.push(written), ...reader.end()];
    expect(summary(read.flat())).toEqual(summary(eventsOf(played)));
  });
});

function summary(events: ReturnType<typeof eventsOf>): unknown {
  const collector = new Collector();
  for (const event of events) collector.add(event);
  const { choices, status, usage } = collector.response();
  const blocks = choices[0]?.blocks.map(({ kind, text, input, toolCall }) => ({ kind, text, input, id: toolCall?.id }));
  return { blocks, status, reason: choices[0]?.reason, output: status === 'completed' && usage?.outputTokens };
}
