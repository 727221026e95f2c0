/** A dialect small enough to test a transport with: `{"say":"…"}` is text, `{"end":true}` the ending. */
import type {
  CanonicalError,
  CanonicalEvent,
  CloseCause,
  Decoder,
  Dialect,
  ErrorAnswer,
  Frame,
  FrameEvents,
  Loss,
} from '@streamglot/core';
import { errorTypeOf, interruption } from '@streamglot/core';

interface Payload {
  say?: string;
  end?: boolean;
  error?: string;
}

class PlainDecoder implements Decoder {
  #started = false;
  #over = false;

  push(frame: Frame): readonly FrameEvents[] {
    return this.#over ? [] : [this.#events(JSON.parse(frame.data) as Payload)];
  }

  end(cause: CloseCause = 'closed'): readonly FrameEvents[] {
    if (this.#over || cause === 'client-closed') return [];
    this.#over = true;
    return [[{ type: 'error', error: interruption(cause) }]];
  }

  #events({ say, end, error }: Payload): FrameEvents {
    const events: CanonicalEvent[] = this.#started ? [] : opening();
    this.#started = true;
    if (say !== undefined) events.push({ type: 'block-delta', block: 0, delta: { type: 'text', text: say } });
    if (end === true) events.push(...closing());
    if (error !== undefined) events.push({ type: 'error', error: { type: 'upstream', message: error } });
    this.#over = end === true || error !== undefined;
    return events;
  }
}

function opening(): CanonicalEvent[] {
  return [{ type: 'response-start' }, { type: 'block-start', block: 0, choice: 0, kind: 'text' }];
}

function closing(): CanonicalEvent[] {
  return [
    { type: 'block-end', block: 0 },
    { type: 'finish', choice: 0, reason: 'stop' },
    { type: 'response-end', status: 'completed' },
  ];
}

/** The dialect; `losses` is what its requests lose. */
export function plain(losses: readonly Loss[] = []): Dialect {
  return {
    id: 'chat',
    title: 'Plain',
    routes: ['/say'],
    decoder: () => new PlainDecoder(),
    encoder: () => {
      throw new Error('not needed here');
    },
    keepAlive: () => '',
    decodeRequest: () => {
      throw new Error('not needed here');
    },
    encodeRequest: (request, _context, { stream, sampling }) => ({
      path: '/say',
      query: {},
      headers: { 'x-plain': 'yes', 'anthropic-beta': 'from-dialect' },
      body: { model: request.model, stream, sampling },
      losses,
    }),
    decodeResponse: (body) => {
      const { say = '' } = body as Payload;
      return [...opening(), { type: 'block-delta', block: 0, delta: { type: 'text', text: say } }, ...closing()];
    },
    encodeResponse: () => ({}),
    decodeError,
    encodeError: () => ({ status: 500, body: {} }),
  };
}

function decodeError({ status, headers, body }: ErrorAnswer): CanonicalError {
  const message = typeof body === 'string' ? 'The upstream failed.' : String((body as { message?: unknown }).message);
  const retryAfter = headers.get('retry-after');
  return {
    type: errorTypeOf(status),
    status,
    message,
    native: body,
    ...(retryAfter !== undefined && { retryAfterMs: Number(retryAfter) * 1000 }),
  };
}

/** One frame of the dialect. */
export function frame(payload: Payload): string {
  return `data: ${JSON.stringify(payload)}\n\n`;
}
