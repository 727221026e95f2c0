/** Official clients that name what was said before, over upstreams that remember nothing. */
import { createOpenAI } from '@ai-sdk/openai';
import { jsonSchema, stepCountIs, streamText, tool } from 'ai';
import type OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DESCRIPTION, INPUT, weatherIn } from '../support/clients/client.ts';
import { joined, scenes, TOOL } from '../support/scenes.ts';
import type { Received } from '../support/upstream.ts';
import { type App, ids, start } from './app.ts';

const LOOP = 'two-turn tool loop';
const THOUGHT = 'two-turn tool loop with reasoning';

let app: App;

beforeAll(async () => {
  app = await start(['text', LOOP, THOUGHT, 'length']);
});

afterAll(() => app.stop());

/** The requests of a test, by a word in its prompt. */
function received(token: string): readonly Received[] {
  return app.upstream.about(token);
}

/** Everything that the model was told, in one string. */
function told(request: Received | undefined): string {
  return JSON.stringify(request?.body);
}

/** The AI SDK over Responses, and the bodies that it has sent. */
function speaker(model: string) {
  const sent: string[] = [];
  const noting: typeof fetch = (input, init) => {
    sent.push(String(init?.body));
    return fetch(input, init);
  };
  const provider = createOpenAI({ apiKey: 'key-of-one', baseURL: `${app.url}/v1`, fetch: noting });
  return { model: provider.responses(model), sent };
}

const WEATHER = {
  type: 'function',
  name: TOOL,
  parameters: INPUT,
  strict: true,
} as const satisfies OpenAI.Responses.Tool;

describe.each(ids)('over a %s upstream', (dialect) => {
  describe('the AI SDK', () => {
    test.each([LOOP, THOUGHT])('goes on after a tool by naming items: %s', async (scene) => {
      const token = `weather-${dialect}-${scene}`;
      const { model, sent } = speaker(`${dialect}/${scene}`);
      const weather = tool({ description: DESCRIPTION, inputSchema: jsonSchema(INPUT), execute: weatherIn });
      const result = streamText({
        model,
        prompt: token,
        maxRetries: 0,
        tools: { [TOOL]: weather },
        stopWhen: stepCountIs(3),
      });
      expect(await result.text).toBe('18 degrees in both, says the tool.');
      expect(await result.steps).toHaveLength(2);
      expect(sent[1]).toContain('item_reference');
      const [first, second] = received(token);
      expect(first?.look.results).toEqual([]);
      expect(second?.look.results.length).toBeGreaterThan(0);
      expect(second?.look.calls.length).toBe(second?.look.results.length);
      expect(told(second)).not.toContain('item_reference');
    });

    test('names the answer before in a new question', async () => {
      const token = `chat-${dialect}`;
      const { model, sent } = speaker(`${dialect}/text`);
      const first = streamText({ model, prompt: token, maxRetries: 0 });
      const { messages } = await first.response;
      const again = streamText({
        model,
        maxRetries: 0,
        messages: [{ role: 'user', content: token }, ...messages, { role: 'user', content: 'Go on.' }],
      });
      expect(await again.text).toBe(joined(scenes.text, 'text'));
      expect(sent[1]).toContain('item_reference');
      const [, second] = received(token);
      expect(told(second)).toContain(JSON.stringify(joined(scenes.text, 'text')).slice(1, -1));
      expect(told(second)).not.toContain('item_reference');
    });
  });

  describe("OpenAI's client", () => {
    test.each([true, false])('goes on from the response before, streamed: %s', async (stream) => {
      const token = `previous-${dialect}-${stream}`;
      const client = app.openai();
      const ask = async (
        body: OpenAI.Responses.ResponseCreateParamsNonStreaming,
      ): Promise<OpenAI.Responses.Response> =>
        stream ? client.responses.stream({ ...body, stream: true }).finalResponse() : client.responses.create(body);
      const model = `${dialect}/${LOOP}`;
      const first = await ask({ model, input: token, instructions: 'Be brief.', tools: [WEATHER] });
      const calls = first.output.filter((item) => item.type === 'function_call');
      expect(calls).toHaveLength(2);
      const input = calls.map(({ call_id }) => ({ type: 'function_call_output', call_id, output: '18' }) as const);
      const second = await ask({ model, input, previous_response_id: first.id, tools: [WEATHER] });
      expect(second.output_text).toBe('18 degrees in both, says the tool.');
      expect(second.previous_response_id).toBe(first.id);
      const [, request] = received(token);
      expect(request?.look.calls).toHaveLength(2);
      expect(request?.look.results.map(({ text }) => text)).toEqual(['18', '18']);
      expect(told(request)).toContain(token);
      expect(told(request)).not.toContain('Be brief.');
    });

    test('reads back what it was answered, page by page, until it deletes it', async () => {
      const { responses } = app.openai();
      const input = Array.from({ length: 5 }, (_, at) => ({ role: 'user' as const, content: `item ${at}` }));
      const answer = await responses.create({ model: `${dialect}/text`, input });
      const { id, output, usage } = answer;
      expect(await responses.retrieve(id)).toMatchObject({ id, output, usage, status: 'completed', store: true });
      const items: unknown[] = [];
      for await (const item of responses.inputItems.list(id, { limit: 2, order: 'asc' })) items.push(item);
      expect(items).toMatchObject(input.map(({ content }) => ({ content: [{ type: 'input_text', text: content }] })));
      const stranger = app.openai('key-of-another').responses;
      await expect(stranger.retrieve(id)).rejects.toMatchObject({ status: 404, type: 'not_found_error' });
      const named = stranger.create({ model: `${dialect}/text`, input: 'Go on.', previous_response_id: id });
      if (dialect !== 'responses')
        await expect(named).rejects.toMatchObject({ status: 400, param: 'previous_response_id' });
      else expect((await named).status).toBe('completed');
      await responses.delete(id);
      await expect(responses.retrieve(id)).rejects.toMatchObject({ status: 404 });
    });

    test('keeps a conversation', async () => {
      const token = `conversation-${dialect}`;
      const client = app.openai();
      const { id } = await client.conversations.create({
        items: [{ type: 'message', role: 'user', content: `About ${token}.` }],
      });
      const model = `${dialect}/text`;
      const first = await client.responses.create({ model, conversation: id, input: 'One.' });
      expect(first.conversation).toEqual({ id });
      await client.responses.create({ model, conversation: id, input: 'Two.' });
      const [, second] = received(token);
      for (const said of [token, 'One.', 'end.', 'Two.']) expect(told(second)).toContain(said);
      const items = await client.conversations.items.list(id, { order: 'asc' });
      expect(items.data.map((item) => 'role' in item && item.role)).toEqual([
        'user',
        'user',
        'assistant',
        'user',
        'assistant',
      ]);
    });
  });
});
