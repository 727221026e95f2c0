/** Upstreams that attack by HTTP itself: bombs, headers without end, other charsets; each call ends, and says how. */
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { compatible } from '@streamglot/providers';
import { expect, test } from 'vitest';
import { batchesOf, endingOf, open, providerOf, refusalOf, serve, serveRaw } from '../providers/peer.ts';

const mega = 1 << 20;
const stream = { 'content-type': 'text/event-stream' };

/** 256 MB of one line, as a few kilobytes. */
const bombs: Readonly<Record<string, () => Buffer>> = {
  gzip: () => Buffer.concat(Array.from({ length: 16 }, () => gzipSync(Buffer.alloc(16 * mega, 'x')))),
  br: () =>
    brotliCompressSync(Buffer.concat([Buffer.from('data: '), Buffer.alloc(256 * mega, 'x')]), {
      params: { [constants.BROTLI_PARAM_QUALITY]: 1 },
    }),
};

test.each(Object.keys(bombs))('a %s bomb is read in portions, and ends at the limit of a frame', async (coding) => {
  const bomb = bombs[coding]?.() ?? Buffer.alloc(0);
  const peer = await serve(
    (_, response) => void response.writeHead(200, { ...stream, 'content-encoding': coding }).end(bomb),
  );
  const provider = compatible({ baseURL: peer.url, dialect: 'chat' });
  const before = process.memoryUsage().rss;
  const batches = await batchesOf(await open(provider));
  expect(endingOf(batches)).toBe('frame_too_large');
  expect(Math.max(...batches.map(({ bytes }) => bytes))).toBeLessThanOrEqual(2 * mega);
  expect(process.memoryUsage().rss - before).toBeLessThan(200 * mega);
});

test('10,000 headers are refused', async () => {
  const headers = Array.from({ length: 10_000 }, (_, at) => `x-h${at}: ${'v'.repeat(20)}\r\n`).join('');
  const peer = await serveRaw((socket) => void socket.end(`HTTP/1.1 200 OK\r\n${headers}\r\n`));
  expect(await refusalOf(open(providerOf(peer.url)))).toMatchObject({ type: 'upstream', code: 'invalid_response' });
});

test.each([
  ['a header folded over lines', 'x-a: b\r\n c: d\r\n'],
  ['a bare carriage return in a header', 'x-a: b\rx-c: d\r\n'],
  ['a header without a name', ': b\r\n'],
  ['NUL in a header', 'x-a: b\0c\r\n'],
])('%s is an error or goes no further', async (_, header) => {
  const peer = await serveRaw(
    (socket) =>
      void socket.end(
        `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n${header}connection: close\r\n\r\ndata: {}\n\n`,
      ),
  );
  const reply = await open(providerOf(peer.url)).catch((thrown: unknown) => thrown);
  if (reply instanceof Error) expect(reply.name).toBe('GatewayError');
  else
    expect([...(reply as { head: { headers: Map<string, string> } }).head.headers.values()].join()).not.toMatch(
      /[\r\n\0]/,
    );
});

test.each([
  ['UTF-16', 'text/event-stream; charset=utf-16', Buffer.from('data: {}\n\n', 'utf16le')],
  [
    'Latin-1',
    'text/event-stream; charset=iso-8859-1',
    Buffer.from([0x64, 0x61, 0x74, 0x61, 0x3a, 0xe4, 0xf6, 0x0a, 0x0a]),
  ],
  [
    'no charset and no text',
    'application/octet-stream',
    Buffer.from(Array.from({ length: 1000 }, (_, at) => (at * 7) % 256)),
  ],
])('a body of %s ends in an error', async (_, contentType, body) => {
  const peer = await serve((_, response) => void response.writeHead(200, { 'content-type': contentType }).end(body));
  const batches = await batchesOf(await open(compatible({ baseURL: peer.url, dialect: 'messages' })));
  expect(endingOf(batches)).toMatch(/stream_truncated|malformed_stream|unexpected_body/);
});
