/** An upstream that misbehaves: each fault is a path of its own, and answers in Chat, streamed or whole. */
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { constants, gzipSync } from 'node:zlib';

/** One answer in the making. */
interface Answer {
  readonly response: ServerResponse;
  readonly stream: boolean;
}

type Fault = (answer: Answer) => Promise<void> | void;

function chunk(delta: object, finish: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  return `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm', choices })}\n\n`;
}

function completion(content: string): string {
  const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }];
  const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
  return JSON.stringify({ id: 'c1', object: 'chat.completion', created: 1, model: 'm', choices, usage });
}

const role = chunk({ role: 'assistant', content: '' });
const half = role + chunk({ content: 'Hel' });
const rest = `${chunk({ content: 'lo.' })}${chunk({}, 'stop')}data: [DONE]\n\n`;
const error = { error: { message: 'Not today.', type: 'server_error', code: 'not_today', param: null } };
const errorEvent = `data: ${JSON.stringify(error)}\n\n`;
const torn = completion('Hello.').slice(0, -40);

function head({ response, stream }: Answer, headers: Readonly<Record<string, string>> = {}): ServerResponse {
  const type = stream ? 'text/event-stream' : 'application/json';
  return response.writeHead(200, { 'content-type': type, ...headers });
}

/** Says something, and lets it reach the other side. */
async function say(answer: Answer, text: string | Uint8Array): Promise<ServerResponse> {
  const { response } = answer;
  if (!response.headersSent) head(answer);
  if (text.length > 0) response.write(text);
  else response.flushHeaders();
  await setTimeout(15);
  return response;
}

function status(code: number, headers: Readonly<Record<string, string>> = {}, body: object = error): Fault {
  return ({ response }) => {
    response.writeHead(code, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
}

async function drip(answer: Answer): Promise<void> {
  const text = answer.stream ? half + rest : completion('Hello.');
  head(answer);
  for (let at = 0; at < text.length && !answer.response.destroyed; at += 16) {
    answer.response.write(text.slice(at, at + 16));
    await setTimeout(1);
  }
  answer.response.end();
}

const spent = {
  error: { message: 'Spend limit.', type: 'billing_error', details: { error_code: 'workspace_spend_limit_reached' } },
};

/** What an upstream can do wrong. `refuse` is not among them: nobody listens there. */
export const faults: Readonly<Record<string, Fault>> = {
  'RST before the head': ({ response }) => void response.socket?.resetAndDestroy(),
  'FIN before the head': ({ response }) => void response.socket?.destroy(),
  '400': status(400),
  '401': status(401),
  '402': status(402),
  '403': status(403),
  '404': status(404),
  '408': status(408),
  '409': status(409),
  '413': status(413),
  '422': status(422),
  '429': status(429),
  '429 with retry-after': status(429, { 'retry-after': '7' }),
  '429 with a spend limit': status(429, {}, spent),
  '500': status(500),
  '502': status(502),
  '503': status(503),
  '504': status(504),
  '529': status(529),
  'a redirect': status(302, { location: '/elsewhere' }),
  'a hang before the head': () => {},
  'a hang before output': async (answer) => void (await say(answer, answer.stream ? role : '')),
  'a hang after output': async (answer) => void (await say(answer, answer.stream ? half : torn)),
  'FIN before output': async (answer) => void (await say(answer, answer.stream ? role : '')).end(),
  'FIN after output': async (answer) => void (await say(answer, answer.stream ? half : torn)).end(),
  'RST before output': async (answer) => void (await say(answer, answer.stream ? role : '')).socket?.resetAndDestroy(),
  'RST after output': async (answer) => void (await say(answer, answer.stream ? half : torn)).socket?.resetAndDestroy(),
  'bad JSON before output': async (answer) =>
    void (await say(answer, answer.stream ? `${role}data: {"id":\n\n` : '{"id":')).end(),
  'bad JSON after output': async (answer) =>
    void (await say(answer, answer.stream ? `${half}data: {"id":\n\n${rest}` : '{"id":')).end(),
  'a page of HTML': ({ response }) =>
    void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Sign in</html>'),
  'a cut gzip': async (answer) => {
    head(answer, { 'content-encoding': 'gzip' });
    const bytes = gzipSync(answer.stream ? half : torn, { finishFlush: constants.Z_SYNC_FLUSH });
    (await say(answer, bytes)).destroy();
  },
  'an error under 200': async (answer) =>
    void (await say(answer, answer.stream ? errorEvent : JSON.stringify(error))).end(),
  'an error after lifecycle': async (answer) => {
    if (answer.stream) await say(answer, role);
    (await say(answer, answer.stream ? errorEvent : JSON.stringify(error))).end();
  },
  'an error after output': async (answer) => {
    if (answer.stream) await say(answer, half);
    (await say(answer, answer.stream ? errorEvent : JSON.stringify(error))).end();
  },
  'an empty 200': (answer) => void head(answer).end(),
  'an empty answer': (answer) => {
    const stream = `${role}${chunk({}, 'stop')}data: [DONE]\n\n`;
    head(answer).end(answer.stream ? stream : completion(''));
  },
  'a slow drip': drip,
  'nothing wrong': (answer) => void head(answer).end(answer.stream ? half + rest : completion('Hello.')),
  'the fall-back': (answer) => {
    const stream = `${chunk({ role: 'assistant', content: 'Fall' })}${chunk({ content: '-back.' }, 'stop')}data: [DONE]\n\n`;
    head(answer).end(answer.stream ? stream : completion('Fall-back.'));
  },
};

/** A server that misbehaves. */
export class Misbehaving {
  readonly url: string;
  /** Requests under way, as this side sees them. */
  open = 0;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', async (request, response) => {
      this.open++;
      response.on('close', () => this.open--);
      const name = decodeURIComponent(request.url?.split('/')[1] ?? '');
      let text = '';
      for await (const piece of request) text += piece;
      const { stream } = JSON.parse(text) as { stream?: boolean };
      await faults[name]?.({ response, stream: stream === true });
    });
  }

  static async start(): Promise<Misbehaving> {
    const server = createServer({ noDelay: true }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Misbehaving(server);
  }

  /** The base of an API that has a fault. */
  base(fault: string): string {
    return `${this.url}/${encodeURIComponent(fault)}/v1`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
