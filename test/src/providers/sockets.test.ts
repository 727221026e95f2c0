/** What holds for Node's own transport alone: content codings, connecting, early heads. */
import { createDeflateRaw } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import {
  batchesOf,
  chunk,
  chunkedHead,
  endingOf,
  open,
  providerOf,
  refusalOf,
  serve,
  serveRaw,
  textOf,
} from './peer.ts';
import { frame } from './plain.ts';

const stream = { 'content-type': 'text/event-stream' };
const whole = frame({ say: 'whole' }) + frame({ end: true });

describe('over sockets', () => {
  test('deflate without its header is read', async () => {
    const peer = await serve((_request, response) => {
      response.writeHead(200, { ...stream, 'content-encoding': 'deflate' });
      const zip = createDeflateRaw();
      zip.pipe(response);
      zip.end(whole);
    });
    expect(textOf(await batchesOf(await open(providerOf(peer.url))))).toBe('whole');
  });

  test('bytes that their coding does not allow cut the stream', async () => {
    const peer = await serve((_request, response) => {
      response.writeHead(200, { ...stream, 'content-encoding': 'gzip' }).end('this is not gzip');
    });
    expect(endingOf(await batchesOf(await open(providerOf(peer.url))))).toBe('stream_truncated');
  });

  test('a coding that nobody asked for is refused', async () => {
    const peer = await serve((_request, response) => {
      response.writeHead(200, { ...stream, 'content-encoding': 'rot13' }).end('qngn');
    });
    expect(await refusalOf(open(providerOf(peer.url)))).toMatchObject({ code: 'unsupported_encoding' });
  });

  test('a connection that does not come about in time is a timeout', async () => {
    const peer = await serveRaw(() => undefined);
    const provider = providerOf(peer.url.replace('http:', 'https:'), { timeouts: { connectMs: 100 } });
    expect(await refusalOf(open(provider))).toMatchObject({ type: 'timeout', code: 'connect_timeout' });
  });

  test('an early head (103) does not stand for the answer', async () => {
    const peer = await serveRaw((socket) =>
      socket.end(`HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${chunkedHead}${chunk(whole)}0\r\n\r\n`),
    );
    const reply = await open(providerOf(peer.url));
    expect([reply.head.status, endingOf(await batchesOf(reply))]).toEqual([200, 'response-end']);
  });
});
