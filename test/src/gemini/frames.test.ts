/** What stands around payloads, so that no client takes a failure for an end or stumbles over a text. */
import { expect, test } from 'vitest';
import { chat } from '../../../packages/core/src/dialects/chat/index.ts';
import { says, sse, stops, translated } from './wire.ts';

test('an error is followed by a comment, for a client that does not see errors', () => {
  const cut = translated(sse([says('a')]));
  expect(cut).toMatch(/"error":.*\n\n: [^\n]+\n\n$/);
  expect(translated(sse([says('a'), stops()]))).not.toMatch(/^:/m);
  expect(() => JSON.parse(translated(sse([says('a')]), { toFraming: 'json-array' }))).not.toThrow();
});

test('a payload has no line end of any language', () => {
  const said = 'a\u2028b\u2029c';
  const payload = says(said);
  for (const from of [translated(sse([payload, stops()])), translated(chatText(said), { from: chat })]) {
    expect(from).toContain('a\\u2028b\\u2029c');
    expect(from).not.toMatch(/[\u2028\u2029]/);
  }
});

/** A stream of Chat that says a text. */
function chatText(content: string): string {
  const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' };
  const said = { ...chunk, choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason: 'stop' }] };
  return `data: ${JSON.stringify(said)}\n\ndata: [DONE]\n\n`;
}
