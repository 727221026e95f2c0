/** Every configuration of docs/routing.md answers, and there is one for each policy. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createGateway, type GatewayConfig, type GatewayEvent } from '@streamglot/gateway';
import { policyNames } from '@streamglot/routing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { codeBlocks } from '../../../scripts/markdown.mjs';
import { asked, Listener, requestOf } from '../gateway/client.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/routing.md'), 'utf8');
const blocks = codeBlocks(page).map(({ code }, at) => ({ code, at }));
const place = join(import.meta.dirname, '../../.routing');

beforeAll(() => {
  mkdirSync(place, { recursive: true });
  for (const { code, at } of blocks) writeFileSync(join(place, `${at}.ts`), code);
});

afterAll(() => rmSync(place, { recursive: true, force: true }));

test.each(policyNames)('there is a configuration of %s', (policy) => {
  expect(blocks.filter(({ code }) => code.includes(`policy: '${policy}'`)).length).toBeGreaterThan(0);
});

test('there is one of a policy of one`s own', () => {
  expect(blocks.some(({ code }) => code.includes('policy: (candidates'))).toBe(true);
});

test.each(blocks)('configuration $at answers', async ({ at }) => {
  const { default: config } = (await import(pathToFileURL(join(place, `${at}.ts`)).href)) as { default: GatewayConfig };
  const events: GatewayEvent[] = [];
  const gateway = createGateway({ ...config, observe: (event) => events.push(event) });
  const client = new Listener();
  const wire = requestOf(asked.chat.path, { ...asked.chat.body, model: 'chat' });
  const found = gateway.route(wire.method, wire.path, '', wire.headers);
  await gateway.handle(found as NonNullable<typeof found>, wire, client);
  expect(client.status).toBe(200);
  expect(client.text).toContain('[DONE]');
  const attempts = events.filter(({ type }) => type === 'attempt');
  if ('targets' in (config.models.chat as object)) expect(attempts).toMatchObject([{ outcome: 'completed' }]);
  expect(events.at(-1)).toMatchObject({ type: 'ending', ending: 'completed' });
});
