/** Whole answers for clients of their own dialect: nothing is lost, whether or not we know it, and what clients need is there. */
import {
  Collector,
  createReader,
  defaultLimits,
  dialects,
  type EncoderOptions,
  type FrameEvents,
  Ids,
  type KnownDialect,
  rewrite,
} from '@streamglot/core';
import { describe, expect, it } from 'vitest';

type Wire = Record<string, unknown>;

/** Answers with members that nobody knows, at every depth. */
const answers: Readonly<Record<KnownDialect, Wire>> = {
  chat: {
    id: 'c1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    provider: 'someone',
    choices: [
      {
        index: 0,
        native_finish_reason: 'STOP',
        finish_reason: 'tool_calls',
        message: {
          role: 'assistant',
          content: 'Hi',
          reasoning: 'Hm',
          mood: { x: [1, null] },
          tool_calls: [
            { id: 'a', type: 'function', function: { name: 'f', arguments: '{"a":1}', x: 1 }, index: 0, extra: {} },
          ],
        },
      },
    ],
    usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3, cost: 0.5, queue_time: 2 },
    x_groq: { id: 'r' },
  },
  gemini: {
    candidates: [
      {
        content: {
          parts: [
            { text: 'Hm', thought: true, x: 1 },
            { text: 'Hi', thoughtSignature: 's', x: { y: 1 } },
            { functionCall: { name: 'f', args: { a: 1 }, x: 1 } },
            { brandNew: { z: 1 } },
          ],
          role: 'model',
        },
        finishReason: 'STOP',
        index: 0,
        mood: [{ deep: true }],
      },
    ],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 2, totalTokenCount: 3, trafficType: 'ON_DEMAND' },
    modelVersion: 'm',
    responseId: 'r1',
    mood: { x: 1 },
  },
  interactions: {
    id: 'v1_1',
    status: 'requires_action',
    object: 'interaction',
    model: 'm',
    mood: { x: [1, null] },
    steps: [
      { type: 'thought', signature: 's', summary: [{ type: 'text', text: 'Hm', x: 1 }] },
      { type: 'model_output', content: [{ type: 'text', text: 'Hi', x: { y: 1 } }, { type: 'brand_new' }], x: 1 },
      { type: 'function_call', id: 'f1', name: 'f', arguments: { a: 1 }, x: 1 },
      { type: 'brand_new', z: 1 },
    ],
    usage: { total_input_tokens: 1, total_output_tokens: 2, total_tokens: 3, raw_prompt_token: 4 },
  },
  messages: {
    id: 'm1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    mood: [{ deep: true }],
    content: [
      { type: 'thinking', thinking: 'Hm', signature: 's', x: 1 },
      { type: 'text', text: 'Hi', citations: null, x: { y: 1 } },
      { type: 'tool_use', id: 't1', name: 'f', input: { a: 1 }, caller: { type: 'direct' } },
      { type: 'brand_new', z: 1 },
    ],
    stop_reason: 'tool_use',
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 2, server_tool_use: { web_search_requests: 0 }, inference_geo: 'x' },
  },
  responses: {
    id: 'r1',
    object: 'response',
    created_at: 1,
    status: 'completed',
    model: 'm',
    tools: [{ type: 'function', name: 'f', parameters: {} }],
    mood: { x: 1 },
    output: [
      { id: 'rs1', type: 'reasoning', summary: [], content: [], x: 1 },
      {
        id: 'i1',
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'Hi', annotations: [], x: 1 }],
        phase: 'final_answer',
      },
      { id: 'f1', type: 'function_call', call_id: 'c', name: 'f', arguments: '{"a":1}', status: 'completed', x: 1 },
      { id: 'b1', type: 'brand_new', z: 1 },
    ],
    usage: {
      input_tokens: 1,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 2,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 3,
      cost: 0.5,
    },
  },
};

const ids = Object.keys(answers) as KnownDialect[];

function read(dialect: KnownDialect, body: unknown): FrameEvents {
  const reader = createReader(dialects[dialect]);
  return [...reader.push(JSON.stringify(body)), ...reader.end()].flat();
}

function write(dialect: KnownDialect, events: FrameEvents, more: Partial<EncoderOptions> = {}): Wire {
  const collector = new Collector();
  collector.addFrame(events);
  const options = { ids: new Ids('seed'), limits: defaultLimits, ...more };
  return dialects[dialect].encodeResponse(collector.response(), options) as Wire;
}

describe.each(ids)('a whole answer of %s', (dialect) => {
  const answer = answers[dialect];

  it('goes back as it came', () => {
    expect(write(dialect, read(dialect, answer))).toEqual(answer);
  });

  it("has the client's name of the model, and nothing else is changed", () => {
    const context = { dialect, stream: false, model: 'alias' };
    expect(write(dialect, read(dialect, answer), { context })).toEqual({
      ...answer,
      [dialect === 'gemini' ? 'modelVersion' : 'model']: 'alias',
    });
  });

  it('is written anew once one of its events has been edited', () => {
    const events = read(dialect, answer);
    rewrite(events.at(-1)?.native);
    const text = JSON.stringify(write(dialect, events));
    expect(text).toContain('"Hi"');
    expect(text).not.toContain('mood');
  });

  it.each(ids.filter((to) => to !== dialect))('is written anew for a client of %s', (to) => {
    const text = JSON.stringify(write(to, read(dialect, answer)));
    expect(text).toContain('"Hi"');
    expect(text).not.toContain('mood');
  });

  it.each(['id', 'object', 'type', 'role', 'created', 'created_at', 'model', 'usage', 'status', 'stop_reason'])(
    'without %s gets it, if its clients need it',
    (member) => {
      const { [member]: _gone, ...rest } = answer;
      const whole = write(dialect, read(dialect, rest));
      expect(Object.keys(whole)).toEqual(expect.arrayContaining(Object.keys(rest)));
      const isUnknown = member === 'usage' && (dialect === 'chat' || dialect === 'interactions');
      if (member in answer && !isUnknown) expect(whole).toHaveProperty(member);
      expect(whole.mood ?? whole.provider).toBeDefined();
    },
  );
});

const [choice] = answers.chat.choices as [Wire & { message: Wire }];
const withMessage = (message: Wire): Wire => ({ ...answers.chat, choices: [{ ...choice, message }] });
const callOf = (id: unknown, input: unknown): Wire => ({ id, function: { name: 'f', arguments: input } });

describe('a completion that clients could not read', () => {
  it('has its arguments as text, its ids its own, its types told', () => {
    const tool_calls = [callOf('a', { a: 1 }), callOf('a', '{}'), callOf(undefined, '{}')];
    const whole = write('chat', read('chat', withMessage({ ...choice.message, tool_calls })));
    const [message] = (whole.choices as (typeof choice)[]).map((one) => one.message);
    const calls = message?.tool_calls as (Wire & { function: Wire })[];
    expect(calls[0]).toMatchObject({ id: 'a', type: 'function', function: { arguments: '{"a":1}' } });
    expect(new Set(calls.map(({ id }) => id)).size).toBe(3);
    expect(message?.mood).toEqual(choice.message.mood);
  });

  it('has text in the place of typed parts, and the reasoning among them beside it', () => {
    const content = [
      { type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] },
      { type: 'text', text: 'Hi' },
    ];
    const whole = write('chat', read('chat', withMessage({ role: 'assistant', content })));
    expect(whole).toMatchObject({ choices: [{ message: { content: 'Hi', reasoning_content: 'Hm' } }] });
  });

  it('shows no reasoning to who asked for none', () => {
    const context = { dialect: 'chat', stream: false, showReasoning: false } as const;
    expect(JSON.stringify(write('chat', read('chat', answers.chat), { context }))).not.toContain('Hm');
  });
});

describe('a response that clients could not read', () => {
  it('has the members that its items lack', () => {
    const output = [
      { id: 'i1', type: 'message', content: [{ type: 'output_text', text: 'Hi', x: 1 }] },
      { type: 'function_call', name: 'f', arguments: { a: 1 } },
    ];
    const whole = write('responses', read('responses', { ...answers.responses, output }));
    expect(whole.output).toMatchObject([
      { role: 'assistant', status: 'completed', content: [{ text: 'Hi', annotations: [] }] },
      { id: expect.any(String), call_id: expect.any(String), arguments: '{"a":1}', status: 'completed' },
    ]);
    expect(whole.mood).toEqual({ x: 1 });
  });

  it.each(['queued', 'in_progress'])('is still %s where it is', (status) => {
    expect(write('responses', read('responses', { ...answers.responses, status, output: [] }))).toMatchObject({
      status,
    });
  });
});
