/** A gateway in each worker of a cluster behind one port; a signal to the first process lets the streams of all finish. */
import cluster from 'node:cluster';
import { createServer } from 'node:http';
import { availableParallelism } from 'node:os';
import { nodeHandler } from '@streamglot/node';
import { replay } from '@streamglot/providers';

const { HOST = '127.0.0.1', PORT = '3000', WORKERS = availableParallelism() } = process.env;

if (cluster.isPrimary) lead(Number(WORKERS));
else work();

function lead(workers: number): void {
  const replace = (): void => void cluster.fork();
  cluster.on('listening', (worker) => worker.once('exit', replace)); // one that never listened would not the next time
  for (let count = 0; count < workers; count++) cluster.fork();
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.once(signal, () => {
      cluster.removeAllListeners('listening');
      for (const worker of Object.values(cluster.workers ?? {})) worker?.off('exit', replace).send('drain');
    });
}

function work(): void {
  const gateway = nodeHandler({ providers: { demo: replay() }, models: { fast: 'demo/scripted' } });
  const server = createServer(gateway).listen(Number(PORT), HOST);
  process.on('SIGINT', () => undefined); // a terminal sends it to all; the first process says when
  process.once('message', async () => {
    server.close();
    await gateway.shutdown({ drainMs: 5_000 });
    server.closeAllConnections();
    process.disconnect();
  });
}
