/** Token usage of a Responses object, whose totals include their parts, to and from the canonical form. */
import {
  asCount,
  asNumber,
  asObject,
  compact,
  entryOf,
  type JsonObject,
  totalTokens,
  type Usage,
} from '../../dialect.ts';

/** Reads a `usage` object; nothing where there is none. */
export function decodeUsage(value: unknown): Usage | undefined {
  const raw = asObject(value);
  if (raw === undefined) return undefined;
  const input = asObject(raw.input_tokens_details) ?? {};
  const output = asObject(raw.output_tokens_details) ?? {};
  return compact({
    inputTokens: asCount(raw.input_tokens) ?? asCount(raw.prompt_tokens),
    inputTokensDetails: filled({
      cacheRead: asCount(input.cached_tokens),
      cacheWrite: asCount(input.cache_write_tokens),
      text: asCount(input.text_tokens),
      image: asCount(input.image_tokens),
      audio: asCount(input.audio_tokens),
    }),
    outputTokens: asCount(raw.output_tokens) ?? asCount(raw.completion_tokens),
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

/** Adds the counts that clients read unasked and some servers leave out; returns whether any were missing or no counts. */
export function completeUsage(value: unknown): boolean {
  const usage = asObject(value);
  if (usage === undefined) return false;
  const { input_tokens_details: input, output_tokens_details: output } = usage;
  usage.input_tokens_details = asObject(input) ?? { cached_tokens: 0, cache_write_tokens: 0 };
  usage.output_tokens_details = asObject(output) ?? { reasoning_tokens: 0 };
  const added = input !== usage.input_tokens_details || output !== usage.output_tokens_details;
  const details = [asObject(usage.input_tokens_details), asObject(usage.output_tokens_details)];
  const mended = details.filter((counts) => completeCounts(counts ?? {}, optionalCounts, true)).length > 0;
  const counted = completeCounts(usage, ['input_tokens', 'output_tokens'], false);
  return completeTotal(usage) || counted || mended || added;
}

/** The names of Chat for the same counts, which some servers keep. */
const chatNames: Readonly<Record<string, string>> = {
  input_tokens: 'prompt_tokens',
  output_tokens: 'completion_tokens',
};

function completeTotal(usage: JsonObject): boolean {
  if (typeof usage.total_tokens === 'number') return false;
  usage.total_tokens = (usage.input_tokens as number) + (usage.output_tokens as number);
  return true;
}

const optionalCounts = ['cached_tokens', 'cache_write_tokens', 'reasoning_tokens'];

/** Turns what should be counts into counts; those that may be left out may also be null. */
function completeCounts(counts: JsonObject, names: readonly string[], optional: boolean): boolean {
  const wrong = names.filter((name) => !(optional && counts[name] == null) && typeof counts[name] !== 'number');
  for (const name of wrong)
    counts[name] = asCount(counts[name]) ?? asCount(counts[entryOf(chatNames, name) ?? '']) ?? 0;
  return wrong.length > 0;
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
