/** What a Chat client asks beside its conversation, in the words of Messages: a table of members. */
import { describe, expect, test } from 'vitest';
import { lookup, lookupSent, losses, said, sent } from './ask.ts';

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
