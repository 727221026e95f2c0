/** Processes of a measurement: each listens on a port of its own, and says when asked what it has used. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';

/**
 * What a process has used so far: CPU time of all threads in milliseconds, memory in bytes (`settled`: after a
 * collection, which itself costs time), whatever keeps its event loop alive, and what else it has counted.
 * @typedef {{ cpu: number, resident: number, heap: number, handles: number, counts: Record<string, number> }} Use
 */

/**
 * @typedef {{ url: string, use: (settled?: boolean) => Promise<Use>, stop: () => void }} Child
 */

/**
 * Starts a script of this folder and waits until it listens.
 * @param {string} script
 * @param {readonly string[]} args
 * @returns {Promise<Child>}
 */
export async function start(script, ...args) {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const child = fork(path, args, { execArgv: [...process.execArgv, '--expose-gc'] });
  const [port] = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => failed(script))]);
  return {
    url: `http://127.0.0.1:${port}`,
    async use(settled = false) {
      child.send({ settled });
      const [use] = await once(child, 'message');
      return use;
    },
    stop: () => void child.kill('SIGKILL'),
  };
}

/**
 * @param {string} script
 * @returns {never}
 */
function failed(script) {
  throw new Error(`${script} ended before it listened`);
}

/**
 * In the child: listens, and answers its parent.
 * @param {import('node:http').RequestListener} listener
 * @param {Record<string, number>} [counts]
 */
export function listen(listener, counts = {}) {
  const server = createServer({ keepAliveTimeout: 60_000 }, listener);
  server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => {
    const address = server.address();
    process.send?.(typeof address === 'object' ? address?.port : undefined);
  });
  process.on('message', (/** @type {{ settled: boolean }} */ { settled }) => {
    if (settled) globalThis.gc?.();
    process.send?.(used(counts));
  });
  process.on('disconnect', () => process.exit());
  return server;
}

/**
 * @param {Record<string, number>} counts
 * @returns {Use}
 */
function used(counts) {
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed, external } = process.memoryUsage();
  return {
    cpu: (user + system) / 1000,
    resident: rss,
    heap: heapUsed + external,
    handles: process.getActiveResourcesInfo().length,
    counts,
  };
}
