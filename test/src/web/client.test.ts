/** A Response as a client: how much of what was written it has yet to take, when it has all, and how it leaves. */
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { WebClient } from '../../../packages/web/src/client.ts';

const head = { 'content-type': 'text/event-stream' };

/** A client whose answer has begun with `first`, and the reader of its body. */
async function begun(first = 'a', stallMs = 10_000) {
  const abort = new AbortController();
  const client = new WebClient(abort.signal, stallMs);
  let left = 0;
  client.onGone(() => {
    left++;
  });
  client.head(200, head);
  const unread = client.write(first);
  const response = await client.response;
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  return { abort, client, response, reader, unread, left: () => left };
}

/** Whether a promise has settled by now. */
async function settled(promise: Promise<unknown>): Promise<boolean> {
  let done = false;
  const mark = (): void => {
    done = true;
  };
  promise.then(mark, mark);
  await turn();
  return done;
}

describe('the client of a Response', () => {
  it('has yet to take what waits for a read, in bytes, until a read finds nothing', async () => {
    const { client, reader, unread } = await begun('é');
    let drained = 0;
    client.onDrain(() => {
      drained++;
    });
    expect(unread).toBe(2);
    expect(client.write('abc')).toBe(5);
    await reader.read();
    expect(client.write('d')).toBe(4);
    await reader.read();
    await reader.read();
    expect(drained).toBe(0);
    const waiting = reader.read();
    expect(drained).toBe(1);
    expect(client.write('at once')).toBe(0);
    expect(new TextDecoder().decode((await waiting).value)).toBe('at once');
  });

  it('has a head as soon as it has a text, also an empty one', async () => {
    const { response, unread } = await begun('');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(unread).toBe(0);
  });

  it('has everything once a read finds nothing more', async () => {
    const { client, reader, left } = await begun();
    const sent = client.end('z');
    await reader.read();
    await reader.read();
    expect(await settled(sent)).toBe(false);
    expect((await reader.read()).done).toBe(true);
    expect(await settled(sent)).toBe(true);
    await reader.cancel();
    expect(left()).toBe(0);
  });

  it('has everything at once where a read waits', async () => {
    const { client, reader } = await begun();
    await reader.read();
    const waiting = reader.read();
    const sent = client.end('z');
    expect(new TextDecoder().decode((await waiting).value)).toBe('z');
    expect(await settled(sent)).toBe(true);
    expect((await reader.read()).done).toBe(true);
  });

  it('gets a whole answer with its body, without a stream', async () => {
    const client = new WebClient(new AbortController().signal, 1000);
    client.head(400, { connection: 'close', allow: 'POST' });
    await client.end('no');
    const response = await client.response;
    expect([response.status, response.headers.get('allow'), response.headers.get('connection')]).toEqual([
      400,
      'POST',
      null,
    ]);
    expect(await response.text()).toBe('no');
  });

  it.each([
    ['by the signal', ['abort']],
    ['by cancel', ['cancel']],
    ['by both', ['abort', 'cancel']],
    ['by both the other way round', ['cancel', 'abort']],
  ])('leaves %s, and that once', async (_, ways) => {
    const at = await begun();
    const sent = at.client.end('z');
    for (const way of ways) {
      if (way === 'abort') at.abort.abort();
      else at.reader.cancel().catch(() => {});
    }
    expect(at.left()).toBe(1);
    expect(await settled(sent)).toBe(true);
    expect(at.client.write('more')).toBe(0);
    await at.client.end('more');
    at.client.destroy();
    expect(at.left()).toBe(1);
  });

  it('that left before the head gets one all the same, so that its host need not wait', async () => {
    const client = new WebClient(AbortSignal.abort(), 1000);
    let left = false;
    client.onGone(() => {
      left = true;
    });
    expect(left).toBe(true);
    client.head(200, head);
    expect(client.write('a')).toBe(0);
    await client.end('z');
    client.over();
    expect((await client.response).status).toBe(499);
  });

  it('is told when its answer is broken off', async () => {
    const { client, reader } = await begun('');
    const waiting = reader.read();
    client.destroy();
    await expect(waiting).rejects.toThrow('broken off');
    await client.end('');
  });

  it('that takes nothing for too long is gone, and one that takes a little is not', async () => {
    const { client, reader, left } = await begun('a', 60);
    client.write('b');
    client.write('c');
    await delay(40);
    await reader.read();
    await delay(40);
    expect(left()).toBe(0);
    await delay(100);
    expect(left()).toBe(1);
    await expect(reader.read()).rejects.toThrow('reads nothing');
  });

  it('that has taken everything may rest as long as it likes', async () => {
    const { reader, left } = await begun('a', 20);
    await reader.read();
    void reader.read();
    await delay(60);
    expect(left()).toBe(0);
  });
});
