/** Readers that take 1 KB a second of an answer that is 50 MB long: a program of its own, which prints one JSON object. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { llmGateway } from '@streamglot/express';
import { compatible } from '@streamglot/providers';
import { route } from '@streamglot/routing';
import express from 'express';

/** What was found. */
export interface Slow {
  readonly readers: number;
  /** The most that memory has grown by, in bytes for each reader. */
  readonly growth: number;
  /** Bytes that the upstream could send to each reader. */
  readonly sent: number;
  /** The estimates after fast readers, and after the slow ones. */
  readonly before: Estimates;
  readonly after: Estimates;
  readonly inFlight: number;
  readonly failures: number;
}

interface Estimates {
  readonly firstOutputMs: number | undefined;
  readonly tokensPerSecond: number | undefined;
}

const seconds = Number(process.argv[2] ?? 30);
const readers = 10;
const size = 50 * 1024 * 1024;
const pieceBytes = 32 * 1024;

function chunk(delta: object, finish: string | null = null, more: object = {}): string {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  return `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm', choices, ...more })}\n\n`;
}

const piece = chunk({ content: 'x'.repeat(pieceBytes) });
const usage = { prompt_tokens: 3, completion_tokens: size / 4, total_tokens: size / 4 + 3 };
const end = `${chunk({}, 'stop', { usage })}data: [DONE]\n\n`;
let sent = 0;

const upstream = createServer(async (request, response) => {
  request.resume();
  response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
  await wait(2_000);
  for (let at = 0; at < size && !response.destroyed; at += pieceBytes) {
    sent += piece.length;
    if (!response.write(piece)) await Promise.race([once(response, 'drain'), once(response, 'close')]).catch(() => {});
  }
  response.end(end);
}).listen(0, '127.0.0.1');
await once(upstream, 'listening');

const baseURL = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/v1`;
const router = route([compatible({ baseURL, dialect: 'chat' }).upstream('m')]);
const server = express()
  .use(llmGateway({ models: { m: router }, authorize: 'host' }))
  .listen(0, '127.0.0.1');
await once(server, 'listening');

function ask(): Socket {
  const body = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'Hi.' }] });
  const socket = net.connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  return socket;
}

function estimates(): Estimates {
  const [state] = router.deployments;
  return { firstOutputMs: state?.firstOutputMs, tokensPerSecond: state?.tokensPerSecond };
}

function memory(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

for (let at = 0; at < 3; at++) await once(ask().resume(), 'close');
const before = estimates();
const base = memory();
sent = 0;
const sockets: Socket[] = [];
// One after another: the first output of one is not to wait for the processor that another's takes.
for (let at = 0; at < readers; at++) {
  sockets.push(ask().pause());
  await wait(300);
}
let most = 0;
for (let second = 0; second < seconds; second++) {
  await wait(1_000);
  for (const socket of sockets) socket.read(1024);
  most = Math.max(most, memory() - base);
}
for (const socket of sockets) socket.destroy();
await wait(1_000);
const [state] = router.deployments;
const found: Slow = {
  readers,
  growth: most / readers,
  sent: sent / readers,
  before,
  after: estimates(),
  inFlight: state?.inFlight ?? -1,
  failures: state?.failures ?? -1,
};
process.stdout.write(JSON.stringify(found));
process.exit(0);
