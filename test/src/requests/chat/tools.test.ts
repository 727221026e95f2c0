/** Tools of a Chat client whose form must change for Messages, and the answer in JSON, which is one of them. */
import { describe, expect, test } from 'vitest';
import { translate } from '../wire.ts';
import { hi, lookup, lookupSent, losses, said, sent } from './ask.ts';

describe('tools whose form must change', () => {
  const body = {
    tools: [
      { type: 'function', function: { name: 'a.b' } },
      { type: 'function', function: { name: 'a_b' } },
      { type: 'function', function: { name: 'x'.repeat(70) } },
      {
        type: 'custom',
        custom: {
          name: 'patch',
          description: 'Patches',
          format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: X' } },
        },
      },
    ],
  };

  test('have legal names, no two alike', () => {
    const names = (sent(body).tools as { name: string }[]).map(({ name }) => name);
    expect(names).toEqual(['a_b', 'a_b_2', 'x'.repeat(64), 'patch']);
  });

  test("are called by the client's names in the answer", () => {
    const { restore } = translate('chat', 'messages', { ...hi, ...body });
    const start = (name: string) =>
      ({
        type: 'block-start',
        block: 0,
        choice: 0,
        kind: 'tool_call',
        toolCall: { id: 'i', name, format: 'json', executor: 'client', kind: 'function' },
      }) as const;
    const named = ['a_b', 'a_b_2', 'x'.repeat(64)].map((name) => restore?.push([start(name)])[0]?.[0]);
    expect(named).toMatchObject([
      { toolCall: { name: 'a.b' } },
      { toolCall: { name: 'a_b' } },
      { toolCall: { name: 'x'.repeat(70) } },
    ]);
  });

  test('carry free text as one string, there and back', () => {
    const { restore, body: wire, losses: lost } = translate('chat', 'messages', { ...hi, ...body });
    expect((wire.tools as unknown[])[3]).toEqual({
      name: 'patch',
      description: 'Patches',
      input_schema: {
        type: 'object',
        properties: { input: { type: 'string', description: 'Text under this lark grammar:\nstart: X' } },
        required: ['input'],
        additionalProperties: false,
      },
    });
    expect(lost).toEqual([expect.objectContaining({ field: 'tools[3].custom.format', severity: 'minor' })]);
    const events = [
      {
        type: 'block-start',
        block: 0,
        choice: 0,
        kind: 'tool_call',
        toolCall: { id: 'i', name: 'patch', format: 'json', executor: 'client', kind: 'function' },
      },
      { type: 'block-delta', block: 0, delta: { type: 'input', text: '{"input":"a\\n' } },
      { type: 'block-delta', block: 0, delta: { type: 'input', text: 'b"}' } },
    ] as const;
    const out = events.flatMap((event) => restore?.push([event]).flat() ?? []);
    expect(out).toMatchObject([
      { toolCall: { format: 'text', kind: 'custom' } },
      { delta: { text: 'a\n' } },
      { delta: { text: 'b' } },
    ]);
  });

  test('were called in earlier turns by the same names', () => {
    const messages = [
      hi.messages[0],
      {
        role: 'assistant',
        tool_calls: [
          { id: 'c', type: 'custom', custom: { name: 'patch', input: 'a' } },
          { id: 'd', type: 'function', function: { name: 'a.b', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c', content: 'ok' },
      { role: 'tool', tool_call_id: 'd', content: 'ok' },
    ];
    const [, asked] = sent({ ...body, messages }).messages as { content: unknown }[];
    expect(asked?.content).toEqual([
      { type: 'tool_use', id: 'c', name: 'patch', input: { input: 'a' } },
      { type: 'tool_use', id: 'd', name: 'a_b', input: {} },
    ]);
  });

  test('are offered only where they are allowed', () => {
    const allowed = (mode: string, ...names: string[]) => ({
      tools: [lookup, { type: 'function', function: { name: 'other' } }],
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: { mode, tools: names.map((name) => ({ type: 'function', function: { name } })) },
      },
    });
    expect(sent(allowed('auto', 'lookup'))).toMatchObject({
      tools: [{ name: 'lookup' }],
      tool_choice: { type: 'auto' },
    });
    expect(sent(allowed('required', 'lookup', 'other'))).toMatchObject({
      tools: [{ name: 'lookup' }, { name: 'other' }],
      tool_choice: { type: 'any' },
    });
    expect(losses(allowed('auto', 'lookup'))).toEqual([]);
  });
});

describe('an answer in JSON', () => {
  const json = { response_format: { type: 'json_object' } };
  const open = { type: 'object', properties: { a: { type: 'object' } }, additionalProperties: false };
  const answer = expect.objectContaining({ name: 'json_answer', input_schema: { type: 'object' } });

  test.each<[string, object, object]>([
    ['is the one tool', json, { tools: [answer], tool_choice: { type: 'tool', name: 'json_answer' } }],
    [
      'is one of the tools',
      { ...json, tools: [lookup] },
      { tools: [lookupSent, answer], tool_choice: { type: 'any' } },
    ],
    [
      'is the one to call where none may be',
      { ...json, tools: [lookup], tool_choice: 'none' },
      { tools: [lookupSent, answer], tool_choice: { type: 'tool', name: 'json_answer' } },
    ],
    [
      'gives way to a tool that must be called',
      { ...json, tools: [lookup], tool_choice: 'required' },
      { tools: [lookupSent], tool_choice: { type: 'any' } },
    ],
    [
      "under an open schema, which the API's own form refuses",
      { response_format: { type: 'json_schema', json_schema: { name: 'n', schema: open } } },
      { tools: [expect.objectContaining({ input_schema: open })], tool_choice: { type: 'tool', name: 'json_answer' } },
    ],
  ])('%s', (_name, body, expected) => {
    expect(sent(body)).toEqual({ max_tokens: 4096, ...said, ...expected });
  });

  test('has a name of its own', () => {
    const body = { ...json, tools: [{ type: 'function', function: { name: 'json_answer' } }] };
    expect((sent(body).tools as { name: string }[]).map(({ name }) => name)).toEqual(['json_answer', 'json_answer_2']);
  });

  test('comes back as text', () => {
    const { restore } = translate('chat', 'messages', { ...hi, ...json });
    const events = [
      {
        type: 'block-start',
        block: 0,
        choice: 0,
        kind: 'tool_call',
        toolCall: { id: 'i', name: 'json_answer', format: 'json', executor: 'client', kind: 'function' },
      },
      { type: 'block-delta', block: 0, delta: { type: 'input', text: '{"a":1}' } },
      { type: 'finish', choice: 0, reason: 'tool_calls' },
    ] as const;
    const out = events.flatMap((event) => restore?.push([event]).flat() ?? []);
    expect(out).toMatchObject([{ kind: 'text' }, { delta: { type: 'text', text: '{"a":1}' } }, { reason: 'stop' }]);
  });
});
