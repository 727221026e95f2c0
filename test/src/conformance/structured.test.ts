/** Structured output on every pair: the form reaches the upstream, and what comes back is parsed by the SDKs' own helpers. */
import { dialects, type KnownDialect } from '@streamglot/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parsers } from '../support/clients/structured.ts';
import { GatewayApp } from '../support/gateway.ts';
import { joined, scenes } from '../support/scenes.ts';
import { Upstream } from '../support/upstream.ts';

const ids = Object.keys(dialects) as KnownDialect[];
const { name: model } = scenes.structured;
const answer: unknown = JSON.parse(joined(scenes.structured, 'text'));

/** What each helper calls the form is its own affair; what it holds is not. */
const form = {
  type: 'object',
  properties: { city: { type: 'string' }, degrees: { type: 'number' }, notes: { type: 'array' } },
  required: ['city', 'degrees', 'notes'],
};

let held = 0;
let upstream: Upstream;

beforeAll(async () => {
  upstream = await Upstream.start();
});

afterAll(async () => {
  console.log(`structured output: ${parsers.length} helpers, ${held} cells hold`);
  await upstream.stop();
});

test.each(parsers)('$name parses what the stand-in says', async ({ name, parse }) => {
  expect(await parse({ base: upstream.url, model, prompt: `A report, please. [${name}]` })).toEqual(answer);
});

describe.each(ids)('over a %s upstream', (from) => {
  let app: GatewayApp;

  beforeAll(async () => {
    app = await GatewayApp.start(upstream, from);
  });

  afterAll(() => app.stop());

  test.concurrent.each(parsers)('$name parses the answer, and the upstream was told its form', async (parser) => {
    const token = `[${from} ${parser.name}]`;
    expect(await parser.parse({ base: app.url, model, prompt: `A report, please. ${token}` })).toEqual(answer);
    const [asked, ...more] = upstream.about(token);
    expect(more).toEqual([]);
    expect(asked?.dialect).toBe(from);
    expect(asked?.complaint).toBeUndefined();
    expect(asked?.look.schema).toMatchObject(form);
    held += 1;
  });
});
