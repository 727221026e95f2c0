/** The end of the gateway: streams finish or are ended truthfully, and nobody new is let in. */
import { expect } from 'vitest';
import {
  ask,
  dialects,
  endingsOf,
  expectEndings,
  newToken,
  Paced,
  type Place,
  type Scenario,
  within,
} from '../scenario.ts';

const DRAIN_MS = 400;

async function drain(at: Place): Promise<void> {
  const before = await endingsOf(at);
  const token = newToken();
  const paced = new Paced(['a first word', 'a last word']);
  at.upstream.script(token, paced.scene);
  paced.release(2);
  const finishing = await ask(at, 'chat', token);
  const staying = await ask(at, 'messages', newToken(), { model: 'hang' });
  await finishing.until('a first word');
  await staying.until('answer');
  const closed = at.host.shutdown(DRAIN_MS);
  const late = await ask(at, 'responses', newToken());
  expect(late.status).toBe(503);
  expect(await late.json()).toHaveProperty('error.message');
  paced.release(10);
  await within(finishing.until(dialects.chat.terminal), 'the stream that has time to end');
  const text = await within(staying.all(), 'the stream that has not');
  expect(text).toContain('event: error\n');
  expect(text).not.toContain(dialects.messages.terminal);
  await within(closed, 'the shutdown');
  await expectEndings(at, before, ['shutdown', 'completed', 'shutdown']);
}

/** How it closes. */
export const closing: readonly Scenario[] = [{ name: 'shutdown with drain', setup: { alone: true }, run: drain }];
