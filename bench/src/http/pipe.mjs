/** The reference, in a process of its own: a plain node:http proxy that pipes from the upstream in its first argument. */
import { Agent, request as ask } from 'node:http';
import { pipeline } from 'node:stream';
import { listen } from './child.mjs';

const upstream = process.argv[2] ?? '';
const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY, maxFreeSockets: 2000 });

listen((request, response) => {
  /** @type {Buffer[]} */
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const body = Buffer.concat(chunks);
    const headers = { 'content-type': 'application/json', 'content-length': body.length };
    const sent = ask(upstream + request.url, { agent, method: 'POST', headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, { 'content-type': answer.headers['content-type'] });
      pipeline(answer, response, () => undefined);
    });
    sent.on('error', () => response.destroy());
    response.on('close', () => sent.destroy());
    sent.end(body);
  });
});
