/** What a Chat client gets, event by event. */
import {
  type CanonicalEvent,
  createTranslator,
  defaultLimits,
  dialects,
  type Encoder,
  type EncoderOptions,
  Ids,
  type RequestContext,
  type Usage,
} from '@streamglot/core';
import { describe, expect, test } from 'vitest';
import { call, calls, chunk, data, done, finish, frame, payloads, role, type Wire } from './wire.ts';

const start: CanonicalEvent = { type: 'response-start', id: 'r1', model: 'm', createdAt: 5 };
const end: CanonicalEvent = { type: 'response-end', status: 'completed' };
const usage: Usage = { inputTokens: 9, inputTokensDetails: { cacheRead: 4 }, outputTokens: 3 };
const counted: CanonicalEvent = { type: 'usage', usage, final: true };

function encoder(options: Partial<EncoderOptions> = {}): Encoder {
  return dialects.chat.encoder({ ids: new Ids('seed'), limits: defaultLimits, ...options });
}

/** The chunks that events become, without their identity. */
function chunks(events: readonly CanonicalEvent[], options: Partial<EncoderOptions> = {}): Wire[] {
  const written = encoder(options);
  const out = [start, ...events].map((event) => written.push([event])).join('');
  return payloads(out).map((payload) => {
    const { id: _id, object: _object, created: _created, model: _model, ...rest } = JSON.parse(payload) as Wire;
    return rest;
  });
}

function open(block: number, kind: 'text' | 'reasoning' | 'refusal' | 'image' | 'audio', choice = 0): CanonicalEvent {
  return { type: 'block-start', block, choice, kind };
}

function tool(block: number, executor: 'client' | 'server', format: 'json' | 'text' = 'json'): CanonicalEvent {
  const toolCall = { id: `c${block}`, name: 'f', format, executor, kind: 'function' };
  return { type: 'block-start', block, choice: 0, kind: 'tool_call', toolCall };
}

function text(block: number, said: string): CanonicalEvent {
  return { type: 'block-delta', block, delta: { type: 'text', text: said } };
}

function input(block: number, said: string): CanonicalEvent {
  return { type: 'block-delta', block, delta: { type: 'input', text: said } };
}

function delta(members: Wire, index = 0): Wire {
  return { choices: [{ index, delta: members, finish_reason: null }] };
}

function finished(reason: string, more: Wire = {}): Wire {
  return { choices: [{ index: 0, delta: {}, finish_reason: reason, ...more }] };
}

const opening = delta({ role: 'assistant', content: '' });

interface Case {
  name: string;
  events: readonly CanonicalEvent[];
  options?: Partial<EncoderOptions>;
  /** The chunks after the first, which names the role. */
  written: readonly Wire[];
}

const close = (block: number, status?: 'incomplete'): CanonicalEvent => ({
  type: 'block-end',
  block,
  ...(status && { status }),
});

const cases: readonly Case[] = [
  { name: 'text', events: [open(0, 'text'), text(0, 'a "b"\n')], written: [delta({ content: 'a "b"\n' })] },
  {
    name: 'text with probabilities',
    events: [
      open(0, 'text'),
      { type: 'block-delta', block: 0, delta: { type: 'text', text: 'a', logprobs: [{ token: 'a', logprob: -1 }] } },
    ],
    written: [
      {
        choices: [
          {
            index: 0,
            delta: { content: 'a' },
            logprobs: { content: [{ token: 'a', logprob: -1, bytes: null, top_logprobs: [] }], refusal: null },
            finish_reason: null,
          },
        ],
      },
    ],
  },
  {
    name: 'reasoning in both members, its parts apart',
    events: [
      open(0, 'reasoning'),
      { type: 'block-delta', block: 0, delta: { type: 'reasoning', text: 'a', form: 'summary', part: 0 } },
      { type: 'block-delta', block: 0, delta: { type: 'reasoning', text: 'b', form: 'summary', part: 1 } },
    ],
    written: [
      delta({ reasoning: 'a', reasoning_content: 'a' }),
      delta({ reasoning: '\n\nb', reasoning_content: '\n\nb' }),
    ],
  },
  {
    name: 'reasoning in the one member that was asked for',
    options: { reasoningField: 'reasoning' },
    events: [
      open(0, 'reasoning'),
      { type: 'block-delta', block: 0, delta: { type: 'reasoning', text: 'a', form: 'raw' } },
    ],
    written: [delta({ reasoning: 'a' })],
  },
  {
    name: 'no reasoning where the client does not want it',
    options: { context: { dialect: 'chat', stream: true, showReasoning: false } },
    events: [
      open(0, 'reasoning'),
      { type: 'block-delta', block: 0, delta: { type: 'reasoning', text: 'a', form: 'raw' } },
    ],
    written: [],
  },
  {
    name: 'two calls by turns: dense indexes, id and name once',
    options: { context: { dialect: 'chat', stream: true, customTools: ['f'] } },
    events: [tool(3, 'client'), tool(5, 'client', 'text'), input(5, 'ls'), input(3, '{}')],
    written: [
      delta({ tool_calls: [{ index: 0, id: 'c3', type: 'function', function: { name: 'f', arguments: '' } }] }),
      delta({ tool_calls: [{ index: 1, id: 'c5', type: 'custom', custom: { name: 'f', input: '' } }] }),
      delta({ tool_calls: [{ index: 1, custom: { input: 'ls' } }] }),
      delta({ tool_calls: [{ index: 0, function: { arguments: '{}' } }] }),
    ],
  },
  {
    name: 'free-form input as JSON where the client has no such tool',
    events: [tool(0, 'client', 'text'), input(0, 'say "h'), input(0, 'i"\n'), close(0)],
    written: [
      delta({
        tool_calls: [{ index: 0, id: 'c0', type: 'function', function: { name: 'f', arguments: '{"input":"' } }],
      }),
      delta({ tool_calls: [{ index: 0, function: { arguments: 'say \\"h' } }] }),
      delta({ tool_calls: [{ index: 0, function: { arguments: 'i\\"\\n' } }] }),
      delta({ tool_calls: [{ index: 0, function: { arguments: '"}' } }] }),
    ],
  },
  {
    name: 'an empty object for a call without input',
    events: [tool(0, 'client'), close(0)],
    written: [
      delta({ tool_calls: [{ index: 0, id: 'c0', type: 'function', function: { name: 'f', arguments: '' } }] }),
      delta({ tool_calls: [{ index: 0, function: { arguments: '{}' } }] }),
    ],
  },
  {
    name: 'nothing for a call that was cut before its input',
    events: [tool(0, 'client'), close(0, 'incomplete')],
    written: [
      delta({ tool_calls: [{ index: 0, id: 'c0', type: 'function', function: { name: 'f', arguments: '' } }] }),
    ],
  },
  {
    name: 'a signature on its call',
    events: [
      tool(0, 'client'),
      { type: 'block-delta', block: 0, delta: { type: 'signature', value: 's', mode: 'set' } },
    ],
    written: [
      delta({ tool_calls: [{ index: 0, id: 'c0', type: 'function', function: { name: 'f', arguments: '' } }] }),
      delta({
        tool_calls: [{ index: 0, function: { arguments: '' }, extra_content: { google: { thought_signature: 's' } } }],
      }),
    ],
  },
  {
    name: 'nothing of a tool that the provider runs itself',
    events: [tool(0, 'server'), input(0, '{}'), close(0), { type: 'finish', choice: 0, reason: 'tool_calls' }],
    written: [finished('stop')],
  },
  {
    name: 'a citation as an annotation',
    events: [
      open(0, 'text'),
      {
        type: 'block-delta',
        block: 0,
        delta: { type: 'citation', citation: { kind: 'url', url: 'https://example.test', start: 1, end: 2 } },
      },
      { type: 'block-delta', block: 0, delta: { type: 'citation', citation: { kind: 'document', start: 1 } } },
    ],
    written: [
      delta({
        annotations: [
          {
            type: 'url_citation',
            url_citation: { url: 'https://example.test', title: 'https://example.test', start_index: 1, end_index: 2 },
          },
        ],
      }),
    ],
  },
  {
    name: 'sound and its transcript',
    events: [
      open(0, 'audio'),
      { type: 'block-delta', block: 0, delta: { type: 'data', base64: 'AA==' } },
      { type: 'block-delta', block: 0, delta: { type: 'transcript', text: 'a' } },
    ],
    written: [delta({ audio: { data: 'AA==' } }), delta({ audio: { transcript: 'a' } })],
  },
  {
    name: 'a second choice with a role of its own',
    events: [open(0, 'text'), open(1, 'text', 1), text(1, 'b')],
    written: [delta({ role: 'assistant', content: '' }, 1), delta({ content: 'b' }, 1)],
  },
  {
    name: 'a refusal in words, which stops',
    events: [open(0, 'refusal'), text(0, 'No.'), close(0), { type: 'finish', choice: 0, reason: 'refusal' }],
    written: [delta({ refusal: 'No.' }), finished('stop')],
  },
  {
    name: 'a refusal without words, which is filtered and says why',
    events: [{ type: 'finish', choice: 0, reason: 'refusal', details: { message: 'Not that.' } }],
    written: [delta({ refusal: 'Not that.' }), finished('content_filter')],
  },
  {
    name: 'a finish without a word of its own, the native one beside it',
    events: [{ type: 'finish', choice: 0, reason: 'pause', nativeReason: 'pause_turn' }],
    written: [finished('stop', { native_finish_reason: 'pause_turn' })],
  },
  {
    name: 'a finish that has a word, without the native one',
    events: [{ type: 'finish', choice: 0, reason: 'length', nativeReason: 'max_tokens' }],
    written: [finished('length')],
  },
  {
    name: 'an answer that was cancelled, as an error',
    events: [{ type: 'response-end', status: 'cancelled' }],
    written: [
      {
        error: { message: 'The answer was cancelled.', type: 'cancelled_error', param: null, code: 'cancelled' },
        finish_reason: 'error',
      },
    ],
  },
];

test.each(cases)('writes $name', ({ events, options, written }) => {
  expect(chunks(events, options)).toEqual([opening, ...written]);
});

test('says that a picture was lost', () => {
  const writer = encoder();
  writer.push([start, open(0, 'image')]);
  expect(writer.losses).toMatchObject([{ dialect: 'chat', severity: 'severe' }]);
});

test('names the same response in every chunk, and invents what nobody said', () => {
  const writer = encoder();
  const out = writer.push([{ type: 'response-start' }, open(0, 'text'), text(0, 'a')]);
  const identities = payloads(out).map((payload) => {
    const { id, created, model } = JSON.parse(payload) as Wire;
    return { id, created, model };
  });
  const one = { id: expect.stringMatching(/^chatcmpl-\w+$/), created: 0, model: 'unknown' };
  expect(identities).toEqual([one, one]);
  expect(identities[0]).toEqual(identities[1]);
});

describe('usage', () => {
  const body = {
    prompt_tokens: 9,
    completion_tokens: 3,
    total_tokens: 12,
    prompt_tokens_details: { cached_tokens: 4 },
  };
  const ended: readonly CanonicalEvent[] = [counted, { type: 'finish', choice: 0, reason: 'stop' }, end];

  test.each([
    { asked: true, chunk: [{ choices: [], usage: body }] },
    { asked: false, chunk: [] },
    { asked: undefined, chunk: [{ choices: [{ index: 0, delta: {}, finish_reason: null }], usage: body }] },
  ])('stands behind the finish as the client asked: $asked', ({ asked, chunk }) => {
    const options = asked === undefined ? {} : { includeUsage: asked };
    expect(chunks(ended, options)).toEqual([opening, finished('stop'), ...chunk]);
  });

  test('is left out where it is unknown', () => {
    expect(chunks([{ type: 'finish', choice: 0, reason: 'stop' }, end], { includeUsage: true })).toHaveLength(2);
  });

  test('follows the option before the request', () => {
    const context: RequestContext = { dialect: 'chat', stream: true, includeUsage: true };
    expect(chunks(ended, { context, includeUsage: false })).toHaveLength(2);
    expect(chunks(ended, { context })).toHaveLength(3);
  });
});

describe('a relayed stream', () => {
  const counts = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3, extra: 'kept' };
  const hi = role + chunk({ content: 'Hi' }, { odd: 1 });

  function relay(stream: string, options: { context?: RequestContext; includeUsage?: boolean } = {}): string {
    const translator = createTranslator({ ...options, from: 'chat', to: 'chat' });
    const frames = stream.split(/(?<=\n\n)/).map((one) => translator.push(one));
    return Buffer.concat([...frames, translator.end()]).toString();
  }

  const usageChunk = frame({ choices: [], usage: counts });
  const empty = { index: 0, delta: {}, finish_reason: null };

  test.each([
    { name: 'text', stream: hi + finish('stop') + done },
    {
      name: 'usage beside choices',
      stream: hi + frame({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: counts }) + done,
    },
    {
      name: 'usage in a member of its own',
      stream: hi + finish('stop') + frame({ choices: [], x_more: { usage: counts } }) + done,
    },
    {
      name: 'usage again and again',
      stream:
        role +
        frame({ choices: [{ index: 0, delta: { content: 'Hi' } }], usage: counts }) +
        finish('stop') +
        usageChunk +
        done,
    },
    { name: 'a whole call', stream: role + calls(call(0, 'call_a', 'f', '{}')) + finish('stop') + done },
    { name: 'a word that nobody knows', stream: hi + finish('because') + done },
    {
      name: 'another id on each chunk',
      stream:
        hi +
        data({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [empty] }) +
        finish('stop') +
        done,
    },
    {
      name: 'padding',
      stream:
        frame({ choices: [{ ...empty, delta: { role: 'assistant', content: 'Hi' } }], obfuscation: 'xx' }) +
        finish('stop') +
        done,
    },
  ])('goes out as it came: $name', ({ stream }) => {
    expect(relay(stream, { includeUsage: true })).toBe(stream);
  });

  test('keeps what it does not know in a chunk that it mends', () => {
    const stream = role + calls({ ...call(3, 'call_a', 'f', '{}'), odd: 1 }) + finish('tool_calls') + done;
    expect(relay(stream)).toBe(stream.replace('"index":3', '"index":0'));
  });

  test('names a call whole in its first fragment, for clients that read no other', () => {
    const first = chunk({ role: 'assistant', tool_calls: [call(0, 'call_a', 'read_', '')] });
    const rest = calls(call(0, undefined, 'note', '')) + calls(call(0, undefined, undefined, '{}'));
    const [shown] = payloads(relay(first + rest + finish('tool_calls') + done));
    expect(shown).toBe(payloads(first)[0]?.replace('read_', 'read_note'));
  });

  test('names the model as the client did', () => {
    const context: RequestContext = { dialect: 'chat', stream: true, model: 'mine' };
    const stream = hi + finish('stop') + done;
    expect(relay(stream, { context })).toBe(stream.replaceAll('some-model', 'mine'));
  });

  test('shows usage beside an empty choice unless the client asked for the chunk', () => {
    const stream = hi + finish('stop') + usageChunk + done;
    expect(relay(stream)).toContain(JSON.stringify({ choices: [empty], usage: counts }).slice(1, -1));
  });

  test('shows no usage to a client that wants none', () => {
    const beside = frame({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: counts });
    expect(relay(hi + finish('stop') + usageChunk + done, { includeUsage: false })).toBe(hi + finish('stop') + done);
    expect(relay(hi + beside + done, { includeUsage: false })).not.toContain('usage');
  });
});
