/** What a Messages client asks beside its conversation, in the words of Chat, and what a request leaves behind. */
import { describe, expect, test } from 'vitest';
import { decode } from '../wire.ts';
import { hi, lookup, lookupSent, losses, said, schema, sent } from './ask.ts';

describe('an option of a Messages request', () => {
  const tools = { tools: [lookup] };
  const toolsSent = { tools: [lookupSent] };
  const cache_control = { type: 'ephemeral' };

  const table: [string, object, object, string[]][] = [
    ['nothing but the limit', {}, {}, []],
    ['stop strings', { stop_sequences: ['a', 'b'] }, { stop: ['a', 'b'] }, []],
    [
      'more than four of them',
      { stop_sequences: ['a', 'b', 'c', 'd', 'e'] },
      { stop: ['a', 'b', 'c', 'd'] },
      ['severe stop_sequences'],
    ],
    ['temperature and top_p', { temperature: 1, top_p: 0.5 }, { temperature: 1, top_p: 0.5 }, []],
    ['top_k', { top_k: 3 }, {}, ['minor top_k']],
    ['the user', { metadata: { user_id: 'u' } }, { user: 'u' }, []],
    [
      'a user whose name OpenAI finds too long',
      { metadata: { user_id: 'u'.repeat(150) } },
      { user: expect.stringMatching(/^user_[a-z0-9]{22}$/) },
      [],
    ],
    ['tier auto', { service_tier: 'auto' }, { service_tier: 'auto' }, []],
    ['the standard tier', { service_tier: 'standard_only' }, { service_tier: 'default' }, []],
    [
      'tokens to think',
      { thinking: { type: 'enabled', budget_tokens: 10000 } },
      { reasoning_effort: 'medium' },
      ['minor thinking'],
    ],
    ['effort', { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } }, { reasoning_effort: 'high' }, []],
    ['thinking as the model likes', { thinking: { type: 'adaptive' } }, {}, []],
    ['no thinking', { thinking: { type: 'disabled' } }, {}, ['minor thinking']],
    ['thinking in words of tomorrow', { thinking: { type: 'hunch' } }, {}, ['minor thinking']],
    [
      'a schema',
      { output_config: { format: { type: 'json_schema', schema } } },
      { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } } },
      [],
    ],
    [
      'a schema in its older place',
      { output_format: { type: 'json_schema', schema } },
      { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } } },
      [],
    ],
    ['another form', { output_config: { format: { type: 'regex' } } }, {}, ['severe output_config.format']],
    ['breakpoints', { cache_control }, {}, ['minor cache_control']],
    [
      'members that only Messages has',
      { context_management: {}, output_config: { task_budget: {} } },
      {},
      ['minor context_management', 'minor output_config.task_budget'],
    ],
    ['servers of tools', { mcp_servers: [{}] }, {}, ['severe mcp_servers']],
    ['a tool', tools, toolsSent, []],
    [
      'a tool called custom',
      { tools: [{ ...lookup, type: 'custom', strict: true }] },
      { tools: [{ type: 'function', function: { ...lookupSent.function, strict: true } }] },
      [],
    ],
    [
      'what only tools of Messages have',
      { tools: [{ ...lookup, defer_loading: true, eager_input_streaming: true }] },
      toolsSent,
      ['minor tools[0].defer_loading', 'minor tools'],
    ],
    [
      'a tool that the provider runs',
      { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
      {},
      ['severe tools[0]'],
    ],
    ['choice auto', { ...tools, tool_choice: { type: 'auto' } }, { ...toolsSent, tool_choice: 'auto' }, []],
    ['choice any', { ...tools, tool_choice: { type: 'any' } }, { ...toolsSent, tool_choice: 'required' }, []],
    ['choice none', { ...tools, tool_choice: { type: 'none' } }, { ...toolsSent, tool_choice: 'none' }, []],
    [
      'choice of one',
      { ...tools, tool_choice: { type: 'tool', name: 'lookup' } },
      { ...toolsSent, tool_choice: { type: 'function', function: { name: 'lookup' } } },
      [],
    ],
    ['an unknown choice', { ...tools, tool_choice: { type: 'hunch' } }, toolsSent, ['severe tool_choice']],
    [
      'one call at a time',
      { ...tools, tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
      { ...toolsSent, tool_choice: 'auto', parallel_tool_calls: false },
      [],
    ],
    [
      'calls at once',
      { ...tools, tool_choice: { type: 'any', disable_parallel_tool_use: false } },
      { ...toolsSent, tool_choice: 'required', parallel_tool_calls: true },
      [],
    ],
  ];

  test.each(table)('%s', (_name, body, expected, lost) => {
    expect(sent(body)).toEqual({ ...said, ...expected });
    expect(losses(body)).toEqual(lost);
  });

  test.each<[string, object, object, object, string[]]>([
    [
      'the stream, and always its usage',
      {},
      { stream: true },
      { ...said, stream: true, stream_options: { include_usage: true } },
      [],
    ],
    ['the older name of the limit', {}, { oldTokenLimit: true }, { messages: said.messages, max_tokens: 100 }, []],
    ['no sampling', { temperature: 1 }, { sampling: false }, said, ['minor temperature']],
  ])('the provider adds %s', (_name, body, options, expected, lost) => {
    expect(sent(body, options)).toEqual(expected);
    expect(losses(body, options)).toEqual(lost);
  });
});

describe('what a request leaves behind', () => {
  test.each<[string, 'chat' | 'messages', object, object]>([
    ['a plain one', 'messages', {}, { dialect: 'messages', model: 'm', stream: false }],
    ['a stream', 'messages', { stream: true }, { dialect: 'messages', model: 'm', stream: true }],
    [
      'hidden thinking',
      'messages',
      { thinking: { type: 'adaptive', display: 'omitted' } },
      { dialect: 'messages', model: 'm', stream: false, showReasoning: false },
    ],
    [
      'a stream with usage',
      'chat',
      { stream: true, stream_options: { include_usage: true } },
      { dialect: 'chat', model: 'm', stream: true, includeUsage: true },
    ],
    [
      'a stream without',
      'chat',
      { stream: true, stream_options: { include_usage: false } },
      { dialect: 'chat', model: 'm', stream: true, includeUsage: false },
    ],
    ['a stream that says nothing of it', 'chat', { stream: true }, { dialect: 'chat', model: 'm', stream: true }],
    [
      'hidden reasoning',
      'chat',
      { include_reasoning: false },
      { dialect: 'chat', model: 'm', stream: false, showReasoning: false },
    ],
  ])('%s', (_name, dialect, body, expected) => {
    const carries = dialect === 'chat' ? 'calls' : 'thoughts';
    expect(decode(dialect, { ...hi, ...body }).context).toEqual({ ...expected, carries });
  });
});
