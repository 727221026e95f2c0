/** The clients: they ask, count and forget. */
import { Agent, request } from 'node:http';

/** What is asked of whom. @typedef {{ url: string, body: string }} Target */

const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY, maxFreeSockets: 4000 });

/**
 * Asks once; tells of the first byte, and of the end.
 * @param {Target} target
 * @param {() => void} first
 * @param {() => void} over
 */
function ask({ url, body }, first, over) {
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const asked = request(url, { agent, method: 'POST', headers }, (answer) => {
    if (answer.statusCode !== 200) throw new Error(`${url} answered ${answer.statusCode}`);
    answer.once('data', first).on('data', ignore).on('end', over).on('error', ignore);
  });
  asked.on('error', ignore);
  asked.end(body);
  return asked;
}

function ignore() {}

/**
 * Keeps `count` streams going. Its `stop` begins no new ones, and settles when the last has ended.
 * @param {Target} target
 * @param {number} count
 */
export function keepGoing(target, count) {
  let going = true;
  let done = 0;
  let open = count;
  let ended = ignore;
  const again = () => {
    if (going) ask(target, ignore, over);
    else if (--open === 0) ended();
  };
  const over = () => {
    done++;
    again();
  };
  for (let at = 0; at < count; at++) setTimeout(again, at * 5);
  return {
    get done() {
      return done;
    },
    stop() {
      going = false;
      return /** @type {Promise<void>} */ (
        new Promise((settle) => {
          ended = settle;
        })
      );
    },
  };
}

/**
 * Milliseconds to the first byte of one stream, read to its end.
 * @param {Target} target
 * @returns {Promise<number>}
 */
export function timeToFirst(target) {
  return new Promise((resolve) => {
    const start = performance.now();
    let at = 0;
    ask(
      target,
      () => {
        at = performance.now() - start;
      },
      () => resolve(at),
    );
  });
}

/**
 * Opens streams that stay; settles when each has begun, with a function that leaves them all.
 * @param {Target} target
 * @param {number} count
 * @returns {Promise<() => void>}
 */
export async function open(target, count) {
  /** @type {(() => void)[]} */
  const leave = [];
  for (let at = 0; at < count; at++)
    await /** @type {Promise<void>} */ (
      new Promise((begun) => {
        const asked = ask(target, begun, ignore);
        leave.push(() => asked.destroy());
      })
    );
  return () => {
    for (const go of leave) go();
  };
}
