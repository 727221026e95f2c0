/** What a host tells the node handler of a request: Fastify, which reads bodies and leaves prefixes where they are. */
import { nodeHandler, prefixOf } from '@streamglot/node';
import fastify from 'fastify';
import { expect, it } from 'vitest';
import { ask, configOf, eventually, Stage, serve } from '../express/serve.ts';
import { asked } from '../gateway/client.ts';
import { delta, opening, Play } from '../gateway/play.ts';

const { path, body } = asked.chat;

/** An app that answers below `/ai`, and leaves what is not the gateway's to its own 404. */
async function scene(stage = new Stage(() => new Play().tell('Hello'))) {
  const { config, events } = configOf(stage);
  const gateway = nodeHandler(config);
  const app = fastify();
  app.all('/ai/*', (request, reply) => {
    const answered = gateway.answer(request.raw, reply.raw, { mount: '/ai', body: request.body });
    if (answered === undefined) return reply.callNotFound();
    reply.hijack();
    return answered;
  });
  await app.ready();
  return { ...(await serve(app.routing)), stage, ending: () => events.find(({ type }) => type === 'ending') };
}

it('a body that the host has read, and a prefix that it has left', async () => {
  await using at = await scene();
  const answer = await ask(`${at.url}/ai${path}?x=1`, body);
  expect(answer.status).toBe(200);
  expect(await answer.all()).toMatch(/Hello.*\[DONE\]\n\n$/s);
});

it('a path outside the mount or of nobody is the host’s', async () => {
  await using at = await scene();
  for (const other of ['/ai/own', path, '/ai/ai/v1/messages'])
    expect((await ask(`${at.url}${other}`, body)).status).toBe(404);
});

it('an abort aborts the upstream', async () => {
  await using at = await scene(new Stage(() => new Play().say(...opening, delta('first'))));
  const answer = await ask(`${at.url}/ai${path}`, body);
  await answer.until('first');
  answer.abort();
  await eventually(() => at.ending() !== undefined);
  expect(at.ending()).toMatchObject({ ending: 'client-closed' });
});

it.each([
  ['/ai/v1/messages', '/v1/messages', '/ai'],
  ['/ai/v1/messages?a=/v1/messages', '/v1/messages', '/ai'],
  ['/v1/messages', '/v1/messages', ''],
  ['/v1/messages', '/', '/v1/messages'],
  ['/v1/messages', '/elsewhere', ''],
])('a router has made of %s the path %s and so taken off %j', (url, inside, prefix) => {
  expect(prefixOf(url, inside)).toBe(prefix);
});
