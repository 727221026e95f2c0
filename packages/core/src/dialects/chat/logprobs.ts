/** Token probabilities to and from a Chat choice. */
import { asArray, asCount, asNumber, asObject, type TokenLogprob } from '../../dialect.ts';

/** The probabilities in one list of a choice's `logprobs`, or nothing where it is empty. */
export function decodeLogprobs(wire: unknown): readonly TokenLogprob[] | undefined {
  const tokens = asArray(wire).flatMap((entry) => decodeToken(entry));
  return tokens.length > 0 ? tokens : undefined;
}

/** One list of a choice's `logprobs`. */
export function encodeLogprobs(tokens: readonly TokenLogprob[]): readonly unknown[] {
  return tokens.map((token) => ({ ...encodeToken(token), top_logprobs: (token.top ?? []).map(encodeToken) }));
}

function decodeToken(wire: unknown): TokenLogprob[] {
  const entry = asObject(wire);
  const logprob = asNumber(entry?.logprob);
  if (entry === undefined || logprob === undefined || typeof entry.token !== 'string') return [];
  const token: TokenLogprob = { token: entry.token, logprob };
  if (Array.isArray(entry.bytes) && entry.bytes.every((byte) => asCount(byte) !== undefined))
    token.bytes = entry.bytes as readonly number[];
  if (Array.isArray(entry.top_logprobs)) token.top = entry.top_logprobs.flatMap((other) => decodeToken(other));
  return [token];
}

function encodeToken({ token, logprob, bytes = null }: TokenLogprob): {
  token: string;
  logprob: number;
  bytes: unknown;
} {
  return { token, logprob, bytes };
}
