import { replay } from '@streamglot/providers';
import { createGateway } from '@streamglot/web';
import { Hono } from 'hono';

const gateway = createGateway({ providers: { demo: replay() }, models: { fast: 'demo/scripted' } });
const app = new Hono();

app.use((c, next) => gateway.answer(c.req.raw) ?? next()); // Hono, among other routes
app.mount('/ai', gateway.fetch); // Hono, below a prefix
app.all('/ai/*', async (c) => gateway.answer(c.req.raw, { mount: '/ai', body: await c.req.json() }) ?? c.notFound());
