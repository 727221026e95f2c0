/** A Chat conversation in the words of Messages, and the traps of that API. */
import { describe, expect, test } from 'vitest';
import { call, hi, lookup, losses, png, sent } from './ask.ts';

describe('a Chat conversation', () => {
  const user = (...content: unknown[]) => ({ role: 'user', content });
  const text = (text: string) => ({ type: 'text', text });
  const assistant = (...content: unknown[]) => ({ role: 'assistant', content });
  const use = (id: string, input: unknown = { q: 1 }) => ({ type: 'tool_use', id, name: 'lookup', input });
  const result = (id: string, content?: unknown) => ({
    type: 'tool_result',
    tool_use_id: id,
    ...(content !== undefined && { content }),
  });

  const table: [string, unknown[], object, string[]][] = [
    [
      'instructions at the top',
      [{ role: 'system', content: 'A' }, { role: 'developer', content: [text('B')] }, hi.messages[0]],
      { system: [text('A'), text('B')], messages: [user(text('Hi'))] },
      [],
    ],
    [
      'instructions among the turns',
      [
        { role: 'user', content: 'Hi' },
        { role: 'system', content: 'Be brief' },
        { role: 'user', content: 'More' },
      ],
      { system: [text('Be brief')], messages: [user(text('Hi'), text('More'))] },
      ['minor messages[1].content'],
    ],
    ['instructions alone', [{ role: 'system', content: 'A' }], { messages: [user(text('A'))] }, ['minor messages']],
    [
      'an assistant that begins',
      [
        { role: 'assistant', content: 'Yes?' },
        { role: 'user', content: 'Hi' },
      ],
      { messages: [user(text('(The conversation so far.)')), assistant(text('Yes?')), user(text('Hi'))] },
      ['minor messages'],
    ],
    [
      'neighbours of one side',
      [
        { role: 'user', content: 'A' },
        { role: 'user', content: [text('B')] },
      ],
      { messages: [user(text('A'), text('B'))] },
      [],
    ],
    [
      'empty texts and white space',
      [
        { role: 'user', content: [text(''), text(' \n'), text('A')] },
        { role: 'assistant', content: '' },
        { role: 'user', content: 'B' },
      ],
      { messages: [user(text('A'), text('B'))] },
      [],
    ],
    [
      'an answer to continue',
      [
        { role: 'user', content: 'A' },
        { role: 'assistant', content: 'So: ' },
      ],
      { messages: [user(text('A')), assistant(text('So:'))] },
      [],
    ],
    [
      "a speaker's name",
      [{ role: 'user', name: 'ann', content: 'A' }],
      { messages: [user(text('A'))] },
      ['minor messages[0].name'],
    ],
    [
      'images',
      [
        user(
          { type: 'image_url', image_url: { url: png } },
          { type: 'image_url', image_url: { url: 'https://x.test/a.jpg', detail: 'high' } },
        ),
      ],
      {
        messages: [
          user(
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
            { type: 'image', source: { type: 'url', url: 'https://x.test/a.jpg' } },
          ),
        ],
      },
      ['minor messages[0].content[1]'],
    ],
    [
      'an image of a kind that the API refuses',
      [user(text('A'), { type: 'image_url', image_url: { url: 'data:image/bmp;base64,AAAA' } })],
      { messages: [user(text('A'))] },
      ['severe messages[0].content[1]'],
    ],
    [
      'sound',
      [user(text('A'), { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } })],
      { messages: [user(text('A'))] },
      ['severe messages[0].content[1]'],
    ],
    [
      'a part that nobody knows',
      [user(text('A'), { type: 'video_url', video_url: {} })],
      { messages: [user(text('A'))] },
      ['severe messages[0].content[1]'],
    ],
    [
      'a file',
      [user({ type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' } })],
      {
        messages: [
          user({
            type: 'document',
            source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' },
            title: 'a.pdf',
          }),
        ],
      },
      [],
    ],
    [
      'a text file',
      [user({ type: 'file', file: { file_data: 'data:text/plain;base64,w6k=' } })],
      { messages: [user({ type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'é' } })] },
      [],
    ],
    [
      'a file that OpenAI keeps',
      [user(text('A'), { type: 'file', file: { file_id: 'file-1' } })],
      { messages: [user(text('A'))] },
      ['severe messages[0].content[1]'],
    ],
    [
      'a refusal',
      [
        { role: 'user', content: 'A' },
        { role: 'assistant', content: null, refusal: 'No.' },
        { role: 'user', content: 'B' },
      ],
      { messages: [user(text('A')), assistant(text('No.')), user(text('B'))] },
      [],
    ],
    [
      'reasoning of a compatible server',
      [
        { role: 'user', content: 'A' },
        { role: 'assistant', reasoning_content: 'hm', content: 'B' },
        { role: 'user', content: 'C' },
      ],
      { messages: [user(text('A')), assistant(text('B')), user(text('C'))] },
      ['minor messages[1]'],
    ],
    [
      'calls and results, results first',
      [
        { role: 'user', content: 'A' },
        { role: 'assistant', content: 'Let me see', tool_calls: [call('c1'), call('c2', '')] },
        { role: 'tool', tool_call_id: 'c1', content: 'one' },
        { role: 'tool', tool_call_id: 'c2', content: '' },
        { role: 'user', content: 'And?' },
      ],
      {
        messages: [
          user(text('A')),
          assistant(text('Let me see'), use('c1'), use('c2', {})),
          user(result('c1', 'one'), result('c2'), text('And?')),
        ],
      },
      [],
    ],
    [
      'a word of the user before the result',
      [
        { role: 'user', content: 'A' },
        { role: 'assistant', tool_calls: [call('c1')] },
        { role: 'user', content: 'Quick' },
        { role: 'tool', tool_call_id: 'c1', content: 'one' },
      ],
      { messages: [user(text('A')), assistant(use('c1')), user(result('c1', 'one'), text('Quick'))] },
      [],
    ],
    [
      'an instruction between a call and its result',
      [
        { role: 'user', content: 'A' },
        { role: 'assistant', tool_calls: [call('c1')] },
        { role: 'system', content: 'S' },
        { role: 'tool', tool_call_id: 'c1', content: [text('one'), text('two')] },
      ],
      {
        system: [text('S')],
        messages: [user(text('A')), assistant(use('c1')), user(result('c1', [text('one'), text('two')]))],
      },
      ['minor messages[2].content'],
    ],
    [
      'arguments that are no JSON',
      [
        { role: 'user', content: 'A' },
        { role: 'assistant', tool_calls: [call('c1', '{"q":')] },
        { role: 'tool', tool_call_id: 'c1', content: 'x' },
      ],
      { messages: [user(text('A')), assistant(use('c1', { input: '{"q":' })), user(result('c1', 'x'))] },
      ['minor messages[1].tool_calls[0]'],
    ],
    [
      'breakpoints',
      [
        { role: 'system', content: [{ ...text('S'), cache_control: { type: 'ephemeral', ttl: '1h' } }] },
        user({ ...text('A'), prompt_cache_breakpoint: { mode: 'explicit' } }),
      ],
      {
        system: [{ ...text('S'), cache_control: { type: 'ephemeral', ttl: '1h' } }],
        messages: [user({ ...text('A'), cache_control: { type: 'ephemeral' } })],
      },
      [],
    ],
  ];

  test.each(table)('%s', (_name, messages, expected, lost) => {
    expect(sent({ messages })).toEqual({ max_tokens: 4096, ...expected });
    expect(losses({ messages })).toEqual(lost);
  });

  test('has legal ids, the same for a call and its result', () => {
    const messages = [
      hi.messages[0],
      { role: 'assistant', tool_calls: [call('functions.lookup:0')] },
      { role: 'tool', tool_call_id: 'functions.lookup:0', content: 'x' },
    ];
    const [, asked, answered] = sent({ messages }).messages as { content: { id: string; tool_use_id: string }[] }[];
    expect(asked?.content[0]?.id).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(answered?.content[0]?.tool_use_id).toBe(asked?.content[0]?.id);
  });

  test('gives ids to calls of the deprecated form', () => {
    const legacy = { name: 'lookup', arguments: '{}' };
    const messages = [
      hi.messages[0],
      { role: 'assistant', content: null, function_call: legacy },
      { role: 'function', name: 'lookup', content: 'x' },
    ];
    const [, asked, answered] = sent({ messages }).messages as { content: { id: string; tool_use_id: string }[] }[];
    expect(asked?.content[0]).toMatchObject({ type: 'tool_use', name: 'lookup', input: {} });
    expect(answered?.content[0]?.tool_use_id).toBe(asked?.content[0]?.id);
  });

  test('that replays a tool turn goes without thinking, for the thinking that led to it is not there', () => {
    const messages = [
      hi.messages[0],
      { role: 'assistant', tool_calls: [call('c1')] },
      { role: 'tool', tool_call_id: 'c1', content: 'x' },
    ];
    const body = { messages, reasoning_effort: 'high', tools: [lookup] };
    for (const thinking of ['budget', 'adaptive'] as const) {
      expect(sent(body, { thinking }).thinking).toBeUndefined();
      expect(losses(body, { thinking })).toEqual(['minor reasoning_effort']);
    }
    expect(
      sent({ ...body, messages: [...messages, { role: 'assistant', content: 'x' }, { role: 'user', content: 'B' }] })
        .thinking,
    ).toEqual({ type: 'adaptive' });
  });

  test('that has the assistant begin an answer goes without thinking', () => {
    const messages = [hi.messages[0], { role: 'assistant', content: 'So' }];
    expect(sent({ messages, reasoning_effort: 'low' }).thinking).toBeUndefined();
  });
});
