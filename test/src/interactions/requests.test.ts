/** Requests: a client's read, an upstream's written, and what each cannot say. */
import { type CanonicalRequest, GatewayError, type RequestOptions } from '@streamglot/core';
import { describe, expect, test } from 'vitest';
import { chat } from '../../../packages/core/src/dialects/chat/index.ts';
import { interactions } from '../../../packages/core/src/dialects/interactions/index.ts';
import { messages } from '../../../packages/core/src/dialects/messages/index.ts';
import { responses } from '../../../packages/core/src/dialects/responses/index.ts';
import type { Wired } from './wire.ts';

const read = (body: Wired) =>
  interactions.decodeRequest({
    path: '/v1beta/interactions',
    query: {},
    headers: {},
    body: { model: 'demo', input: 'Hello', ...body },
  });
const request = (body: Wired): CanonicalRequest => read(body).request;

const sent = (from: typeof chat, body: Wired, options: Partial<RequestOptions> = {}) => {
  const { request, context } = from.decodeRequest({ path: '', query: {}, headers: {}, body });
  return interactions.encodeRequest(request, context, { stream: false, ...options });
};
const hello = [{ role: 'user', content: 'Hello' }];
const ofChat = (body: Wired, options?: Partial<RequestOptions>) =>
  sent(chat, { model: 'demo', messages: hello, ...body }, options);

const said = ({ turns }: CanonicalRequest): unknown =>
  turns.map(({ role, parts }) => [role, ...parts.map((part) => ('text' in part ? part.text : part.type))]);

describe('an input that is read', () => {
  const text = (text: string): Wired => ({ type: 'text', text });

  test.each([
    ['a text', 'Hello', [['user', 'Hello']]],
    ['a content', text('Hello'), [['user', 'Hello']]],
    ['contents', [text('a'), text('b')], [['user', 'a', 'b']]],
    [
      'steps',
      [
        { type: 'user_input', content: [text('a')] },
        { type: 'thought', signature: 's' },
        { type: 'function_call', id: 'c1', name: 'f', arguments: { a: 1 } },
        { type: 'function_result', call_id: 'c1', result: 'r' },
        { type: 'model_output', content: [text('b')] },
      ],
      [
        ['user', 'a'],
        ['assistant', 'reasoning', 'tool_call'],
        ['user', 'tool_result'],
        ['assistant', 'b'],
      ],
    ],
    [
      'turns of the first revision',
      [
        { role: 'user', content: 'a' },
        { role: 'model', content: [text('b')] },
      ],
      [
        ['user', 'a'],
        ['assistant', 'b'],
      ],
    ],
  ])('may be %s', (_name, input, turns) => {
    expect(said(request({ input }))).toEqual(turns);
  });

  test('has media by their bytes, their address, or as files of the provider', () => {
    const { turns } = request({
      input: [
        { type: 'image', data: 'eA==', mime_type: 'image/png', resolution: 'low' },
        { type: 'document', uri: 'https://a.test/b.pdf' },
        { type: 'audio', uri: 'https://a.test/v1beta/files/abc' },
        { type: 'video', uri: 'https://a.test/v' },
      ],
    });
    expect(turns[0]?.parts).toMatchObject([
      { type: 'image', source: { type: 'base64', data: 'eA==', mimeType: 'image/png' }, detail: 'low' },
      { type: 'document', source: { type: 'url', url: 'https://a.test/b.pdf' } },
      { type: 'audio', source: { type: 'file', fileId: 'https://a.test/v1beta/files/abc' } },
      { type: 'native', name: 'video' },
    ]);
  });

  test.each([
    ['a text', 'r', [{ type: 'text', text: 'r' }]],
    ['an object', { a: 1 }, [{ type: 'text', text: '{"a":1}' }]],
    ['contents', [text('r'), { type: 'image', data: 'eA==' }], [{ type: 'text', text: 'r' }, { type: 'image' }]],
    ['a list of anything', [1], [{ type: 'text', text: '[1]' }]],
  ])('has results that are %s', (_name, result, content) => {
    const { turns } = request({
      input: [{ type: 'function_result', call_id: 'c', name: 'f', result, is_error: true }],
    });
    expect(turns[0]?.parts).toMatchObject([{ type: 'tool_result', callId: 'c', name: 'f', isError: true, content }]);
  });

  test('has tools that the provider ran as its own', () => {
    const { turns } = request({ input: [{ type: 'google_search_call', id: 'g', arguments: {} }] });
    expect(turns).toMatchObject([{ role: 'assistant', parts: [{ type: 'native', name: 'google_search_tool_use' }] }]);
  });
});

describe('options that are read', () => {
  test('are those of the configuration', () => {
    const generation_config = {
      temperature: 0.5,
      top_p: 0.9,
      seed: 7,
      max_output_tokens: 100,
      stop_sequences: ['END'],
      thinking_level: 'low',
      thinking_summaries: 'auto',
    };
    const { request, context } = read({
      generation_config,
      system_instruction: 'Be brief.',
      stream: true,
      store: false,
    });
    expect(request).toMatchObject({
      system: [{ text: 'Be brief.' }],
      sampling: { temperature: 0.5, topP: 0.9, seed: 7 },
      maxOutputTokens: 100,
      stop: ['END'],
      reasoning: { effort: 'low', summary: 'auto' },
      store: false,
    });
    expect(context).toEqual({ dialect: 'interactions', model: 'demo', stream: true, carries: 'thoughts' });
  });

  test('hide thoughts from who did not ask for summaries', () => {
    expect(read({}).context.showReasoning).toBe(false);
  });

  const schema = { type: 'object', title: 'An answer' };

  test.each([
    [{ response_format: { type: 'text', mime_type: 'application/json', schema } }, 'json_schema'],
    [{ response_format: [{ type: 'text', mime_type: 'application/json' }] }, 'json_object'],
    [{ response_format: schema, response_mime_type: 'application/json' }, 'json_schema'],
    [{ response_mime_type: 'application/json' }, 'json_object'],
    [{ response_format: { type: 'text', mime_type: 'text/plain' } }, 'text'],
    [{}, undefined],
  ])('%j asks for %s', (body, type) => {
    expect(request(body).output?.type).toBe(type);
  });

  test.each([
    ['auto', { type: 'auto' }],
    ['validated', { type: 'auto' }],
    ['any', { type: 'required' }],
    ['none', { type: 'none' }],
    [{ allowed_tools: { mode: 'any', tools: ['f'] } }, { type: 'tool', name: 'f' }],
    [{ allowed_tools: { mode: 'auto', tools: ['f', 'g'] } }, { type: 'allowed', mode: 'auto', names: ['f', 'g'] }],
  ])('the choice %j is %j', (tool_choice, choice) => {
    expect(request({ generation_config: { tool_choice } }).toolChoice).toEqual(choice);
  });

  test.each([
    ['background', { background: true }],
    ['agent', { model: undefined, agent: 'a' }],
    ['previous_interaction_id', { previous_interaction_id: 'v1' }],
    ['cached_content', { cached_content: 'c' }],
    ['response_format', { response_format: { type: 'image' } }],
    ['generation_config.tool_choice', { generation_config: { tool_choice: 'perhaps' } }],
  ])('%s is a severe loss elsewhere', (field, body) => {
    const { request, context } = read(body);
    const { losses } = chat.encodeRequest(request, context, { stream: false });
    expect(losses).toContainEqual(expect.objectContaining({ field, severity: 'severe' }));
  });

  test.each([
    [{ input: 5 }, 'input'],
    [{ input: undefined }, 'input'],
    [{ model: undefined }, 'model'],
    [{ input: [{ type: 'function_call', name: 'f' }] }, 'input[0].id'],
    [{ input: [{ type: 'user_input', content: [{}] }] }, 'input[0].content[0].type'],
    [{ tools: [{ type: 'function' }] }, 'tools[0].name'],
  ])('%j is refused', (body, param) => {
    const refused = (): unknown => {
      try {
        return request(body);
      } catch (thrown) {
        return thrown instanceof GatewayError ? thrown.error.param : thrown;
      }
    };
    expect(refused()).toBe(param);
  });
});

describe('a request that is written', () => {
  const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }];

  test('has turns as steps, and stores nothing unasked', () => {
    const { path, body } = ofChat(
      {
        messages: [
          { role: 'system', content: 'Be brief.' },
          ...hello,
          {
            role: 'assistant',
            content: 'Looking.',
            tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
          },
          { role: 'tool', tool_call_id: 'c1', content: 'r' },
        ],
        tools,
      },
      { stream: true },
    );
    expect(path).toBe('/interactions');
    expect(body).toEqual({
      model: 'demo',
      system_instruction: 'Be brief.',
      input: [
        { type: 'user_input', content: [{ type: 'text', text: 'Hello' }] },
        { type: 'model_output', content: [{ type: 'text', text: 'Looking.' }] },
        { type: 'function_call', id: 'c1', name: 'f', arguments: { a: 1 } },
        { type: 'function_result', call_id: 'c1', result: 'r' },
      ],
      tools: [{ type: 'function', name: 'f', parameters: { type: 'object' } }],
      store: false,
      stream: true,
    });
  });

  test('of its own dialect goes on as it came', () => {
    const { request, context } = read({ zz: 1, stream: true, previous_interaction_id: 'v1' });
    const { body } = interactions.encodeRequest({ ...request, model: 'other' }, context, { stream: true });
    expect(body).toEqual({ model: 'other', input: 'Hello', zz: 1, stream: true, previous_interaction_id: 'v1' });
  });

  test('of its own dialect goes without sampling where the upstream takes none', () => {
    const { request, context } = read({ generation_config: { temperature: 1, seed: 7 } });
    const { body, losses } = interactions.encodeRequest(request, context, { stream: false, sampling: false });
    expect(body.generation_config).toEqual({ seed: 7 });
    expect(losses).toMatchObject([{ field: 'generation_config.temperature', severity: 'minor' }]);
  });

  test('has an agent where its client asked one', () => {
    const { request, context } = read({ model: undefined, agent: 'deep' });
    const { body } = interactions.encodeRequest({ ...request, model: 'deep-2' }, context, { stream: false });
    expect(body).toMatchObject({ agent: 'deep-2' });
  });

  test('keeps its own thoughts and leaves those of others', () => {
    const own = read({
      input: [
        { type: 'thought', signature: 's' },
        { type: 'function_result', call_id: 'c', result: 'r' },
      ],
    });
    const { native: _, ...rewritten } = own.request;
    expect(interactions.encodeRequest(rewritten, own.context, { stream: false }).body.input).toMatchObject([
      { type: 'thought', signature: 's' },
      { type: 'function_result' },
    ]);
    const thinking = [
      { type: 'thinking', thinking: 'hm', signature: 's' },
      { type: 'text', text: 'a' },
    ];
    const foreign = sent(messages, {
      model: 'demo',
      max_tokens: 9,
      messages: [...hello, { role: 'assistant', content: thinking }, ...hello],
    });
    expect(JSON.stringify(foreign.body)).not.toContain('hm');
    expect(foreign.losses).toMatchObject([{ severity: 'minor' }]);
  });

  test.each([
    ['none', { thinking_level: 'minimal', thinking_summaries: 'none' }],
    ['low', { thinking_level: 'low', thinking_summaries: 'auto' }],
    ['xhigh', { thinking_level: 'high', thinking_summaries: 'auto' }],
  ])('asks for the effort %s', (reasoning_effort, config) => {
    expect(ofChat({ reasoning_effort }).body.generation_config).toEqual(config);
  });

  test('asks for a schema', () => {
    const json_schema = { name: 'answer', schema: { type: 'object' } };
    expect(ofChat({ response_format: { type: 'json_schema', json_schema } }).body.response_format).toEqual({
      type: 'text',
      mime_type: 'application/json',
      schema: { type: 'object' },
    });
  });

  test.each([
    ['required', 'any'],
    ['none', 'none'],
    [{ type: 'function', function: { name: 'f' } }, { allowed_tools: { mode: 'any', tools: ['f'] } }],
  ])('has the choice %j', (tool_choice, choice) => {
    expect(ofChat({ tools, tool_choice }).body.generation_config).toEqual({ tool_choice: choice });
  });

  test('has free-form tools as functions of one text, and unwraps their calls', () => {
    const custom = {
      type: 'custom',
      name: 'run',
      format: { type: 'grammar', syntax: 'lark', definition: 'start: "a"' },
    };
    const { body, losses, restore } = sent(responses, { model: 'demo', input: 'Hello', tools: [custom] });
    expect(body.tools).toMatchObject([{ type: 'function', name: 'run', parameters: { required: ['input'] } }]);
    expect(losses).toMatchObject([{ severity: 'minor' }]);
    expect(restore).toBeDefined();
  });

  test('has media as they are', () => {
    const url = 'data:image/png;base64,eA==';
    const { body } = ofChat({ messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }] });
    expect(body.input).toEqual([
      { type: 'user_input', content: [{ type: 'image', data: 'eA==', mime_type: 'image/png' }] },
    ]);
  });

  test('of instructions alone has them said by the user', () => {
    expect(ofChat({ messages: [{ role: 'system', content: 'Go.' }] }).body).toMatchObject({ input: 'Go.' });
  });

  test('says what it cannot ask for', () => {
    const { losses } = ofChat({ n: 2, logprobs: true, frequency_penalty: 1, user: 'u' });
    expect(Object.fromEntries(losses.map(({ field, severity }) => [field, severity]))).toEqual({
      n: 'severe',
      logprobs: 'minor',
      frequency_penalty: 'minor',
      user: 'minor',
    });
  });
});
