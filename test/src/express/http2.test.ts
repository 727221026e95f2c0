/** What only HTTP/2 shows of the node handler: headers that it forbids, windows that stay shut. */
import { once } from 'node:events';
import http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import { nodeHandler } from '@streamglot/node';
import { expect, it } from 'vitest';
import { asked } from '../gateway/client.ts';
import { opening, Play } from '../gateway/play.ts';
import { bulk, configOf, eventually, Stage } from './serve.ts';

const { path, body } = asked.messages;
const headers = { ':method': 'POST', ':path': path, 'content-type': 'application/json' };

async function scene(stage: Stage, more: Parameters<typeof configOf>[1] = {}) {
  const { config, events } = configOf(stage, more);
  const handler = nodeHandler(config);
  const server = http2.createServer(handler).listen(0);
  await once(server, 'listening');
  const session = http2.connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const close = async (): Promise<void> => {
    session.destroy();
    server.close();
  };
  const ending = () => events.find((event) => event.type === 'ending');
  return { session, handler, ending, [Symbol.asyncDispose]: close };
}

async function ask(session: http2.ClientHttp2Session) {
  const stream = session.request(headers);
  stream.on('error', () => {});
  stream.end(JSON.stringify(body));
  const [head] = (await once(stream, 'response')) as [http2.IncomingHttpHeaders];
  return { stream, head };
}

it('a refusal over HTTP/2 carries no header of HTTP/1', async () => {
  await using at = await scene(new Stage());
  await at.handler.shutdown();
  const { head } = await ask(at.session);
  expect(head[':status']).toBe(503);
  expect(head).not.toHaveProperty('connection');
});

it('a reader over HTTP/2 that takes nothing stops the upstream, and is gone after a while', async () => {
  const stage = new Stage(() => new Play().say(...opening));
  await using at = await scene(stage, { bufferBytes: 65_536, timeouts: { writeStallMs: 200 } });
  const { stream } = await ask(at.session);
  stream.pause();
  for (let n = 0; n < 100; n++) stage.play.chunk(...bulk(20_000));
  await eventually(() => at.ending() !== undefined);
  expect(at.ending()).toMatchObject({ ending: 'client-closed' });
  expect(stage.play.pulled).toBeLessThan(50);
});
