/** A request toward its own dialect: the client's words, and the few that must be others. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decode, rewritten, type Side, translate } from './wire.ts';

const hi = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] };

describe('a request toward its own dialect', () => {
  test.each<[string, Side, object, object, object]>([
    [
      'asks for usage with the stream',
      'chat',
      { stream: true },
      { stream: true },
      { stream: true, stream_options: { include_usage: true } },
    ],
    [
      'asks for it whatever the client wants',
      'chat',
      { stream: true, stream_options: { include_usage: false, include_obfuscation: false } },
      { stream: true },
      { stream: true, stream_options: { include_usage: true, include_obfuscation: false } },
    ],
    [
      'has no stream options where there is no stream',
      'chat',
      { stream: true, stream_options: { include_usage: true } },
      { stream: false },
      { stream: false },
    ],
    ['keeps what we do not know', 'chat', { x: { y: [1] } }, { stream: false }, { x: { y: [1] } }],
    ['streams', 'messages', { max_tokens: 5 }, { stream: true }, { max_tokens: 5, stream: true }],
    ['is given the limit that it lacks', 'messages', {}, { stream: false, maxOutputTokens: 7 }, { max_tokens: 7 }],
    [
      'is given one over its thinking',
      'messages',
      { thinking: { type: 'enabled', budget_tokens: 9000 } },
      { stream: false },
      { thinking: { type: 'enabled', budget_tokens: 9000 }, max_tokens: 13096 },
    ],
    ['keeps sampling', 'messages', { max_tokens: 5, top_k: 1 }, { stream: false }, { max_tokens: 5, top_k: 1 }],
    [
      'gives up sampling where the upstream refuses it',
      'messages',
      { max_tokens: 5, top_k: 1, temperature: 1 },
      { stream: false, sampling: false },
      { max_tokens: 5 },
    ],
    [
      'gives it up in Chat too, but not its seed',
      'chat',
      { temperature: 1, seed: 4 },
      { stream: false, sampling: false },
      { seed: 4 },
    ],
  ])('%s (%#)', (_name, dialect, body, options, expected) => {
    expect(translate(dialect, dialect, { ...hi, ...body }, options).body).toEqual({ ...hi, ...expected });
  });

  test('says what it gave up', () => {
    const { losses } = translate('messages', 'messages', { ...hi, top_k: 1, temperature: 1 }, { sampling: false });
    expect(losses.map(({ field }) => field)).toEqual(['temperature', 'top_k']);
  });

  test('goes to the model that the route chose', () => {
    const { request, context } = decode('chat', hi);
    expect(context.model).toBe('m');
    expect(rewritten('chat', { request: { ...request, model: 'other' }, context }).model).toBe('other');
  });

  test('keeps signed thinking when it is written anew, for its provider is the same', () => {
    const blocks = [
      { type: 'thinking', thinking: '', signature: 's' },
      { type: 'redacted_thinking', data: 'd' },
      { type: 'tool_use', id: 'a', name: 'f', input: {} },
    ];
    const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'x' }] };
    const body = {
      ...hi,
      max_tokens: 9000,
      thinking: { type: 'enabled', budget_tokens: 2000 },
      messages: [...hi.messages, { role: 'assistant', content: blocks }, result],
    };
    const again = rewritten('messages', decode('messages', body));
    expect(again.thinking).toEqual(body.thinking);
    expect((again.messages as unknown[])[1]).toEqual({ role: 'assistant', content: blocks });
  });

  test('keeps what only Messages has when it is written anew', () => {
    const marked = { cache_control: { type: 'ephemeral', ttl: '1h' } };
    const image = { type: 'image', source: { type: 'file', file_id: 'f' } };
    const content = [
      {
        type: 'tool_result',
        tool_use_id: 'a',
        content: [image, { type: 'text', text: 'x' }],
        is_error: true,
        ...marked,
      },
      {
        type: 'document',
        source: { type: 'url', url: 'https://x.test/a.pdf' },
        title: 'T',
        citations: { enabled: true },
      },
    ];
    const call = { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: { q: 1 } }] };
    const aside = { role: 'system', content: [{ type: 'text', text: 'S' }] };
    const tools = [
      { name: 'f', input_schema: { type: 'object' }, eager_input_streaming: true, ...marked },
      { type: 'web_search_20250305', name: 'web_search' },
    ];
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'A' }] }, call, { role: 'user', content }, aside];
    const body = { model: 'm', max_tokens: 9, system: [{ type: 'text', text: 'S', ...marked }], messages, tools };
    expect(rewritten('messages', decode('messages', body))).toEqual(body);
  });
});

const word = fc.stringMatching(/^[a-z]{1,6}$/);
const spoken = fc.oneof(
  fc.record({ role: fc.constantFrom('user', 'system', 'developer', 'assistant'), content: word }),
  fc.record({
    role: fc.constant('user'),
    content: fc.array(fc.record({ type: fc.constant('text'), text: fc.string() }), { maxLength: 3 }),
  }),
  fc.record({
    role: fc.constant('assistant'),
    content: fc.constant(null),
    tool_calls: fc.array(
      fc.record({
        id: fc.string(),
        type: fc.constant('function'),
        function: fc.record({ name: fc.string(), arguments: fc.json() }),
      }),
      { minLength: 1, maxLength: 2 },
    ),
  }),
);
const result = fc.record({ role: fc.constant('tool'), tool_call_id: fc.string(), content: fc.string() });

describe('any conversation', () => {
  test('of Chat becomes messages whose sides take turns, the user first, no text empty, names and ids legal', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(spoken, result), { minLength: 1, maxLength: 8 }), (messages) => {
        const sent = translate('chat', 'messages', { model: 'm', messages }).body.messages as {
          role: string;
          content: Record<string, unknown>[];
        }[];
        expect(sent.every(({ role }, index) => role === (index % 2 === 0 ? 'user' : 'assistant'))).toBe(true);
        for (const block of sent.flatMap(({ content }) => content)) {
          if (block.type === 'text') expect(String(block.text).trim()).not.toBe('');
          if (block.type === 'tool_use')
            expect([block.id, block.name].join(' ')).toMatch(/^[a-zA-Z0-9_-]{1,64} [a-zA-Z0-9_-]{1,64}$/);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('of Chat reads the same when it was written anew', () => {
    fc.assert(
      fc.property(fc.array(spoken, { minLength: 1, maxLength: 8 }), (messages) => {
        const once = rewritten('chat', decode('chat', { model: 'm', messages }));
        expect(rewritten('chat', decode('chat', once))).toEqual(once);
      }),
      { numRuns: 300 },
    );
  });
});
