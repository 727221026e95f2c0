// server.js
import { nodeHandler } from '@streamglot/node';
import { replay } from '@streamglot/providers';
import Fastify from 'fastify';

const gateway = nodeHandler({
  providers: { demo: replay() },
  models: { fast: 'demo/scripted' },
});

const app = Fastify({ bodyLimit: 32 * 1024 * 1024, forceCloseConnections: 'idle' });
app.all('/v1/*', (request, reply) => {
  // Fastify has read the body; what is not the gateway's stays Fastify's
  const answered = gateway.answer(request.raw, reply.raw, { body: request.body });
  if (answered === undefined) return reply.callNotFound();
  reply.hijack();
  return answered;
});
app.addHook('preClose', () => gateway.shutdown({ drainMs: 5_000 }));
app.get('/', () => 'the app itself\n');
await app.listen({ port: 3000, host: '127.0.0.1' });
