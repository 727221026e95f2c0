/** What a Chat client asks, in the words of Messages: tables of members, and the traps of the API. */
import { describe, expect, test } from 'vitest';
import { translate } from './wire.ts';

const hi = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] };
const said = { messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }] };
const lookup = { type: 'function', function: { name: 'lookup', parameters: { type: 'object', properties: {} } } };
const lookupSent = { name: 'lookup', input_schema: { type: 'object', properties: {} } };
const call = (id: string, args = '{"q":1}') => ({
  id,
  type: 'function',
  function: { name: 'lookup', arguments: args },
});
const png = 'data:image/png;base64,AAAA';

/** The body that a Messages upstream gets, less what every one has. */
function sent(body: object, options = {}): Record<string, unknown> {
  const { model: _model, ...rest } = translate('chat', 'messages', { ...hi, ...body }, options).body;
  return rest;
}

function losses(body: object, options = {}): string[] {
  return translate('chat', 'messages', { ...hi, ...body }, options).losses.map(
    ({ field, severity }) => `${severity} ${field}`,
  );
}

describe('an option of a Chat request', () => {
  const closed = {
    type: 'object',
    properties: { a: { type: 'string' } },
    required: ['a'],
    additionalProperties: false,
  };
  const tools = { tools: [lookup] };
  const toolsSent = { tools: [lookupSent] };

  const table: [string, object, object, string[]][] = [
    ['nothing asked: the limit that the API demands', {}, { max_tokens: 4096 }, []],
    ['the limit', { max_completion_tokens: 50 }, { max_tokens: 50 }, []],
    ['the older limit', { max_tokens: 50 }, { max_tokens: 50 }, []],
    ['one stop string', { stop: 'END' }, { stop_sequences: ['END'] }, []],
    ['several', { stop: ['a', 'b'] }, { stop_sequences: ['a', 'b'] }, []],
    ['one of white space, which the API refuses', { stop: ['\n', 'b'] }, { stop_sequences: ['b'] }, ['severe stop']],
    ['temperature', { temperature: 0.5 }, { temperature: 0.5 }, []],
    ['temperature over 1', { temperature: 1.7 }, { temperature: 1 }, ['minor temperature']],
    ['top_p', { top_p: 0.9 }, { top_p: 0.9 }, []],
    ['both, of which newer models take one', { temperature: 0.5, top_p: 0.9 }, { temperature: 0.5 }, ['minor top_p']],
    ['a top_p that says nothing', { temperature: 0.5, top_p: 1 }, { temperature: 0.5 }, []],
    [
      'penalties, seed, bias',
      { frequency_penalty: 1, presence_penalty: 1, seed: 1, logit_bias: { 5: 1 } },
      {},
      ['minor frequency_penalty', 'minor presence_penalty', 'minor seed', 'minor logit_bias'],
    ],
    ['penalties of nought', { frequency_penalty: 0, presence_penalty: 0 }, {}, []],
    ['several answers', { n: 2 }, {}, ['severe n']],
    ['one answer', { n: 1 }, {}, []],
    ['probabilities', { logprobs: true, top_logprobs: 2 }, {}, ['minor logprobs']],
    [
      'spoken answers',
      { modalities: ['text', 'audio'], audio: { voice: 'a', format: 'wav' } },
      {},
      ['severe modalities'],
    ],
    ['text answers', { modalities: ['text'] }, {}, []],
    [
      'verbosity, prediction, metadata',
      { verbosity: 'low', prediction: { type: 'content', content: 'x' }, metadata: { a: 'b' } },
      {},
      ['minor verbosity', 'minor prediction', 'minor metadata'],
    ],
    ['the user', { user: 'u1' }, { metadata: { user_id: 'u1' } }, []],
    ['the user by the newer name', { safety_identifier: 'u2', user: 'u1' }, { metadata: { user_id: 'u2' } }, []],
    ['cache key', { prompt_cache_key: 'k' }, {}, ['minor prompt_cache_key']],
    ['storing', { store: true }, {}, ['minor store']],
    ['not storing', { store: false }, {}, []],
    ['tier auto', { service_tier: 'auto' }, { service_tier: 'auto' }, []],
    ['tier default', { service_tier: 'default' }, { service_tier: 'standard_only' }, []],
    ['a tier of OpenAI', { service_tier: 'flex' }, {}, ['minor service_tier']],
    ['web search', { web_search_options: {} }, {}, ['severe web_search_options']],
    ['a member that nobody knows', { venice: {} }, {}, ['minor venice']],
    ['null members', { stop: null, temperature: null, tools: null, response_format: null }, {}, []],
    ['text as the form', { response_format: { type: 'text' } }, {}, []],
    [
      'a closed schema',
      { response_format: { type: 'json_schema', json_schema: { name: 'n', schema: closed, strict: true } } },
      { output_config: { format: { type: 'json_schema', schema: closed } } },
      [],
    ],
    ['a form of one server', { response_format: { type: 'grammar' } }, {}, ['severe response_format']],
    [
      'effort',
      { reasoning_effort: 'medium' },
      { max_tokens: 12288, thinking: { type: 'adaptive' }, output_config: { effort: 'medium' } },
      [],
    ],
    [
      'the least effort',
      { reasoning_effort: 'minimal' },
      { max_tokens: 5120, thinking: { type: 'adaptive' }, output_config: { effort: 'low' } },
      ['minor reasoning_effort'],
    ],
    ['no effort', { reasoning_effort: 'none' }, { thinking: { type: 'disabled' } }, []],
    ['an effort of one server', { reasoning_effort: 'default' }, {}, ['minor reasoning_effort']],
    [
      'tokens to think',
      { reasoning: { max_tokens: 2000 } },
      { max_tokens: 6096, thinking: { type: 'enabled', budget_tokens: 2000 } },
      [],
    ],
    [
      'hidden thinking',
      { reasoning: { effort: 'low', exclude: true } },
      { max_tokens: 6144, thinking: { type: 'adaptive', display: 'omitted' }, output_config: { effort: 'low' } },
      [],
    ],
    ['thinking that compatible servers turn off', { enable_thinking: false }, { thinking: { type: 'disabled' } }, []],
    [
      'sampling while thinking',
      { reasoning_effort: 'low', temperature: 0.2, top_p: 0.5 },
      { max_tokens: 6144, thinking: { type: 'adaptive' }, output_config: { effort: 'low' } },
      ['minor temperature', 'minor top_p'],
    ],
    [
      'the one temperature of thinking',
      { reasoning_effort: 'low', temperature: 1 },
      { max_tokens: 6144, thinking: { type: 'adaptive' }, output_config: { effort: 'low' } },
      [],
    ],
    ['a tool', tools, toolsSent, []],
    ['a tool in the deprecated form', { functions: [lookup.function] }, toolsSent, []],
    ['choice auto', { ...tools, tool_choice: 'auto' }, { ...toolsSent, tool_choice: { type: 'auto' } }, []],
    ['choice none', { ...tools, tool_choice: 'none' }, { ...toolsSent, tool_choice: { type: 'none' } }, []],
    ['choice required', { ...tools, tool_choice: 'required' }, { ...toolsSent, tool_choice: { type: 'any' } }, []],
    [
      'choice of one',
      { ...tools, tool_choice: { type: 'function', function: { name: 'lookup' } } },
      { ...toolsSent, tool_choice: { type: 'tool', name: 'lookup' } },
      [],
    ],
    [
      'choice in the deprecated form',
      { functions: [lookup.function], function_call: { name: 'lookup' } },
      { ...toolsSent, tool_choice: { type: 'tool', name: 'lookup' } },
      [],
    ],
    [
      'choice in the words of Messages, which some servers take',
      { ...tools, tool_choice: { type: 'tool', name: 'lookup' } },
      { ...toolsSent, tool_choice: { type: 'tool', name: 'lookup' } },
      [],
    ],
    ['a choice that nobody knows', { ...tools, tool_choice: { type: 'hunch' } }, toolsSent, ['severe tool_choice']],
    ['a choice without tools', { tool_choice: 'auto' }, {}, []],
    [
      'one call at a time',
      { ...tools, parallel_tool_calls: false },
      { ...toolsSent, tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
      [],
    ],
    [
      'one call at a time of none',
      { ...tools, parallel_tool_calls: false, tool_choice: 'none' },
      { ...toolsSent, tool_choice: { type: 'none' } },
      [],
    ],
    ['calls at once', { ...tools, parallel_tool_calls: true }, toolsSent, []],
    [
      'a strict tool',
      { tools: [{ type: 'function', function: { name: 'f', strict: true, parameters: closed } }] },
      { tools: [{ name: 'f', strict: true, input_schema: closed }] },
      [],
    ],
    [
      'a tool without parameters',
      { tools: [{ type: 'function', function: { name: 'f' } }] },
      { tools: [{ name: 'f', input_schema: { type: 'object', properties: {} } }] },
      [],
    ],
    [
      'a forced tool while thinking',
      { ...tools, tool_choice: 'required', reasoning_effort: 'high' },
      { ...toolsSent, tool_choice: { type: 'any' }, output_config: { effort: 'high' } },
      ['minor reasoning_effort'],
    ],
    ['a tool of one server', { tools: [{ type: 'live_search' }] }, {}, ['severe tools[0]']],
  ];

  test.each(table)('%s', (_name, body, expected, lost) => {
    expect(sent(body)).toEqual({ max_tokens: 4096, ...said, ...expected });
    expect(losses(body)).toEqual(lost);
  });
});

describe('what the provider adds', () => {
  test.each<[string, object, object, object, string[]]>([
    ['its limit', {}, { maxOutputTokens: 100 }, { max_tokens: 100 }, []],
    ['the stream', {}, { stream: true }, { stream: true, max_tokens: 4096 }, []],
    [
      'no sampling',
      { temperature: 0.5, top_k: 3 },
      { sampling: false },
      { max_tokens: 4096 },
      ['minor temperature', 'minor top_k'],
    ],
    [
      'tokens for an effort',
      { reasoning_effort: 'high' },
      { thinking: 'budget' },
      { max_tokens: 20480, thinking: { type: 'enabled', budget_tokens: 16384 } },
      [],
    ],
    [
      'effort for tokens',
      { reasoning: { max_tokens: 9000 } },
      { thinking: 'adaptive' },
      { max_tokens: 13096, thinking: { type: 'adaptive' }, output_config: { effort: 'medium' } },
      ['minor reasoning'],
    ],
    [
      "tokens under the client's limit",
      { reasoning_effort: 'high', max_tokens: 5000 },
      { thinking: 'budget' },
      { max_tokens: 5000, thinking: { type: 'enabled', budget_tokens: 4000 } },
      [],
    ],
    [
      'a limit too small to think under',
      { reasoning_effort: 'high', max_tokens: 1000 },
      { thinking: 'budget' },
      { max_tokens: 1000 },
      ['minor reasoning_effort'],
    ],
  ])('%s', (_name, body, options, expected, lost) => {
    expect(sent(body, options)).toEqual({ ...said, ...expected });
    expect(losses(body, options)).toEqual(lost);
  });
});

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
