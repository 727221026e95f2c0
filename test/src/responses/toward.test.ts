/** Requests toward Responses: what clients of other dialects ask, as a Responses upstream gets it. */
import { describe, expect, test } from 'vitest';
import { named, type Side, translate } from './ask.ts';

const image = 'data:image/png;base64,AAAA';

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
      {
        input: [user],
        store: false,
        max_output_tokens: 20000,
        reasoning: { effort: 'medium' },
        include: ['reasoning.encrypted_content'],
      },
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
