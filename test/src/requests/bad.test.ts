/** Requests that are wrong: an error of status 400 that names the field and says what should stand there. */
import { GatewayError } from '@streamglot/core';
import { describe, expect, test } from 'vitest';
import { decode, type Side } from './wire.ts';

const user = { role: 'user', content: 'Hi' };
const part = (part: unknown) => ({ model: 'm', messages: [{ role: 'user', content: [part] }] });

function problem(dialect: Side, body: unknown): { message: string; param?: string } {
  try {
    decode(dialect, body);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    expect(error.error).toMatchObject({ type: 'invalid_request', code: 'invalid_value' });
    return { message: error.error.message, ...(error.error.param && { param: error.error.param }) };
  }
  throw new Error('It was taken.');
}

describe('a bad request', () => {
  test.each<[Side, unknown, string, string?]>([
    ['chat', undefined, 'The body: expected a JSON object'],
    ['chat', 'text', 'The body: expected a JSON object'],
    ['messages', [1], 'The body: expected a JSON object'],
    ['chat', { messages: [user] }, 'model: expected a string, got nothing'],
    ['chat', { model: '', messages: [user] }, 'model: expected the name of a model, got ""'],
    ['chat', { model: 'm' }, 'messages: expected an array, got nothing'],
    ['chat', { model: 'm', messages: [] }, 'messages: expected at least one message, got an empty array'],
    ['chat', { model: 'm', messages: ['Hi'] }, 'messages[0]: expected an object, got "Hi"'],
    [
      'chat',
      { model: 'm', messages: [user, { role: 'wizard', content: 'x' }] },
      'messages[1].role: expected one of "system", "developer", "user", "assistant", "tool", "function", got "wizard"',
    ],
    [
      'chat',
      { model: 'm', messages: [{ role: 'user', content: 5 }] },
      'messages[0].content: expected a string or an array of parts, got 5',
    ],
    ['chat', { model: 'm', messages: [{ role: 'user' }] }, 'messages[0].content: required here, got nothing'],
    ['chat', part({}), 'messages[0].content[0].type: expected a string, got nothing'],
    ['chat', part({ type: 'text' }), 'messages[0].content[0].text: required here, got nothing'],
    ['chat', part({ type: 'text', text: ['x'] }), 'messages[0].content[0].text: expected a string, got an array'],
    ['chat', part({ type: 'image_url' }), 'messages[0].content[0].image_url: required here, got nothing'],
    [
      'chat',
      part({ type: 'image_url', image_url: { url: 'data:image/png,x' } }),
      'messages[0].content[0].image_url.url: expected a data URL with base64 content',
    ],
    ['chat', part({ type: 'file', file: {} }), 'messages[0].content[0].file.file_data: required here, got nothing'],
    [
      'chat',
      { model: 'm', messages: [{ role: 'tool', content: 'x' }] },
      'messages[0].tool_call_id: required here, got nothing',
    ],
    [
      'chat',
      { model: 'm', messages: [{ role: 'assistant', tool_calls: [{ id: 'a', type: 'function' }] }] },
      'messages[0].tool_calls[0].function: required here, got nothing',
    ],
    [
      'chat',
      { model: 'm', messages: [user], tools: [{ type: 'function' }] },
      'tools[0].function: required here, got nothing',
    ],
    [
      'chat',
      { model: 'm', messages: [user], tools: [{ type: 'function', function: {} }] },
      'tools[0].function.name: expected a string, got nothing',
    ],
    ['chat', { model: 'm', messages: [user], max_tokens: 1.5 }, 'max_tokens: expected a whole number, got 1.5'],
    ['chat', { model: 'm', messages: [user], temperature: 'hot' }, 'temperature: expected a number, got "hot"'],
    ['chat', { model: 'm', messages: [user], stop: [1] }, 'stop[0]: expected a string, got 1'],
    ['chat', { model: 'm', messages: [user], stop: 1 }, 'stop: expected a string or an array, got 1'],
    ['chat', { model: 'm', messages: [user], stream: 'yes' }, 'stream: expected true or false, got "yes"'],
    ['messages', { messages: [user] }, 'model: expected a string, got nothing'],
    [
      'messages',
      { model: 'm', messages: [{ role: 'tool', content: 'x' }] },
      'messages[0].role: expected one of "user", "assistant", "system", got "tool"',
    ],
    [
      'messages',
      { model: 'm', messages: [{ role: 'user', content: null }] },
      'messages[0].content: expected a string or an array of blocks, got null',
    ],
    ['messages', part({ type: 'image' }), 'messages[0].content[0].source: required here, got nothing'],
    [
      'messages',
      part({ type: 'image', source: { type: 'base64', media_type: 'image/png' } }),
      'messages[0].content[0].source.data: required here, got nothing',
    ],
    ['messages', part({ type: 'tool_result' }), 'messages[0].content[0].tool_use_id: required here, got nothing'],
    [
      'messages',
      part({ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 1 }] }),
      'messages[0].content[0].content[0].text: expected a string, got 1',
    ],
    ['messages', part({ type: 'tool_use', id: 'a' }), 'messages[0].content[0].name: required here, got nothing'],
    [
      'messages',
      { model: 'm', messages: [user], tools: [{ name: 'f' }] },
      'tools[0].input_schema: required here, got nothing',
    ],
    ['messages', { model: 'm', messages: [user], tool_choice: 'auto' }, 'tool_choice: expected an object, got "auto"'],
    [
      'messages',
      { model: 'm', messages: [user], tool_choice: { type: 'tool' } },
      'tool_choice.name: required here, got nothing',
    ],
    ['messages', { model: 'm', messages: [user], system: 5 }, 'system: expected a string or an array of blocks, got 5'],
    ['messages', { model: 'm', messages: [user], max_tokens: '5' }, 'max_tokens: expected a number, got "5"'],
  ])('of %s: %j', (dialect, body, message) => {
    const param = message.startsWith('The body') ? undefined : message.slice(0, message.indexOf(':'));
    expect(problem(dialect, body)).toEqual({ message, ...(param && { param }) });
  });
});
