import { createServer } from 'node:http';
import { nodeHandler } from '@streamglot/node';
import { replay } from '@streamglot/providers';

const gateway = nodeHandler({ providers: { demo: replay() }, models: { fast: 'demo/scripted' } });
const server = createServer(gateway).listen(3000, '127.0.0.1');

process.once('SIGTERM', async () => {
  server.close(); // no new connections
  await gateway.shutdown({ drainMs: 25_000 });
  server.closeAllConnections(); // those that are kept alive
});
