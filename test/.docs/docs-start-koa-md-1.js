// server.js
import { llmGateway } from '@streamglot/koa';
import { replay } from '@streamglot/providers';
import Koa from 'koa';

const gateway = llmGateway({
  providers: { demo: replay() },
  models: { fast: 'demo/scripted' },
});

const app = new Koa();
app.use(gateway);
app.use((context) => {
  context.body = 'the app itself\n';
});
app.listen(3000, '127.0.0.1');
