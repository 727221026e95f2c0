/** The gateway's endpoints of Interactions, what it keeps of them, and the provider in this dialect. */
import type { CanonicalRequest } from '@streamglot/core';
import { gemini } from '@streamglot/providers';
import { describe, expect, test } from 'vitest';
import { by, Player, talk } from '../gateway/talk.ts';
import { called, created, DONE, ends, payloadsOf, says, sse, starts, stops, type Wired } from './wire.ts';

const path = '/v1beta/interactions';
const body = { model: 'm', input: 'One' };

/** Who said what, in short. */
const said = ({ turns }: CanonicalRequest): string[] =>
  turns.map(({ role, parts }) => `${role}: ${parts.map((part) => ('text' in part ? part.text : part.type)).join('|')}`);

/** The interaction in an answer, streamed or not. */
function interactionIn(text: string): Wired & { id: string } {
  const [only] = text.startsWith('{') ? [JSON.parse(text)] : [payloadsOf(text).at(-1)?.interaction];
  return only as Wired & { id: string };
}

describe('an answer', () => {
  test.each([path, '/v1/interactions'])('at %s is a stream where the body asks for one', async (at) => {
    const { status, headers, text } = await talk({ m: new Player() }).ask(at, { ...body, stream: true });
    expect([status, headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
    expect(payloadsOf(text).map(({ event_type }) => event_type)).toEqual([
      'interaction.created',
      'step.start',
      'step.delta',
      'step.stop',
      'interaction.completed',
    ]);
    expect(text.endsWith(DONE)).toBe(true);
  });

  test('is one body', async () => {
    const { json } = await talk({ m: new Player() }).ask(path, body);
    expect(json).toMatchObject({
      object: 'interaction',
      status: 'completed',
      steps: [{ type: 'model_output', content: [{ text: 'Hello.', type: 'text' }] }],
    });
  });

  test('is refused in the form of the dialect', async () => {
    const { status, json } = await talk({ m: new Player() }).ask(path, { ...body, model: 'other' });
    expect([status, json]).toMatchObject([404, { error: { code: 'model_not_found' } }]);
  });

  test('in the background is refused where the upstream has none', async () => {
    const { status, json } = await talk({ m: new Player() }).ask(path, { ...body, background: true });
    expect([status, json]).toMatchObject([400, { error: { message: expect.stringContaining('background') } }]);
  });

  test('in the background is left to an upstream that has it', async () => {
    const player = new Player(undefined, 'interactions');
    expect((await talk({ m: player }).ask(path, { ...body, background: true })).status).toBe(200);
    expect(player.requests[0]?.native?.body).toMatchObject({ background: true });
  });
});

describe('the key', () => {
  const authorize = ({ key }: { key?: string }) => (key === 'secret' ? { name: 'me' } : undefined);

  test.each([
    [{ headers: { 'x-goog-api-key': 'secret' } }, 200],
    [{ headers: { authorization: 'Bearer secret' } }, 200],
    [{ query: { key: 'secret' } }, 200],
    [{}, 401],
  ])('%j is answered with %i', async (request, status) => {
    expect((await talk({ m: new Player() }, { authorize }).ask(path, body, request)).status).toBe(status);
  });
});

describe('the interaction before it', () => {
  test.each([true, false])('brings all turns along, streamed: %s', async (stream) => {
    const player = new Player();
    const { ask } = talk({ m: player });
    const first = interactionIn((await ask(path, { ...body, stream, system_instruction: 'Be brief.' })).text);
    const next = { model: 'm', stream, input: [{ type: 'text', text: 'Two' }], previous_interaction_id: first.id };
    const second = interactionIn((await ask(path, next)).text);
    const input = [{ type: 'user_input', content: [{ type: 'text', text: 'Three' }] }];
    await ask(path, { model: 'm', input, previous_interaction_id: second.id });
    expect(said(player.requests.at(-1) as CanonicalRequest)).toEqual([
      'user: One',
      'assistant: Hello.',
      'user: Two',
      'assistant: Hello.',
      'user: Three',
    ]);
    expect(player.requests.at(-1)?.system).toEqual([]);
    for (const member of ['refers', 'untranslated']) expect(player.requests.at(-1)).not.toHaveProperty(member);
  });

  test.each([
    ['is unknown', {}, 'v1_none'],
    ['was not to be stored', { store: false }, undefined],
  ])('is a 400 that names it where it %s', async (_name, more, unknown) => {
    const { ask } = talk({ m: new Player() });
    const { id } = interactionIn((await ask(path, { ...body, ...more })).text);
    const { status, json } = await ask(path, { ...body, previous_interaction_id: unknown ?? id });
    const message = expect.stringContaining('previous_interaction_id');
    expect([status, json]).toMatchObject([400, { error: { message } }]);
  });

  test('is left to an upstream that may know it', async () => {
    const player = new Player(undefined, 'interactions');
    const { status } = await talk({ m: player }).ask(path, { ...body, previous_interaction_id: 'v1_there' });
    expect(status).toBe(200);
    expect(player.requests[0]?.native?.body).toMatchObject({ previous_interaction_id: 'v1_there' });
  });

  test('is found by who was answered, and by nobody else', async () => {
    const { ask } = talk({ m: new Player() }, { authorize: ({ key }: { key?: string }) => key });
    const { id } = interactionIn((await ask(path, body, by('a'))).text);
    const next = { ...body, previous_interaction_id: id };
    expect((await ask(path, next, by('b'))).status).toBe(400);
    expect((await ask(path, next, by('a'))).status).toBe(200);
  });

  test('has its thoughts read by who made them only', async () => {
    const answer = [
      created,
      starts(0, { type: 'thought', signature: 'sig', summary: [{ type: 'text', text: 'hm' }] }),
      stops(0),
      starts(1, called('c1', { arguments: { a: 1 } })),
      stops(1),
      ends('requires_action'),
    ];
    const asked: Wired[] = [];
    const fetch: typeof globalThis.fetch = async (_url, init) => {
      asked.push(JSON.parse(String(init?.body)) as Wired);
      return new Response((sse(answer) + DONE).replaceAll('v1_a', `v1_${asked.length}`));
    };
    const provider = gemini({ apiKey: 'AIza-key', dialect: 'interactions', fetch });
    const stranger = new Player();
    const { ask } = talk(
      {},
      {
        providers: { g: provider, s: stranger.provider },
        models: { m: 'g/gemini-3-pro', other: 's/it' },
        authorize: 'host',
      },
    );
    const { id } = interactionIn((await ask(path, { ...body, stream: true })).text);
    const input = [{ type: 'function_result', call_id: 'c1', result: 'r' }];
    const next = { stream: true, input, previous_interaction_id: id };
    await ask(path, { model: 'm', ...next });
    expect(asked[1]?.input).toMatchObject([
      { type: 'user_input' },
      { type: 'thought', signature: 'sig' },
      { type: 'function_call', id: 'c1', arguments: { a: 1 } },
      { type: 'function_result' },
    ]);
    await ask(path, { model: 'other', ...next });
    expect(said(stranger.requests[0] as CanonicalRequest)).toEqual([
      'user: One',
      'assistant: tool_call',
      'user: tool_result',
    ]);
  });
});

describe('what is kept', () => {
  test.each([true, false])(
    'is given as its client got it, and forgotten when it is told to, streamed: %s',
    async (stream) => {
      const { ask } = talk({ m: new Player() });
      const { id } = interactionIn((await ask(path, { ...body, stream })).text);
      const { status, json } = await ask(`${path}/${id}`);
      expect([status, json]).toMatchObject([
        200,
        { id, status: 'completed', steps: [{ content: [{ text: 'Hello.' }] }] },
      ]);
      const gone = await ask(`${path}/${id}`, undefined, { method: 'DELETE' });
      expect([gone.status, gone.json]).toEqual([200, {}]);
      expect((await ask(`${path}/${id}`)).status).toBe(404);
    },
  );

  test.each([
    ['GET', `${path}/v1_none`, 404],
    ['DELETE', '/v1/interactions/v1_none', 404],
    ['POST', `${path}/v1_none/cancel`, 404],
  ])('%s %s is answered with %i in the form of the dialect', async (method, at, status) => {
    const reply = await talk({ m: new Player() }).ask(at, undefined, { method });
    expect([reply.status, reply.json]).toMatchObject([status, { error: { code: 'not_found' } }]);
  });

  test('runs no longer, so that it cannot be cancelled', async () => {
    const { ask } = talk({ m: new Player() });
    const { id } = interactionIn((await ask(path, body)).text);
    expect((await ask(`${path}/${id}/cancel`, {})).status).toBe(400);
  });
});

describe('the provider', () => {
  test('asks in Interactions where it is told to', async () => {
    const seen: { url: string; headers: Headers; body: Wired }[] = [];
    const fetch: typeof globalThis.fetch = async (url, init) => {
      seen.push({
        url: String(url),
        headers: new Headers(init?.headers),
        body: JSON.parse(String(init?.body)) as Wired,
      });
      return new Response(sse([created, starts(0, 'model_output'), says(0, 'Hi'), stops(0), ends()]) + DONE);
    };
    const provider = gemini({ apiKey: 'AIza-key', dialect: 'interactions', fetch });
    const conversation = talk({}, { providers: { g: provider }, models: { m: 'g/gemini-3-pro' }, authorize: 'host' });
    const chat = { model: 'm', stream: true, messages: [{ role: 'user', content: 'Hello' }] };
    const { text } = await conversation.ask('/v1/chat/completions', chat);
    expect(seen[0]?.url).toBe('https://generativelanguage.googleapis.com/v1beta/interactions');
    expect(seen[0]?.headers.get('x-goog-api-key')).toBe('AIza-key');
    expect(seen[0]?.body).toMatchObject({ model: 'gemini-3-pro', stream: true, store: false });
    expect(text).toContain('"content":"Hi"');
  });
});
