/** How an interaction ends, in streams and in whole answers. */
import { asText, type Choice, type Finish, type JsonObject } from '../../dialect.ts';
import { statusWords } from './terms.ts';

type Ended = Pick<Finish | Choice, 'reason' | 'nativeReason' | 'details'>;

/** The members of an interaction that say why it is over. `own` keeps the upstream's word. An answer that was withheld has failed here, and its error says why. */
export function endMembers(finish: Ended | undefined, own: boolean, hasCalls: boolean): JsonObject {
  const { reason = 'stop', nativeReason, details } = finish ?? {};
  const isPlain = reason === 'stop' || reason === 'tool_calls';
  const word = isPlain ? statusWords[hasCalls ? 'tool_calls' : 'stop'] : statusWords[reason];
  const status = (own && asText(nativeReason)) || word;
  const token = own ? details?.continuationToken : undefined;
  const isWithheld = reason === 'content_filter' || reason === 'refusal';
  const message = details?.message ?? 'The answer was withheld.';
  return {
    status,
    ...(token !== undefined && { continuation_token: token }),
    ...(isWithheld && { errors: [{ code: reason, message }] }),
  };
}

/** Seconds since the epoch as the dialect writes a time. */
export function timeOf(seconds: number | undefined): string | undefined {
  return seconds === undefined ? undefined : `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;
}
