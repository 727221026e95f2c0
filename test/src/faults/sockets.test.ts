/** Faults that only a socket shows: events without end, readers that pause, clients that leave, upstreams that throw. */
import net from 'node:net';
import { llmGateway } from '@streamglot/express';
import { compatible } from '@streamglot/providers';
import express, { type ErrorRequestHandler } from 'express';
import { describe, expect, test } from 'vitest';
import { ask, configOf, eventually, Stage, serve } from '../express/serve.ts';
import { asked } from '../gateway/client.ts';
import { closing, delta, opening, Play } from '../gateway/play.ts';

const first = (): Play => new Play().say(...opening, delta('first'));
const ids = ['chat', 'messages'] as const;

test.each(ids)('%s: an event without end is cut off, and its upstream closed', async (id) => {
  let closed = false;
  await using upstream = await serve((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const timer = setInterval(() => response.write(`data: ${'x'.repeat(1000)}\n`), 1);
    response.on('close', () => {
      closed = true;
      clearInterval(timer);
    });
  });
  const { config } = configOf(new Stage(), {
    providers: {
      up: compatible({ baseURL: `${upstream.url}/v1`, dialect: 'chat', limits: { maxFrameBytes: 20_000 } }),
    },
    models: { m: 'up/one' },
    authorize: 'host',
  });
  await using at = await serve(express().use(llmGateway(config)));
  const answer = await ask(`${at.url}${asked[id].path}`, asked[id].body);
  expect(await answer.all()).toContain('20000 characters');
  await eventually(() => closed);
});

test('a reader that pauses gets every piece once, and in order', async () => {
  const pieces = Array.from({ length: 300 }, (_, at) => `<${at}>${'.'.repeat(8000)}`);
  const stage = new Stage(() => {
    const play = new Play().say(...opening);
    for (const piece of pieces) play.say(delta(piece));
    return play.say(...closing);
  });
  await using at = await serve(express().use(llmGateway(configOf(stage).config)));
  const socket = net.connect(at.port, '127.0.0.1');
  const body = JSON.stringify(asked.chat.body);
  socket.write(
    `POST ${asked.chat.path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  );
  let seen = '';
  for await (const chunk of socket) {
    seen += chunk;
    await new Promise((settle) => setTimeout(settle, 2));
  }
  expect([...seen.matchAll(/<(\d+)>/g)].map(([, number]) => Number(number))).toEqual(pieces.map((_, at) => at));
});

test.each(ids)(
  '%s: a body that was parsed before neither ends the stream nor hides that its client leaves',
  async (id) => {
    const stage = new Stage(first);
    const { config, events } = configOf(stage);
    await using at = await serve(express().use(express.json(), llmGateway(config)));
    const answer = await ask(`${at.url}${asked[id].path}`, asked[id].body);
    await answer.until('first');
    stage.play.say(delta('second'));
    await answer.until('second');
    answer.abort();
    await eventually(() => stage.play.abortedAt !== undefined);
    await eventually(() => events.some((event) => event.type === 'ending'));
    expect(events.find((event) => event.type === 'ending')).toMatchObject({ ending: 'client-closed' });
  },
);

describe.each(ids)('to a client of %s', (id) => {
  test('an upstream that throws after output ends the stream in the form of the dialect', async () => {
    const stage = new Stage(first);
    let handled = false;
    const handler: ErrorRequestHandler = (_error, _request, _response, next) => {
      handled = true;
      next();
    };
    await using at = await serve(express().use(llmGateway(configOf(stage).config), handler));
    const url = `${at.url}${asked[id].path}`;
    const answer = await ask(url, asked[id].body);
    await answer.until('first');
    stage.play.crash('no such thing');
    const last = (await answer.all()).trimEnd().split('\n\n').at(-1);
    expect(last).toContain('"error"');
    expect(last).not.toContain('no such thing');
    expect(handled).toBe(false);
    const again = await ask(url, asked[id].body);
    await again.until('first');
    again.abort();
  });
});
