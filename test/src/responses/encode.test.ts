/** What other dialects say, as a Responses stream. */
import { type CanonicalEvent, Collector, defaultLimits, Ids, type RequestContext } from '@streamglot/core';
import { describe, expect, it } from 'vitest';
import { responses } from '../../../packages/core/src/dialects/responses/index.ts';
import { eventsOf, responses as grammar } from '../support/grammar/responses.ts';
import { streams, text as textOf } from './wire.ts';

type Wire = Record<string, unknown>;

const start: CanonicalEvent = {
  type: 'response-start',
  id: 'chatcmpl-1',
  model: 'demo-model',
  createdAt: 1_700_000_000,
};
const end = (
  reason: 'stop' | 'length' | 'tool_calls' | 'refusal' | 'pause' = 'stop',
  nativeReason?: string,
): CanonicalEvent[] => [
  { type: 'finish', choice: 0, reason, ...(nativeReason !== undefined && { nativeReason }) },
  { type: 'usage', usage: { inputTokens: 5, outputTokens: 3, outputTokensDetails: { reasoning: 1 } }, final: true },
  { type: 'response-end', status: 'completed' },
];

function open(block: number, kind: 'text' | 'refusal' | 'reasoning', more: Wire = {}): CanonicalEvent {
  return { type: 'block-start', block, choice: 0, kind, ...more };
}

function said(block: number, text: string): CanonicalEvent {
  return { type: 'block-delta', block, delta: { type: 'text', text } };
}

function thought(block: number, text: string): CanonicalEvent {
  return { type: 'block-delta', block, delta: { type: 'reasoning', text, form: 'raw' } };
}

function called(block: number, id: string, more: Wire = {}): CanonicalEvent {
  const toolCall = { id, name: 'look_up', format: 'json', executor: 'client', kind: 'function', ...more } as const;
  return { type: 'block-start', block, choice: 0, kind: 'tool_call', toolCall };
}

function input(block: number, text: string): CanonicalEvent {
  return { type: 'block-delta', block, delta: { type: 'input', text } };
}

const close = (block: number): CanonicalEvent => ({ type: 'block-end', block });

function encode(events: readonly CanonicalEvent[], context?: RequestContext, limits = defaultLimits): string {
  const options = { ids: new Ids('seed'), limits };
  const encoder = responses.encoder(context === undefined ? options : { ...options, context });
  return events.map((event) => encoder.push([event])).join('') + encoder.end();
}

const lastOf = (out: string): Wire => eventsOf(out).at(-1)?.response as Wire;
const typesOf = (out: string): unknown[] => (lastOf(out).output as Wire[]).map((item) => item.type);

describe('the encoder', () => {
  it('writes the whole life of a text', () => {
    const out = encode([start, open(0, 'text'), said(0, 'Hel'), said(0, 'lo'), close(0), ...end()]);
    expect(grammar.violations(out)).toEqual([]);
    expect(eventsOf(out).map((data) => String(data.type).replace('response.', ''))).toEqual([
      'created',
      'in_progress',
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
      'completed',
    ]);
    expect(lastOf(out)).toMatchObject({
      id: 'chatcmpl-1',
      model: 'demo-model',
      created_at: 1_700_000_000,
      usage: {
        input_tokens: 5,
        input_tokens_details: { cached_tokens: 0 },
        output_tokens: 3,
        output_tokens_details: { reasoning_tokens: 1 },
        total_tokens: 8,
      },
    });
  });

  it('gives texts one after another one message, and texts side by side one each', () => {
    const row = encode([
      start,
      open(0, 'text'),
      said(0, 'a'),
      close(0),
      open(1, 'text'),
      said(1, 'b'),
      close(1),
      ...end(),
    ]);
    expect(grammar.violations(row)).toEqual([]);
    expect(typesOf(row)).toEqual(['message']);
    const both = [
      start,
      open(0, 'text'),
      said(0, 'a'),
      open(1, 'refusal'),
      said(1, 'b'),
      said(0, 'c'),
      close(0),
      close(1),
    ];
    const side = encode([...both, ...end()]);
    expect(grammar.violations(side)).toEqual([]);
    expect(typesOf(side)).toEqual(['message', 'message']);
  });

  it('writes reasoning as a summary that clients read, its parts apart', () => {
    const part = (block: number, text: string, number: number): CanonicalEvent => ({
      type: 'block-delta',
      block,
      delta: { type: 'reasoning', text, form: 'summary', part: number },
    });
    const raw = encode([start, open(0, 'reasoning'), thought(0, 'hm'), thought(0, 'm'), close(0), ...end()]);
    const parts = encode([start, open(0, 'reasoning'), part(0, 'one', 0), part(0, 'two', 1), close(0), ...end()]);
    for (const out of [raw, parts]) expect(grammar.violations(out)).toEqual([]);
    expect(lastOf(raw).output).toMatchObject([{ type: 'reasoning', summary: [{ text: 'hmm' }] }]);
    expect(lastOf(parts).output).toMatchObject([{ summary: [{ text: 'one' }, { text: 'two' }] }]);
  });

  it('hides reasoning that the client does not want, and never opens an empty item for it', () => {
    const context: RequestContext = { dialect: 'responses', stream: true, showReasoning: false };
    const events = [
      start,
      open(0, 'reasoning'),
      thought(0, 'hm'),
      close(0),
      open(1, 'text'),
      said(1, 'x'),
      close(1),
      ...end(),
    ];
    expect(typesOf(encode(events, context))).toEqual(['message']);
    const signature: CanonicalEvent = {
      type: 'block-delta',
      block: 0,
      delta: { type: 'signature', value: 'S', mode: 'set' },
    };
    const out = encode([start, open(0, 'reasoning'), signature, close(0), ...end()]);
    expect(typesOf(out)).toEqual([]);
    expect(out).not.toContain('"S"');
  });

  it('lets calls overlap, gives {} for no arguments and marks cut ones', () => {
    const out = encode([
      start,
      called(0, 'call_a'),
      called(1, 'call_b'),
      input(0, '{"a"'),
      called(2, 'call_c'),
      input(2, '{"c'),
      input(0, ':1}'),
      close(0),
      close(1),
      close(2),
      ...end('length'),
    ]);
    expect(grammar.violations(out)).toEqual([]);
    expect(lastOf(out)).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } });
    expect(lastOf(out).output).toMatchObject([
      { call_id: 'call_a', arguments: '{"a":1}', status: 'completed' },
      { call_id: 'call_b', arguments: '{}', status: 'completed' },
      { call_id: 'call_c', arguments: '{"c', status: 'incomplete' },
    ]);
  });

  it('writes a custom tool call with its free text', () => {
    const out = encode([
      start,
      called(0, 'call_a', { kind: 'custom', format: 'text' }),
      input(0, 'say "hi"'),
      close(0),
      ...end(),
    ]);
    expect(grammar.violations(out)).toEqual([]);
    expect(lastOf(out).output).toMatchObject([{ type: 'custom_tool_call', input: 'say "hi"' }]);
  });

  it('tells in the answer why the model refused where the upstream told it beside the answer', () => {
    const finish: CanonicalEvent = { type: 'finish', choice: 0, reason: 'refusal', details: { message: 'Not that.' } };
    const events = [start, open(0, 'text'), said(0, 'Well.'), close(0), finish, ...end().slice(1)];
    const out = encode(events);
    expect(grammar.violations(out)).toEqual([]);
    const content = [
      { type: 'output_text', text: 'Well.' },
      { type: 'refusal', refusal: 'Not that.' },
    ];
    expect(lastOf(out)).toMatchObject({ status: 'completed', output: [{ content }] });
    const collector = new Collector();
    collector.addFrame(events);
    const whole = responses.encodeResponse(collector.response(), { ids: new Ids('seed'), limits: defaultLimits });
    expect(whole).toMatchObject({ status: 'completed', output: [{ content }] });
  });

  it('does not show calls that another provider ran, and says so', () => {
    const encoder = responses.encoder({ ids: new Ids('seed'), limits: defaultLimits });
    const out = encoder.push([
      start,
      called(0, 'srv_1', { executor: 'server', kind: 'web_search' }),
      close(0),
      ...end(),
    ]);
    expect(grammar.violations(out)).toEqual([]);
    expect(typesOf(out)).toEqual([]);
    expect(encoder.losses).toMatchObject([{ field: 'tool_call.web_search', severity: 'minor' }]);
  });

  it('adds sources and token probabilities to the text they belong to', () => {
    const logprobs = [{ token: 'x', logprob: -0.5, bytes: [120], top: [{ token: 'y', logprob: -1 }] }];
    const citation = { kind: 'url', url: 'https://example.com/', title: 'Example', start: 0, end: 1 } as const;
    const out = encode([
      start,
      open(0, 'text'),
      { type: 'block-delta', block: 0, delta: { type: 'text', text: 'x', logprobs } },
      { type: 'block-delta', block: 0, delta: { type: 'citation', citation } },
      close(0),
      ...end(),
    ]);
    expect(grammar.violations(out)).toEqual([]);
    const url = { type: 'url_citation', url: 'https://example.com/', title: 'Example', start_index: 0, end_index: 1 };
    const tokens = [
      { token: 'x', logprob: -0.5, bytes: [120], top_logprobs: [{ token: 'y', logprob: -1, bytes: [] }] },
    ];
    expect(lastOf(out).output).toMatchObject([{ content: [{ annotations: [url], logprobs: tokens }] }]);
    const done = eventsOf(out).find((data) => data.type === 'response.output_text.done');
    expect(done?.logprobs).toEqual(tokens);
  });

  it.each<[string, CanonicalEvent[], Wire]>([
    ['a pause', end('pause', 'pause_turn'), { status: 'incomplete', incomplete_details: { reason: 'pause_turn' } }],
    [
      'a refusal without words',
      end('refusal'),
      { status: 'incomplete', incomplete_details: { reason: 'content_filter' } },
    ],
    ['calls', end('tool_calls'), { status: 'completed', incomplete_details: null }],
  ])('ends with %s', (_what, ending, expected) => {
    const out = encode([start, open(0, 'text'), said(0, 'x'), close(0), ...ending]);
    expect(grammar.violations(out)).toEqual([]);
    expect(lastOf(out)).toMatchObject(expected);
  });

  it('repeats what the request asked, and the name of the model that it asked for', () => {
    const echo = {
      instructions: 'Be brief.',
      temperature: 0.2,
      tools: [{ type: 'function', name: 'f' }],
      service_tier: 'flex',
    };
    const context: RequestContext = { dialect: 'responses', stream: true, model: 'my-model', startedAt: 17, echo };
    const out = encode([{ type: 'response-start' }, ...end()], context);
    for (const data of eventsOf(out))
      expect(data.response).toMatchObject({ ...echo, model: 'my-model', created_at: 17, top_p: 1, metadata: {} });
  });

  it('has every member that the official type requires', () => {
    const required =
      'id created_at error incomplete_details instructions metadata model object output parallel_tool_calls temperature tool_choice tools top_p status usage';
    const out = encode([start, ...end()]);
    for (const data of eventsOf(out))
      expect(Object.keys(data.response as Wire)).toEqual(expect.arrayContaining(required.split(' ')));
  });

  it('fails with what was said so far', () => {
    const error: CanonicalEvent = { type: 'error', error: { type: 'overloaded', message: 'Later.' } };
    const out = encode([start, open(0, 'text'), said(0, 'Hel'), error]);
    expect(grammar.violations(out)).toEqual([]);
    expect(lastOf(out)).toMatchObject({
      status: 'failed',
      error: { code: 'server_is_overloaded', message: 'Later.' },
      output: [{ type: 'message', status: 'incomplete', content: [{ text: 'Hel' }] }],
    });
  });

  it('stops when an ending would have to repeat more than is allowed', () => {
    const limits = { ...defaultLimits, maxAccumulatedBytes: 10 };
    const encoder = responses.encoder({ ids: new Ids('seed'), limits });
    const out = encoder.push([
      start,
      open(0, 'text'),
      said(0, '12345'),
      said(0, '678901'),
      said(0, 'more'),
      close(0),
      ...end(),
    ]);
    expect(encoder.failure).toMatchObject({ type: 'too_large' });
    expect(grammar.violations(out)).toEqual([]);
    expect(out).not.toContain('more');
  });
});

describe('a whole answer', () => {
  it.each(Object.entries(streams))('of %s reads as its stream does and is written back', (_name, events) => {
    const body = events.at(-1)?.response as Wire;
    const whole = responses.decodeResponse(body, { ids: new Ids('seed'), limits: defaultLimits });
    const collector = new Collector();
    collector.addFrame(whole);
    const written = responses.encodeResponse(collector.response(), {
      ids: new Ids('seed'),
      limits: defaultLimits,
    }) as Wire;
    expect(written).toMatchObject({ id: 'resp_1', object: 'response', status: 'completed', usage: body.usage });
    expect(strip(written.output)).toEqual(strip(body.output));
  });

  it('of a failed response, of an error and of neither is an error', () => {
    const read = (body: unknown) => responses.decodeResponse(body, { ids: new Ids('s'), limits: defaultLimits }).at(-1);
    expect(
      read({ object: 'response', status: 'failed', output: [], error: { code: 'rate_limit_exceeded', message: 'x' } }),
    ).toMatchObject({ type: 'error', error: { type: 'rate_limit', message: 'x' } });
    expect(read({ error: { type: 'invalid_request_error', message: 'x' } })).toMatchObject({
      error: { type: 'invalid_request' },
    });
    expect(read('nonsense')).toMatchObject({ type: 'error' });
  });

  it('under a stream asks nothing more of the encoder', () => {
    const events = streams['reasoning, then text'] as Wire[];
    const whole = responses.decodeResponse(events.at(-1)?.response, { ids: new Ids('s'), limits: defaultLimits });
    expect(grammar.violations(encode(whole))).toEqual([]);
    expect(textOf(events)).toContain('response.completed');
  });
});

/** Empty lists that one side leaves out. */
function strip(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, member) => (key === 'logprobs' || key === 'status' ? undefined : member)),
  );
}
