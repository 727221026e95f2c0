// server.js
import { createServer } from 'node:http';
import { nodeHandler } from '@streamglot/node';
import { replay } from '@streamglot/providers';

const gateway = nodeHandler({
  providers: { demo: replay() },
  models: { fast: 'demo/scripted' },
});

createServer((request, response) => {
  gateway(request, response, () => response.end('the app itself\n'));
}).listen(3000, '127.0.0.1');
