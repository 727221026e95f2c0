/** Why an exchange ends before its time: what stops bytes, and two things that only a gateway knows of. */
import {
  type CanonicalError,
  type CloseCause,
  type Ending,
  endingOf,
  interruption,
  lateOutput,
  unreadAnswer,
} from '@streamglot/core';

/** Why an exchange ends. */
export type Cause = CloseCause | Departure | 'first-output';

/** Why a client is gone. */
export type Departure = 'client-closed' | 'write-stalled';

/** The error that stands for an exchange which ended so. */
export function errorOf(cause: Cause): CanonicalError {
  if (cause === 'first-output') return lateOutput;
  return cause === 'write-stalled' ? unreadAnswer : interruption(cause);
}

/** How it ended, for logs. */
export function endingOfCause(cause: Cause): Ending {
  if (cause === 'first-output') return 'deadline';
  return cause === 'write-stalled' ? 'client-closed' : endingOf(cause);
}

const causes: readonly Cause[] = [
  'closed',
  'stalled',
  'first-output',
  'deadline',
  'client-closed',
  'write-stalled',
  'shutdown',
  'internal',
];

/** How an answer ended, by the code of its error: decoders say in it why the bytes stopped. */
export const endingOfCode: ReadonlyMap<string | undefined, Ending> = new Map(
  causes.map((cause) => [errorOf(cause).code, endingOfCause(cause)]),
);
