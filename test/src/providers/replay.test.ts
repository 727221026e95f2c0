/** The scripted upstream: every scene obeys the grammar, and any request gets the answer that it asks for. */
import type { Batch, CanonicalRequest, CanonicalResponse, FunctionTool, Part } from '@streamglot/core';
import { Collector, GrammarCheck } from '@streamglot/core';
import { type ReplayOptions, replay, type Script } from '@streamglot/providers';
import { describe, expect, test } from 'vitest';
import { batchesOf, eventsOf, pause, refusalOf } from './peer.ts';

const weather: FunctionTool = {
  type: 'function',
  name: 'get_weather',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
const clock: FunctionTool = { type: 'function', name: 'readClock' };

interface Ask extends Partial<CanonicalRequest> {
  say?: string;
}

function requestOf({ say = 'Hello there', ...more }: Ask): CanonicalRequest {
  return { model: 'any', system: [], turns: [{ role: 'user', parts: [text(say)] }], tools: [], ...more };
}

function text(value: string): Part {
  return { type: 'text', text: value };
}

function open(model: string, ask: Ask = {}, options: ReplayOptions = {}, stream = true, signal?: AbortSignal) {
  return replay({ delayMs: 0, ...options })
    .upstream(model)
    .open({
      request: requestOf(ask),
      context: { dialect: 'chat', stream },
      stream,
      signal: signal ?? new AbortController().signal,
    });
}

async function play(model: string, ask?: Ask, options?: ReplayOptions, stream?: boolean): Promise<Batch[]> {
  return batchesOf(await open(model, ask, options, stream));
}

function violationsOf(batches: readonly Batch[]): readonly string[] {
  const grammar = new GrammarCheck();
  for (const { frames } of batches) for (const events of frames) grammar.push(events);
  grammar.end();
  return grammar.violations;
}

function responseOf(batches: readonly Batch[]): CanonicalResponse {
  const collector = new Collector();
  for (const event of eventsOf(batches)) collector.add(event);
  return collector.response();
}

async function answer(model: string, ask?: Ask, options?: ReplayOptions) {
  const response = responseOf(await play(model, ask, options));
  const { blocks = [], reason, stopSequence } = response.choices[0] ?? {};
  const ofKind = (kind: string) => blocks.filter((block) => block.kind === kind).map((block) => block.text);
  const calls = blocks.flatMap(({ toolCall, input }) => (toolCall ? [{ name: toolCall.name, input }] : []));
  return {
    response,
    kinds: blocks.map(({ kind }) => kind),
    text: ofKind('text').join(''),
    calls,
    reason,
    stopSequence,
  };
}

describe('scenes', () => {
  const tools = [weather, clock];
  const scenes: readonly [string, readonly string[], string | undefined][] = [
    ['text', ['text'], 'stop'],
    ['reasoning', ['reasoning', 'text'], 'stop'],
    ['tool', ['tool_call'], 'tool_calls'],
    ['parallel', ['text', 'tool_call', 'tool_call'], 'tool_calls'],
    ['interleaved', ['tool_call', 'tool_call'], 'tool_calls'],
    ['length', ['text'], 'length'],
    ['refusal', ['refusal'], 'refusal'],
    ['content-filter', ['text'], 'content_filter'],
    ['stop-sequence', ['text'], 'stop'],
    ['multibyte', ['text'], 'stop'],
    ['error', ['text'], undefined],
    ['cut', ['text'], undefined],
    ['anything else', ['text'], 'stop'],
  ];

  test.each(scenes)('%s obeys the grammar and ends as its name says', async (model, kinds, reason) => {
    for (const ask of [{}, { tools }]) {
      const batches = await play(model, ask);
      expect(violationsOf(batches)).toEqual([]);
      const { choices } = responseOf(batches);
      expect(choices[0]?.blocks.map(({ kind }) => kind)).toEqual(kinds);
      expect(choices[0]?.reason).toBe(reason);
    }
  });

  test.each(scenes)('%s says the same as a whole answer, in one batch, and the same again', async (model) => {
    const streamed = responseOf(await play(model, { tools }));
    const whole = await play(model, { tools }, {}, false);
    expect([whole.length, whole[0]?.frames.length]).toEqual([1, 1]);
    expect(responseOf(whole)).toEqual(streamed);
    expect(responseOf(await play(model, { tools }))).toEqual(streamed);
  });

  test('a text comes in several pieces', async () => {
    const deltas = eventsOf(await play('text')).filter(({ type }) => type === 'block-delta');
    expect(deltas.length).toBeGreaterThan(5);
  });

  test('interleaved calls take turns', async () => {
    const blocks = eventsOf(await play('interleaved', { tools: [weather, weather] })).flatMap((event) =>
      event.type === 'block-delta' ? [event.block] : [],
    );
    expect(blocks.slice(0, 4)).toEqual([0, 1, 0, 1]);
  });

  test('a cut tells of a stream that broke off, an error of what the upstream said', async () => {
    expect((await answer('cut')).response.error?.code).toBe('stream_truncated');
    expect((await answer('error')).response.error?.code).toBe('scripted_error');
    expect((await answer('stop-sequence')).stopSequence).toBe('three');
  });

  test('a scene that fails before it says anything refuses the call', async () => {
    expect(await refusalOf(open('rate-limit'))).toMatchObject({ type: 'rate_limit', status: 429, retryAfterMs: 2_000 });
  });
});

describe('the answer to any request', () => {
  test('echoes the last words of the user', async () => {
    expect((await answer('any', { say: 'What is a socket?' })).text).toContain('“What is a socket?”');
  });

  const asked: readonly [string, Ask, readonly string[]][] = [
    ['a text that names a tool', { say: 'How is the weather?', tools: [weather, clock] }, ['get_weather']],
    ['a text that names two', { say: 'Weather and clock', tools: [weather, clock] }, ['get_weather', 'readClock']],
    ['a text that says "tool"', { say: 'Use a tool', tools: [clock] }, ['readClock']],
    ['a text about something else', { say: 'Hello', tools: [weather, clock] }, []],
    [
      'a choice that requires one',
      { say: 'Hello', tools: [weather], toolChoice: { type: 'required' } },
      ['get_weather'],
    ],
    [
      'a choice of one by name',
      { tools: [weather, clock], toolChoice: { type: 'tool', name: 'readClock' } },
      ['readClock'],
    ],
    ['a choice of none', { say: 'weather', tools: [weather], toolChoice: { type: 'none' } }, []],
    [
      'one call at a time',
      { say: 'Weather and clock', tools: [weather, clock], parallelToolCalls: false },
      ['get_weather'],
    ],
  ];
  test.each(asked)('calls the tools of %s', async (_case, ask, names) => {
    const { calls, reason } = await answer('any', ask);
    expect(calls.map(({ name }) => name)).toEqual(names);
    expect(reason).toBe(names.length > 0 ? 'tool_calls' : 'stop');
    for (const { input } of calls) expect(JSON.parse(input)).toBeTypeOf('object');
  });

  test('tells what the tools gave back, whatever the model', async () => {
    const turns = [
      { role: 'user', parts: [text('How is the weather?')] },
      {
        role: 'assistant',
        parts: [{ type: 'tool_call', id: 'c1', name: 'get_weather', kind: 'function', input: '{}' }],
      },
      { role: 'user', parts: [{ type: 'tool_result', callId: 'c1', content: [{ type: 'text', text: '21 °C' }] }] },
    ] as const;
    for (const model of ['any', 'tool', 'parallel']) {
      const told = await answer(model, { turns, tools: [weather] });
      expect([told.text, told.calls]).toEqual([expect.stringContaining('21 °C'), []]);
    }
  });

  test('thinks when it is asked to', async () => {
    expect((await answer('any', { reasoning: { effort: 'low' } })).kinds).toEqual(['reasoning', 'text']);
    expect((await answer('any', { reasoning: { effort: 'none' } })).kinds).toEqual(['text']);
  });

  test('is JSON of the schema when that is asked for', async () => {
    const schema = { type: 'object', properties: { city: { enum: ['Oslo', 'Rome'] } }, required: ['city'] };
    expect((await answer('any', { output: { type: 'json_schema', schema } })).text).toBe('{"city":"Oslo"}');
    expect(JSON.parse((await answer('any', { output: { type: 'json_object' } })).text)).toHaveProperty('answer');
  });

  test('keeps to the number of tokens', async () => {
    for (const model of ['text', 'tool', 'reasoning', 'parallel']) {
      const batches = await play(model, { maxOutputTokens: 3, tools: [weather] });
      const { choices, usage } = responseOf(batches);
      expect(violationsOf(batches)).toEqual([]);
      expect(choices[0]?.reason).toBe('length');
      expect(usage?.outputTokens).toBeLessThanOrEqual(4);
    }
  });

  test('ends at the first stop string', async () => {
    const { text: said, reason, stopSequence } = await answer('text', { stop: ['every', 'one by'] });
    expect([said, reason, stopSequence]).toEqual(['Words arrive ', 'stop', 'one by']);
  });

  test('gives as many choices as are asked for', async () => {
    const batches = await play('tool', { choices: 3, tools: [weather] });
    expect(violationsOf(batches)).toEqual([]);
    const { choices } = responseOf(batches);
    expect(choices.map(({ reason }) => reason)).toEqual(['tool_calls', 'tool_calls', 'tool_calls']);
    const ids = choices.flatMap(({ blocks }) => blocks.map(({ toolCall }) => toolCall?.id));
    expect(new Set(ids).size).toBe(3);
  });

  test('counts a token for every four characters', async () => {
    const { usage } = responseOf(await play('any', { say: 'x'.repeat(9) }, { turns: [{ text: 'abcde' }] }));
    expect(usage).toEqual({ inputTokens: 3, outputTokens: 2, totalTokens: 5 });
  });
});

describe('scripts of the user', () => {
  test('answer the requests of a conversation one after another', async () => {
    const turns: readonly Script[] = [
      { toolCalls: [{ name: 'get_weather', input: { city: 'Oslo' }, id: 'c1' }] },
      { reasoning: 'Hm.', text: 'Cold.' },
    ];
    const first = await answer('any', {}, { turns });
    expect(first.calls).toEqual([{ name: 'get_weather', input: '{"city":"Oslo"}' }]);
    const user = { role: 'user', parts: [text('And now?')] } as const;
    const assistant = { role: 'assistant', parts: [text('…')] } as const;
    expect((await answer('any', { turns: [user, assistant, user] }, { turns })).text).toBe('Cold.');
    const third = await answer('any', { turns: [user, assistant, user, assistant, user] }, { turns });
    expect(third.text).toContain('“And now?”');
  });

  test('break where they say', async () => {
    const batches = await play('any', {}, { turns: [{ text: 'one two three', cutAfter: 1 }] });
    expect(violationsOf(batches)).toEqual([]);
    expect(responseOf(batches).choices[0]?.blocks[0]?.text).toBe('one ');
  });

  test('give free text to a custom tool', async () => {
    const custom = { type: 'custom', name: 'shell' } as const;
    const ask: Ask = { tools: [custom], toolChoice: { type: 'required' } };
    const { response } = await answer('any', ask);
    expect(response.choices[0]?.blocks[0]).toMatchObject({
      toolCall: { format: 'text', kind: 'custom' },
      input: 'input for shell',
    });
  });
});

describe('time', () => {
  test('pieces come one after another', async () => {
    const times = (await play('any', {}, { turns: [{ text: 'one two' }], delayMs: 10 })).map(
      (batch) => batch.receivedAt,
    );
    expect((times.at(-1) as number) - (times[0] as number)).toBeGreaterThan(30);
  });

  test('an abort ends a slow answer at once', async () => {
    const client = new AbortController();
    const { batches } = await open('slow', {}, {}, true, client.signal);
    const start = performance.now();
    void pause(20).then(() => client.abort());
    for await (const _ of batches);
    expect(performance.now() - start).toBeLessThan(300);
    await expect(open('slow', {}, {}, true, client.signal)).rejects.toMatchObject({ error: { type: 'cancelled' } });
  });
});
