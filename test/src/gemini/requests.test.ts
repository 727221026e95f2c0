/** Requests: a client's read, an upstream's written, and what each cannot say. */
import { type CanonicalRequest, GatewayError, type RequestOptions } from '@streamglot/core';
import { describe, expect, test } from 'vitest';
import { chat } from '../../../packages/core/src/dialects/chat/index.ts';
import { gemini } from '../../../packages/core/src/dialects/gemini/index.ts';
import { messages } from '../../../packages/core/src/dialects/messages/index.ts';
import { responses } from '../../../packages/core/src/dialects/responses/index.ts';
import type { Wired } from './wire.ts';

const path = '/v1beta/models/demo:streamGenerateContent';
const hello = [{ role: 'user', parts: [{ text: 'Hello' }] }];

const read = (body: Wired, at = path, query: Record<string, string> = { alt: 'sse' }) =>
  gemini.decodeRequest({ path: at, query, headers: {}, body: { contents: hello, ...body } });

const request = (body: Wired): CanonicalRequest => read(body).request;

const sent = (from: typeof chat, body: Wired, options: Partial<RequestOptions> = {}) => {
  const { request, context } = from.decodeRequest({ path: '', query: {}, headers: {}, body });
  return gemini.encodeRequest(request, context, { stream: false, ...options });
};
const ofChat = (body: Wired, options?: Partial<RequestOptions>) =>
  sent(chat, { model: 'demo', messages: [{ role: 'user', content: 'Hello' }], ...body }, options);

describe('the URL', () => {
  test.each([
    ['/v1beta/models/demo:streamGenerateContent', {}, 'demo', true, 'json-array'],
    ['/v1/models/demo:streamGenerateContent', { alt: 'sse' }, 'demo', true, 'sse'],
    ['/v1beta/models/demo:generateContent', {}, 'demo', false, undefined],
    ['/v1beta/models/demo:generateContent', { alt: 'sse' }, 'demo', false, 'sse'],
    ['/v1beta/models/some%2Fdemo:generateContent', {}, 'some/demo', false, undefined],
    ['/v1/projects/p/locations/l/publishers/x/models/demo:generateContent', {}, 'demo', false, undefined],
  ])('%s %j asks %s', (at, query, model, stream, framing) => {
    const { request, context } = read({}, at, query);
    expect(request.model).toBe(model);
    expect([context.stream, context.framing]).toEqual([stream, framing]);
  });

  test.each(['/v1beta/models', '/v1beta/models/%E0%:generateContent'])('%s names no model', (at) => {
    expect(() => read({}, at)).toThrow(GatewayError);
  });

  test.each([
    ['demo', true, '/models/demo:streamGenerateContent', { alt: 'sse' }],
    ['demo', false, '/models/demo:generateContent', {}],
    ['tunedModels/demo', false, '/tunedModels/demo:generateContent', {}],
    ['a b', false, '/models/a%20b:generateContent', {}],
  ])('for %s (stream: %s) is %s', (model, stream, where, query) => {
    const encoded = ofChat({ model }, { stream });
    expect([encoded.path, encoded.query]).toEqual([where, query]);
  });
});

describe('a request that is read', () => {
  test('may name its members in snake case, but not those of the client', () => {
    const { tools, system, reasoning, turns } = request({
      system_instruction: { parts: [{ text: 'Be brief.' }] },
      tools: { function_declarations: [{ name: 'f', parameters_json_schema: { properties: { a_b: {} } } }] },
      generation_config: { thinking_config: { thinking_budget: 512, include_thoughts: true } },
      contents: [...hello, { role: 'model', parts: [{ function_call: { name: 'f', args: { a_b: 1 } } }] }],
    });
    expect(system).toMatchObject([{ text: 'Be brief.' }]);
    expect(tools).toMatchObject([{ name: 'f', parameters: { properties: { a_b: {} } } }]);
    expect(reasoning).toEqual({ budgetTokens: 512, summary: 'auto' });
    expect(turns[1]?.parts).toMatchObject([{ input: '{"a_b":1}' }]);
  });

  test.each([
    { contents: { role: 'user', parts: { text: 'Hi' } } },
    { contents: hello, systemInstruction: { parts: { text: 'Be brief.' } } },
    { contents: hello, tools: { functionDeclarations: { name: 'f' } } },
  ])('may hold one thing in place of a list of one: %j', (body) => {
    const { turns, system, tools } = request(body);
    expect([turns.length, system.length + tools.length]).toEqual([1, Object.keys(body).length - 1]);
  });

  test.each([
    [
      { text: { mimeType: 'application/json', schema: { type: 'object' } } },
      { type: 'json_schema', schema: { type: 'object' } },
    ],
    [{ text: { mimeType: 'APPLICATION_JSON' } }, { type: 'json_object' }],
    [{ text: { mimeType: 'text/plain' } }, { type: 'text' }],
  ])('has its form in responseFormat %j', (format, output) => {
    for (const responseFormat of [format, [format]])
      expect(request({ contents: hello, generationConfig: { responseFormat } }).output).toMatchObject(output);
  });

  test.each([{ image: { aspectRatio: '1:1' } }, { audio: {} }])('asks in vain for the form %j elsewhere', (format) => {
    const { untranslated } = request({ contents: hello, generationConfig: { responseFormat: [format] } });
    expect(untranslated).toEqual([{ field: 'generationConfig.responseFormat', severity: 'severe' }]);
  });

  test('gives calls without ids one, and their results the same, in order', () => {
    const call = (n: number) => ({ functionCall: { name: 'f', args: { n } } });
    const result = (n: number) => ({ functionResponse: { name: 'f', response: { result: String(n) } } });
    const { turns } = request({
      contents: [
        ...hello,
        { role: 'model', parts: [call(1), call(2)] },
        { role: 'user', parts: [result(1), result(2)] },
      ],
    });
    const ids = turns[1]?.parts.map((part) => (part.type === 'tool_call' ? part.id : ''));
    expect(new Set(ids).size).toBe(2);
    expect(turns[2]?.parts.map((part) => (part.type === 'tool_result' ? part.callId : ''))).toEqual(ids);
    expect(turns[2]?.parts).toMatchObject([{ content: [{ text: '1' }] }, { content: [{ text: '2' }] }]);
  });

  test.each([
    [{ output: 'ok' }, 'ok', undefined],
    [{ error: 'no' }, 'no', true],
    [{ a: 1, b: 2 }, '{"a":1,"b":2}', undefined],
  ])('has the result %j', (response, text, isError) => {
    const { turns } = request({
      contents: [
        ...hello,
        { role: 'model', parts: [{ functionCall: { id: 'c', name: 'f' } }] },
        { role: 'user', parts: [{ functionResponse: { id: 'c', name: 'f', response } }] },
      ],
    });
    const part = turns[2]?.parts[0];
    expect(part).toMatchObject({ callId: 'c', content: [{ text }] });
    expect(part?.type === 'tool_result' && part.isError).toBe(isError);
  });

  test.each([
    ['AUTO', undefined, { type: 'auto' }],
    ['NONE', undefined, { type: 'none' }],
    ['ANY', undefined, { type: 'required' }],
    ['ANY', ['f'], { type: 'tool', name: 'f' }],
    ['ANY', ['f', 'g'], { type: 'allowed', mode: 'required', names: ['f', 'g'] }],
    ['VALIDATED', ['f'], { type: 'allowed', mode: 'auto', names: ['f'] }],
  ])('with mode %s and names %j', (mode, allowedFunctionNames, choice) => {
    const toolConfig = { functionCallingConfig: { mode, allowedFunctionNames } };
    expect(request({ toolConfig }).toolChoice).toEqual(choice);
  });

  test('has schemas in an older form, which become JSON Schema', () => {
    const parameters = {
      type: 'OBJECT',
      properties: { type: { type: 'STRING', nullable: true }, list: { type: 'ARRAY', items: { type: 'INTEGER' } } },
      required: ['type'],
    };
    expect(request({ tools: [{ functionDeclarations: [{ name: 'f', parameters }] }] }).tools).toMatchObject([
      {
        parameters: {
          type: 'object',
          properties: { type: { type: ['string', 'null'] }, list: { type: 'array', items: { type: 'integer' } } },
          required: ['type'],
        },
      },
    ]);
  });

  test('has forms of answers in an older form, which name all that an answer has', () => {
    const item = { type: 'OBJECT', properties: { a: { type: 'STRING', maxLength: '5' } } };
    const responseSchema = {
      type: 'OBJECT',
      properties: { list: { type: 'ARRAY', items: item }, any: { type: 'OBJECT' } },
    };
    const generationConfig = { responseMimeType: 'application/json', responseSchema };
    expect(request({ generationConfig }).output).toMatchObject({
      schema: {
        additionalProperties: false,
        properties: {
          list: { items: { additionalProperties: false, properties: { a: { type: 'string', maxLength: 5 } } } },
          any: { type: 'object' },
        },
      },
    });
  });

  test('shows thoughts only where they are asked for', () => {
    expect(read({}).context.showReasoning).toBe(false);
    const generationConfig = { thinkingConfig: { includeThoughts: true } };
    expect(read({ generationConfig }).context.showReasoning).toBeUndefined();
  });

  test('says what only its own dialect understands', () => {
    const { untranslated } = request({
      cachedContent: 'cachedContents/x',
      safetySettings: [],
      generationConfig: { speechConfig: {}, responseMimeType: 'text/x.enum' },
    });
    expect(untranslated).toEqual([
      { field: 'safetySettings', severity: 'minor' },
      { field: 'cachedContent', severity: 'severe' },
      { field: 'generationConfig.speechConfig', severity: 'minor' },
      { field: 'generationConfig.responseMimeType', severity: 'severe' },
    ]);
  });

  test.each([
    [{ contents: [] }, 'contents'],
    [{ contents: 'Hello' }, 'contents'],
    [{ contents: [{ parts: [{ text: 1 }] }] }, 'contents[0].parts[0].text'],
    [{ generationConfig: { temperature: 'hot' } }, 'generationConfig.temperature'],
  ])('%j is refused by the name of its field', (body, param) => {
    const refused = () => read(body);
    expect(refused).toThrow(GatewayError);
    expect(refused).toThrow(param);
  });

  test('goes to its own dialect as it came, but for the model', () => {
    const body = { contents: hello, cached_content: 'x', model: 'models/demo', newMember: { a: 1 } };
    const { request, context } = read(body);
    const { model: _, ...rest } = body;
    const encoded = gemini.encodeRequest({ ...request, model: 'other' }, context, { stream: true });
    expect(encoded).toMatchObject({ path: '/models/other:streamGenerateContent', body: rest, losses: [] });
  });

  test.each([
    ['chat', chat],
    ['messages', messages],
    ['responses', responses],
  ] as const)('is written for %s', (_id, to) => {
    const { request, context } = read({
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      tools: [{ functionDeclarations: [{ name: 'f', parametersJsonSchema: { type: 'object' } }] }],
      contents: [
        { role: 'user', parts: [{ text: 'Look' }, { inlineData: { mimeType: 'image/png', data: 'eA==' } }] },
        {
          role: 'model',
          parts: [
            { text: 'hm', thought: true },
            { functionCall: { name: 'f', args: {} }, thoughtSignature: 's' },
          ],
        },
        { role: 'user', parts: [{ functionResponse: { name: 'f', response: { result: 'ok' } } }] },
      ],
    });
    const { body, losses } = to.encodeRequest(request, context, { stream: true });
    expect(JSON.stringify(body)).toContain('Be brief.');
    expect(JSON.stringify(body)).not.toContain('thoughtSignature');
    expect(losses.filter(({ severity }) => severity === 'severe')).toEqual([]);
  });
});

describe('a request that is written', () => {
  test('has the conversation in two sides, results first and by name', () => {
    const { body, losses } = ofChat({
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,eA==' } }] },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'c1', type: 'function', function: { name: 'f', arguments: '{"n":1}' } },
            { id: 'c2', type: 'function', function: { name: 'g', arguments: '' } },
          ],
        },
        { role: 'tool', tool_call_id: 'c2', content: 'two' },
        { role: 'tool', tool_call_id: 'c1', content: 'one' },
        { role: 'user', content: 'And?' },
      ],
    });
    expect(body).toEqual({
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      contents: [
        { role: 'user', parts: [{ inlineData: { mimeType: 'image/png', data: 'eA==' } }] },
        {
          role: 'model',
          parts: [
            { functionCall: { id: 'c1', name: 'f', args: { n: 1 } } },
            { functionCall: { id: 'c2', name: 'g', args: {} } },
          ],
        },
        {
          role: 'user',
          parts: [
            { functionResponse: { id: 'c1', name: 'f', response: { result: 'one' } } },
            { functionResponse: { id: 'c2', name: 'g', response: { result: 'two' } } },
            { text: 'And?' },
          ],
        },
      ],
    });
    expect(losses).toEqual([]);
  });

  const settings: readonly [name: string, body: Wired, written: Wired][] = [
    ['limits', { max_completion_tokens: 5, stop: ['x'] }, { maxOutputTokens: 5, stopSequences: ['x'] }],
    ['sampling', { temperature: 0.5, top_p: 0.9, seed: 3 }, { temperature: 0.5, topP: 0.9, seed: 3 }],
    ['candidates', { n: 2 }, { candidateCount: 2 }],
    ['token probabilities', { logprobs: true, top_logprobs: 3 }, { responseLogprobs: true, logprobs: 3 }],
    ['an effort', { reasoning_effort: 'high' }, { thinkingConfig: { thinkingLevel: 'HIGH', includeThoughts: true } }],
    ['no thinking', { reasoning_effort: 'none' }, { thinkingConfig: { thinkingBudget: 0 } }],
    ['JSON', { response_format: { type: 'json_object' } }, { responseMimeType: 'application/json' }],
    [
      'a schema',
      { response_format: { type: 'json_schema', json_schema: { name: 'n', schema: { type: 'object' } } } },
      { responseMimeType: 'application/json', responseJsonSchema: { type: 'object' } },
    ],
  ];

  test.each(settings)('has %s', (_name, asked, written) => {
    expect(ofChat(asked).body.generationConfig).toEqual(written);
  });

  test.each([
    ['budget', { thinkingBudget: 16384, includeThoughts: true }],
    ['adaptive', { thinkingLevel: 'HIGH', includeThoughts: true }],
  ] as const)('asks a model that thinks by %s in its words', (thinking, written) => {
    const { body } = ofChat({ reasoning_effort: 'high' }, { thinking });
    expect(body.generationConfig).toEqual({ thinkingConfig: written });
  });

  test.each([
    ['auto', { mode: 'AUTO' }],
    ['none', { mode: 'NONE' }],
    ['required', { mode: 'ANY' }],
    [
      { type: 'function', function: { name: 'f' } },
      { mode: 'ANY', allowedFunctionNames: ['f'] },
    ],
  ])('chooses among tools as %j', (choice, config) => {
    const tools = [{ type: 'function', function: { name: 'f', description: 'F.', parameters: { type: 'object' } } }];
    expect(ofChat({ tools, tool_choice: choice }).body).toMatchObject({
      tools: [{ functionDeclarations: [{ name: 'f', description: 'F.', parametersJsonSchema: { type: 'object' } }] }],
      toolConfig: { functionCallingConfig: config },
    });
  });

  test('sends free-form input as a member, and undoes it in the answer', () => {
    const { body, restore } = ofChat({ tools: [{ type: 'custom', custom: { name: 'f' } }] });
    expect(body).toMatchObject({
      tools: [{ functionDeclarations: [{ parametersJsonSchema: { required: ['input'] } }] }],
    });
    expect(restore).toBeDefined();
  });

  test('of a client of this dialect keeps its signatures', () => {
    const { request, context } = read({
      contents: [
        ...hello,
        {
          role: 'model',
          parts: [
            { text: 'hm', thought: true, thoughtSignature: 's1' },
            { functionCall: { id: 'c', name: 'f', args: {} }, thoughtSignature: 's2' },
          ],
        },
        { role: 'user', parts: [{ functionResponse: { id: 'c', name: 'f', response: { result: 'ok' } } }] },
      ],
    });
    const { native: _, ...rewritten } = request;
    const text = JSON.stringify(gemini.encodeRequest(rewritten, context, { stream: true }).body);
    expect(text).toContain('"thoughtSignature":"s1"');
    expect(text).toContain('"thoughtSignature":"s2"');
  });

  test.each([
    ['six stop strings', { stop: ['a', 'b', 'c', 'd', 'e', 'f'] }, 'stop', 'severe'],
    ['a tool of another provider', { web_search_options: {} }, 'web_search_options', 'severe'],
    ['one call at a time', { parallel_tool_calls: false, tools: [] }, 'parallel_tool_calls', 'minor'],
    ['a bias', { logit_bias: { 1: 2 } }, 'logit_bias', 'minor'],
  ])('loses %s', (_name, asked, field, severity) => {
    expect(ofChat(asked).losses).toContainEqual(expect.objectContaining({ field, severity, dialect: 'gemini' }));
  });
});
