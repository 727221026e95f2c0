/** Clients that leave, thousands of times: a program of its own, so that its heap can be judged, which prints one JSON object. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { llmGateway } from '@streamglot/express';
import { compatible } from '@streamglot/providers';
import { route } from '@streamglot/routing';
import express from 'express';
import { slope } from '../../../../bench/src/http/slope.mjs';

/** Where a client leaves. */
interface Point {
  /** What the upstream says by then; nothing means not even a head. */
  readonly says: readonly string[];
  /** What the client must have seen; nothing where it leaves as soon as the upstream has said all that. */
  readonly until?: string;
  /** Whether the upstream says more than anybody takes. */
  readonly floods?: true;
  /** Whether the answer is over by then. */
  readonly completes?: true;
}

/** What was found of one point. */
export interface Found {
  readonly left: number;
  /** Milliseconds from the client's leaving to the close of the upstream's socket. */
  readonly medianMs: number;
  readonly worstMs: number;
  readonly inFlight: number;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly failures: number;
  readonly standing: string;
  /** Timers beyond those that were there before. */
  readonly timers: number;
  readonly heapPerLeaving: number;
  readonly heapError: number;
}

const times = Number(process.argv[2] ?? 1_000);
const atOnce = 10;
const samples = 20;

function chunk(delta: object, finish: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  return `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm', choices })}\n\n`;
}

const role = chunk({ role: 'assistant', content: '' });
const text = chunk({ content: 'Hello' });
const call = chunk({
  tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"a' } }],
});
const end = `${chunk({}, 'stop')}data: [DONE]\n\n`;
const bulk = chunk({ content: 'x'.repeat(64 * 1024) });

const points: Readonly<Record<string, Point>> = {
  'before the head': { says: [] },
  'before output': { says: [role] },
  'in a text': { says: [role, text], until: 'Hello' },
  'in a tool call': { says: [role, call], until: '{\\"a' },
  'after the end': { says: [role, text, end], until: '[DONE]', completes: true },
  'while it reads nothing': { says: [role, text], floods: true },
};

/** One request, as the upstream has it. */
interface Asked {
  readonly said: Promise<void>;
  readonly closed: Promise<number>;
}

const asked = new Map<string, (asked: Asked) => void>();

async function say(response: ServerResponse, { says, floods, completes }: Point): Promise<void> {
  if (says.length > 0) response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const piece of says) response.write(piece);
  for (let sent = 0; floods && sent < 32; sent++) if (!response.write(bulk)) break;
  if (completes) response.end();
  await new Promise((settle) => setImmediate(settle));
}

const upstream = createServer({ noDelay: true }, async (request, response) => {
  const closed = new Promise<number>((settle) => response.on('close', () => settle(performance.now())));
  let body = '';
  for await (const piece of request) body += piece;
  const { messages } = JSON.parse(body) as { messages: readonly { content: string }[] };
  const [token = '', name = ''] = messages[0]?.content.split('|') ?? [];
  asked.get(token)?.({ said: say(response, points[name] as Point), closed });
  asked.delete(token);
}).listen(0, '127.0.0.1');
await once(upstream, 'listening');

const baseURL = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/v1`;
const routers = new Map(
  Object.keys(points).map((name) => [
    name,
    route(
      [compatible({ baseURL, dialect: 'chat' }).upstream('m'), compatible({ baseURL, dialect: 'chat' }).upstream('n')],
      'priority',
      {
        cooldown: { failures: 1 },
      },
    ),
  ]),
);
let ended = 0;
const gateway = llmGateway({
  models: Object.fromEntries(routers),
  authorize: 'host',
  observe: ({ type }) => {
    if (type === 'ending') ended++;
  },
});
const server = express().use(gateway).listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;

let count = 0;

/** Asks, gets as far as the point, and leaves; returns after how long the upstream's socket was closed. */
async function leave(name: string, point: Point): Promise<number> {
  const token = `${count++}`;
  const reached = new Promise<Asked>((settle) => asked.set(token, settle));
  const body = JSON.stringify({ model: name, stream: true, messages: [{ role: 'user', content: `${token}|${name}` }] });
  const socket = net.connect(port, '127.0.0.1').on('error', () => {});
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  if (point.floods) socket.pause();
  const seen = point.until === undefined ? undefined : until(socket, point.until);
  const { said, closed } = await reached;
  await said;
  await seen;
  if (point.until === undefined) await wait(2);
  const leftAt = performance.now();
  socket.destroy();
  const closedAt = await closed;
  return Math.max(closedAt - leftAt, 0);
}

function until(socket: Socket, words: string): Promise<void> {
  let seen = '';
  return new Promise((settle) => {
    socket.setEncoding('utf8').on('data', (piece: string) => {
      seen += piece;
      if (seen.includes(words)) settle();
    });
  });
}

async function quiet(before: number): Promise<void> {
  for (let tries = 0; tries < 200 && ended < before; tries++) await wait(10);
}

function timers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
}

async function leaveMany(name: string, point: Point, left: number): Promise<number[]> {
  const took: number[] = [];
  const goal = ended + left;
  let begun = 0;
  const one = async (): Promise<void> => {
    while (begun++ < left) took.push(await leave(name, point));
  };
  await Promise.all(Array.from({ length: atOnce }, one));
  await quiet(goal);
  return took;
}

async function judge(name: string, point: Point): Promise<Found> {
  // What the first ones leave is compiled code and pools.
  await leaveMany(name, point, times / samples);
  await wait(1_100);
  const before = timers();
  const took: number[] = [];
  const heaps: (readonly [number, number])[] = [];
  for (let at = 0; at < samples; at++) {
    took.push(...(await leaveMany(name, point, times / samples)));
    globalThis.gc?.();
    heaps.push([took.length, process.memoryUsage().heapUsed]);
  }
  await wait(1_100);
  const heap = slope(heaps.slice(samples / 5));
  const sorted = took.toSorted((one, other) => one - other);
  const states = routers.get(name)?.deployments ?? [];
  const [first] = states;
  return {
    left: took.length,
    medianMs: sorted[Math.floor(sorted.length / 2)] as number,
    worstMs: sorted.at(-1) as number,
    inFlight: states.reduce((sum, { inFlight }) => sum + inFlight, 0),
    outcomes: Object.fromEntries(Object.entries(first?.outcomes ?? {}).filter(([, many]) => many > 0)),
    failures: states.reduce((sum, { failures }) => sum + failures, 0),
    standing: first?.standing ?? 'none',
    timers: Math.max(timers() - before, 0),
    heapPerLeaving: Math.round(heap.slope),
    heapError: Math.round(heap.error),
  };
}

const warnings: string[] = [];
process.on('warning', ({ name }) => warnings.push(name));
const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();
const found: Record<string, Found> = {};
const only = process.argv[3];
for (const [name, point] of Object.entries(points))
  if (only === undefined || name === only) found[name] = await judge(name, point);
process.stdout.write(JSON.stringify({ found, warnings, stallMs: delay.max / 1e6 }));
process.exit(0);
