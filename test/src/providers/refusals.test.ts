/** What holds for a request that gets no answer, on each transport: it is refused with one error that says why. */
import { describe, expect, test } from 'vitest';
import { batchesOf, endingOf, open, providerOf, refusalOf, serve, serveRaw, transports, until } from './peer.ts';
import { frame, plain } from './plain.ts';

const stream = { 'content-type': 'text/event-stream' };
const whole = frame({ say: 'whole' }) + frame({ end: true });

describe.each(Object.entries(transports))('over %s', (_name, transport) => {
  test('a failure carries its status, its request id and when to try again', async () => {
    const peer = await serve((_request, response) => {
      response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '7', 'request-id': 'req_1' });
      response.end('{"message":"slow down"}');
    });
    expect(await refusalOf(open(providerOf(peer.url, transport)))).toMatchObject({
      type: 'rate_limit',
      status: 429,
      message: 'slow down',
      requestId: 'req_1',
      retryAfterMs: 7_000,
    });
  });

  test('the error of an answer that never ends is told all the same', async () => {
    const peer = await serve((_request, response) => {
      response.writeHead(500, stream);
      response.write('x'.repeat(400_000));
    });
    expect(await refusalOf(open(providerOf(peer.url, transport)))).toMatchObject({ type: 'api_error', status: 500 });
    await until(() => peer.sockets[0]?.closed === true, 1_000);
  });

  test('a redirect is refused and not followed', async () => {
    let asked = 0;
    const peer = await serve((_request, response) => {
      asked++;
      response.writeHead(307, { location: '/elsewhere' }).end();
    });
    expect(await refusalOf(open(providerOf(peer.url, transport)))).toMatchObject({
      type: 'upstream',
      code: 'redirect_refused',
    });
    expect(asked).toBe(1);
  });

  test('a head that does not come in time is a timeout, and its socket is closed', async () => {
    const peer = await serve(() => undefined);
    const call = open(providerOf(peer.url, { ...transport, timeouts: { headMs: 60 } }));
    expect(await refusalOf(call)).toMatchObject({ type: 'timeout', code: 'head_timeout' });
    await until(() => peer.sockets[0]?.closed === true, 2_000);
  });

  test('a head that came in time leaves no timer to end the body', async () => {
    const peer = await serve((_request, response) => {
      response.writeHead(200, stream).write(frame({ say: 'slow' }));
      setTimeout(() => response.end(frame({ end: true })), 600);
    });
    const reply = await open(providerOf(peer.url, { ...transport, timeouts: { headMs: 300 } }));
    expect(endingOf(await batchesOf(reply))).toBe('response-end');
  });

  const unreachable: readonly [string, () => Promise<string>, string][] = [
    ['a port that nobody listens on', async () => 'http://127.0.0.1:1', 'connect_failed'],
    ['a name that does not exist', async () => 'http://nowhere.invalid', 'connect_failed'],
    ['a peer that hangs up', async () => (await serveRaw((socket) => socket.end())).url, 'connection_reset'],
    ['a peer that resets', async () => (await serveRaw((socket) => socket.resetAndDestroy())).url, 'connection_reset'],
    [
      'a peer without HTTP',
      async () => (await serveRaw((socket) => socket.end('hello\r\n\r\n'))).url,
      'invalid_response',
    ],
  ];
  test.each(unreachable)('%s is an upstream error', async (_case, url, code) => {
    expect(await refusalOf(open(providerOf(await url(), transport)))).toMatchObject({ type: 'upstream', code });
  });

  test('a key is never shown, wherever the upstream repeats it', async () => {
    const apiKey = 'opensesame';
    const echoes: readonly [number, string, string][] = [
      [401, 'application/json', JSON.stringify({ message: `wrong key ${apiKey}`, deep: { apiKey } })],
      [200, 'text/event-stream', frame({ error: `wrong key ${apiKey}` })],
    ];
    for (const [status, type, body] of echoes) {
      const peer = await serve((_request, response) => {
        response.writeHead(status, { 'content-type': type }).end(body);
      });
      const told = await open(providerOf(peer.url, { ...transport, apiKey })).then(
        batchesOf,
        (error: unknown) => error,
      );
      const text = JSON.stringify([told, String((told as Error).stack)]);
      expect(text).toContain('[redacted]');
      expect(text).not.toContain(apiKey);
    }
  });

  test('what cannot be expressed is refused, told or dropped, as the policy has it', async () => {
    const peer = await serve((_request, response) => void response.writeHead(200, stream).end(whole));
    const severe = { field: 'stop', dialect: 'chat', reason: 'not known there', severity: 'severe' } as const;
    const minor = { ...severe, field: 'seed', severity: 'minor' } as const;
    const provider = providerOf(peer.url, { ...transport, dialect: plain([minor, severe]) });
    expect(await refusalOf(open(provider))).toEqual({
      type: 'invalid_request',
      code: 'unsupported_field',
      param: 'stop',
      message: 'stop: not known there',
    });
    expect(peer.sockets).toEqual([]);
    expect((await open(provider, { losses: 'warn' })).head.losses).toEqual([minor, severe]);
    expect((await open(provider, { losses: 'drop' })).head.losses).toBeUndefined();
    const mild = providerOf(peer.url, { ...transport, dialect: plain([minor]) });
    expect((await open(mild)).head.losses).toEqual([minor]);
  });
});
