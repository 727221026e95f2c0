/** What a Responses request names: found, put in its place, or refused by name. */
import type { CanonicalRequest, Turn } from '@streamglot/core';
import { describe, expect, test } from 'vitest';
import { Play } from './play.ts';
import { by, Player, talk } from './talk.ts';

/** Who said what, in short. */
function said({ turns }: CanonicalRequest): string[] {
  return turns.map(
    ({ role, parts }: Turn) => `${role}: ${parts.map((part) => ('text' in part ? part.text : part.type)).join('|')}`,
  );
}

function last(player: Player): CanonicalRequest {
  const request = player.requests.at(-1);
  if (request === undefined) throw new Error('nobody was asked');
  return request;
}

/** The input as an upstream of the same dialect gets it. */
function sentTo(player: Player): readonly { id?: string; type?: string }[] {
  return (last(player).native?.body.input ?? []) as { id?: string; type?: string }[];
}

const authorize = ({ key }: { key?: string }) => key;

describe('a request that names', () => {
  test('the response before it brings all turns along, but not its instructions', async () => {
    const player = new Player();
    const { respond } = talk({ m: player });
    const first = await respond({ input: 'One', instructions: 'Be brief.' });
    const second = await respond({ input: 'Two', previous_response_id: first.json.id });
    const third = await respond({ input: 'Three', previous_response_id: second.json.id });
    expect(third.status).toBe(200);
    expect(said(last(player))).toEqual([
      'user: One',
      'assistant: Hello.',
      'user: Two',
      'assistant: Hello.',
      'user: Three',
    ]);
    expect(last(player).system).toEqual([]);
    for (const member of ['refers', 'untranslated']) expect(last(player)).not.toHaveProperty(member);
    expect(third.json.previous_response_id).toBe(second.json.id);
  });

  test('single items has them where it names them', async () => {
    const player = new Player();
    const { respond, ask } = talk({ m: player });
    const first = await respond({ input: [{ role: 'user', content: 'One' }] });
    const list = (await ask(`/v1/responses/${first.json.id}/input_items`)).json as { data: { id: string }[] };
    const input = [
      { type: 'item_reference', id: list.data[0]?.id },
      { type: 'item_reference', id: first.json.output[0]?.id },
      { role: 'user', content: 'Two' },
    ];
    expect((await respond({ input })).status).toBe(200);
    expect(said(last(player))).toEqual(['user: One', 'assistant: Hello.', 'user: Two']);
  });

  test('an answer that was streamed finds it under the ids of the stream', async () => {
    const player = new Player();
    const { ask, respond } = talk({ m: player });
    const { text } = await ask('/v1/responses', { model: 'm', input: 'One', stream: true });
    const [, item] = /"item_id":"([^"]+)"/.exec(text) ?? [];
    const { status } = await respond({
      input: [
        { type: 'item_reference', id: item },
        { role: 'user', content: 'Two' },
      ],
    });
    expect(status).toBe(200);
    expect(said(last(player))).toEqual(['assistant: Hello.', 'user: Two']);
  });

  test.each([
    ['previous_response_id', { previous_response_id: 'resp_none' }, 'previous_response_not_found'],
    ['conversation', { conversation: { id: 'conv_none' } }, 'conversation_not_found'],
    [
      'input[1].id',
      {
        input: [
          { role: 'user', content: 'Hi' },
          { type: 'item_reference', id: 'msg_none' },
        ],
      },
      'item_not_found',
    ],
  ])('what nobody knows is refused: %s', async (param, body, code) => {
    const player = new Player();
    const { status, json } = await talk({ m: player }, { losses: 'drop' }).respond({ input: 'Hi', ...body });
    expect(status).toBe(400);
    expect(json.error).toMatchObject({ type: 'invalid_request_error', param, code });
    expect(json.error.message).toContain('none"');
    expect(player.requests).toHaveLength(0);
  });

  test.each([
    ['background', { background: true }],
    ['prompt', { prompt: { id: 'pmpt_1' } }],
    ['conversation', { conversation: 'conv_1', previous_response_id: 'resp_1' }],
  ])('state that is kept nowhere is refused under any policy: %s', async (param, body) => {
    const { status, json } = await talk({ m: new Player() }, { losses: 'drop' }).respond({ input: 'Hi', ...body });
    expect([status, json.error.param]).toEqual([400, param]);
  });

  test('what is of somebody else is told that it is not known', async () => {
    const { respond, ask } = talk({ m: new Player() }, { authorize });
    const { json } = await respond({ input: 'One' }, by('one'));
    const other = await respond({ input: 'Two', previous_response_id: json.id }, by('two'));
    expect([other.status, other.json.error.param]).toEqual([400, 'previous_response_id']);
    for (const path of [`/v1/responses/${json.id}`, `/v1/responses/${json.id}/input_items`])
      expect((await ask(path, undefined, by('two'))).status).toBe(404);
    expect((await ask(`/v1/responses/${json.id}`, undefined, { method: 'DELETE', ...by('two') })).status).toBe(404);
    expect((await ask(`/v1/responses/${json.id}`, undefined, by('one'))).status).toBe(200);
  });

  test.each([
    ['is asked not to', {}, { store: false }],
    ['is off', { store: false }, {}],
    ['cannot tell who asks', { authorize: () => ({ name: 'no id' }) }, {}],
  ])('an answer finds nothing where the gateway %s', async (_, config, body) => {
    const { respond } = talk({ m: new Player() }, config);
    const first = await respond({ input: 'One', ...body });
    expect(first.json.store).toBe(false);
    const { status } = await respond({ input: 'Two', previous_response_id: first.json.id });
    expect(status).toBe(400);
  });

  test('a principal by its id is known again', async () => {
    const { respond } = talk({ m: new Player() }, { authorize: () => ({ id: 7, seen: Math.random() }) });
    const first = await respond({ input: 'One' });
    expect(first.json.store).toBe(true);
    expect((await respond({ input: 'Two', previous_response_id: first.json.id })).status).toBe(200);
  });
});

describe('an upstream that speaks Responses', () => {
  test('is asked itself about what nobody here knows, and keeps the answer alone', async () => {
    const player = new Player(undefined, 'responses');
    const { respond, ask } = talk({ m: player });
    const body = { previous_response_id: 'resp_far', input: [{ type: 'item_reference', id: 'msg_far' }] };
    const { status, json } = await respond(body);
    expect(status).toBe(200);
    expect(last(player).native?.body).toMatchObject(body);
    expect((await ask(`/v1/responses/${json.id}`)).status).toBe(404);
  });

  test('gets in full what is known here', async () => {
    const [chat, own] = [new Player(), new Player(undefined, 'responses')];
    const { respond } = talk({ chat, own });
    const first = await respond({ model: 'chat', input: 'One' });
    await respond({ model: 'own', input: 'Two', previous_response_id: first.json.id });
    const { native } = last(own);
    expect(native?.body).not.toHaveProperty('previous_response_id');
    expect(native?.body.input).toMatchObject([
      { role: 'user', content: 'One' },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello.' }] },
      { role: 'user', content: 'Two' },
    ]);
  });

  test('gets no id and no reasoning that another provider made', async () => {
    const thinking = () => new Player(() => new Play({ dialect: 'responses' }).say(...thought), 'responses');
    const [one, two] = [thinking(), thinking()];
    const { respond } = talk({ one, two });
    const first = await respond({ model: 'one', input: 'One' });
    expect(first.json.output).toMatchObject([{ id: 'rs_1', type: 'reasoning' }, { type: 'message' }]);
    await respond({ model: 'two', input: 'Two', previous_response_id: first.json.id });
    expect(sentTo(two).map(({ type, id }) => [type, id])).toEqual([
      ['message', undefined],
      ['message', undefined],
      ['message', undefined],
    ]);
    await respond({ model: 'one', input: 'Two', previous_response_id: first.json.id });
    expect(sentTo(one)[1]).toMatchObject({ id: 'rs_1', type: 'reasoning' });
  });
});

test('a loss in what was named is told by the name', async () => {
  const lossy = new Player();
  const { respond } = talk({ m: lossy });
  const first = await respond({
    input: [
      { type: 'web_search_call', id: 'ws_1', status: 'completed' },
      { role: 'user', content: 'One' },
    ],
  });
  const input = [{ type: 'compaction', id: 'c_1', encrypted_content: 'x' }];
  await respond({ input, previous_response_id: first.json.id });
  const parts = last(lossy).turns.flatMap((turn) => turn.parts);
  expect(parts.filter(({ type }) => type === 'native').map(({ at }) => at)).toEqual([
    'previous_response_id',
    'input[0]',
  ]);
});

const thought = [
  { type: 'response-start', id: 'resp_1', model: 'it' },
  { type: 'block-start', block: 0, choice: 0, kind: 'reasoning', item: { id: 'rs_1', type: 'reasoning' } },
  { type: 'block-delta', block: 0, delta: { type: 'reasoning', form: 'summary', text: 'Hm.' } },
  { type: 'block-end', block: 0, final: { item: { id: 'rs_1', type: 'reasoning', encrypted_content: 'secret' } } },
  { type: 'block-start', block: 1, choice: 0, kind: 'text' },
  { type: 'block-delta', block: 1, delta: { type: 'text', text: 'Hello.' } },
  { type: 'block-end', block: 1 },
  { type: 'finish', choice: 0, reason: 'stop' },
  { type: 'response-end', status: 'completed' },
] as const;
