/** A packed body has two lengths, and the limit holds for both. */
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { bodyOf } from '../../../packages/web/src/body.ts';

const maxBytes = 1000;

function packed(bytes: number): Request {
  const headers = { 'content-encoding': 'gzip' };
  return new Request('http://host/v1/messages', { method: 'POST', body: gzipSync(Buffer.alloc(bytes)), headers });
}

test('a body that unpacks to its limit is taken', async () => {
  expect(await bodyOf(packed(maxBytes), maxBytes)).toHaveLength(maxBytes);
});

test.each([maxBytes + 1, 100_000])('a body that unpacks to %i bytes is refused', async (bytes) => {
  await expect(bodyOf(packed(bytes), maxBytes)).rejects.toMatchObject({ status: 413 });
});
