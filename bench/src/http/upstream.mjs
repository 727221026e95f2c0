/** The stand-in upstream, in a process of its own: the first step of a path says how it streams, the second for whom. */
import { streams } from '../streams.mjs';
import { dialectAt } from './asks.mjs';
import { listen } from './child.mjs';

/** @import { ServerResponse } from 'node:http' */

/** Events of a stream, and milliseconds between two of a paced one. */
const eventsIn = { burst: 40, brisk: 40, paced: 100, idle: 40, torn: 40 };
const paceMs = 50;
const briskMs = 2;
const head = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };

/** Paced events written so far, by whom they were for; answers and sockets that are open. @type {Record<string, number>} */
const counts = { answers: 0, sockets: 0 };

/** @type {Record<string, (response: ServerResponse, frames: readonly string[], whom: string) => void>} */
const ways = { burst, brisk, paced, idle, torn };

const server = listen((request, response) => {
  const [, way = '', whom = ''] = (request.url ?? '').split('/');
  const play = ways[way];
  const frames = play && framesOf(way, dialectAt(request.url ?? ''));
  if (play === undefined || frames === undefined) return void response.writeHead(404).end();
  follow(response, 'answers');
  request.resume().on('end', () => {
    response.writeHead(200, head);
    play(response, frames, whom);
  });
}, counts);
// A pool must not keep its sockets for longer than a soak waits.
if (process.argv[2] === 'soak') server.keepAliveTimeout = 1000;
server.on('connection', (socket) => follow(socket, 'sockets'));

/**
 * Counts something for as long as it is open.
 * @param {import('node:events').EventEmitter} opened
 * @param {string} what
 */
function follow(opened, what) {
  counts[what] = (counts[what] ?? 0) + 1;
  opened.once('close', () => {
    counts[what] = (counts[what] ?? 0) - 1;
  });
}

/** @type {Map<string, readonly string[]>} */
const made = new Map();

/**
 * @param {string} way
 * @param {string | undefined} dialect
 */
function framesOf(way, dialect) {
  if (dialect === undefined) return undefined;
  const key = `${way} ${dialect}`;
  const frames = made.get(key) ?? streams[dialect]?.text?.(eventsIn[/** @type {keyof typeof eventsIn} */ (way)]).frames;
  if (frames !== undefined) made.set(key, frames);
  return frames;
}

/** All at once. @type {typeof ways[string]} */
function burst(response, frames) {
  response.end(frames.join(''));
}

/** The beginning, and then nothing more. @type {typeof ways[string]} */
function idle(response, frames) {
  response.write(frames.slice(0, 6).join(''));
}

/** The beginning, and then a broken connection. @type {typeof ways[string]} */
function torn(response, frames) {
  response.write(frames.slice(0, 6).join(''), () => response.socket?.resetAndDestroy());
}

/** One frame at a time, as fast as a model that is fast. @type {typeof ways[string]} */
function brisk(response, frames) {
  let at = 0;
  const timer = setInterval(() => {
    response.write(frames[at++]);
    if (at === frames.length) response.end();
  }, briskMs);
  response.on('close', () => clearInterval(timer));
}

/** The steps of all paced streams: one clock for all, so that it costs little, and each at its own millisecond. */
const slots = Array.from({ length: paceMs }, () => /** @type {Set<() => void>} */ (new Set()));
let streamsBegun = 0;
let ticks = 0;
const startedAt = performance.now();
setInterval(() => {
  for (; ticks < performance.now() - startedAt; ticks++) for (const step of slots[ticks % paceMs] ?? []) step();
}, 1);

/** One frame at a time. @type {typeof ways[string]} */
function paced(response, frames, whom) {
  const slot = slots[streamsBegun++ % paceMs];
  let at = 0;
  const step = () => {
    response.write(frames[at++]);
    counts[whom] = (counts[whom] ?? 0) + 1;
    if (at < frames.length) return;
    slot?.delete(step);
    response.end();
  };
  slot?.add(step);
  response.on('close', () => slot?.delete(step));
}
