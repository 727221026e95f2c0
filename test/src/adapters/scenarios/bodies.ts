/** Bodies in whatever form they reach the gateway. */
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { MAX_BODY_BYTES } from '../config.ts';
import type { Parsed } from '../host.ts';
import {
  type Asking,
  ask,
  bodyOf,
  dialects,
  type Id,
  ids,
  newToken,
  type Place,
  receivedAbout,
  type Scenario,
} from '../scenario.ts';

const packers = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync };
type Coding = keyof typeof packers;

/** The answer is whole, and the upstream has got the prompt as it was. */
async function arrives(at: Place, id: Id, prompt: string, asking: Asking = {}): Promise<void> {
  const token = newToken();
  const body = JSON.stringify(bodyOf(id, token + prompt));
  const { headers } = asking;
  const bytes = packers[headers?.['content-encoding'] as Coding]?.(body);
  const reply = await ask(at, id, token, { ...asking, body: bytes ?? body });
  expect(reply.status).toBe(200);
  await reply.until(dialects[id].terminal);
  expect((await receivedAbout(at.upstream, token)).text).toContain(JSON.stringify(prompt).slice(1, -1));
}

const long = 'ä"東🙂'.repeat(30_000);

async function unparsed(at: Place): Promise<void> {
  for (const id of ids) {
    await arrives(at, id, long);
    await arrives(at, id, 'x', { headers: { 'content-type': 'application/json; charset=utf-8' } });
    await arrives(at, id, long, { headers: { 'transfer-encoding': 'chunked' } });
  }
  await packed(at, ['gzip', 'deflate']);
}

async function packed(at: Place, codings: readonly Coding[]): Promise<void> {
  for (const coding of codings) await arrives(at, 'chat', long, { headers: { 'content-encoding': coding } });
}

async function parsed(at: Place): Promise<void> {
  for (const id of ids) {
    await arrives(at, id, 'Grüße, "東京" 🙂');
    for (const body of ['', 'false']) {
      const reply = await ask(at, id, '', { body });
      expect(reply.status).toBe(400);
      expect(await reply.json()).toHaveProperty('error.message');
    }
  }
}

async function tooLarge(at: Place): Promise<void> {
  const line = at.newLine(1);
  const large = 'x'.repeat(MAX_BODY_BYTES + 1000);
  for (const id of ids) {
    const reply = await ask(at, id, large, { line });
    expect(reply.status).toBe(413);
    expect(await reply.json()).toHaveProperty('error.message', expect.stringContaining('larger'));
    const next = await ask(at, id, newToken(), { line });
    expect(next.status).toBe(200);
    await next.until(dialects[id].terminal);
  }
}

const forms: readonly Parsed[] = ['object', 'string', 'buffer'];

/** The ways in which bodies come. */
export const bodies: readonly Scenario[] = [
  { name: 'no parser', run: unparsed },
  { name: 'a body in brotli', run: (at) => packed(at, ['br']) },
  ...forms.map((form): Scenario => ({ name: `body parsed: ${form}`, setup: { parsed: form }, run: parsed })),
  { name: 'a body that is too large', run: tooLarge },
];
