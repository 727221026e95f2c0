/** A request that cannot be understood is a 400 of the client's dialect that names the field, and goes no further. */
import { dialects, type KnownDialect } from '@streamglot/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientsOf } from '../support/clients/index.ts';
import { GatewayApp } from '../support/gateway.ts';
import { scenes } from '../support/scenes.ts';
import { Upstream } from '../support/upstream.ts';
import { play } from './cell.ts';

type Bad = readonly [what: string, wrong: Readonly<Record<string, unknown>>, names: RegExp];

const both: readonly Bad[] = [
  ['no messages', { messages: undefined }, /messages/],
  ['messages that are a text', { messages: 'Hello' }, /messages/],
  ['a message without a role', { messages: [{ content: 'Hello' }] }, /messages.*role/],
  ['a content that is a number', { messages: [{ role: 'user', content: 5 }] }, /messages.*content/],
  ['a temperature that is a text', { temperature: 'hot' }, /temperature/],
  ['a tool choice that nobody knows', { tool_choice: 'perhaps' }, /tool_choice/],
];

const bad: Readonly<Record<string, readonly Bad[]>> = {
  chat: [
    ...both,
    ['a tool without a name', { tools: [{ type: 'function', function: {} }] }, /tools.*name/],
    ['a part of an unknown type', { messages: [{ role: 'user', content: [{ type: 'smell' }] }] }, /messages.*content/],
  ],
  messages: [
    ...both,
    ['a tool without a name', { tools: [{ input_schema: { type: 'object' } }] }, /tools.*name/],
    ['a block of an unknown type', { messages: [{ role: 'user', content: [{ type: 'smell' }] }] }, /messages.*content/],
  ],
};

const ids = Object.keys(dialects) as KnownDialect[];

let upstream: Upstream;
let app: GatewayApp;

// What a dialect does not know it may pass on to an upstream of its own; only another dialect's must be told.
describe.each(ids)('a bad body of %s', (dialect) => {
  const [raw] = clientsOf(dialect);
  const from = ids.find((id) => id !== dialect) ?? dialect;

  beforeAll(async () => {
    upstream = await Upstream.start();
    app = await GatewayApp.start(upstream, from);
  });

  afterAll(async () => {
    await app.stop();
    await upstream.stop();
  });

  test.each(bad[dialect] ?? [])('is refused, and the field is named: %s', async (_, wrong, names) => {
    if (raw === undefined) throw new Error(`no client of ${dialect}`);
    const { seen } = await play(raw, scenes.text, { base: app.url, upstream, from }, { tools: true, wrong });
    expect(seen.error).toMatchObject({ name: 'BadRequestError', status: 400 });
    expect(seen.error?.message).toMatch(names);
    expect(upstream.received).toHaveLength(0);
    upstream.received.length = 0;
  });

  test('has a table of its own', () => {
    expect(bad[dialect]).toBeDefined();
  });
});
