/** A stand-in for an LLM provider on a real socket: plays scenes in every dialect and keeps what it was asked. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { type Refused, type Scene, scenes } from './scenes.ts';
import { type Asked, type Look, type Wire, wires } from './wire/index.ts';

/** One request that came in. */
export interface Received extends Asked {
  dialect: string;
  /** The body as it came. */
  text: string;
  look: Look;
  /** What the provider held against it; it got a 400 then. */
  complaint: string | undefined;
  /** Resolves with `performance.now()` when the client side closed the socket before the answer was over. */
  abandoned: Promise<number>;
  /** Bytes of frames that the other side has made room for. */
  sent: number;
}

/** A provider that plays the scene which the request's model names. */
export class Upstream {
  readonly received: Received[] = [];
  /** The root of every path, without a version. */
  readonly url: string;
  readonly #server: Server;
  readonly #scripts = new Map<string, Scene>();

  /** Over a server that listens; `start` makes one. */
  constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', (request, response) => void this.#answer(request, response));
  }

  /** Starts one on a free port. */
  static async start(): Promise<Upstream> {
    const server = createServer({ noDelay: true }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Upstream(server);
  }

  /** The requests that hold a text; each test puts one of its own into its prompt. */
  about(token: string): readonly Received[] {
    return this.received.filter(({ text }) => text.includes(token));
  }

  /** Plays a scene of a test's own to whoever's request holds a text, whatever model it asks for. */
  script(token: string, scene: Scene): void {
    this.#scripts.set(token, scene);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = ''] = request.url?.split('?') ?? [];
    const [dialect, wire] = Object.entries(wires).find(([, wire]) => placeOf(wire).test(path)) ?? [];
    if (dialect === undefined || wire === undefined)
      return refuse(response, { error: { message: 'no such path' } }, 404);
    const text = await bodyOf(request);
    const asked = { headers: request.headers, body: { ...(JSON.parse(text) as Asked['body']), ...told(wire, path) } };
    const look = wire.look(asked.body);
    const complaint = wire.complaint(asked);
    const received = { ...asked, dialect, text, look, complaint, abandoned: abandoned(response), sent: 0 };
    this.received.push(received);
    if (complaint !== undefined) return refuse(response, wire.refuse({ status: 400, message: complaint }), 400);
    await play(this.#scripted(text) ?? sceneOf(look), wire, received, response);
  }

  #scripted(text: string): Scene | undefined {
    for (const [token, scene] of this.#scripts) if (text.includes(token)) return scene;
    return undefined;
  }
}

/** The paths of a wire; one that has the model in it has the method behind that, and is of either version. */
function placeOf({ path }: Wire): RegExp {
  const [root, rest = ''] = path.split('/v1beta/');
  const method = rest.replace('{model}:streamGenerateContent', '(?<model>.+):(?<method>\\w+)');
  return new RegExp(rest === '' ? `^${root}$` : `^${root}/v1(beta)?/${method}$`);
}

/** What the path says of a request stands in its body here, as with other dialects. */
function told(wire: Wire, path: string): object {
  const { model, method } = placeOf(wire).exec(path)?.groups ?? {};
  return model === undefined ? {} : { model: decodeURIComponent(model), stream: method === 'streamGenerateContent' };
}

/** Resolves when the response closes unfinished. */
function abandoned(response: ServerResponse): Promise<number> {
  return new Promise((resolve) => {
    response.on('close', () => {
      if (!response.writableFinished) resolve(performance.now());
    });
  });
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function sceneOf({ model, results, schema }: Look): Scene {
  const scene: Scene = (scenes as Readonly<Record<string, Scene>>)[model] ?? scenes.text;
  if (scene.structured && schema === undefined) return scenes.text;
  return scene.after !== undefined && results.length > 0 ? scene.after : scene;
}

function refuse(response: ServerResponse, body: unknown, status: number, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

function refusalHeaders({ retryAfter }: Refused): Record<string, string> {
  return retryAfter === undefined ? {} : { 'retry-after': String(retryAfter), 'x-should-retry': 'true' };
}

async function play(scene: Scene, wire: Wire, asked: Received, response: ServerResponse): Promise<void> {
  const { refused, ending, mute, before } = scene;
  if (mute) return;
  if (refused !== undefined) return refuse(response, wire.refuse(refused), refused.status, refusalHeaders(refused));
  if (asked.body.stream !== true) return playWhole(scene, wire, asked, response);
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
  for (const [at, frame] of wire.write(scene, asked).entries()) {
    if ((await before?.(at)) === 'skip') continue;
    await send(frame, scene.oneByte === true && frame.length < ORDINARY, response);
    asked.sent += frame.length;
  }
  await close(ending, response);
}

/** Frames from this length on repeat the whole answer; they go out at once. */
const ORDINARY = 400;

/** A whole answer has no middle: it comes, or it fails before it has begun, or its body is not whole. */
async function playWhole(scene: Scene, wire: Wire, asked: Asked, response: ServerResponse): Promise<void> {
  const { ending } = scene;
  if (ending === 'error')
    return refuse(response, wire.refuse({ status: 500, message: 'The server had an error.' }), 500);
  const body = JSON.stringify(wire.whole(scene, asked));
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write(ending === 'whole' ? body : body.slice(0, -20));
  await setImmediate();
  await close(ending, response);
}

async function close(ending: Scene['ending'], response: ServerResponse): Promise<void> {
  if (ending === 'hang') return;
  if (ending === 'torn') response.socket?.end();
  else if (ending === 'reset') await reset(response);
  else response.end();
}

async function send(frame: string, oneByte: boolean, response: ServerResponse): Promise<void> {
  if (!oneByte) {
    if (!response.write(frame)) await room(response);
    await setImmediate();
    return;
  }
  for (const byte of Buffer.from(frame)) {
    response.write(Uint8Array.of(byte));
    await setImmediate();
  }
}

/** Settles when the other side takes more, or is gone. */
function room(response: ServerResponse): Promise<void> {
  return new Promise((settle) => {
    const done = (): void => {
      response.off('drain', done).off('close', done);
      settle();
    };
    response.on('drain', done).on('close', done);
    if (response.closed) done();
  });
}

/** An RST must not overtake the data before it: the receiving kernel would throw that away. */
async function reset(response: ServerResponse): Promise<void> {
  await setTimeout(30);
  response.socket?.resetAndDestroy();
}
