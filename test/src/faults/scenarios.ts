/** The fault cases that are a sequence of steps: which test covers each, or what each waits for. */

/** A test by the folder and file under `test/src` in which it stands, and its name. */
export type Covering = readonly [file: string, name: string];

/** The cases of sockets and of hosts, each with the tests that cover it. */
export const covered: Readonly<Record<string, readonly Covering[]>> = {
  '020-never-ending-event': [
    ['faults/sockets.test.ts', '%s: an event without end is cut off, and its upstream closed'],
  ],
  '030-chat-done-but-socket-stays-open': [
    ['providers/dialects.test.ts', 'ends with the terminal event, though the upstream stays open'],
    [
      'providers/transport.test.ts',
      'nothing is read after the ending, and the socket of an upstream that stays open is closed',
    ],
  ],
  '031-gzip-upstream-stream': [
    ['providers/dialects.test.ts', 'reads a compressed stream'],
    ['providers/transport.test.ts', 'a stream in %s is read as each piece is flushed'],
    ['gateway/exchange.test.ts', 'passes headers on by list'],
  ],
  '196-disconnect-after-headers-must-abort-upstream': [
    ['adapters/scenarios/leaving.ts', 'leaving mid-stream'],
    ['routing/leaving.test.ts', 'a client that leaves %s'],
    ['conformance/matrix.test.ts', 'the upstream sees its socket close within 50 ms in the median'],
  ],
  '197-disconnect-before-upstream-headers': [
    ['adapters/scenarios/leaving.ts', 'leaving before the head'],
    ['providers/transport.test.ts', 'an abort before the head closes the socket and refuses the call'],
  ],
  '198-in-flight-slot-released-on-abort': [
    [
      'routing/lease.test.ts',
      'whatever happens, every slot that was taken is given back once, and no deployment has more than it may',
    ],
    ['routing/lease.test.ts', 'a client that leaves %s frees the slot at once, and no failure is counted'],
  ],
  '199-slot-held-by-client-that-stops-reading': [
    ['express/traffic.test.ts', 'a reader that takes nothing for too long is gone'],
  ],
  '201-backpressure-bounded-memory': [
    ['adapters/scenarios/pace.ts', 'a slow reader'],
    ['providers/transport.test.ts', 'a socket is read only as fast as its batches are'],
  ],
  '202-frame-resent-after-drain': [
    ['faults/sockets.test.ts', 'a reader that pauses gets every piece once, and in order'],
  ],
  '203-abort-listener-leak': [
    ['providers/transport.test.ts', 'no way out leaves a listener on the signal'],
    ['express/traffic.test.ts', 'many answers on one connection leave no listener on it'],
  ],
  '204-client-abort-is-not-a-failure': [
    ['routing/lease.test.ts', 'a client that leaves %s frees the slot at once, and no failure is counted'],
    ['routing/leaving.test.ts', 'a client that leaves %s'],
  ],
  '205-failover-only-before-output': [
    ['routing/failover.test.ts', '%s is the next deployment`s turn'],
    ['routing/gateway.test.ts', 'the next place answers, with no trace of the first, and each try is told'],
  ],
  '206-no-replay-after-output': [['routing/failover.test.ts', '%s after output is not restarted']],
  '207-req-close-versus-res-close': [
    [
      'faults/sockets.test.ts',
      '%s: a body that was parsed before neither ends the stream nor hides that its client leaves',
    ],
    ['koa/middleware.test.ts', 'a client that leaves behind %s aborts the upstream, and its middleware goes on'],
    ['next/server.test.ts', 'an abort aborts the upstream'],
  ],
  '208-body-already-parsed': [
    ['express/middleware.test.ts', 'it reads the body behind %s'],
    ['adapters/scenarios/bodies.ts', 'no parser'],
    ['express/middleware.test.ts', 'it says so when a parser has swallowed the body'],
    ['express/middleware.test.ts', 'it refuses the body %j in the form of the dialect'],
    ['koa/middleware.test.ts', 'it reads the body behind %s'],
    ['koa/middleware.test.ts', 'it refuses the body %j behind a parser in the form of the dialect'],
    ['web/fetch.test.ts', 'that the host has read is taken from it as %s'],
    ['next/server.test.ts', 'no event is held back from a client that takes compression, however long'],
    ['next/server.test.ts', 'the body %j is refused in the form of the dialect'],
  ],
  '209-compression-buffers-events': [
    ['express/middleware.test.ts', 'it holds no event back behind %s'],
    ['koa/middleware.test.ts', 'it holds no event back behind koa-compress that takes everything'],
    ['web/hono.test.ts', 'it holds no event back behind %s'],
    ['adapters/scenarios/pace.ts', 'compression: each piece at once'],
    ['next/server.test.ts', 'no event is held back from a client that takes compression, however long'],
  ],
  '210-error-after-headers-sent': [
    ['faults/sockets.test.ts', 'an upstream that throws after output ends the stream in the form of the dialect'],
    ['adapters/scenarios/failing.ts', 'errors after the head'],
    ['web/hono.test.ts', 'an upstream that fails midway ends the stream in-band, and its connection serves again'],
    ['next/server.test.ts', 'an upstream that is cut ends the stream in-band, and the connection serves again'],
  ],
  '212-next-route-handler-cancel': [
    ['next/routes.test.ts', 'a client that leaves by %s aborts the upstream, once'],
    ['next/server.test.ts', 'an abort aborts the upstream'],
    [
      'next/server.test.ts',
      'a shutdown refuses new requests and ends a stream that stays, and nothing was left unhandled',
    ],
    ['web/client.test.ts', 'leaves %s, and that once'],
    ['web/fetch.test.ts', 'before it has come makes no request of the upstream'],
  ],
  '213-koa-stream-body-and-errors': [
    [
      'koa/middleware.test.ts',
      '%s: an upstream that fails midway ends the stream in-band, and no error reaches the app',
    ],
    ['koa/middleware.test.ts', 'a client that leaves behind %s aborts the upstream, and its middleware goes on'],
    ['koa/middleware.test.ts', 'middleware in front goes on once all is sent, and changes nothing then'],
  ],
  '214-keepalive-while-upstream-is-silent': [
    ['adapters/scenarios/pace.ts', 'signs of life'],
    ['gateway/clock.test.ts', 'gives a sign of life while the upstream is silent, also before the head'],
  ],
  '215-upstream-status-before-headers': [
    ['express/traffic.test.ts', 'an answer %s of an upstream over HTTP reaches the client with its hints'],
    ['express/traffic.test.ts', 'an upstream that fails before its head gives a real status'],
    ['adapters/scenarios/failing.ts', 'errors before the head'],
  ],
  '220-failed-event-but-socket-stays-open': [
    ['providers/dialects.test.ts', 'an error under 200 is the ending'],
    [
      'providers/transport.test.ts',
      'nothing is read after the ending, and the socket of an upstream that stays open is closed',
    ],
  ],
};

/** The cases that wait, each with the issue that builds what it is about. */
export const waiting: Readonly<Record<string, string>> = {
  '245-transcription-relayed-live': 'the audio dialects, which no issue names yet',
  '246-transcription-stream-ignored': 'the audio dialects, which no issue names yet',
};
