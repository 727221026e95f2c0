/** What the events of a Chat stream hold beside its words, and when they come. */
import {
  type CanonicalEvent,
  createReader,
  dialects,
  type FrameEvents,
  type ReaderOptions,
  translateText,
} from '@streamglot/core';
import { describe, expect, test } from 'vitest';
import { call, calls, chunk, data, done, finish, frame, role } from './wire.ts';

function decode(stream: string, options?: ReaderOptions): readonly FrameEvents[] {
  const reader = createReader(dialects.chat, options);
  return [...reader.push(stream), ...reader.end()];
}

/** The events of a type, without the original behind them. */
function eventsOf(stream: string, type: CanonicalEvent['type']): object[] {
  const found = decode(stream)
    .flat()
    .filter((event) => event.type === type);
  return found.map(({ native: _native, ...event }) => event);
}

/** What each frame of a stream leads to, by the types of its events. */
function typesByFrame(...frames: readonly string[]): string[] {
  const reader = createReader(dialects.chat);
  const types = (found: readonly FrameEvents[]): string =>
    found
      .flat()
      .map(({ type }) => type)
      .join(' ');
  return frames.map((text) => types(reader.push(text)));
}

const counts = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
const url_citation = { url: 'https://example.test/a', title: 'A', start_index: 4, end_index: 5 };
const logprobs = {
  content: [{ token: 'Hi', logprob: -0.1, bytes: [72], top_logprobs: [{ token: 'Ho', logprob: -2 }] }],
};

describe('the events of a stream', () => {
  test('begin with what is known of the response', () => {
    const stream = frame({ service_tier: 'flex', choices: [{ index: 0, delta: {} }] });
    expect(eventsOf(stream, 'response-start')).toMatchObject([
      { id: 'chatcmpl-1', model: 'some-model', createdAt: 1700000000, serviceTier: 'flex' },
    ]);
  });

  test('carry probabilities with their text', () => {
    expect(eventsOf(chunk({ content: 'Hi' }, { logprobs }), 'block-delta')).toMatchObject([
      {
        delta: {
          type: 'text',
          logprobs: [{ token: 'Hi', logprob: -0.1, bytes: [72], top: [{ token: 'Ho', logprob: -2 }] }],
        },
      },
    ]);
  });

  test('cite each source once', () => {
    const cite = chunk({ annotations: [{ type: 'url_citation', url_citation }] });
    expect(eventsOf(chunk({ content: 'See A.' }) + cite + cite, 'block-delta')).toMatchObject([
      { delta: { type: 'text' } },
      { block: 0, delta: { type: 'citation', citation: { url: url_citation.url, start: 4, end: 5 } } },
    ]);
  });

  test('carry the signature of reasoning, and of a call', () => {
    const signed = chunk({ reasoning_details: [{ type: 'reasoning.text', signature: 's1' }] });
    const called = calls({ ...call(0, 'call_a', 'f', '{}'), extra_content: { some: { thought_signature: 's2' } } });
    const stream = chunk({ reasoning: 'Hm' }) + signed + called + finish('tool_calls') + done;
    expect(eventsOf(stream, 'block-delta')).toMatchObject([
      { block: 0, delta: { type: 'reasoning' } },
      { block: 0, delta: { type: 'signature', value: 's1' } },
      { block: 1, delta: { type: 'input', text: '{}' } },
      { block: 1, delta: { type: 'signature', value: 's2' } },
    ]);
  });

  test('carry sound, its transcript and when it expires', () => {
    const stream =
      chunk({ audio: { id: 'a1', data: 'AA==' } }) +
      chunk({ audio: { transcript: 'a', expires_at: 9 } }) +
      finish('stop');
    expect(eventsOf(stream, 'block-start')).toMatchObject([{ kind: 'audio', item: { id: 'a1' } }]);
    expect(eventsOf(stream, 'block-delta')).toMatchObject([
      { delta: { type: 'data', base64: 'AA==' } },
      { delta: { type: 'transcript', text: 'a' } },
    ]);
    expect(eventsOf(stream, 'block-end')).toMatchObject([{ final: { item: { expires_at: 9 } } }]);
  });

  test('keep what stands beside the choices, once', () => {
    const beside = { system_fingerprint: 'fp', citations: ['https://example.test'], moderation: { flagged: false } };
    const one = frame({ ...beside, choices: [{ index: 0, delta: { content: 'a' } }] });
    expect(eventsOf(one + one, 'metadata')).toMatchObject([
      { key: 'system_fingerprint', value: 'fp' },
      { key: 'sources', value: beside.citations },
      { key: 'moderation', value: beside.moderation },
    ]);
  });

  test('count usage that is written in digits', () => {
    const text = { prompt_tokens: '1', completion_tokens: '2', prompt_tokens_details: { cached_tokens: '1' } };
    expect(eventsOf(chunk({ content: 'Hi' }) + frame({ choices: [], usage: text }) + done, 'usage')).toMatchObject([
      { usage: { inputTokens: 1, outputTokens: 2, inputTokensDetails: { cacheRead: 1 } } },
    ]);
  });

  test('take null for no arguments, which the frame itself may keep', () => {
    const stream = role + calls(call(0, 'call_a', 'f', 'null')) + finish('tool_calls') + done;
    expect(eventsOf(stream, 'block-delta')).toMatchObject([{ delta: { type: 'input', text: '{}' } }]);
    expect(translateText(stream, { from: 'chat', to: 'chat' })).toBe(stream);
  });

  test('count usage once, wherever it stands and however often it comes', () => {
    const nested = frame({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], x_more: { usage: counts } });
    const last = frame({ choices: [], usage: counts });
    expect(eventsOf(chunk({ content: 'Hi' }) + nested + last + done, 'usage')).toMatchObject([
      { usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 }, final: true },
    ]);
  });

  test('keep the word and the stop string of a finish', () => {
    const stream = chunk({ content: 'Hi' }) + finish('stop', { stop_reason: 'END' });
    expect(eventsOf(stream, 'finish')).toMatchObject([{ reason: 'stop', nativeReason: 'stop', stopSequence: 'END' }]);
  });

  test('take no token id and no finish word for a stop string', () => {
    for (const stop_reason of [128009, 'end_turn', null])
      expect(eventsOf(chunk({ content: 'Hi' }) + finish('stop', { stop_reason }), 'finish')[0]).not.toHaveProperty(
        'stopSequence',
      );
  });

  test('leave the word out where the calls correct it', () => {
    const stream = calls(call(0, 'call_a', 'f', '{}')) + finish('stop');
    expect(eventsOf(stream, 'finish')).toEqual([{ type: 'finish', choice: 0, reason: 'tool_calls' }]);
  });

  test('say which arguments the length limit has cut', () => {
    const stream = calls(call(0, 'call_a', 'f', '{"n"')) + finish('length');
    expect(eventsOf(stream, 'block-end')).toMatchObject([{ block: 0, status: 'incomplete' }]);
  });

  test('tell one answer from another', () => {
    const stream =
      chunk({ content: 'A' }) + chunk({ content: 'B' }, { index: 1 }) + finish('stop') + finish('length', { index: 1 });
    expect(eventsOf(stream, 'block-start')).toMatchObject([{ choice: 0 }, { choice: 1 }]);
    expect(eventsOf(stream, 'finish')).toMatchObject([
      { choice: 0, reason: 'stop' },
      { choice: 1, reason: 'length' },
    ]);
  });
});

describe('waiting', () => {
  test('is not for text: its events come with its frame', () => {
    expect(typesByFrame(role, chunk({ content: 'Hi' }))).toEqual(['response-start', 'block-start block-delta']);
  });

  test('is for a finish, until the next frame shows what follows it', () => {
    expect(typesByFrame(chunk({ content: 'Hi' }), finish('stop'), done)).toEqual([
      'response-start block-start block-delta',
      '',
      'block-end finish response-end',
    ]);
  });

  test('is for a call without input, until the next frame shows whether its name goes on', () => {
    const more = calls(call(0, undefined, undefined, '{}'));
    expect(typesByFrame(role, calls(call(0, 'call_a', 'f', '')), more)).toEqual([
      'response-start',
      '',
      'block-start block-delta',
    ]);
  });

  test('is not for a call beside text', () => {
    const both = chunk({ content: 'Hi', tool_calls: [call(0, 'call_a', 'f', '')] });
    expect(typesByFrame(role, both)[1]).toBe('block-start block-delta block-end block-start');
  });

  test('for a name has a limit', () => {
    const nameless = (input: string): string => calls(call(0, 'call_a', undefined, input));
    const events = decode(nameless('{"a":"') + nameless('x'.repeat(50)), { limits: { maxQueuedBytes: 40 } });
    expect(events.flat().at(-1)).toMatchObject({ type: 'error', error: { type: 'too_large' } });
  });

  test('for cumulative text has a limit', () => {
    const options = { cumulativeDeltas: true, limits: { maxAccumulatedBytes: 3 } };
    const events = decode(chunk({ content: 'Hi' }) + chunk({ content: 'Hi there' }), options);
    expect(events.flat().at(-1)).toMatchObject({ type: 'error', error: { type: 'too_large' } });
  });
});

test('a chunk that says nothing is kept for its own dialect', () => {
  const odd = data({ id: '', choices: [], model: '', prompt_filter_results: [1] });
  expect(decode(odd + chunk({ content: 'Hi' }))[0]).toMatchObject([
    { type: 'raw', data: { prompt_filter_results: [1] } },
  ]);
});
