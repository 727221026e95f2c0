/** Serves a page that decodes a stream by itself, the code of that page, and a recorded stream, one event after another. */
import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { build, type Rolldown } from 'vite';

const { HOST = '127.0.0.1', PORT = '3000' } = process.env;
const folder = fileURLToPath(new URL('..', import.meta.url));
const events = readFileSync(`${folder}recorded.sse`, 'utf8').split(/(?<=\n\n)/);

const { output } = (await build({
  root: folder,
  logLevel: 'warn',
  resolve: { conditions: ['@streamglot/source'] },
  build: { write: false, target: 'es2023', rolldownOptions: { input: `${folder}src/page.ts` } },
})) as Rolldown.RolldownOutput;

const files: Record<string, [type: string, body: string | Buffer]> = {
  '/': ['text/html', readFileSync(`${folder}index.html`)],
  '/page.js': ['text/javascript', output[0].code],
};

async function play(response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  for (const event of events) {
    await pause(50);
    response.write(event);
  }
  response.end();
}

createServer(({ url = '/' }, response) => {
  const [type, body] = files[url] ?? ['text/plain', undefined];
  if (url === '/stream') play(response);
  else response.writeHead(body ? 200 : 404, { 'content-type': type }).end(body);
}).listen(Number(PORT), HOST, () => console.error(`http://${HOST}:${PORT}`));
