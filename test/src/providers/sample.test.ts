/** Tool arguments made from a schema: another reader of JSON Schema must accept them. */
import type { CanonicalRequest } from '@streamglot/core';
import { replay } from '@streamglot/providers';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { batchesOf, eventsOf } from './peer.ts';

type Schema = Readonly<Record<string, unknown>>;

async function argumentsFor(parameters: Schema): Promise<unknown> {
  const request: CanonicalRequest = {
    model: 'any',
    system: [],
    turns: [{ role: 'user', parts: [{ type: 'text', text: 'go' }] }],
    tools: [{ type: 'function', name: 'act', parameters }],
    toolChoice: { type: 'required' },
  };
  const context = { dialect: 'chat', stream: true } as const;
  const { signal } = new AbortController();
  const reply = await replay({ delayMs: 0 }).upstream('any').open({ request, context, stream: true, signal });
  const pieces = eventsOf(await batchesOf(reply)).map((event) =>
    event.type === 'block-delta' && event.delta.type === 'input' ? event.delta.text : '',
  );
  return JSON.parse(pieces.join(''));
}

const one = (schema: Schema): Schema => ({ type: 'object', properties: { it: schema }, required: ['it'] });

const schemas: Readonly<Record<string, Schema>> = {
  'nothing required': { type: 'object', properties: { a: { type: 'string' } } },
  'plain types': {
    type: 'object',
    properties: {
      text: { type: 'string' },
      count: { type: 'integer' },
      share: { type: 'number' },
      sure: { type: 'boolean' },
      none: { type: 'null' },
      list: { type: 'array', items: { type: 'integer' } },
    },
    required: ['text', 'count', 'share', 'sure', 'none', 'list'],
  },
  'an enum': one({ type: 'string', enum: ['celsius', 'fahrenheit'] }),
  'a constant': one({ const: 42 }),
  'a nullable type': one({ type: ['null', 'number'] }),
  'a range of integers': one({ type: 'integer', minimum: 7, maximum: 9 }),
  'an open range': one({ type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 0.5 }),
  'a narrow range': one({ type: 'number', minimum: 0.3, maximum: 0.4 }),
  'negative numbers': one({ type: 'integer', maximum: -3 }),
  'a multiple': one({ type: 'integer', multipleOf: 5, minimum: 12 }),
  'lengths of text': one({ type: 'string', minLength: 12, maxLength: 14 }),
  'a short text': one({ type: 'string', maxLength: 1 }),
  'a date and time': one({ type: 'string', format: 'date-time' }),
  'an address': one({ type: 'string', format: 'email' }),
  'a length of list': one({ type: 'array', items: { type: 'string' }, minItems: 3 }),
  'either of two': one({ anyOf: [{ type: 'integer' }, { type: 'string' }] }),
  'objects in objects': one(one(one({ type: 'boolean' }))),
  'a reference': { ...one({ $ref: '#/$defs/Point' }), $defs: { Point: one({ type: 'number' }) } },
};

test.each(Object.entries(schemas))('arguments for %s are allowed by it', async (_case, schema) => {
  const value = await argumentsFor(schema);
  expect(z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]).safeParse(value)).toMatchObject({
    success: true,
  });
});

const exact: readonly [string, Schema, unknown][] = [
  [
    'what allOf asks for together',
    one({ allOf: [one({ type: 'integer' }), { required: ['on'] }] }),
    { it: { it: 1, on: 'on' } },
  ],
  ['a default', one({ type: 'string', default: 'Oslo' }), { it: 'Oslo' }],
  ['an example', one({ type: 'string', examples: ['Rome'] }), { it: 'Rome' }],
  ['the name of a free text', one({ type: 'string' }), { it: 'it' }],
];
test.each(exact)('arguments are %s', async (_case, schema, value) => {
  expect(await argumentsFor(schema)).toEqual(value);
});

test('a schema that refers to itself for ever ends', async () => {
  const node = { type: 'object', properties: { next: { $ref: '#' } }, required: ['next'] };
  expect(JSON.stringify(await argumentsFor(node))).toMatch(/^(\{"next":)+\{\}\}+$/);
  expect(
    await argumentsFor({ type: 'object', properties: { a: { anyOf: [{ $ref: '#/properties/a' }] } }, required: ['a'] }),
  ).toBeTypeOf('object');
});
