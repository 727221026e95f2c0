/** Token usage of a Responses object, whose totals include their parts, to and from the canonical form. */
import { asCount, asNumber, asObject, compact, totalTokens, type Usage } from '../../dialect.ts';

/** Reads a `usage` object; nothing where there is none. */
export function decodeUsage(value: unknown): Usage | undefined {
  const raw = asObject(value);
  if (raw === undefined) return undefined;
  const input = asObject(raw.input_tokens_details) ?? {};
  const output = asObject(raw.output_tokens_details) ?? {};
  return compact({
    inputTokens: asCount(raw.input_tokens),
    inputTokensDetails: filled({
      cacheRead: asCount(input.cached_tokens),
      cacheWrite: asCount(input.cache_write_tokens),
      text: asCount(input.text_tokens),
      image: asCount(input.image_tokens),
      audio: asCount(input.audio_tokens),
    }),
    outputTokens: asCount(raw.output_tokens),
    outputTokensDetails: filled({
      reasoning: asCount(output.reasoning_tokens),
      text: asCount(output.text_tokens),
      audio: asCount(output.audio_tokens),
      image: asCount(output.image_tokens),
    }),
    totalTokens: asCount(raw.total_tokens),
    cost: asNumber(raw.cost) ?? asNumber(raw.cost_in_usd_ticks),
    raw,
  });
}

/** Adds the details that clients read unasked and some servers leave out; returns whether any were missing. */
export function completeUsage(value: unknown): boolean {
  const usage = asObject(value);
  if (usage === undefined) return false;
  const { input_tokens_details: input, output_tokens_details: output } = usage;
  usage.input_tokens_details = asObject(input) ?? { cached_tokens: 0, cache_write_tokens: 0 };
  usage.output_tokens_details = asObject(output) ?? { reasoning_tokens: 0 };
  return input !== usage.input_tokens_details || output !== usage.output_tokens_details;
}

/** Writes a `usage` object; every count is required there, so an unknown one is 0. */
export function encodeUsage(usage: Usage): Record<string, unknown> {
  return {
    input_tokens: usage.inputTokens ?? 0,
    input_tokens_details: {
      cached_tokens: usage.inputTokensDetails?.cacheRead ?? 0,
      cache_write_tokens: usage.inputTokensDetails?.cacheWrite ?? 0,
    },
    output_tokens: usage.outputTokens ?? 0,
    output_tokens_details: { reasoning_tokens: usage.outputTokensDetails?.reasoning ?? 0 },
    total_tokens: totalTokens(usage),
  };
}

function filled<T extends object>(details: T): ReturnType<typeof compact<T>> | undefined {
  const known = compact(details);
  return Object.keys(known).length > 0 ? known : undefined;
}
