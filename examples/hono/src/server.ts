/** A Hono app that answers LLM clients beside its own routes; the upstream is scripted, so that no key is needed. */
import { serve } from '@hono/node-server';
import { replay } from '@streamglot/providers';
import { createGateway } from '@streamglot/web';
import { Hono } from 'hono';

const { HOST = '127.0.0.1', PORT = '3000' } = process.env;

const gateway = createGateway({
  providers: { demo: replay() },
  models: { fast: 'demo/scripted' },
});

const app = new Hono();
app.use((c, next) => gateway.answer(c.req.raw) ?? next());
app.get('/', (c) => c.text('the app itself\n'));

const server = serve({ fetch: app.fetch, hostname: HOST, port: Number(PORT) }, () =>
  console.log(`model "fast" at http://${HOST}:${PORT}/v1`),
);

for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.once(signal, async () => {
    server.close();
    await gateway.shutdown({ drainMs: 5_000 });
    if ('closeAllConnections' in server) server.closeAllConnections();
  });
