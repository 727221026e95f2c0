import { nodeHandler } from '@streamglot/node';
import { replay } from '@streamglot/providers';
import Fastify from 'fastify';

const gateway = nodeHandler({ providers: { demo: replay() }, models: { fast: 'demo/scripted' } });
const app = Fastify();

app.all('/ai/*', (request, reply) => {
  // Fastify reads bodies and leaves the prefix in the URL
  const answered = gateway.answer(request.raw, reply.raw, { mount: '/ai', body: request.body });
  if (answered === undefined) return reply.callNotFound();
  reply.hijack();
  return answered;
});
