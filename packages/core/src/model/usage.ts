/** Token usage in one arithmetic: every total includes its parts. */

/** Usage of one response. An absent count is unknown; it is not zero. */
export interface Usage {
  /** Tokens read, cached and cache-written ones included. */
  inputTokens?: number;
  inputTokensDetails?: InputTokensDetails;
  /** Tokens generated, reasoning included. */
  outputTokens?: number;
  outputTokensDetails?: OutputTokensDetails;
  /** Input plus output. */
  totalTokens?: number;
  /** Requests that tools run by the provider made, by tool. */
  serverToolUse?: Readonly<Record<string, number>>;
  /** What the upstream says the response cost, in its own unit. */
  cost?: number;
  /** The upstream's usage object as it came. */
  raw?: unknown;
}

/** Parts of `Usage.inputTokens`. */
export interface InputTokensDetails {
  cacheRead?: number;
  cacheWrite?: number;
  cacheWrite5m?: number;
  cacheWrite1h?: number;
  text?: number;
  image?: number;
  audio?: number;
  video?: number;
  document?: number;
  toolUse?: number;
}

/** Parts of `Usage.outputTokens`. */
export interface OutputTokensDetails {
  reasoning?: number;
  text?: number;
  audio?: number;
  image?: number;
  acceptedPrediction?: number;
  rejectedPrediction?: number;
}

/** The total of a usage, computed from input and output where the upstream did not say it. */
export function totalTokens(usage: Usage): number {
  return (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0);
}

/** The sum of what is known, or nothing where nothing is. */
export function sumOf(...counts: readonly (number | undefined)[]): number | undefined {
  const known = counts.filter((count) => count !== undefined);
  return known.length === 0 ? undefined : known.reduce((total, count) => total + count, 0);
}
