/** Opaque reasoning on its way through a client of another dialect: one text for the one field that the client sends back. */
import type { DialectId } from '../model/event.ts';
import { checksum } from './ids.ts';
import { asObject, asText, parseJson } from './json.ts';

/** Who made a thing that only its maker can read. */
export interface Origin {
  /** The provider's identity; the dialect's id where no provider is known. */
  readonly provider: string;
  readonly dialect: DialectId;
  /** Models that can read what one of them made. */
  readonly family: string;
}

/** One thing that only its maker can read. */
export interface Blob {
  /**
   * What its dialect calls it: a signature of what was thought, thinking behind a veil, or thinking encrypted; or thinking
   * in plain words that its maker wants back. Beside thinking: what an answer goes on by.
   */
  readonly kind: 'signature' | 'redacted' | 'encrypted' | 'plain' | 'continuation';
  readonly value: string;
  /** What it stands on. */
  readonly on: 'thought' | 'call' | 'text';
  /** The thinking that it signs, which has to come back letter by letter. */
  readonly text?: string;
  /** The id of its call or of its item. */
  readonly id?: string;
}

/** What a carrier holds; one without blobs says who made the thinking that it stands on. */
export interface Carried extends Origin {
  readonly blobs: readonly Blob[];
}

/**
 * `streamglot1:` in base64, and the part of it that all versions share. Base64 of ASCII without `>`, `?` and `~` has
 * letters and digits only, so that it is the same in both alphabets of base64 and can stand in the id of a call.
 */
const opening = 'streamglot1:';
const mark = 'c3RyZWFtZ2xvdDE6';
const kin = 'c3RyZWFtZ2xvd';

/** Characters of a carrier, above which there is none. */
const mostCharacters = 2 ** 20;

/** Characters of a checksum. */
const sumLength = 11;

/** Whether a text is a carrier, of whatever version. */
export function isCarrier(value: string | undefined): value is string {
  return value?.startsWith(kin) === true;
}

/** The carrier of some blobs; nothing where they are too large for one. */
export function encodeCarrier({ provider, dialect, family, blobs }: Carried): string | undefined {
  const json = ascii(JSON.stringify({ p: provider, d: dialect, f: family, b: blobs.map(wireOf) }));
  if (json.length * 1.34 > mostCharacters) return undefined;
  const text = opening + checksum(json) + json;
  return btoa(text + ' '.repeat((3 - (text.length % 3)) % 3));
}

/** What a carrier holds; nothing for one of another version, one that was cut or changed, and everything else. Never throws. */
export function decodeCarrier(value: string): Carried | undefined {
  if (!value.startsWith(mark) || value.length > mostCharacters || !/^[a-zA-Z0-9]+$/.test(value)) return undefined;
  const text = decoded(value)?.trimEnd() ?? '';
  const json = text.slice(opening.length + sumLength);
  if (text.slice(opening.length, opening.length + sumLength) !== checksum(json)) return undefined;
  const { p, d, f, b } = asObject(parseJson(json)) ?? {};
  const blobs = Array.isArray(b) ? b.map(blobOf) : [undefined];
  if (typeof p !== 'string' || typeof d !== 'string' || typeof f !== 'string') return undefined;
  const isWhole = blobs.every((blob) => blob !== undefined);
  return isWhole ? { provider: p, dialect: d as DialectId, family: f, blobs } : undefined;
}

/** What stands between a call's own id and a carrier behind it. */
const joint = '__';

/** Characters that an id may have with its carrier; clients keep ids in places that were made for short ones. */
const longestId = 32_768;

/** An id with a carrier behind it, for clients that send back no member that they do not know. */
export function withCarrier(id: string, carrier: string): string {
  const whole = id + joint + carrier;
  return whole.length > longestId ? id : whole;
}

/** An id as it was before a carrier was put behind it, and the carrier, whole or not. */
export function splitId(id: string): { id: string; carrier?: string } {
  const at = id.indexOf(joint + kin);
  return at === -1 ? { id } : { id: id.slice(0, at), carrier: id.slice(at + joint.length) };
}

/** Members of a blob on the wire, short: thinking is long enough. */
function wireOf({ kind, value, on, text, id }: Blob): Record<string, unknown> {
  return { k: kind, v: value, o: on, t: text, i: id };
}

const kinds: readonly unknown[] = ['signature', 'redacted', 'encrypted', 'plain', 'continuation'];
const places: readonly unknown[] = ['thought', 'call', 'text'];

function blobOf(wire: unknown): Blob | undefined {
  const { k, v, o, t, i } = asObject(wire) ?? {};
  const value = asText(v);
  if (!kinds.includes(k) || !places.includes(o) || value === undefined) return undefined;
  return {
    kind: k as Blob['kind'],
    value,
    on: o as Blob['on'],
    ...(typeof t === 'string' && { text: t }),
    ...(typeof i === 'string' && { id: i }),
  };
}

/** JSON in the characters that keep base64 free of signs. */
function ascii(json: string): string {
  return json.replace(/[^ -=@-}]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function decoded(base64: string): string | undefined {
  try {
    return atob(base64);
  } catch {
    return undefined;
  }
}
