/** What is said when the bytes of an answer are not a whole answer: one error for each way to fail. */
import type { CanonicalError } from '../model/error.ts';
import type { Ending } from '../model/finish.ts';
import type { CloseCause } from '../stage.ts';

/** The error that stands for an answer whose bytes stopped early. */
export function interruption(cause: CloseCause): CanonicalError {
  return { ...interruptions[cause] };
}

const interruptions: Readonly<Record<CloseCause, CanonicalError>> = {
  closed: {
    type: 'upstream',
    code: 'stream_truncated',
    message: 'The upstream closed the stream before its answer ended.',
  },
  reset: { type: 'upstream', code: 'stream_truncated', message: 'The connection to the upstream broke off.' },
  stalled: { type: 'timeout', code: 'stream_stalled', message: 'The upstream stopped sending.' },
  deadline: { type: 'timeout', code: 'deadline_exceeded', message: 'The answer took longer than is allowed.' },
  'client-closed': { type: 'cancelled', code: 'client_closed', message: 'The client went away.' },
  shutdown: { type: 'overloaded', code: 'shutdown', message: 'The gateway is shutting down.' },
  internal: { type: 'api_error', code: 'internal', message: 'The gateway failed to handle the answer.' },
};

const endings: Readonly<Record<CloseCause, Ending>> = {
  closed: 'truncated',
  reset: 'truncated',
  stalled: 'stalled',
  deadline: 'deadline',
  'client-closed': 'client-closed',
  shutdown: 'shutdown',
  internal: 'internal',
};

/** How a stream ended whose bytes stopped before its terminal event. */
export function endingOf(cause: CloseCause): Ending {
  return endings[cause];
}

/** A payload that is no JSON. */
export function malformed(data: string): CanonicalError {
  const native = data.length > 200 ? `${data.slice(0, 200)}…` : data;
  return {
    type: 'upstream',
    code: 'malformed_stream',
    message: 'The upstream sent an event that is not JSON.',
    native,
  };
}

/** Something over its limit. */
export function tooLarge(code: string, message: string): CanonicalError {
  return { type: 'too_large', code, message };
}

/** A call that claims to be whole must be. */
export const torn: CanonicalError = {
  type: 'upstream',
  code: 'malformed_tool_arguments',
  message: 'The upstream cut off the arguments of a tool call and called it whole.',
};

/** An answer that its upstream gave up. */
export const givenUp: CanonicalError = {
  type: 'upstream',
  code: 'answer_given_up',
  message: 'The upstream gave up its answer.',
};
