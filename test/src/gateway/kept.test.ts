/** What is kept of an answer, when, and how it is given back. */
import { type ItemStore, type KeptRecord, memoryStore } from '@streamglot/gateway';
import { describe, expect, test } from 'vitest';
import { delta, failing, opening, Play } from './play.ts';
import { Player, talk } from './talk.ts';

const cut = [
  { type: 'block-end', block: 0 },
  { type: 'finish', choice: 0, reason: 'length' },
  { type: 'response-end', status: 'incomplete' },
] as const;

const deleting = { method: 'DELETE' };

describe('a kept answer', () => {
  test.each([true, false])('is given as its client got it, streamed: %s', async (stream) => {
    const { ask } = talk({ m: new Player() });
    const { text } = await ask('/v1/responses', { model: 'm', input: 'One', stream, metadata: { a: 'b' } });
    const [, streamed] = /"response\.completed","response":(.*),"sequence_number":\d+\}/.exec(text) ?? [];
    const got = JSON.parse(streamed ?? text) as { id: string };
    const { status, json, headers } = await ask(`/v1/responses/${got.id}`);
    expect(status).toBe(200);
    expect(headers['content-type']).toContain('application/json');
    expect(json).toEqual(got);
  });

  test.each([
    ['incomplete', () => new Play().say(...opening, delta('Hal')).say(...cut), /"response\.incomplete"/],
    [
      'failed',
      () => new Play().say(...opening, delta('Hal')).say(failing({ type: 'overloaded', message: 'No.' })),
      /"response\.failed"/,
    ],
    ['failed', () => new Play().say(...opening, delta('Hal')).cut(), /"response\.failed"/],
  ])('may be one that is %s', async (status, play, event) => {
    const { ask } = talk({ m: new Player(play) });
    const { text } = await ask('/v1/responses', { model: 'm', input: 'One', stream: true });
    expect(text).toMatch(event);
    const [, id] = /"id":"(resp_\w+)"/.exec(text) ?? [];
    const { json } = await ask(`/v1/responses/${id}`);
    expect(json).toMatchObject({ id, status, output: [{ content: [{ text: 'Hal' }] }] });
  });

  test('is gone once it is deleted', async () => {
    const { ask, respond } = talk({ m: new Player() });
    const { id, output } = (await respond({ input: 'One' })).json;
    expect((await ask(`/v1/responses/${id}`, undefined, deleting)).json).toEqual({
      id,
      object: 'response',
      deleted: true,
    });
    for (const more of [{}, deleting]) {
      const { status, json } = await ask(`/v1/responses/${id}`, undefined, more);
      expect([status, json]).toMatchObject([
        404,
        { error: { type: 'not_found_error', code: 'not_found', param: null } },
      ]);
    }
    const named = await respond({ input: [{ type: 'item_reference', id: output[0]?.id }] });
    expect(named.json.error.param).toBe('input[0].id');
  });

  test('is not one of another kind', async () => {
    const { ask, respond } = talk({ m: new Player() });
    const { id } = (await respond({ input: 'One' })).json;
    expect((await ask(`/v1/conversations/${id}`)).status).toBe(404);
    const { status, headers } = await ask(`/v1/responses/${id}`, {});
    expect([status, headers.allow]).toEqual([405, 'GET, DELETE']);
  });
});

describe('the list of input items', () => {
  const input = Array.from({ length: 25 }, (_, at) => ({ role: 'user', content: `item ${at}`, id: `msg_${at}` }));

  test.each([
    ['', 24, 5, true],
    ['?order=asc', 0, 19, true],
    ['?order=asc&limit=3&after=msg_4', 5, 7, true],
    ['?limit=100', 24, 0, false],
    ['?after=msg_2', 1, 0, false],
    ['?order=asc&limit=5&after=msg_19', 20, 24, false],
  ])('has pages: %s', async (query, first, last, more) => {
    const { ask, respond } = talk({ m: new Player() });
    const { id } = (await respond({ input })).json;
    const { json } = await ask(`/v1/responses/${id}/input_items${query}`);
    expect(json).toMatchObject({ object: 'list', first_id: `msg_${first}`, last_id: `msg_${last}`, has_more: more });
    const { data } = json as { data: { id: string }[] };
    expect(data).toHaveLength(Math.abs(first - last) + 1);
    expect(data[0]).toMatchObject({ type: 'message', content: [{ type: 'input_text', text: `item ${first}` }] });
  });

  test.each(['limit=0', 'limit=101', 'limit=x', 'order=up', 'after=msg_none'])(
    'refuses a page that is none: %s',
    async (query) => {
      const { ask, respond } = talk({ m: new Player() });
      const { id } = (await respond({ input })).json;
      const { status, json } = await ask(`/v1/responses/${id}/input_items?${query}`);
      expect([status, json]).toMatchObject([400, { error: { param: query.split('=')[0] } }]);
    },
  );
});

describe('a store of the host', () => {
  test('is waited for before the client may name the answer', async () => {
    const inner = memoryStore();
    let write = (): void => {};
    const store: ItemStore = {
      keep: (owner, record) =>
        new Promise((settle) => {
          write = () => settle(inner.keep(owner, record));
        }),
      find: async (owner, id) => inner.find(owner, id),
      item: async (owner, id) => inner.item(owner, id),
      remove: async (owner, id) => inner.remove(owner, id),
    };
    const { ask, respond } = talk({ m: new Player() }, { store });
    const asking = ask('/v1/responses', { model: 'm', input: 'One', stream: true });
    const early = await Promise.race([asking, new Promise((settle) => setTimeout(settle, 20))]);
    expect(early).toBeUndefined();
    write();
    const [, id] = /"id":"(resp_\w+)"/.exec((await asking).text) ?? [];
    const second = respond({ input: 'Two', previous_response_id: id });
    await new Promise((settle) => setTimeout(settle, 20));
    write();
    expect((await second).status).toBe(200);
  });

  test.each([
    [
      'throws',
      (): never => {
        throw new Error('down');
      },
    ],
    ['rejects', () => Promise.reject(new Error('down'))],
  ])('that %s costs no answer, and is told', async (_, fails) => {
    const store: ItemStore = { keep: fails, find: fails, item: fails, remove: fails };
    const { respond, events, ask } = talk({ m: new Player() }, { store });
    const { status, json } = await respond({ input: 'One' });
    expect([status, json.status]).toEqual([200, 'completed']);
    expect(events).toContainEqual(expect.objectContaining({ type: 'fault', thrown: new Error('down') }));
    const named = await respond({ input: 'Two', previous_response_id: 'resp_1' });
    expect([named.status, named.json.error.code]).toEqual([500, 'store_unavailable']);
    expect((await ask('/v1/responses/resp_1')).status).toBe(500);
  });

  test('holds records that survive JSON', async () => {
    const records: KeptRecord[] = [];
    const keep = (_: string, record: KeptRecord): void => void records.push(record);
    const none = (): undefined => undefined;
    const { respond } = talk({ m: new Player() }, { store: { keep, find: none, item: none, remove: () => false } });
    await respond({ input: 'One' });
    expect(records).toHaveLength(1);
    expect(JSON.parse(JSON.stringify(records[0]))).toEqual(records[0]);
  });
});

describe('a conversation', () => {
  test('begins with items, grows with each answer, and ends', async () => {
    const { ask, respond } = talk({ m: new Player() });
    const begun = (await ask('/v1/conversations', { metadata: { a: 'b' }, items: [{ role: 'user', content: 'Zero' }] }))
      .json as { id: string };
    expect(begun).toMatchObject({ object: 'conversation', metadata: { a: 'b' } });
    await respond({ input: 'One', conversation: begun.id });
    await respond({ input: 'Two', conversation: { id: begun.id } });
    const { data } = (await ask(`/v1/conversations/${begun.id}/items?order=asc`)).json as { data: { role: string }[] };
    expect(data.map(({ role }) => role)).toEqual(['user', 'user', 'assistant', 'user', 'assistant']);
    expect((await ask(`/v1/conversations/${begun.id}`)).json).toEqual(begun);
    const gone = (await ask(`/v1/conversations/${begun.id}`, undefined, deleting)).json;
    expect(gone).toEqual({ id: begun.id, object: 'conversation.deleted', deleted: true });
    expect((await respond({ input: 'Three', conversation: begun.id })).status).toBe(400);
  });

  test('is refused where nothing is kept', async () => {
    const { status, json } = await talk({ m: new Player() }, { store: false }).ask('/v1/conversations', {});
    expect([status, json]).toMatchObject([400, { error: { code: 'store_off' } }]);
  });
});
