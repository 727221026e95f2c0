/** What the types of a configuration let through, and what they stop; the compiler is the judge. */
import type { Upstream } from '@streamglot/core';
import { llmGateway as express } from '@streamglot/express';
import { defineConfig, type GatewayConfig, type Target } from '@streamglot/gateway';
import { llmGateway as koa } from '@streamglot/koa';
import { llmGateway as next } from '@streamglot/next';
import { llmGateway as pages } from '@streamglot/next/pages';
import { nodeHandler } from '@streamglot/node';
import { type AnthropicOptions, anthropic, openai, replay } from '@streamglot/providers';
import { createGateway } from '@streamglot/web';
import { expect, expectTypeOf, test } from 'vitest';

const providers = { demo: replay(), local: replay({ name: 'local' }) };
const own: Upstream = replay().upstream('text');

test('a target names a provider of the configuration, or is an upstream', () => {
  expectTypeOf<Target<typeof providers>>().toEqualTypeOf<`demo/${string}` | `local/${string}` | Upstream>();
  const models = { a: 'demo/one', b: 'local/a/path', c: own, d: { target: 'demo/one', maxOutputTokens: 9 } } as const;
  const config = defineConfig({ providers, models, authorize: 'host' });
  expectTypeOf(config.providers).toEqualTypeOf<typeof providers | undefined>();
  // @ts-expect-error: no provider is called so
  expect(() => defineConfig({ providers, models: { fast: 'dmeo/one' } })).toThrow('dmeo');
  // @ts-expect-error: nor here
  expect(() => defineConfig({ providers, models: { fast: { target: 'dmeo/one' } } })).toThrow('dmeo');
  // @ts-expect-error: nor among several
  expect(() => defineConfig({ providers, models: { fast: { targets: ['demo/one', 'dmeo/one'] } } })).toThrow('dmeo');
  // @ts-expect-error: nor in detail
  expect(() => defineConfig({ providers, models: { fast: { targets: [{ target: 'dmeo/one' }] } } })).toThrow('dmeo');
  const both = { providers, models: { fast: { target: 'demo/one', targets: ['demo/one'] } } } as const;
  expect(() => defineConfig(both as never)).toThrow('models.fast.target');
  // @ts-expect-error: a provider alone is no target
  expect(() => defineConfig({ providers, models: { fast: 'demo' } })).toThrow('demo');
});

test('every adapter knows the providers of its own configuration', () => {
  const models = { fast: 'dmeo/one' } as const;
  // @ts-expect-error: Express
  expect(() => express({ providers, models })).toThrow('dmeo');
  // @ts-expect-error: Koa
  expect(() => koa({ providers, models })).toThrow('dmeo');
  // @ts-expect-error: Node
  expect(() => nodeHandler({ providers, models })).toThrow('dmeo');
  // @ts-expect-error: the web
  expect(() => createGateway({ providers, models })).toThrow('dmeo');
  // @ts-expect-error: Next.js
  expect(() => next({ providers, models })).toThrow('dmeo');
  // @ts-expect-error: its pages
  expect(() => pages({ providers, models })).toThrow('dmeo');
});

test('settings have their names and their values', () => {
  const base = { providers, models: { fast: 'demo/one' } } as const;
  // @ts-expect-error: models are missing
  expect(() => defineConfig({ providers })).toThrow('models');
  // @ts-expect-error: no such setting
  expect(() => defineConfig({ ...base, keepaliveMs: 1 })).toThrow('keepaliveMs');
  // @ts-expect-error: no such policy
  expect(() => defineConfig({ ...base, losses: 'ignore' })).toThrow('losses');
  // @ts-expect-error: no such timeout
  expect(() => defineConfig({ ...base, timeouts: { idleMs: 1 } })).toThrow('idleMs');
  // @ts-expect-error: the way to switch a store off is false
  expect(() => defineConfig({ ...base, store: true })).toThrow('store');
  expectTypeOf<GatewayConfig['losses']>().toEqualTypeOf<'warn' | 'drop' | 'reject' | undefined>();
});

test('a key may be missing where it comes from, and is told at start-up', () => {
  const apiKey: string | undefined = process.env.NO_SUCH_KEY;
  expect(() => anthropic({ apiKey })).toThrow('missing');
  expect(() => openai({ apiKey })).toThrow('missing');
  // @ts-expect-error: but it is not forgotten
  expect(() => openai({})).toThrow('missing');
  expectTypeOf<{ apiKey: string; authToken: string }>().not.toExtend<AnthropicOptions>();
});
