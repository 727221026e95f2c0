/** A Koa app that answers LLM clients beside its own routes; the upstream is scripted, so that no key is needed. */
import { llmGateway } from '@streamglot/koa';
import { replay } from '@streamglot/providers';
import Koa from 'koa';

const { HOST = '127.0.0.1', PORT = '3000' } = process.env;

const gateway = llmGateway({
  providers: { demo: replay() },
  models: { fast: 'demo/scripted' },
});

const app = new Koa();
app.use(gateway);
app.use((context) => {
  context.body = 'the app itself\n';
});

const server = app.listen(Number(PORT), HOST, () => console.log(`model "fast" at http://${HOST}:${PORT}/v1`));

for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.once(signal, async () => {
    server.close();
    await gateway.shutdown({ drainMs: 5_000 });
    server.closeAllConnections();
  });
