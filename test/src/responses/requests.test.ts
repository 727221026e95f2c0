/** Requests of Responses: what a client asks, as the upstreams of other dialects get it. */
import { type CanonicalRequest, type EncodedRequest, GatewayError } from '@streamglot/core';
import { describe, expect, test } from 'vitest';
import * as responses from '../../../packages/core/src/dialects/responses/request.ts';
import { decode, named, translate } from './ask.ts';

/** Written for a Responses upstream although it came from a Responses client. */
function rewritten(body: unknown): EncodedRequest {
  const { request, context } = decode('responses', body);
  const { native: _native, ...rest } = request;
  return responses.encodeRequest(rest satisfies CanonicalRequest, context, { stream: false });
}

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
      carries: 'thoughts',
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
