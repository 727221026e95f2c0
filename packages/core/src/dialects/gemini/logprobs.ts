/** Token probabilities to and from a candidate's `logprobsResult`. */
import { asArray, asNumber, asObject, asText, type JsonObject, type TokenLogprob } from '../../dialect.ts';

/** The tokens that were chosen, each with its alternatives; nothing where there are none. */
export function decodeLogprobs(wire: unknown): readonly TokenLogprob[] | undefined {
  const result = asObject(wire);
  const alternatives = asArray(result?.topCandidates);
  const tokens = asArray(result?.chosenCandidates).flatMap((chosen, nth) => {
    const others = asObject(alternatives[nth]);
    const top = asArray(others?.candidates).flatMap(decodeToken);
    return decodeToken(chosen).map((token) => (others === undefined ? token : { ...token, top }));
  });
  return tokens.length > 0 ? tokens : undefined;
}

/** A `logprobsResult`. */
export function encodeLogprobs(tokens: readonly TokenLogprob[]): JsonObject {
  return {
    topCandidates: tokens.map(({ top = [] }) => ({ candidates: top.map(encodeToken) })),
    chosenCandidates: tokens.map(encodeToken),
  };
}

function decodeToken(wire: unknown): TokenLogprob[] {
  const entry = asObject(wire);
  const logprob = asNumber(entry?.logProbability);
  return logprob === undefined ? [] : [{ token: asText(entry?.token) ?? '', logprob }];
}

function encodeToken({ token, logprob }: TokenLogprob): JsonObject {
  return { token, logProbability: logprob };
}
