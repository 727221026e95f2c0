/** When things arrive: at once, for readers of any pace, and for many at the same time. */
import { expect } from 'vitest';
import { scenes } from '../../support/scenes.ts';
import {
  ask,
  dialects,
  type Id,
  ids,
  newToken,
  PATIENCE_MS,
  Paced,
  type Place,
  receivedAbout,
  type Scenario,
  turn,
  within,
} from '../scenario.ts';

/** A piece that takes longer from socket to socket was held back. */
const ARRIVES_WITHIN_MS = 150;

/** Each piece is said only when the one before has arrived: whoever holds anything back never gets the next. */
async function atOnce(at: Place): Promise<void> {
  const delays: number[] = [];
  for (const id of ids) delays.push(...(await delaysOf(at, id)));
  expect(delays.toSorted((a, b) => a - b)[delays.length >> 1]).toBeLessThan(ARRIVES_WITHIN_MS);
}

async function delaysOf(at: Place, id: Id): Promise<number[]> {
  const token = newToken();
  const pieces = ['one', 'two', 'three', 'four', 'five'].map((word) => `${word} of ${token};`);
  const paced = new Paced(pieces);
  at.upstream.script(token, paced.scene);
  paced.release(1);
  const asked = ask(at, id, token, { headers: { 'accept-encoding': 'gzip, deflate, br' } });
  const delays: number[] = [];
  for (const piece of pieces) {
    const said = performance.now();
    paced.release(1);
    await within((await asked).until(piece), `"${piece}" in ${id}`);
    delays.push(performance.now() - said);
  }
  paced.release(10);
  await (await asked).until(dialects[id].terminal);
  return delays;
}

const PIECES = 1500;
const PIECE = 64_000;

/** Two sockets with 32 MiB each are the most that a kernel holds on the way; what is still to be said must be more. */
const HELD_BYTES = 75_000_000;

/** The upstream says on and on until it finds no room; then it comes to an end, and the reader reads. */
async function slowly(at: Place): Promise<void> {
  const token = newToken();
  const text = 'x'.repeat(PIECE);
  const pieces = Array.from({ length: PIECES }, (_, number) => ({ type: 'text', text: `<${number}>${text}` }) as const);
  let enough = false;
  const before = async (frame: number) => (enough && frame > 0 && frame < PIECES ? 'skip' : 'send');
  at.upstream.script(token, { ...scenes.text, pieces, before });
  const reply = await ask(at, 'chat', token);
  const received = await receivedAbout(at.upstream, token);
  await still(() => received.sent);
  const held = received.sent;
  enough = true;
  expect(held).toBeLessThan(HELD_BYTES);
  const all = await within(reply.all(), 'the rest', 5 * PATIENCE_MS);
  const numbers = [...all.matchAll(/<(\d+)>/g)].map(([, number]) => Number(number));
  expect(numbers.length).toBeGreaterThan(held / (PIECE + 1000));
  expect(numbers.slice(0, -1)).toEqual(numbers.slice(0, -1).map((_, number) => number));
  expect(all).toContain('[DONE]');
}

/** Settles once a number has not moved for a while. */
async function still(read: () => number): Promise<void> {
  for (let last = -1; last !== read(); ) {
    last = read();
    await turn(150);
  }
}

const PARALLEL = 200;

async function many(at: Place): Promise<void> {
  const asks = Array.from({ length: PARALLEL }, async (_, number) => {
    const id = ids[number % ids.length] as Id;
    const token = newToken();
    const pieces = [`this is for `, token, ' alone'].map((text) => ({ type: 'text', text }) as const);
    at.upstream.script(token, { ...scenes.text, pieces });
    const reply = await ask(at, id, token);
    const text = await reply.all();
    expect(text.match(/\[adapters \d+\]/g)).toContain(token);
    expect(new Set(text.match(/\[adapters \d+\]/g)).size).toBe(1);
    expect(text).toContain(dialects[id].terminal);
  });
  await within(Promise.all(asks), `${PARALLEL} streams`, 3 * PATIENCE_MS);
}

const signs: Readonly<Record<Id, string | undefined>> = {
  chat: '\n: ',
  messages: 'event: ping\n',
  responses: '\n: ',
  interactions: '\n: ',
  // A client of it in wide use fails at comments.
  gemini: undefined,
};

/** Signs of life while the upstream says nothing, between events only. */
async function silence(at: Place): Promise<void> {
  await Promise.all(
    ids.map(async (id) => {
      const sign = signs[id];
      const token = newToken();
      const paced = new Paced(['a first word', 'a last word']);
      at.upstream.script(token, paced.scene);
      paced.release(2);
      const reply = await ask(at, id, token);
      await reply.until('a first word');
      if (sign !== undefined) await within(reply.until(sign), 'a sign of life');
      paced.release(10);
      await reply.until(dialects[id].terminal);
      for (const event of reply.text.split('\n\n')) expect(event).toMatch(/^(: ?.*|(event: .*\n)?data: .*|)$/);
    }),
  );
}

/** When things arrive. */
export const pace: readonly Scenario[] = [
  { name: 'each piece arrives at once', run: atOnce },
  { name: 'compression: each piece at once', setup: { compressed: true }, run: atOnce },
  { name: 'a slow reader', run: slowly },
  { name: `${PARALLEL} streams at a time`, run: many },
  { name: 'signs of life', run: silence },
];
