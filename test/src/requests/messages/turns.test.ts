/** A Messages conversation in the words of Chat, and the traps of that API. */
import { describe, expect, test } from 'vitest';
import { translate } from '../wire.ts';
import { hi, lookup, losses, png, pngSent, sent, text } from './ask.ts';

describe('a Messages conversation', () => {
  const user = (content: unknown) => ({ role: 'user', content });
  const assistant = (content: unknown) => ({ role: 'assistant', content });
  const use = (id: string) => ({ type: 'tool_use', id, name: 'lookup', input: { q: 1 } });
  const used = (...ids: string[]) => ({
    tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'lookup', arguments: '{"q":1}' } })),
  });
  const result = (id: string, content?: unknown, more = {}) => ({
    type: 'tool_result',
    tool_use_id: id,
    content,
    ...more,
  });
  const doc = (source: object, more = {}) => ({ type: 'document', source, ...more });

  const table: [string, object, unknown[], string[]][] = [
    ['instructions at the top', { system: 'A' }, [{ role: 'system', content: 'A' }, user('Hi')], []],
    [
      'instructions in pieces, which make one message',
      { system: [text('A'), text('B')] },
      [{ role: 'system', content: 'A\n\nB' }, user('Hi')],
      [],
    ],
    [
      'instructions among the turns stay where they are',
      { messages: [user('Hi'), { role: 'system', content: 'S' }, assistant('A'), user('B')] },
      [user('Hi'), { role: 'system', content: 'S' }, assistant('A'), user('B')],
      [],
    ],
    [
      'instructions at the end',
      { messages: [user('Hi'), { role: 'system', content: [text('S')] }] },
      [user('Hi'), { role: 'system', content: 'S' }],
      [],
    ],
    [
      'instructions that bring a tool',
      { messages: [user('Hi'), { role: 'system', content: [{ type: 'tool_addition', tool: {} }] }] },
      [user('Hi')],
      ['severe messages[1].content[0]'],
    ],
    ['several texts', { messages: [user([text('A'), text('B')])] }, [user([text('A'), text('B')])], []],
    [
      'images',
      {
        messages: [
          user([
            { type: 'image', source: png },
            { type: 'image', source: { type: 'url', url: 'https://x.test/a' } },
          ]),
        ],
      },
      [user([pngSent, { type: 'image_url', image_url: { url: 'https://x.test/a' } }])],
      [],
    ],
    [
      'an image that Anthropic keeps',
      { messages: [user([text('A'), { type: 'image', source: { type: 'file', file_id: 'f' } }])] },
      [user('A')],
      ['severe messages[0].content[1]'],
    ],
    [
      'a PDF',
      { messages: [user([doc({ type: 'base64', media_type: 'application/pdf', data: 'AAAA' }, { title: 'T' })])] },
      [user([{ type: 'file', file: { filename: 'T', file_data: 'data:application/pdf;base64,AAAA' } }])],
      [],
    ],
    [
      'a PDF by its address',
      { messages: [user([text('A'), doc({ type: 'url', url: 'https://x.test/a.pdf' })])] },
      [user('A')],
      ['severe messages[0].content[1]'],
    ],
    [
      'a text document to cite',
      {
        messages: [
          user([
            doc(
              { type: 'text', media_type: 'text/plain', data: 'D' },
              { title: 'T', context: 'C', citations: { enabled: true } },
            ),
          ]),
        ],
      },
      [user('T\n\nC\n\nD')],
      ['minor messages[0].content[0]', 'minor messages[0].content[0]'],
    ],
    [
      'a document of blocks',
      { messages: [user([doc({ type: 'content', content: [text('A'), text('B')] })])] },
      [user('A\nB')],
      ['minor messages[0].content[0]'],
    ],
    [
      'a search result',
      { messages: [user([{ type: 'search_result', source: 'https://x.test', title: 'T', content: [text('D')] }])] },
      [user('T\n\nhttps://x.test\n\nD')],
      ['minor messages[0].content[0]'],
    ],
    [
      'a block that nobody knows',
      { messages: [user([text('A'), { type: 'container_upload', file_id: 'f' }])] },
      [user('A')],
      ['severe messages[0].content[1]'],
    ],
    [
      'calls and results',
      {
        messages: [
          user('A'),
          assistant([text('Let me see'), use('a'), use('b')]),
          user([result('a', 'one'), result('b'), text('And?')]),
        ],
      },
      [
        user('A'),
        { ...assistant('Let me see'), ...used('a', 'b') },
        { role: 'tool', tool_call_id: 'a', content: 'one' },
        { role: 'tool', tool_call_id: 'b', content: '' },
        user('And?'),
      ],
      [],
    ],
    [
      'calls without a word',
      { messages: [user('A'), assistant([use('a')]), user([result('a', [text('one'), text('two')])])] },
      [user('A'), { ...assistant(null), ...used('a') }, { role: 'tool', tool_call_id: 'a', content: 'one\ntwo' }],
      [],
    ],
    [
      'a failed call',
      { messages: [user('A'), assistant([use('a')]), user([result('a', 'gone', { is_error: true })])] },
      [user('A'), { ...assistant(null), ...used('a') }, { role: 'tool', tool_call_id: 'a', content: 'Error: gone' }],
      [],
    ],
    [
      'a picture from a tool',
      {
        messages: [
          user('A'),
          assistant([use('a')]),
          user([result('a', [text('here'), { type: 'image', source: png }]), text('B')]),
        ],
      },
      [
        user('A'),
        { ...assistant(null), ...used('a') },
        { role: 'tool', tool_call_id: 'a', content: 'here' },
        user([text('Also returned by tool call a:'), pngSent, text('B')]),
      ],
      ['minor messages[2].content[0]'],
    ],
    [
      'an instruction before results stands behind them',
      {
        messages: [
          user('A'),
          assistant([use('a')]),
          { role: 'system', content: 'S' },
          user([result('a', 'x'), text('B')]),
        ],
      },
      [
        user('A'),
        { ...assistant(null), ...used('a') },
        { role: 'tool', tool_call_id: 'a', content: 'x' },
        { role: 'system', content: 'S' },
        user('B'),
      ],
      [],
    ],
    [
      'thinking of earlier turns',
      {
        messages: [
          user('A'),
          assistant([
            { type: 'thinking', thinking: 'hm', signature: 's' },
            { type: 'redacted_thinking', data: 'd' },
            text('B'),
          ]),
          user('C'),
        ],
      },
      [user('A'), assistant('B'), user('C')],
      ['minor messages[1].content[0]', 'minor messages[1].content[1]'],
    ],
    [
      'tools that the provider ran',
      {
        messages: [
          user('A'),
          assistant([
            text('I will'),
            { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
            { type: 'web_search_tool_result', tool_use_id: 's', content: [] },
            text('So'),
            text(' it is'),
          ]),
          user('C'),
        ],
      },
      [user('A'), assistant('I will\n\nSo it is'), user('C')],
      ['minor messages[1].content[1]', 'minor messages[1].content[2]'],
    ],
    [
      'text behind a call',
      { messages: [user('A'), assistant([use('a'), text('Wait')]), user([result('a', 'x')])] },
      [user('A'), { ...assistant('Wait'), ...used('a') }, { role: 'tool', tool_call_id: 'a', content: 'x' }],
      ['minor messages[1].content[1]'],
    ],
    [
      'breakpoints, of which the first stands for all',
      {
        messages: [
          user([
            { ...text('A'), cache_control: { type: 'ephemeral' } },
            { ...text('B'), cache_control: { type: 'ephemeral' } },
          ]),
        ],
      },
      [user([text('A'), text('B')])],
      ['minor messages[0].content[0].cache_control'],
    ],
  ];

  test.each(table)('%s', (_name, body, expected, lost) => {
    expect(sent(body).messages).toEqual(expected);
    expect(losses(body)).toEqual(lost);
  });

  test('has ids that OpenAI finds short enough, the same for a call and its result', () => {
    const id = 'toolu_'.padEnd(60, 'x');
    const [, asked, answered] = sent({ messages: [user('A'), assistant([use(id)]), user([result(id, 'x')])] })
      .messages as Record<string, unknown>[];
    const short = (asked?.tool_calls as { id: string }[] | undefined)?.[0]?.id ?? '';
    expect(short).not.toBe('');
    expect(short.length).toBeLessThanOrEqual(40);
    expect(answered?.tool_call_id).toBe(short);
  });

  test("has names that OpenAI finds short enough, and the client's own in the answer", () => {
    const name = 'n'.repeat(100);
    const { body, restore } = translate('messages', 'chat', { ...hi, tools: [{ ...lookup, name }] });
    expect(body.tools).toMatchObject([{ function: { name: 'n'.repeat(64) } }]);
    const start = {
      type: 'block-start',
      block: 0,
      choice: 0,
      kind: 'tool_call',
      toolCall: { id: 'i', name: 'n'.repeat(64), format: 'json', executor: 'client', kind: 'function' },
    } as const;
    expect(restore?.push([start])[0]).toMatchObject([{ toolCall: { name } }]);
  });
});
