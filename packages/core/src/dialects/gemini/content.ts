/** Parts and candidates as they are written, in streams and in whole answers. */
import {
  asText,
  type Choice,
  type Finish,
  isCarrier,
  isInvented,
  type JsonObject,
  type Metadata,
  type ToolCallStart,
} from '../../dialect.ts';
import { candidateNotes, finishWords } from './terms.ts';

/** A call as a part, `args` being JSON text. An id that we made up for an upstream without ids is not told its clients. */
export function callPart(
  call: ToolCallStart | undefined,
  args: string,
  signature: string | undefined,
  own: boolean,
): string {
  const { id = '', name = '' } = call ?? {};
  const told = id === '' || (own && isInvented(id)) ? '' : `"id":${JSON.stringify(id)},`;
  const signed =
    signature === undefined || !(own || isCarrier(signature)) ? '' : `,"thoughtSignature":${JSON.stringify(signature)}`;
  return `{"functionCall":{${told}"name":${JSON.stringify(name)},"args":${args}}${signed}}`;
}

/** A medium as a part: its bytes, or where it is. */
export function mediaPart(mimeType: string, data: { base64?: string; uri?: string | undefined }): JsonObject {
  if (data.base64 === undefined) return { fileData: { mimeType, fileUri: data.uri ?? '' } };
  return { inlineData: { mimeType, data: data.base64 } };
}

/** The type of a medium that came without one. */
export const mimeTypes: Readonly<Record<string, string>> = {
  image: 'image/png',
  audio: 'audio/pcm',
  video: 'video/mp4',
  document: 'application/pdf',
};

type Ended = Pick<Finish | Choice, 'reason' | 'nativeReason' | 'details'>;

/** Why a candidate ended, as its members. `own` keeps the upstream's word; others keep theirs as the message. */
export function finishMembers({ reason = 'stop', nativeReason, details }: Ended, own: boolean): JsonObject {
  const word = (own && asText(nativeReason)) || finishWords[reason];
  const token = own ? details?.continuationToken : undefined;
  const message = details?.message ?? (own || !isLossy(reason) ? undefined : nativeReason);
  return {
    finishReason: word,
    ...(message !== undefined && { finishMessage: message }),
    ...(token !== undefined && { continuationToken: token }),
  };
}

/** Reasons for which there is a word here that says less. */
function isLossy(reason: NonNullable<Ended['reason']>): boolean {
  return reason === 'refusal' || reason === 'pause' || reason === 'context_overflow' || reason === 'other';
}

/** The refusal of a prompt, in place of candidates. */
export function promptFeedback({ nativeReason, details }: Ended): JsonObject {
  const message = details?.message;
  return { blockReason: nativeReason ?? 'OTHER', ...(message !== undefined && { blockReasonMessage: message }) };
}

const members: ReadonlyMap<string, string> = new Map(candidateNotes.map(([member, key]) => [key, member]));

/** The member of a candidate in which a piece of metadata stands, or nothing. */
export function noteMember({ key }: Pick<Metadata, 'key'>): string | undefined {
  return members.get(key);
}
