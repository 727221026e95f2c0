/** The stand-in upstream, in a process of its own: the first step of a path says how it streams, the second for whom. */
import { streams } from '../streams.mjs';
import { dialectAt } from './asks.mjs';
import { listen } from './child.mjs';

/** @import { ServerResponse } from 'node:http' */

/** Events of a stream, and milliseconds between two of a paced one. */
const eventsIn = { burst: 40, paced: 100, idle: 40 };
const paceMs = 50;
const head = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };

/** Events written so far, by whom they were for. @type {Record<string, number>} */
const written = {};

/** @type {Record<string, (response: ServerResponse, frames: readonly string[], whom: string) => void>} */
const ways = { burst, paced, idle };

listen((request, response) => {
  const [, way = '', whom = ''] = (request.url ?? '').split('/');
  const play = ways[way];
  const frames = play && framesOf(way, dialectAt(request.url ?? ''));
  if (play === undefined || frames === undefined) return void response.writeHead(404).end();
  request.resume().on('end', () => {
    response.writeHead(200, head);
    play(response, frames, whom);
  });
}, written);

/** @type {Map<string, readonly string[]>} */
const made = new Map();

/**
 * @param {string} way
 * @param {string | undefined} dialect
 */
function framesOf(way, dialect) {
  if (dialect === undefined) return undefined;
  const key = `${way} ${dialect}`;
  const frames = made.get(key) ?? streams[dialect]?.text(eventsIn[/** @type {keyof typeof eventsIn} */ (way)]).frames;
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
    written[whom] = (written[whom] ?? 0) + 1;
    if (at < frames.length) return;
    slot?.delete(step);
    response.end();
  };
  slot?.add(step);
  response.on('close', () => slot?.delete(step));
}
