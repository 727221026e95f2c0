/** HTTP/2 without TLS, all requests over one session. */
import { once } from 'node:events';
import http2 from 'node:http2';
import { type Line, type Question, Reply } from './line.ts';

/** Headers that HTTP/2 forbids. */
const banned = new Set(['connection', 'host', 'transfer-encoding', 'keep-alive']);

/** A line over one session, which is opened with the first question. */
export class Http2Line implements Line {
  #session: http2.ClientHttp2Session | undefined;

  async ask(url: string, { method = 'POST', headers = {}, body = '', half, signal }: Question): Promise<Reply> {
    const { origin, pathname, search } = new URL(url);
    const reused = this.#session !== undefined && !this.#session.destroyed;
    if (!reused) this.#session = http2.connect(origin).on('error', () => {});
    const session = this.#session as http2.ClientHttp2Session;
    const sent = Object.entries(headers).filter(([name]) => !banned.has(name.toLowerCase()));
    const path = { ':method': method, ':path': pathname + search };
    const stream = session.request({ ...Object.fromEntries(sent), ...path }, { ...(signal && { signal }) });
    if (half) stream.write(body);
    else stream.end(body || undefined);
    const [head] = (await once(stream, 'response')) as [http2.IncomingHttpHeaders];
    stream.on('error', () => {});
    const leave = () => stream.close(http2.constants.NGHTTP2_CANCEL);
    const { ':status': status, ...plain } = head;
    const headed = plain as Record<string, string | undefined>;
    return new Reply({ status: Number(status), headers: headed, reused, body: whole(stream), leave });
  }

  close(): void {
    this.#session?.destroy();
  }
}

/** A stream that was reset just ends for who iterates over it; an answer cut short must not look whole. */
async function* whole(stream: http2.ClientHttp2Stream): AsyncGenerator<Uint8Array> {
  yield* stream;
  if (stream.rstCode !== http2.constants.NGHTTP2_NO_ERROR) throw new Error(`the stream was reset: ${stream.rstCode}`);
}
