// server.js
import { serve } from '@hono/node-server';
import { replay } from '@streamglot/providers';
import { createGateway } from '@streamglot/web';
import { Hono } from 'hono';

const gateway = createGateway({
  providers: { demo: replay() },
  models: { fast: 'demo/scripted' },
});

const app = new Hono();
app.use((c, next) => gateway.answer(c.req.raw) ?? next());
app.get('/', (c) => c.text('the app itself\n'));
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 3000 });
