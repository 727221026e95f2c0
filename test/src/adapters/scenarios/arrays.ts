/** Streams that are one JSON array: a content type that hosts like to hold back and to compress. */
import { expect } from 'vitest';
import { ask, newToken, Paced, type Place, type Scenario, within } from '../scenario.ts';

const words = ['a first word', 'a second word', 'a last word'];

/** Each element is said only when the one before has arrived, and between two of them there is a sign of life. */
async function atOnce(at: Place): Promise<void> {
  const token = newToken();
  const paced = new Paced(words);
  at.upstream.script(token, paced.scene);
  paced.release(1);
  const asked = ask(at, 'gemini', token, { array: true, headers: { 'accept-encoding': 'gzip, deflate, br' } });
  for (const word of words) {
    paced.release(1);
    await within((await asked).until(word), `"${word}" in an array`);
    expect((JSON.parse(`${(await asked).text}]`) as unknown[]).length).toBe(words.indexOf(word) + 1);
  }
  const reply = await asked;
  await within(reply.until('}\n'), 'a sign of life');
  paced.release(10);
  expect((JSON.parse(await reply.all()) as unknown[]).at(-1)).toMatchObject({ candidates: [{ finishReason: 'STOP' }] });
  expect(reply.headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8' });
}

async function closed(at: Place): Promise<void> {
  for (const model of ['error mid-stream', 'upstream cut', 'upstream reset']) {
    const reply = await ask(at, 'gemini', newToken(), { model, array: true });
    const elements = JSON.parse(await within(reply.all(), `the end of "${model}"`)) as unknown[];
    expect(elements.at(-1)).toMatchObject({ error: { code: expect.any(Number), status: expect.any(String) } });
  }
}

/** What arrays need of a host. */
export const arrays: readonly Scenario[] = [
  { name: 'an array: each element at once', run: atOnce },
  { name: 'compression: each element at once', setup: { compressed: true }, run: atOnce },
  { name: 'an array is closed behind an error', run: closed },
];
