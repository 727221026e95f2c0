/** The message object: what `message_start` opens and what a whole answer is. */
import { asText, type Choice, type Finish, type JsonObject } from '../../dialect.ts';
import { stopReasons } from './terms.ts';

/** A message without content, with every member that the dialect's types require. */
export function emptyMessage(id: string, model: string): JsonObject {
  return {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    container: null,
    usage: {},
  };
}

/** Why a message stopped, as its three members. `own` keeps the upstream's word; `tool_use` needs a call to point at. */
export function stopDelta(
  finish: Pick<Finish | Choice, 'reason' | 'nativeReason' | 'stopSequence' | 'details'> | undefined,
  own: boolean,
  hasCalls: boolean,
): JsonObject {
  const stopSequence = finish?.stopSequence;
  const stop_reason =
    (own && asText(finish?.nativeReason)) || stopReason(finish?.reason ?? 'stop', stopSequence, hasCalls);
  const isRefusal = stop_reason === 'refusal';
  const { category = null, message: explanation = null } = finish?.details ?? {};
  return {
    stop_reason,
    stop_sequence: stop_reason === 'stop_sequence' ? (stopSequence ?? null) : null,
    ...(isRefusal && { stop_details: { type: 'refusal', category, explanation } }),
  };
}

function stopReason(reason: Finish['reason'], stopSequence: string | undefined, hasCalls: boolean): string {
  if (reason === 'stop' && stopSequence !== undefined) return 'stop_sequence';
  if (reason === 'tool_calls' && !hasCalls) return 'end_turn';
  return stopReasons[reason];
}
