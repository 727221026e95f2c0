/** Requests with everything in them that a dialect knows, and what hostile clients make of them. */
import fc from 'fast-check';
import { type Change, changes, print } from './mutants.ts';

const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const pixel = 'iVBORw0KGgo=';

/** One rich request for each dialect. */
const requests: Readonly<Record<string, object>> = {
  chat: {
    model: 'chat',
    stream: true,
    messages: [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look.' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${pixel}` } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        reasoning_content: 'Hm.',
        tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"city":"K"}' } }],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'rain' },
      { role: 'user', content: 'So?' },
    ],
    tools: [
      { type: 'function', function: { name: 'look', description: 'Looks.', parameters: schema, strict: true } },
      {
        type: 'custom',
        custom: { name: 'free', format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: "a"' } } },
      },
    ],
    tool_choice: { type: 'function', function: { name: 'look' } },
    response_format: { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } },
    stop: ['END'],
    temperature: 0.5,
    max_completion_tokens: 100,
    reasoning_effort: 'low',
    logit_bias: { 1: 2 },
    metadata: { a: 'b' },
    n: 1,
    stream_options: { include_usage: true },
  },
  responses: {
    model: 'responses',
    stream: true,
    instructions: 'Be brief.',
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'Look.' },
          { type: 'input_image', image_url: `data:image/png;base64,${pixel}`, detail: 'low' },
        ],
      },
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm.' }], encrypted_content: 'e' },
      { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'look', arguments: '{"city":"K"}' },
      { type: 'function_call_output', call_id: 'call_1', output: 'rain' },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Rain.', annotations: [] }] },
      { role: 'user', content: 'So?' },
    ],
    tools: [
      { type: 'function', name: 'look', description: 'Looks.', parameters: schema, strict: true },
      { type: 'custom', name: 'free', format: { type: 'grammar', syntax: 'lark', definition: 'start: "a"' } },
    ],
    tool_choice: { type: 'function', name: 'look' },
    text: { format: { type: 'json_schema', name: 'answer', schema, strict: true }, verbosity: 'low' },
    reasoning: { effort: 'low', summary: 'auto' },
    include: ['reasoning.encrypted_content'],
    max_output_tokens: 100,
    temperature: 0.5,
    metadata: { a: 'b' },
    store: false,
  },
  gemini: {
    model: 'gemini',
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    contents: [
      { role: 'user', parts: [{ text: 'Look.' }, { inlineData: { mimeType: 'image/png', data: pixel } }] },
      {
        role: 'model',
        parts: [
          { text: 'Hm.', thought: true },
          { functionCall: { id: 'fc_1', name: 'look', args: { city: 'K' } }, thoughtSignature: 's' },
        ],
      },
      { role: 'user', parts: [{ functionResponse: { id: 'fc_1', name: 'look', response: { result: 'rain' } } }] },
    ],
    tools: [{ functionDeclarations: [{ name: 'look', description: 'Looks.', parametersJsonSchema: schema }] }],
    toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['look'] } },
    generationConfig: {
      thinkingConfig: { includeThoughts: true, thinkingBudget: 1024 },
      responseMimeType: 'application/json',
      responseJsonSchema: schema,
      stopSequences: ['END'],
      temperature: 0.5,
      maxOutputTokens: 100,
    },
    safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
    labels: { a: 'b' },
  },
  interactions: {
    model: 'interactions',
    stream: true,
    system_instruction: 'Be brief.',
    input: [
      {
        type: 'user_input',
        content: [
          { type: 'text', text: 'Look.' },
          { type: 'image', data: pixel, mime_type: 'image/png' },
        ],
      },
      { type: 'thought', signature: 's', summary: [{ type: 'text', text: 'Hm.' }] },
      { type: 'function_call', id: 'fc_1', name: 'look', arguments: { city: 'K' } },
      { type: 'function_result', call_id: 'fc_1', name: 'look', result: 'rain' },
      { type: 'model_output', content: [{ type: 'text', text: 'Rain.' }] },
      { type: 'user_input', content: [{ type: 'text', text: 'So?' }] },
    ],
    tools: [{ type: 'function', name: 'look', description: 'Looks.', parameters: schema }],
    response_format: { type: 'text', mime_type: 'application/json', schema },
    generation_config: {
      tool_choice: { allowed_tools: { mode: 'any', tools: ['look'] } },
      thinking_level: 'low',
      thinking_summaries: 'auto',
      stop_sequences: ['END'],
      temperature: 0.5,
      max_output_tokens: 100,
    },
    labels: { a: 'b' },
    store: false,
  },
  messages: {
    model: 'messages',
    stream: true,
    max_tokens: 2000,
    system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look.' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm.', signature: 's' },
          { type: 'tool_use', id: 'toolu_1', name: 'look', input: { city: 'K' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: 'rain' }], is_error: false },
          { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'd' } },
        ],
      },
    ],
    tools: [{ name: 'look', description: 'Looks.', input_schema: schema }],
    tool_choice: { type: 'tool', name: 'look', disable_parallel_tool_use: true },
    thinking: { type: 'enabled', budget_tokens: 1024 },
    output_config: { effort: 'low', format: { type: 'json_schema', schema } },
    stop_sequences: ['END'],
    temperature: 0.5,
    metadata: { user_id: 'u' },
  },
};

/** The rich request of a dialect. */
export function requestOf(dialect: string): object {
  const request = requests[dialect];
  if (request === undefined) throw new Error(`no request of ${dialect}: add one to bodies.ts`);
  return structuredClone(request);
}

/** Members of the request that are left out, so that the others are looked at alone. */
const fewer = fc.array(fc.nat({ max: 15 }), { maxLength: 8 });

/** JSON text of a request of a dialect that is wrong in a few places, or only odd. */
export function bodiesOf(dialect: string): fc.Arbitrary<string> {
  const wrong = fc.array(fc.tuple(changes, fc.nat({ max: 10_000 })), { minLength: 1, maxLength: 3 });
  return fc.tuple(wrong, fewer).map(([edits, out]) => {
    const left = Object.entries(requestOf(dialect)).filter(
      ([name], at) =>
        !out.includes(at) || name === 'model' || name === 'messages' || name === 'input' || name === 'contents',
    );
    const edited = edits.reduce<unknown>(
      (body, [apply, place]: [Change, number]) => apply(body, place),
      Object.fromEntries(left),
    );
    return print(edited);
  });
}
