/** The store in memory: bounded in time, size and number, and nobody finds what is another's. */
import { type ItemStore, type KeptItem, type KeptRecord, memoryStore } from '@streamglot/gateway';
import { describe, expect, test } from 'vitest';

const item = (id: string, text = id): KeptItem => ({ id, value: { type: 'message', role: 'user', content: text } });

function record(
  id: string,
  input: readonly KeptItem[] = [item(`in_${id}`)],
  output: readonly KeptItem[] = [],
): KeptRecord {
  return { id, value: { id, object: 'response' }, input, output };
}

/** Which of some ids are still there; looking does not count as use. */
async function there(store: ItemStore, ...ids: string[]): Promise<string[]> {
  const found = await Promise.all(ids.map(async (id) => ((await store.find('me', id)) === undefined ? [] : [id])));
  return found.flat();
}

describe('a store in memory', () => {
  test('gives back what it was given', () => {
    const store = memoryStore();
    const given = record('resp_1', [item('a')], [{ ...item('b'), origin: 'openai' }]);
    store.keep('me', given);
    expect(store.find('me', 'resp_1')).toEqual(given);
    expect(store.item('me', 'b')).toEqual({ ...item('b'), origin: 'openai' });
  });

  test('gives nothing of one owner to another, whatever the names are', () => {
    const store = memoryStore();
    store.keep('me', record('resp_1'));
    store.keep('mere', record('sp_1'));
    expect(store.find('you', 'resp_1')).toBeUndefined();
    expect(store.item('you', 'in_resp_1')).toBeUndefined();
    expect(store.find('mere', 'sp_1')).toBeDefined();
    expect(store.find('me', 'resp_1')).toEqual(record('resp_1'));
    expect(store.remove('you', 'resp_1')).toBe(false);
    expect(store.find('me', 'resp_1')).toBeDefined();
  });

  test('forgets what was not used for its time to live', async () => {
    let now = 1000;
    const store = memoryStore({ ttlMs: 100 }, () => now);
    store.keep('me', record('old'));
    store.keep('me', record('used'));
    now += 99;
    expect(store.item('me', 'in_used')).toBeDefined();
    now += 1;
    expect(await there(store, 'old', 'used')).toEqual(['used']);
    expect(store.item('me', 'in_old')).toBeUndefined();
    now += 100;
    expect(await there(store, 'used')).toEqual([]);
  });

  test('forgets what was longest not used once there are too many', async () => {
    const store = memoryStore({ maxItems: 6 });
    for (const id of ['a', 'b', 'c']) store.keep('me', record(id));
    store.find('me', 'a');
    store.keep('me', record('d'));
    expect(store.item('me', 'in_b')).toBeUndefined();
    expect(await there(store, 'a', 'b', 'c', 'd')).toEqual(['a', 'c', 'd']);
  });

  test('forgets what was longest not used once it is too much', async () => {
    const large = 'x'.repeat(1000);
    const store = memoryStore({ maxBytes: 3000 });
    for (const id of ['a', 'b', 'c']) store.keep('me', record(id, [item(`in_${id}`, id + large)]));
    expect(await there(store, 'a', 'b', 'c')).toEqual(['b', 'c']);
  });

  test('does not keep what alone is too much, and has room for others then', async () => {
    const store = memoryStore({ maxBytes: 1000 });
    store.keep('me', record('large', [item('in', 'x'.repeat(2000))]));
    expect(await there(store, 'large')).toEqual([]);
    store.keep('me', record('small'));
    expect(await there(store, 'small')).toEqual(['small']);
  });

  test('counts a history once that goes on from turn to turn', async () => {
    const long = item('long', 'x'.repeat(1000));
    const store = memoryStore({ maxBytes: 5000 });
    const ids = Array.from({ length: 10 }, (_, turn) => `resp_${turn}`);
    for (const id of ids) store.keep('me', record(id, [long, item(`in_${id}`)]));
    expect(await there(store, ...ids)).toEqual(ids);
  });

  test('gives all room back that it took', async () => {
    const store = memoryStore({ maxBytes: 2000, maxItems: 10 });
    for (let turn = 0; turn < 1000; turn++) {
      store.keep('me', record('again', [item('in', `${turn}`.repeat(100))], [item('out')]));
      if (turn % 3 === 0) expect(store.remove('me', 'again')).toBe(true);
    }
    store.remove('me', 'again');
    store.keep('me', record('full', [item('in', 'x'.repeat(1700))]));
    expect(await there(store, 'full')).toEqual(['full']);
  });

  test('keeps an item as long as any record has it', () => {
    const store = memoryStore();
    store.keep('me', record('one', [item('shared')]));
    store.keep('me', record('two', [item('shared')]));
    store.remove('me', 'two');
    expect(store.item('me', 'shared')).toBeDefined();
    store.remove('me', 'one');
    expect(store.item('me', 'shared')).toBeUndefined();
  });

  test('leaves a record as it was when another says something else under the same id', () => {
    const store = memoryStore();
    store.keep('me', record('one', [item('same', 'first')]));
    store.keep('me', record('two', [item('same', 'second')]));
    expect((store.find('me', 'one') as KeptRecord).input).toEqual([item('same', 'first')]);
    expect(store.item('me', 'same')).toEqual(item('same', 'second'));
  });

  test.each([
    ['too many', { maxItemsPerPrincipal: 4 }],
    ['too much', { maxBytesPerPrincipal: 600 }],
  ])('forgets of an owner what was longest not used once it is %s for one, and nothing of another', (_, limits) => {
    const store = memoryStore(limits);
    store.keep('you', record('yours'));
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) store.keep('me', record(id));
    expect(store.find('you', 'yours')).toEqual(record('yours'));
    expect(store.find('me', 'a')).toBeUndefined();
    expect(store.item('me', 'in_a')).toBeUndefined();
    expect(store.find('me', 'f')).toEqual(record('f'));
  });

  test('bounds what all owners have together, whoever was longest silent', async () => {
    const store = memoryStore({ maxItems: 6 });
    for (const owner of ['a', 'b', 'me']) store.keep(owner, record('one'));
    store.find('a', 'one');
    store.keep('me', record('two'));
    expect(store.find('b', 'one')).toBeUndefined();
    expect(store.find('a', 'one')).toEqual(record('one'));
    expect(await there(store, 'one', 'two')).toEqual(['one', 'two']);
  });

  test('counts for each owner what it has, also of what another has too', () => {
    const store = memoryStore({ maxItemsPerPrincipal: 2 });
    for (const owner of ['a', 'b', 'c']) store.keep(owner, record('same', [item('shared')]));
    for (const owner of ['a', 'b', 'c']) expect(store.find(owner, 'same')).toEqual(record('same', [item('shared')]));
    store.remove('a', 'same');
    expect(store.item('a', 'shared')).toBeUndefined();
    expect(store.item('b', 'shared')).toEqual(item('shared'));
  });
});
