/** What holds for an upstream over HTTP, on each transport: a network chunk is a batch, and every end is told truthfully. */

import type { ServerResponse } from 'node:http';
import type { Transform } from 'node:stream';
import { constants, createBrotliCompress, createDeflate, createGzip } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import * as responses from '../responses/wire.ts';
import {
  batchesOf,
  chunk,
  chunkedHead,
  endingOf,
  eventsOf,
  open,
  pause,
  providerOf,
  quickest,
  refusalOf,
  serve,
  serveRaw,
  textOf,
  transports,
  until,
} from './peer.ts';
import { frame } from './plain.ts';

const stream = { 'content-type': 'text/event-stream' };
const whole = frame({ say: 'whole' }) + frame({ end: true });

describe.each(Object.entries(transports))('over %s', (_name, transport) => {
  test('each network chunk is one batch, in its own time', async () => {
    const peer = await serve(async (_request, response) => {
      response.writeHead(200, stream);
      response.write(frame({ say: 'one ' }) + frame({ say: 'two ' }));
      await pause(30);
      response.write(frame({ say: 'three ' }).slice(0, 8));
      await pause(30);
      response.write(frame({ say: 'three ' }).slice(8));
      await pause(30);
      response.end(frame({ end: true }));
    });
    const batches = await batchesOf(await open(providerOf(peer.url, transport)));
    expect(batches.map(({ frames }) => frames.length)).toEqual([2, 0, 1, 1]);
    expect(textOf(batches)).toBe('one two three ');
    expect(endingOf(batches)).toBe('response-end');
    const times = batches.map(({ receivedAt }) => receivedAt);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect((times[3] as number) - (times[0] as number)).toBeGreaterThan(60);
    expect(batches[0]?.bytes).toBe(frame({ say: 'one ' }).length + frame({ say: 'two ' }).length);
  });

  describe('an answer that tells its error first and may tell its usage after it', () => {
    const failed = responses.response('failed', { usage: responses.usage });
    const wrong = responses.text([...responses.opening, { type: 'error', code: 'server_error', message: 'boom' }]);
    const eventsFrom = async (answer: (response: ServerResponse) => void) => {
      const peer = await serve((_request, response) => answer(response.writeHead(200, stream)));
      const batches = await batchesOf(await open(providerOf(peer.url, { ...transport, dialect: 'responses' })));
      return { peer, events: eventsOf(batches) };
    };

    test('is waited for a moment', async () => {
      const { events } = await eventsFrom(async (response) => {
        response.write(wrong);
        await pause(50);
        response.write(responses.text([{ type: 'response.failed', response: failed }]));
      });
      expect(events.slice(-2)).toMatchObject([{ type: 'usage', usage: { inputTokens: 9 } }, { type: 'error' }]);
    });

    test('ends, and gives its connection back, when nothing more comes', async () => {
      const start = performance.now();
      const { peer, events } = await eventsFrom((response) => response.write(wrong));
      expect(performance.now() - start).toBeLessThan(5_000);
      expect(events.at(-1)).toMatchObject({ type: 'error', error: { message: 'boom' } });
      await until(() => peer.asked.every((socket) => socket.destroyed), 2_000);
    });

    test('ends though it goes on giving signs of life', async () => {
      const { peer, events } = await eventsFrom(async (response) => {
        response.write(wrong);
        while (!response.destroyed && response.write(': alive\n\n')) await pause(200);
      });
      expect(events.at(-1)).toMatchObject({ type: 'error', error: { message: 'boom' } });
      await until(() => peer.asked.every((socket) => socket.destroyed), 2_000);
    });
  });

  test('a character that two chunks share comes out whole', async () => {
    const bytes = Buffer.from(frame({ say: 'né 日本 👩‍👩‍👧' }) + frame({ end: true }));
    const peer = await serve(async (_request, response) => {
      response.writeHead(200, stream);
      for (const byte of bytes) {
        response.write(Buffer.of(byte));
        await new Promise(setImmediate);
      }
      response.end();
    });
    expect(textOf(await batchesOf(await open(providerOf(peer.url, transport))))).toBe('né 日本 👩‍👩‍👧');
  });

  const codings: Readonly<Record<string, () => Transform>> = {
    gzip: createGzip,
    br: createBrotliCompress,
    deflate: createDeflate,
  };
  test.each(Object.entries(codings))('a stream in %s is read as each piece is flushed', async (coding, compressor) => {
    let told = 0;
    const peer = await serve(async (_request, response) => {
      response.writeHead(200, { ...stream, 'content-encoding': coding });
      const zip = compressor();
      zip.pipe(response);
      for (const say of ['a', 'b', 'c']) {
        zip.write(frame({ say }));
        (zip as ReturnType<typeof createGzip>).flush(
          coding === 'br' ? constants.BROTLI_OPERATION_FLUSH : constants.Z_SYNC_FLUSH,
        );
        await until(() => told > 'abc'.indexOf(say), 2_000);
      }
      zip.end(frame({ end: true }));
    });
    let text = '';
    for await (const batch of (await open(providerOf(peer.url, transport))).batches) {
      text += textOf([batch]);
      told = text.length;
    }
    expect(text).toBe('abc');
  });

  test('an abort closes the socket within 50 ms and ends the batches', async () => {
    const peer = await serve((_request, response) => {
      response.writeHead(200, stream);
      response.write(frame({ say: 'on and on' }));
    });
    const abort = async (): Promise<number> => {
      const client = new AbortController();
      const { batches } = await open(providerOf(peer.url, transport), { signal: client.signal });
      const iterator = batches[Symbol.asyncIterator]();
      expect(textOf([(await iterator.next()).value])).toBe('on and on');
      const waiting = iterator.next();
      client.abort();
      expect(await waiting).toEqual({ done: true, value: undefined });
      expect(await iterator.next()).toEqual({ done: true, value: undefined });
      return until(() => peer.asked.at(-1)?.closed === true, 1_000);
    };
    expect(await quickest(abort)).toBeLessThan(50);
  });

  test('what waits to be read when the abort comes is not told any more', async () => {
    const peer = await serve(async (_request, response) => {
      response.writeHead(200, stream);
      for (const say of ['one', 'two', 'three']) {
        response.write(frame({ say }));
        await pause(10);
      }
    });
    const client = new AbortController();
    const { batches } = await open(providerOf(peer.url, transport), { signal: client.signal });
    await pause(60);
    client.abort();
    for await (const batch of batches) expect(batch).toBe('not told');
  });

  test('an abort before the head closes the socket and refuses the call', async () => {
    const peer = await serve(() => undefined);
    const abort = async (): Promise<number> => {
      const client = new AbortController();
      const before = peer.asked.length;
      const refusal = refusalOf(open(providerOf(peer.url, transport), { signal: client.signal }));
      await until(() => peer.asked.length > before, 1_000);
      await pause(20);
      client.abort();
      expect(await refusal).toMatchObject({ type: 'cancelled', code: 'client_closed' });
      return until(() => peer.asked.at(-1)?.closed === true, 1_000);
    };
    expect(await quickest(abort)).toBeLessThan(50);
  });

  test('a call that was aborted before it began sends nothing', async () => {
    const peer = await serve(() => undefined);
    const refusal = await refusalOf(open(providerOf(peer.url, transport), { signal: AbortSignal.abort() }));
    expect(refusal).toMatchObject({ type: 'cancelled' });
    expect(peer.sockets).toEqual([]);
  });

  test('a reader that leaves the loop closes the socket', async () => {
    const peer = await serve((_request, response) => {
      response.writeHead(200, stream);
      response.write(frame({ say: 'on and on' }));
    });
    const leave = async (): Promise<number> => {
      for await (const _ of (await open(providerOf(peer.url, transport))).batches) break;
      return until(() => peer.asked.at(-1)?.closed === true, 1_000);
    };
    expect(await quickest(leave)).toBeLessThan(50);
  });

  test('a stream that is cut is truncated, however it is cut', async () => {
    const said = frame({ say: 'half' });
    const cuts: Readonly<Record<string, (socket: import('node:net').Socket) => void>> = {
      'a reset in a chunked body': (socket) => {
        socket.write(chunkedHead + chunk(said));
        setTimeout(() => socket.resetAndDestroy(), 20);
      },
      'a FIN in a chunked body': (socket) => socket.end(chunkedHead + chunk(said)),
      'a FIN in the middle of a chunk': (socket) => socket.end(`${chunkedHead}fff\r\n${said}`),
      'an orderly end': (socket) => socket.end(`${chunkedHead}${chunk(said)}0\r\n\r\n`),
      'a FIN before the announced length': (socket) =>
        socket.end(`HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 9999\r\n\r\n${said}`),
      'a FIN of a body without a length': (socket) =>
        socket.end(`HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n${said}`),
      'a chunk size that is none': (socket) => socket.end(`${chunkedHead}${chunk(said)}zz\r\n`),
    };
    for (const [name, cut] of Object.entries(cuts)) {
      const peer = await serveRaw(cut);
      const batches = await batchesOf(await open(providerOf(peer.url, transport)));
      expect([name, textOf(batches), endingOf(batches)]).toEqual([name, 'half', 'stream_truncated']);
      const last = batches.at(-1);
      expect([last?.bytes, last?.frames.length]).toEqual([0, 1]);
    }
  });

  test('a reset reads otherwise than an orderly close', async () => {
    const messages: string[] = [];
    for (const reset of [true, false]) {
      const peer = await serveRaw((socket) => {
        socket.write(chunkedHead + chunk(frame({ say: 'half' })));
        setTimeout(() => (reset ? socket.resetAndDestroy() : socket.end()), 20);
      });
      const last = (await batchesOf(await open(providerOf(peer.url, transport)))).at(-1)?.frames[0]?.[0];
      messages.push(last?.type === 'error' ? last.error.message : '');
    }
    expect(messages[0]).toContain('broke off');
    expect(messages[1]).toContain('closed the stream');
  });

  test('nothing is read after the ending, and the socket of an upstream that stays open is closed', async () => {
    const peer = await serve((_request, response) => {
      response.writeHead(200, stream);
      response.write(whole);
    });
    const start = performance.now();
    const batches = await batchesOf(await open(providerOf(peer.url, transport)));
    expect(performance.now() - start).toBeLessThan(500);
    expect(endingOf(batches)).toBe('response-end');
    await until(() => peer.sockets[0]?.closed === true, 2_000);
  });

  test('nothing that comes after the ending is told', async () => {
    const peer = await serve((_request, response) => {
      response.writeHead(200, stream);
      response.end(frame({ end: true }) + frame({ say: 'more' }) + frame({ end: true }));
    });
    const batches = await batchesOf(await open(providerOf(peer.url, transport)));
    expect([batches.length, textOf(batches), endingOf(batches)]).toEqual([1, '', 'response-end']);
  });

  test('a connection is used again after an answer that ended', async () => {
    const peer = await serve((_request, response) => {
      response.writeHead(200, stream);
      response.write(whole);
      setTimeout(() => response.end(), 10);
    });
    const provider = providerOf(peer.url, transport);
    for (let call = 0; call < 4; call++) {
      expect(endingOf(await batchesOf(await open(provider)))).toBe('response-end');
      await pause(40);
    }
    expect(peer.sockets.length).toBeLessThan(4);
  });

  test('a socket is read only as fast as its batches are', async () => {
    const line = frame({ say: 'x'.repeat(1_000) });
    const total = 50 * 1024 * 1024;
    let written = 0;
    let stalled = false;
    const peer = await serve((_request, response) => {
      response.writeHead(200, stream);
      const go = (): void => {
        while (written < total) {
          written += line.length;
          stalled = !response.write(line);
          if (stalled) return void response.once('drain', go);
        }
        response.end(frame({ end: true }));
      };
      go();
    });
    const { batches } = await open(providerOf(peer.url, transport));
    const iterator = batches[Symbol.asyncIterator]();
    await iterator.next();
    await pause(300);
    expect(stalled).toBe(true);
    const stuck = written;
    const heap = process.memoryUsage();
    await pause(200);
    expect(written).toBe(stuck);
    expect(stuck).toBeLessThan(total / 3);
    let text = 0;
    let last: unknown;
    for await (const batch of { [Symbol.asyncIterator]: () => iterator }) {
      text += textOf([batch]).length;
      last = batch.frames.at(-1)?.at(-1)?.type;
    }
    expect(last).toBe('response-end');
    expect(text).toBeGreaterThan(50_000 * 1_000);
    expect(process.memoryUsage().rss - heap.rss).toBeLessThan(100 * 1024 * 1024);
  });

  const bodies: readonly [string, string, string, string, string][] = [
    ['HTML under 200', 'text/html', '<!doctype html><title>Sign in</title>', '', 'unexpected_body'],
    ['HTML that calls itself a stream', 'text/event-stream', '<html></html>', '', 'unexpected_body'],
    ['an empty 200', 'text/event-stream', '', '', 'stream_truncated'],
    ['JSON under 200', 'application/json', '{"say":"all at once"}', 'all at once', 'response-end'],
    ['JSON that is cut', 'application/json', '{"say":"all at', '', 'stream_truncated'],
    ['a stream that calls itself text', 'text/plain', whole, 'whole', 'response-end'],
  ];
  test.each(bodies)('%s is told truthfully', async (_case, type, body, text, ending) => {
    const peer = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': type }).end(body);
    });
    const batches = await batchesOf(await open(providerOf(peer.url, transport)));
    expect([textOf(batches), endingOf(batches)]).toEqual([text, ending]);
  });

  test('no way out leaves a listener on the signal', async () => {
    const ways: Readonly<Record<string, string>> = { '/ends': whole, '/cut': frame({ say: 'half' }), '/fails': '' };
    const peer = await serve((request, response) => {
      const way = request.url?.replace('/say', '') ?? '';
      response.writeHead(way === '/fails' ? 500 : 200, stream).end(ways[way]);
    });
    const client = new AbortController();
    const counts = { added: 0, removed: 0 };
    const { signal } = client;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      counts.added++;
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      counts.removed++;
      remove(...args);
    };
    for (const way of [...Object.keys(ways), '/ends', '/ends']) {
      const provider = providerOf(peer.url + way, transport);
      await open(provider, { signal }).then(batchesOf, () => undefined);
    }
    for await (const _ of (await open(providerOf(`${peer.url}/cut`, transport), { signal })).batches) break;
    expect(counts.added).toBe(6);
    expect(counts.removed).toBeGreaterThanOrEqual(counts.added);
  });
});
