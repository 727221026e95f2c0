/** The fault cases that are a sequence of steps: which test covers each, or what each waits for. */

/** A test by the folder and file under `test/src` in which it stands, and its name. */
export type Covering = readonly [file: string, name: string];

/** The cases of sockets and of Express, each with the tests that cover it. */
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
    [
      'express/traffic.test.ts',
      'an abort by the client aborts the upstream within 50 ms: the quickest of five, as the machine is shared',
    ],
    ['conformance/matrix.test.ts', 'the upstream sees its socket close within 50 ms in the median'],
  ],
  '197-disconnect-before-upstream-headers': [
    ['express/traffic.test.ts', 'an abort while the upstream has not answered aborts it too'],
    ['providers/transport.test.ts', 'an abort before the head closes the socket and refuses the call'],
  ],
  '199-slot-held-by-client-that-stops-reading': [
    ['express/traffic.test.ts', 'a reader that takes nothing for too long is gone'],
  ],
  '201-backpressure-bounded-memory': [
    [
      'express/traffic.test.ts',
      'a reader that stops reading stops the upstream, and gets everything once it reads again',
    ],
    ['providers/transport.test.ts', 'a socket is read only as fast as its batches are'],
  ],
  '202-frame-resent-after-drain': [
    ['faults/sockets.test.ts', 'a reader that pauses gets every piece once, and in order'],
  ],
  '203-abort-listener-leak': [
    ['providers/transport.test.ts', 'no way out leaves a listener on the signal'],
    ['express/traffic.test.ts', 'many answers on one connection leave no listener on it'],
  ],
  '207-req-close-versus-res-close': [
    [
      'faults/sockets.test.ts',
      '%s: a body that was parsed before neither ends the stream nor hides that its client leaves',
    ],
  ],
  '208-body-already-parsed': [
    ['express/middleware.test.ts', 'it reads the body behind %s'],
    ['express/middleware.test.ts', 'it says so when a parser has swallowed the body'],
  ],
  '209-compression-buffers-events': [['express/middleware.test.ts', 'it holds no event back behind %s']],
  '210-error-after-headers-sent': [
    ['faults/sockets.test.ts', 'an upstream that throws after output ends the stream in the form of the dialect'],
  ],
  '214-keepalive-while-upstream-is-silent': [
    ['express/traffic.test.ts', 'signs of life go out while the upstream is silent'],
    ['gateway/clock.test.ts', 'gives a sign of life while the upstream is silent, also before the head'],
  ],
  '215-upstream-status-before-headers': [
    ['express/traffic.test.ts', 'an answer %s of an upstream over HTTP reaches the client with its hints'],
    ['express/traffic.test.ts', 'an upstream that fails before its head gives a real status'],
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
  '198-in-flight-slot-released-on-abort': 'Routing and cancellation',
  '204-client-abort-is-not-a-failure': 'Routing and cancellation',
  '205-failover-only-before-output': 'Routing and cancellation',
  '206-no-replay-after-output': 'Routing and cancellation',
  '212-next-route-handler-cancel': 'At home in every app',
  '213-koa-stream-body-and-errors': 'At home in every app',
  '245-transcription-relayed-live': 'the audio dialects, which no issue names yet',
  '246-transcription-stream-ignored': 'the audio dialects, which no issue names yet',
};
