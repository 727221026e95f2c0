/** What a client holds of opaque reasoning, its carriers opened. */
import { decodeCarrier, isCarrier, splitId } from '../../../packages/core/src/codec/carrier.ts';

/** What is in a text that only its maker can read: the text itself where it is no carrier. */
export function opened(text: string): string[] {
  if (!isCarrier(text)) return [text];
  const carried = decodeCarrier(text);
  if (carried === undefined) throw new Error(`a carrier that nobody could read: ${text}`);
  return carried.blobs.filter(({ kind }) => kind !== 'plain').map(({ value }) => value);
}

/** The id of a call as its upstream gave it. */
export function ownId(id: string): string {
  return splitId(id).id;
}
