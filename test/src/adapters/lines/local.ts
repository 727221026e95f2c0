/** No connection at all: requests go straight to a function that answers them. */
import { type Line, type Question, Reply } from './line.ts';

/** A line to a `fetch` handler. */
export class LocalLine implements Line {
  readonly #handler: (request: Request) => Response | Promise<Response>;
  #asked = false;

  constructor(handler: (request: Request) => Response | Promise<Response>) {
    this.#handler = handler;
  }

  async ask(url: string, { method = 'POST', headers = {}, body, half, signal }: Question): Promise<Reply> {
    const controller = new AbortController();
    signal?.addEventListener('abort', () => controller.abort(signal.reason));
    if (signal?.aborted) controller.abort(signal.reason);
    const sent = half ? unfinished(String(body), controller.signal) : (body as BodyInit | undefined);
    const content = { ...(sent && { body: sent }), ...(half && { duplex: 'half' }) };
    const init = { method, headers: { ...headers }, signal: controller.signal, ...content };
    const answer = await Promise.race([this.#handler(new Request(url, init)), aborted(controller.signal)]);
    const reused = this.#asked;
    this.#asked = true;
    const reader = answer.body?.getReader();
    const leave = () => void reader?.cancel().catch(() => {});
    const { status } = answer;
    return new Reply({ status, headers: Object.fromEntries(answer.headers), reused, body: pieces(reader), leave });
  }

  close(): void {}
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason));
  });
}

/** A body of which no more comes, until its sender leaves. */
function unfinished(begun: string, signal: AbortSignal): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(begun));
      signal.addEventListener('abort', () => controller.error(signal.reason));
    },
  });
}

async function* pieces(reader: ReadableStreamDefaultReader<Uint8Array> | undefined): AsyncGenerator<Uint8Array> {
  if (reader === undefined) return;
  for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
}
