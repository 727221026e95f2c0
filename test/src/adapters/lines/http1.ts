/** HTTP/1.1 over connections that are kept. */
import http from 'node:http';
import { type Line, type Question, Reply } from './line.ts';

/** A line that keeps at most so many connections; an answer that breaks off is an error. */
export class Http1Line implements Line {
  readonly #agent: http.Agent;

  constructor(maxSockets: number = Number.POSITIVE_INFINITY) {
    this.#agent = new http.Agent({ keepAlive: true, maxSockets });
  }

  ask(url: string, { method = 'POST', headers = {}, body = '', half, signal }: Question): Promise<Reply> {
    const options = { agent: this.#agent, method, headers: { ...headers }, ...(signal && { signal }) };
    return new Promise((settle, reject) => {
      const request = http.request(url, options);
      request.on('error', reject);
      request.on('response', (response) => {
        const { statusCode: status = 0, headers } = response;
        const leave = () => request.destroy();
        response.on('error', () => {});
        const plain = headers as Record<string, string | undefined>;
        settle(new Reply({ status, headers: plain, reused: request.reusedSocket, body: response, leave }));
      });
      if (half) request.write(body);
      else request.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
