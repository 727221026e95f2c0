// server.js
import { llmGateway } from '@streamglot/express';
import { replay } from '@streamglot/providers';
import express from 'express';

const gateway = llmGateway({
  providers: { demo: replay() },
  models: { fast: 'demo/scripted' },
});

const app = express();
app.use(gateway);
app.get('/', (request, response) => response.send('the app itself\n'));
app.listen(3000, '127.0.0.1');
