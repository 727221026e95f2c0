/** Histories with carriers in them that go on as their client wrote them: what belongs to others is taken out, all else stays. */
import { decodeRequest, dialectOf, type KnownDialect } from '@streamglot/core';
import { describe, expect, test } from 'vitest';
import { type Blob, encodeCarrier, type Origin } from '../../../packages/core/src/codec/carrier.ts';
import type { Wired } from './wired.ts';

const elsewhere: Origin = { provider: 'elsewhere', dialect: 'responses', family: 'gpt' };

const signature = (on: Blob['on'], value = 'c2lnbmF0dXJl'): Blob => ({ kind: 'signature', value, on });

function carrier(blobs: readonly Blob[] = [signature('thought')], origin = elsewhere): string {
  return encodeCarrier({ ...origin, blobs }) ?? '';
}

interface Written {
  body: Wired;
  losses: string[];
}

/** The body that an upstream of the client's own dialect gets. */
function sentOn(dialect: KnownDialect, body: Wired, model = 'some-model', path = '/'): Written {
  const { request, context } = decodeRequest(dialect, { path, query: {}, headers: {}, body });
  const encoded = dialectOf(dialect).encodeRequest({ ...request, model }, context, { stream: false, provider: 'here' });
  return { body: encoded.body, losses: encoded.losses.map(({ field, reason }) => `${field}: ${reason}`) };
}

const foreign = 'opaque reasoning of another provider or another family of models';

describe('a Messages history', () => {
  const call = { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} };
  const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'r', more: 1 }] };
  const asked = (content: unknown[], more: Wired = {}): Wired => ({
    model: 'm',
    max_tokens: 9000,
    thinking: { type: 'enabled', budget_tokens: 2000 },
    messages: [{ role: 'user', content: 'Hi' }, { role: 'assistant', content }, result],
    ...more,
  });
  const thinking = { type: 'thinking', thinking: 'So.', signature: carrier() };

  test('loses foreign thinking, and with it the thinking of the turn', () => {
    const edits = [{ type: 'clear_thinking_20251015' }, { type: 'clear_tool_uses_20250919' }];
    const { body, losses } = sentOn('messages', asked([thinking, call], { context_management: { edits } }));
    expect(body.messages).toEqual([{ role: 'user', content: 'Hi' }, { role: 'assistant', content: [call] }, result]);
    expect(body).not.toHaveProperty('thinking');
    expect(body.context_management).toEqual({ edits: edits.slice(1) });
    expect(losses).toEqual([`messages[1].content[0]: ${foreign}`, expect.stringMatching(/^thinking: thinking is off/)]);
  });

  test('goes on thinking where a thought of its own is left', () => {
    const own = { type: 'thinking', thinking: 'Raw.', signature: 'EqQB' };
    const { body } = sentOn('messages', asked([own, thinking, call]));
    expect(body.thinking).toEqual({ type: 'enabled', budget_tokens: 2000 });
    expect((body.messages as Wired[])[1]?.content).toEqual([own, call]);
  });

  test('gets its own back out of a carrier', () => {
    const origin: Origin = { provider: 'here', dialect: 'messages', family: 'some-model' };
    const carried = carrier([{ ...signature('thought', 'EqQB'), text: 'Exactly so.' }], origin);
    const { body, losses } = sentOn('messages', asked([{ ...thinking, signature: carried }, call]));
    const own = { type: 'thinking', thinking: 'Exactly so.', signature: 'EqQB' };
    expect([(body.messages as Wired[])[1]?.content, losses]).toEqual([[own, call], []]);
  });

  test('of nothing but foreign thoughts is no turn', () => {
    const { body } = sentOn('messages', asked([thinking], { messages: [{ role: 'assistant', content: [thinking] }] }));
    expect(body.messages).toEqual([]);
  });

  test('without carriers stays as it is', () => {
    const whole = asked([{ type: 'thinking', thinking: 'Raw.', signature: 'EqQB' }, call]);
    expect(sentOn('messages', whole).body).toEqual({ ...whole, model: 'some-model' });
  });
});

describe('a Responses history', () => {
  test('loses foreign items of reasoning', () => {
    const kept = { type: 'reasoning', id: 'rs_2', summary: [], encrypted_content: 'gAAA' };
    const input = [
      { role: 'user', content: 'Hi' },
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: carrier() },
      kept,
    ];
    const { body, losses } = sentOn('responses', { model: 'm', input });
    expect([body.input, losses]).toEqual([[input[0], kept], [`input[1]: ${foreign}`]]);
  });
});

describe('a Responses history that was made shorter', () => {
  const shortened = (origin: Origin): Wired => {
    const encrypted_content = carrier([{ kind: 'encrypted', value: 'gAAA', on: 'thought', id: 'cmp_1' }], origin);
    return {
      model: 'm',
      input: [
        { type: 'compaction', id: 'cmp_1', encrypted_content },
        { role: 'user', content: 'Hi' },
      ],
    };
  };

  test('goes back to its provider', () => {
    const { body, losses } = sentOn('responses', shortened({ ...elsewhere, provider: 'here' }));
    const [item] = body.input as Wired[];
    expect([item, losses]).toEqual([{ type: 'compaction', id: 'cmp_1', encrypted_content: 'gAAA' }, []]);
  });

  test('by another provider is a severe loss', () => {
    const { body, losses } = sentOn('responses', shortened(elsewhere));
    expect(body.input).toEqual([{ role: 'user', content: 'Hi' }]);
    expect(losses).toEqual([
      `input[0]: ${foreign}`,
      'input[0]: the conversation up to here was made shorter by another provider',
    ]);
  });
});

describe('a Chat history', () => {
  const fn = { name: 'f', arguments: '{}' };

  test.each([
    ['in a member', { id: 'call_1', extra_content: { streamglot: { reasoning: carrier() } } }],
    ['in an id', { id: `call_1__${carrier()}` }],
    ['in both', { id: `call_1__${carrier()}`, extra_content: { streamglot: { reasoning: carrier() } } }],
  ])('loses what stands %s, and what was shown of it', (_where, call) => {
    const said = { role: 'assistant', content: 'Text.', reasoning: 'So.', reasoning_content: 'So.', refusal: null };
    const messages = [
      { role: 'user', content: 'Hi' },
      { ...said, tool_calls: [{ ...call, type: 'function', function: fn }] },
      { role: 'tool', tool_call_id: call.id, content: 'r' },
    ];
    const { body, losses } = sentOn('chat', { model: 'm', messages });
    expect(body.messages).toEqual([
      messages[0],
      {
        role: 'assistant',
        content: 'Text.',
        refusal: null,
        tool_calls: [{ id: 'call_1', type: 'function', function: fn }],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'r' },
    ]);
    expect(losses).toEqual([`messages[1].tool_calls[0]: ${foreign}`]);
  });

  test('without carriers keeps all that a server put on a call', () => {
    const call = {
      id: 'call_1',
      type: 'function',
      function: fn,
      extra_content: { google: { thought_signature: 's' } },
    };
    const messages = [{ role: 'assistant', content: null, reasoning_content: 'So.', tool_calls: [call] }];
    expect(sentOn('chat', { model: 'm', messages }).body.messages).toEqual(messages);
  });
});

describe('a Gemini history', () => {
  const path = '/v1beta/models/m:generateContent';
  const functionCall = { name: 'f', args: {} };
  const result = { role: 'user', parts: [{ functionResponse: { name: 'f', response: {} } }] };
  const user = { role: 'user', parts: [{ text: 'Hi' }] };
  const contentsOf = ({ body }: Written): unknown => body.contents;
  const voucher = 'skip_thought_signature_validator';

  test.each(['thoughtSignature', 'thought_signature'])('loses a foreign %s', (name) => {
    const parts = [
      { text: 'So.', thought: true, [name]: carrier() },
      { functionCall, [name]: carrier() },
      { text: '', [name]: carrier() },
    ];
    const written = sentOn('gemini', { contents: [user, { role: 'model', parts }, result] }, 'gemini-2.5-pro', path);
    const left = [{ text: 'So.', thought: true }, { functionCall }];
    expect(contentsOf(written)).toEqual([user, { role: 'model', parts: left }, result]);
    expect(written.losses).toEqual([0, 1, 2].map((at) => `contents[1].parts[${at}]: ${foreign}`));
  });

  test('has one thing where the API takes a list of one', () => {
    const contents = { role: 'user', parts: { text: 'Hi', thoughtSignature: carrier() } };
    expect(contentsOf(sentOn('gemini', { contents }, 'gemini-2.5-pro', path))).toEqual([
      { role: 'user', parts: [{ text: 'Hi' }] },
    ]);
  });

  test('gets its own back out of a carrier', () => {
    const origin: Origin = { provider: 'here', dialect: 'gemini', family: 'gemini-3' };
    const parts = [{ functionCall, thoughtSignature: carrier([signature('call', 'b3du')], origin) }];
    const written = sentOn('gemini', { contents: [user, { role: 'model', parts }, result] }, 'gemini-3-pro', path);
    expect(contentsOf(written)).toEqual([
      user,
      { role: 'model', parts: [{ functionCall, thoughtSignature: 'b3du' }] },
      result,
    ]);
  });

  test.each([
    ['gemini-3-pro', [undefined, undefined, voucher, undefined]],
    ['gemini-2.5-pro', [undefined, undefined, undefined, undefined]],
  ])('has %s vouch for the first unsigned call of a step of the current turn', (model, expected) => {
    const step = (...signatures: (string | undefined)[]) => ({
      role: 'model',
      parts: signatures.map((thoughtSignature) => ({ functionCall, ...(thoughtSignature && { thoughtSignature }) })),
    });
    const contents = [
      user,
      step(undefined),
      result,
      user,
      step('b3du', undefined),
      result,
      step(undefined, undefined),
      result,
    ];
    const written = contentsOf(sentOn('gemini', { contents }, model, path)) as { role: string; parts: Wired[] }[];
    const calls = written
      .filter(({ role }) => role === 'model')
      .map(({ parts }) => parts.map((part) => part.thoughtSignature));
    const [, , first, second] = expected;
    expect(calls).toEqual([[undefined], ['b3du', undefined], [first, second]]);
  });

  test('whose calls are signed stays as it is', () => {
    const contents = [user, { role: 'model', parts: [{ functionCall, thoughtSignature: 'b3du' }] }, result];
    expect(contentsOf(sentOn('gemini', { contents }, 'gemini-3-pro', path))).toEqual(contents);
  });
});
