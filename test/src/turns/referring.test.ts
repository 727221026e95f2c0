/** Clients that name the response before instead of sending it again: what only its maker can read is kept with it. */
import type { KnownDialect } from '@streamglot/core';
import { compatible } from '@streamglot/providers';
import { describe, expect, test } from 'vitest';
import { talk } from '../gateway/talk.ts';
import { Maker } from './maker.ts';
import { rows } from './rows.ts';
import { long } from './scripts.ts';
import { list, object, payloads, type Wired } from './wired.ts';

const ids = Object.keys(rows) as KnownDialect[];
const { speaker } = rows.responses;

function provided(name: string, dialect: KnownDialect) {
  const maker = new Maker({ name, strict: rows[dialect].strict, script: long });
  const baseURL = `http://${name}.test${dialect === 'chat' || dialect === 'responses' ? '/v1' : ''}`;
  return { maker, provider: compatible({ name, dialect, baseURL, fetch: maker.fetch as typeof fetch }) };
}

function responseOf(text: string, stream: boolean): Wired {
  if (!stream) return JSON.parse(text) as Wired;
  return object(payloads(text).find(({ type }) => type === 'response.completed')?.response);
}

/** Plays a loop in which each request says only what is new. */
async function played(models: readonly string[], stream: boolean, gateway: ReturnType<typeof talk>): Promise<string> {
  let input = speaker.user('How is the weather?');
  let previous: unknown;
  for (let step = 0; step < 9; step++) {
    const sent = speaker.ask(models[Math.min(step, models.length - 1)] ?? '', input, stream);
    const { include: _, store: __, ...body } = sent.body;
    const client = await gateway.ask(sent.path, {
      ...body,
      ...(previous !== undefined && { previous_response_id: previous }),
    });
    if (client.status !== 200) throw new Error(`step ${step}: ${client.text}`);
    const response = responseOf(client.text, stream);
    const calls = speaker.calls(list(response.output));
    if (calls.length === 0) return speaker.said(list(response.output));
    input = speaker.results(calls);
    previous = response.id;
  }
  throw new Error('the loop has no end');
}

describe.each(ids.filter((id) => id !== 'responses'))('a loop that names responses, over %s', (dialect) => {
  test.each([true, false])('comes to its end (streamed: %s)', async (stream) => {
    const { maker, provider } = provided('one', dialect);
    const gateway = talk({}, { providers: { one: provider }, models: { m: `one/${rows[dialect].strict.models[0]}` } });
    expect(await played(['m'], stream, gateway)).toBe('Done.');
    expect(maker.complaints).toEqual([]);
  });

  test.each(ids)('tells %s nothing of what it made', async (next) => {
    const one = provided('one', dialect);
    const two = provided('two', next);
    const models = { a: `one/${rows[dialect].strict.models[0]}`, b: `two/${rows[next].strict.models[0]}` };
    const gateway = talk({}, { providers: { one: one.provider, two: two.provider }, models });
    expect(await played(['a', 'b'], true, gateway)).toBe('Done.');
    const told = two.maker.bodies.join('\n');
    for (const secret of one.maker.secrets) expect(told).not.toContain(secret);
    expect(told).not.toContain('c3RyZWFtZ2xv');
  });
});
