/** Clients that leave: before the head, in the middle, and when they have all. */
import { expect } from 'vitest';
import { scenes } from '../../support/scenes.ts';
import type { Received } from '../../support/upstream.ts';
import {
  ask,
  bodyOf,
  dialects,
  endingsOf,
  expectEndings,
  type Id,
  ids,
  newToken,
  type Place,
  receivedAbout,
  type Scenario,
  turn,
  within,
} from '../scenario.ts';

/** An upstream that is not left by then was forgotten; the quickest of three counts, as the machine is shared. */
const LEFT_WITHIN_MS = 250;

/** The milliseconds from a client's leave until its upstream's socket closed. */
async function left({ abandoned }: Received, at: number): Promise<number> {
  return (await within(abandoned, 'the upstream is left')) - at;
}

async function beforeTheHead(at: Place): Promise<void> {
  const before = await endingsOf(at);
  const delays: number[] = [];
  for (const id of ids)
    for (const stream of [true, false]) {
      const token = newToken();
      at.upstream.script(token, { ...scenes.text, mute: true });
      const controller = new AbortController();
      const asked = ask(at, id, token, { stream, signal: controller.signal }).catch(() => undefined);
      const received = await receivedAbout(at.upstream, token);
      const now = performance.now();
      controller.abort();
      delays.push(await left(received, now));
      await asked;
    }
  expect(Math.min(...delays)).toBeLessThan(LEFT_WITHIN_MS);
  await expectEndings(at, before, Array(2 * ids.length).fill('client-closed'));
}

/** Nobody is asked for an answer to half a question. */
async function midBody(at: Place): Promise<void> {
  const before = await endingsOf(at);
  for (const id of ids) {
    const token = newToken();
    const body = JSON.stringify(bodyOf(id, token)).slice(0, -5);
    const controller = new AbortController();
    const asked = ask(at, id, token, { body, half: true, signal: controller.signal }).catch(() => undefined);
    await turn(50);
    controller.abort();
    expect(await asked).toBeUndefined();
    expect(at.upstream.about(token)).toEqual([]);
  }
  await expectEndings(at, before, Array(ids.length).fill('client-closed'));
}

async function midStream(at: Place): Promise<void> {
  const before = await endingsOf(at);
  const delays: number[] = [];
  for (const id of ids) {
    const token = newToken();
    const reply = await ask(at, id, token, { model: 'hang' });
    await reply.until('answer');
    const received = await receivedAbout(at.upstream, token);
    const now = performance.now();
    reply.leave();
    delays.push(await left(received, now));
  }
  expect(Math.min(...delays)).toBeLessThan(LEFT_WITHIN_MS);
  await expectEndings(at, before, Array(ids.length).fill('client-closed'));
}

/** Many clients close as soon as they have read the terminal event: that is no abort. */
async function afterTheTerminal(at: Place): Promise<void> {
  const before = await endingsOf(at);
  for (const id of ids) {
    const token = newToken();
    await takeAndGo(at, id, token);
    const { abandoned } = await receivedAbout(at.upstream, token);
    expect(await Promise.race([abandoned.then(() => 'left'), turn(50).then(() => 'in peace')])).toBe('in peace');
  }
  await expectEndings(at, before, Array(ids.length).fill('completed'));
}

async function takeAndGo(at: Place, id: Id, token: string): Promise<void> {
  const reply = await ask(at, id, token);
  await reply.until(dialects[id].terminal);
  reply.leave();
}

/** The ways of leaving. */
export const leaving: readonly Scenario[] = [
  { name: 'leaving while the body is sent', run: midBody },
  { name: 'leaving before the head', run: beforeTheHead },
  { name: 'leaving mid-stream', run: midStream },
  { name: 'leaving after the terminal', run: afterTheTerminal },
];
