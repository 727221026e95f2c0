/** A failure as an HTTP answer, in the client's dialect. */
import type { CanonicalError, Dialect } from '@streamglot/core';
import type { Client } from './client.ts';
import { Refusal } from './error.ts';
import { jsonHead, passedOut, requestIds, retryAfter } from './headers.ts';

/** What goes with the error. */
export interface RefusalDetails {
  /** The id of the request. */
  readonly id: string;
  /** What was thrown; the gateway's own refusals bring their status along. */
  readonly thrown: unknown;
  /** The headers that the upstream, or the refusal itself, has to say. */
  readonly headers: ReadonlyMap<string, string> | undefined;
}

/** Writes the answer; `sent` settles when the client has it or is gone. */
export function refuse(
  client: Client,
  dialect: Dialect,
  error: CanonicalError,
  { id, thrown, headers }: RefusalDetails,
): { status: number; sent: Promise<void> } {
  const answer = dialect.encodeError(error);
  const status = thrown instanceof Refusal ? thrown.status : answer.status;
  client.head(status, {
    ...jsonHead,
    ...requestIds(id),
    ...retryAfter(error.retryAfterMs),
    ...passedOut(headers),
    ...(thrown instanceof Refusal && thrown.reply),
  });
  return { status, sent: client.end(JSON.stringify(answer.body)) };
}
