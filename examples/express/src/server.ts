/** An Express app whose clients speak Chat or Messages: scripted answers without a key, real models with one. */
import { llmGateway } from '@streamglot/express';
import { anthropic, compatible, openai, replay } from '@streamglot/providers';
import express from 'express';

const { ANTHROPIC_API_KEY, OPENAI_API_KEY, LOCAL_BASE_URL, LOCAL_MODEL = 'default' } = process.env;
const { HOST = '127.0.0.1', PORT = '3000', CLIENT_KEY } = process.env;
const providers = {
  demo: replay(),
  ...(ANTHROPIC_API_KEY && { anthropic: anthropic({ apiKey: ANTHROPIC_API_KEY }) }),
  ...(OPENAI_API_KEY && { openai: openai({ apiKey: OPENAI_API_KEY }) }),
  ...(LOCAL_BASE_URL && { local: compatible({ baseURL: LOCAL_BASE_URL, dialect: 'chat' }) }),
};
const targets = ['anthropic/claude-haiku-4-5', 'openai/gpt-5.4-nano', `local/${LOCAL_MODEL}`, 'demo/scripted'] as const;
const models = targets.filter((target) => (target.split('/')[0] ?? '') in providers);

const gateway = llmGateway({
  providers,
  models: { ...Object.fromEntries(models.map((target) => [target, target])), fast: models[0] ?? 'demo/scripted' },
  // Without CLIENT_KEY (sent as x-api-key) whoever reaches HOST is answered: on 127.0.0.1, this machine alone.
  authorize: CLIENT_KEY ? ({ key }) => (key === CLIENT_KEY ? 'client' : undefined) : 'host',
});

const server = express()
  .use(gateway)
  .listen(Number(PORT), HOST, (error) => {
    if (error) throw error;
    const ask = (path: string, more: string) =>
      `curl -N http://${HOST}:${PORT}${path} -H 'content-type: application/json' \\
  -d '{"model": "fast", "stream": true, ${more}"messages": [{"role": "user", "content": "Hello!"}]}'`;
    console.log(`${ask('/v1/chat/completions', '')}\n${ask('/v1/messages', '"max_tokens": 500, ')}`);
  });

for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.once(signal, async () => {
    server.close();
    await gateway.shutdown({ drainMs: 5_000 });
    server.closeAllConnections();
  });
