/** Requests of Responses: what a client asks as others get it, what others ask as a Responses upstream gets it. */
import { type CanonicalRequest, type EncodedRequest, GatewayError, type RequestOptions } from '@streamglot/core';
import { describe, expect, test } from 'vitest';
import * as chat from '../../../packages/core/src/dialects/chat/request.ts';
import * as messages from '../../../packages/core/src/dialects/messages/request.ts';
import * as responses from '../../../packages/core/src/dialects/responses/request.ts';

const dialects = { chat, messages, responses };
type Side = keyof typeof dialects;

function decode(dialect: Side, body: unknown) {
  return dialects[dialect].decodeRequest({ path: '', query: {}, headers: {}, body });
}

function translate(from: Side, to: Side, body: unknown, options: Partial<RequestOptions> = {}): EncodedRequest {
  const { request, context } = decode(from, body);
  return dialects[to].encodeRequest(request, context, { stream: false, ...options });
}

/** Written for a Responses upstream although it came from a Responses client. */
function rewritten(body: unknown): EncodedRequest {
  const { request, context } = decode('responses', body);
  const { native: _native, ...rest } = request;
  return responses.encodeRequest(rest satisfies CanonicalRequest, context, { stream: false });
}

const named = (losses: EncodedRequest['losses']) => losses.map(({ field, severity }) => `${severity} ${field}`);

const hi = { model: 'm', input: 'Hi' };
const image = 'data:image/png;base64,AAAA';
const lookup = { type: 'function', name: 'lookup', parameters: { type: 'object', properties: {} } };
const call = { type: 'function_call', call_id: 'call_1', name: 'lookup', arguments: '{"q":1}' };
const output = { type: 'function_call_output', call_id: 'call_1', output: 'found' };

describe('a Responses request toward Chat', () => {
  test.each<[string, object, object]>([
    ['a text', {}, { messages: [{ role: 'user', content: 'Hi' }] }],
    [
      'instructions and roles',
      {
        instructions: 'Be brief.',
        input: [
          { role: 'developer', content: 'Now.' },
          { role: 'user', content: 'Hi' },
        ],
      },
      {
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'developer', content: 'Now.' },
          { role: 'user', content: 'Hi' },
        ],
      },
    ],
    [
      'an image and a file',
      {
        input: [
          {
            role: 'user',
            content: [
              { type: 'input_text', text: 'Look' },
              { type: 'input_image', image_url: image, detail: 'low' },
              { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,BBBB' },
            ],
          },
        ],
      },
      {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'Look' },
              { type: 'image_url', image_url: { url: image, detail: 'low' } },
              { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,BBBB' } },
            ],
          },
        ],
      },
    ],
    [
      'a call and its result',
      { input: [{ role: 'user', content: 'Hi' }, call, output] },
      {
        messages: [
          { role: 'user', content: 'Hi' },
          {
            role: 'assistant',
            content: null,
            tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'lookup', arguments: '{"q":1}' } }],
          },
          { role: 'tool', tool_call_id: 'call_1', content: 'found' },
        ],
      },
    ],
    [
      'tools and choice',
      { tools: [lookup], tool_choice: { type: 'function', name: 'lookup' }, parallel_tool_calls: false },
      {
        messages: [{ role: 'user', content: 'Hi' }],
        tools: [{ type: 'function', function: { name: 'lookup', parameters: lookup.parameters } }],
        tool_choice: { type: 'function', function: { name: 'lookup' } },
        parallel_tool_calls: false,
      },
    ],
    [
      'a custom tool with its grammar',
      { tools: [{ type: 'custom', name: 'sql', format: { type: 'grammar', syntax: 'lark', definition: 'x' } }] },
      {
        messages: [{ role: 'user', content: 'Hi' }],
        tools: [
          {
            type: 'custom',
            custom: { name: 'sql', format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'x' } } },
          },
        ],
      },
    ],
    [
      'format, verbosity, effort, limit',
      {
        text: {
          format: { type: 'json_schema', name: 'a', schema: { type: 'object' }, strict: true },
          verbosity: 'low',
        },
        reasoning: { effort: 'high', summary: 'auto' },
        max_output_tokens: 50,
        temperature: 0.3,
        service_tier: 'flex',
        prompt_cache_key: 'k',
        safety_identifier: 'u',
      },
      {
        messages: [{ role: 'user', content: 'Hi' }],
        response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' }, strict: true } },
        verbosity: 'low',
        reasoning_effort: 'high',
        max_completion_tokens: 50,
        temperature: 0.3,
        service_tier: 'flex',
        prompt_cache_key: 'k',
        user: 'u',
      },
    ],
  ])('says %s', (_what, body, expected) => {
    const { body: sent, losses } = translate('responses', 'chat', { ...hi, ...body });
    expect(sent).toEqual({ model: 'm', ...expected });
    expect(losses).toEqual([]);
  });

  test.each<[string, object, string[]]>([
    ['the background', { background: true }, ['severe background']],
    ['an earlier response', { previous_response_id: 'resp_0' }, ['severe previous_response_id']],
    ['a conversation', { conversation: { id: 'conv_1' } }, ['severe conversation']],
    ['a kept prompt', { prompt: { id: 'pmpt_1' } }, ['severe prompt']],
    ['a tool that the provider runs', { tools: [{ type: 'web_search' }] }, ['severe tools[0]']],
    ['a choice of such a tool', { tools: [lookup], tool_choice: { type: 'web_search' } }, ['severe tool_choice']],
    [
      'an item by its id',
      {
        input: [
          { type: 'item_reference', id: 'msg_1' },
          { role: 'user', content: 'x' },
        ],
      },
      ['severe input[0]'],
    ],
    ['truncation', { truncation: 'auto' }, ['minor truncation']],
    ['something that nobody knows', { brand_new: 1 }, ['minor brand_new']],
  ])('cannot take along %s, and says so', (_what, body, expected) => {
    expect(named(translate('responses', 'chat', { ...hi, ...body }).losses)).toEqual(expected);
  });
});

describe('a Responses request', () => {
  test('says what it refers to, in a form that a store can resolve', () => {
    const body = {
      model: 'm',
      previous_response_id: 'resp_0',
      conversation: 'conv_1',
      input: [
        { role: 'user', content: 'x' },
        { type: 'item_reference', id: 'rs_1' },
      ],
    };
    expect(decode('responses', body).request.refers).toEqual({
      previousResponseId: 'resp_0',
      conversation: 'conv_1',
      items: [{ id: 'rs_1', at: 'input[1]' }],
    });
    expect(decode('responses', hi).request.refers).toBeUndefined();
  });

  test('leaves behind what its response repeats', () => {
    const body = {
      ...hi,
      stream: true,
      instructions: 'Brief.',
      tools: [lookup],
      temperature: 0.3,
      user: 'u',
      reasoning: { effort: 'low' },
    };
    expect(decode('responses', body).context).toEqual({
      dialect: 'responses',
      model: 'm',
      stream: true,
      echo: {
        instructions: 'Brief.',
        tools: [lookup],
        temperature: 0.3,
        user: 'u',
        reasoning: { effort: 'low', summary: null },
        store: true,
      },
    });
  });

  test("toward its own dialect keeps the client's words, the model and the stream apart", () => {
    const body = {
      ...hi,
      store: true,
      x: 1,
      stream: true,
      stream_options: { include_obfuscation: false },
      temperature: 1,
    };
    expect(translate('responses', 'responses', body, { stream: true }).body).toEqual(body);
    const { stream_options: _options, temperature: _temperature, ...rest } = body;
    const quiet = translate('responses', 'responses', body, { sampling: false });
    expect(quiet.body).toEqual({ ...rest, stream: false });
    expect(named(quiet.losses)).toEqual(['minor temperature']);
  });

  test('written anew says the same', () => {
    const body = {
      model: 'm',
      instructions: 'Brief.',
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'Hi' },
            { type: 'input_image', image_url: image, detail: 'auto' },
          ],
        },
        { type: 'reasoning', summary: [{ type: 'summary_text', text: 'S' }], encrypted_content: 'ENC' },
        {
          type: 'message',
          role: 'assistant',
          content: [
            { type: 'output_text', text: 'a', annotations: [] },
            { type: 'refusal', refusal: 'b' },
          ],
        },
        call,
        { type: 'custom_tool_call', call_id: 'call_2', name: 'sql', input: 'select' },
        output,
        { type: 'custom_tool_call_output', call_id: 'call_2', output: 'rows' },
        { type: 'web_search_call', id: 'ws_1', status: 'completed' },
        { role: 'developer', content: 'Now.' },
        { role: 'user', content: [{ type: 'input_text', text: 'Go' }] },
      ],
      tools: [{ ...lookup, strict: true }, { type: 'custom', name: 'sql' }, { type: 'web_search' }],
      tool_choice: {
        type: 'allowed_tools',
        mode: 'auto',
        tools: [
          { type: 'function', name: 'lookup' },
          { type: 'custom', name: 'sql' },
        ],
      },
      parallel_tool_calls: true,
      max_output_tokens: 50,
      text: { format: { type: 'json_object' }, verbosity: 'low' },
      reasoning: { effort: 'low', summary: 'detailed' },
      temperature: 0.5,
      top_p: 0.5,
      top_logprobs: 2,
      include: ['message.output_text.logprobs'],
      metadata: { a: 'b' },
      user: 'u',
      prompt_cache_key: 'k',
      service_tier: 'flex',
      store: true,
    };
    const { body: sent, losses } = rewritten(body);
    expect(sent).toEqual(body);
    expect(losses).toEqual([]);
  });

  test.each<[unknown, string]>([
    ['text', 'The body: expected a JSON object'],
    [{ input: 'x' }, 'model: expected a string, got nothing'],
    [{ model: 'm' }, 'input: expected a string or an array of items, got nothing'],
    [{ model: 'm', input: 5 }, 'input: expected a string or an array of items, got 5'],
    [{ model: 'm', input: [{ content: 'x' }] }, 'input[0].role: required here, got nothing'],
    [
      { model: 'm', input: [{ role: 'wizard', content: 'x' }] },
      'input[0].role: expected user, assistant, system or developer, got "wizard"',
    ],
    [
      { model: 'm', input: [{ role: 'user', content: [{ type: 'input_text' }] }] },
      'input[0].content[0].text: required here, got nothing',
    ],
    [
      { model: 'm', input: [{ type: 'function_call', name: 'f', arguments: '{}' }] },
      'input[0].call_id: required here, got nothing',
    ],
    [
      { model: 'm', input: [{ type: 'function_call_output', call_id: 'a' }] },
      'input[0].output: required here, got nothing',
    ],
    [
      { model: 'm', input: [{ type: 'function_call_output', call_id: 'a', output: [{}] }] },
      'input[0].output[0].type: expected a string, got nothing',
    ],
    [{ model: 'm', input: [{ type: 'item_reference' }] }, 'input[0].id: required here, got nothing'],
    [{ model: 'm', input: 'x', tools: [{ type: 'function' }] }, 'tools[0].name: required here, got nothing'],
    [{ model: 'm', input: 'x', temperature: 'hot' }, 'temperature: expected a number, got "hot"'],
  ])('that is wrong is refused by name: %j', (body, message) => {
    expect(() => decode('responses', body)).toThrow(GatewayError);
    expect(() => decode('responses', body)).toThrow(message);
  });
});

describe('a request of another dialect toward Responses', () => {
  const user = { role: 'user', content: [{ type: 'input_text', text: 'Hi' }] };

  test.each<[string, Side, object, object, string[]]>([
    ['a text', 'chat', {}, { input: [user], store: false }, []],
    [
      'what Responses lacks',
      'chat',
      { n: 2, seed: 1, logit_bias: { 5: 1 }, stop: 'END', prediction: { type: 'content', content: 'x' } },
      { input: [user], store: false },
      ['severe n', 'minor prediction', 'minor stop', 'minor seed', 'minor logit_bias'],
    ],
    [
      'fewer tokens than it takes',
      'chat',
      { max_tokens: 5 },
      { input: [user], store: false, max_output_tokens: 16 },
      ['minor max_tokens'],
    ],
    [
      'a schema',
      'chat',
      { response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' } } } },
      {
        input: [user],
        store: false,
        text: { format: { type: 'json_schema', name: 'a', schema: { type: 'object' }, strict: true } },
      },
      [],
    ],
    [
      'tokens to think with',
      'messages',
      { thinking: { type: 'enabled', budget_tokens: 9000 }, max_tokens: 20000 },
      { input: [user], store: false, max_output_tokens: 20000, reasoning: { effort: 'medium' } },
      ['minor thinking'],
    ],
  ])('says %s', (_what, from, body, expected, lost) => {
    const { body: sent, losses } = translate(from, 'responses', {
      model: 'm',
      messages: [{ role: 'user', content: 'Hi' }],
      ...body,
    });
    expect(sent).toEqual({ model: 'm', ...expected });
    expect(named(losses)).toEqual(lost);
  });

  test('keeps calls, results, their failures and their pictures', () => {
    const body = {
      model: 'm',
      max_tokens: 100,
      system: 'S',
      tools: [{ name: 'lookup', input_schema: { type: 'object' } }],
      tool_choice: { type: 'any' },
      messages: [
        { role: 'user', content: 'Hi' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm', signature: 'SIG' },
            { type: 'text', text: 'Looking.' },
            { type: 'tool_use', id: 'toolu_1', name: 'lookup', input: { q: 1 } },
            { type: 'tool_use', id: 'toolu_2', name: 'lookup', input: {} },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'toolu_1', content: 'broken', is_error: true },
            {
              type: 'tool_result',
              tool_use_id: 'toolu_2',
              content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }],
            },
            { type: 'text', text: 'Go on' },
          ],
        },
      ],
    };
    const { body: sent, losses } = translate('messages', 'responses', body);
    expect(sent).toMatchObject({
      instructions: 'S',
      tools: [{ type: 'function', name: 'lookup', parameters: { type: 'object' }, strict: false }],
      tool_choice: 'required',
      input: [
        user,
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Looking.' }] },
        { type: 'function_call', call_id: 'toolu_1', name: 'lookup', arguments: '{"q":1}' },
        { type: 'function_call', call_id: 'toolu_2', name: 'lookup', arguments: '{}' },
        { type: 'function_call_output', call_id: 'toolu_1', output: 'Error: broken' },
        { type: 'function_call_output', call_id: 'toolu_2', output: [{ type: 'input_image', image_url: image }] },
        { role: 'user', content: [{ type: 'input_text', text: 'Go on' }] },
      ],
    });
    expect(JSON.stringify(sent)).not.toContain('SIG');
    expect(named(losses)).toEqual(['minor messages[1].content[0]']);
  });

  test('has its stop strings cut on the way back', () => {
    const body = { model: 'm', messages: [{ role: 'user', content: 'Hi' }], stop: ['END'] };
    const { restore } = translate('chat', 'responses', body);
    const text = { type: 'block-delta', block: 0, delta: { type: 'text', text: 'one END two' } } as const;
    restore?.push([{ type: 'response-start' }, { type: 'block-start', block: 0, choice: 0, kind: 'text' }]);
    expect(restore?.push([text]).flat()).toMatchObject([{ delta: { text: 'one ' } }]);
  });
});
