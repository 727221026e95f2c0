/** Usage counters: on this wire thoughts stand beside the output's tokens, and tool results beside the input's. */
import {
  asArray,
  asCount,
  asObject,
  asText,
  compact,
  type InputTokensDetails,
  type JsonObject,
  type OutputTokensDetails,
  sumOf,
  type Usage,
  unlessEmpty,
} from '../../dialect.ts';
import { modalities } from './terms.ts';

/** A `usage` object as usage, or nothing where it counts nothing. */
export function inclusive(report: unknown): Usage | undefined {
  const raw = asObject(report);
  if (raw === undefined) return undefined;
  const toolUse = asCount(raw.total_tool_use_tokens);
  const reasoning = asCount(raw.total_thought_tokens);
  const inputTokens = sumOf(asCount(raw.total_input_tokens), toolUse);
  const outputTokens = sumOf(asCount(raw.total_output_tokens), reasoning);
  const total = asCount(raw.total_tokens);
  if (inputTokens === undefined && outputTokens === undefined && total === undefined) return undefined;
  const { text, image, audio } = byModality(raw.output_tokens_by_modality);
  const isKnown = inputTokens !== undefined && outputTokens !== undefined;
  return compact({
    inputTokens,
    inputTokensDetails: unlessEmpty<InputTokensDetails>({
      ...byModality(raw.input_tokens_by_modality),
      ...compact({ cacheRead: asCount(raw.total_cached_tokens), toolUse }),
    }),
    outputTokens,
    outputTokensDetails: unlessEmpty<OutputTokensDetails>(compact({ reasoning, text, image, audio })),
    totalTokens: isKnown ? inputTokens + outputTokens : total,
    serverToolUse: toolCounts(raw.grounding_tool_count),
    raw,
  });
}

function byModality(counts: unknown): InputTokensDetails {
  const details: InputTokensDetails = {};
  for (const wire of asArray(counts)) {
    const entry = asObject(wire);
    const name = modalities.get(asText(entry?.modality)?.toLowerCase() ?? '');
    const count = asCount(entry?.tokens);
    if (name !== undefined && count !== undefined) details[name] = (details[name] ?? 0) + count;
  }
  return details;
}

function toolCounts(list: unknown): Record<string, number> | undefined {
  const counts = asArray(list).flatMap((wire) => {
    const entry = asObject(wire);
    const name = asText(entry?.type);
    const count = asCount(entry?.count);
    return name === undefined || count === undefined ? [] : [[name, count] as const];
  });
  return counts.length === 0 ? undefined : Object.fromEntries(counts);
}

/** Usage as a `usage` object, or nothing where neither side was counted; clients read the totals unasked. */
export function exclusive(usage: Usage | undefined): JsonObject | undefined {
  const { inputTokens, outputTokens } = usage ?? {};
  if (usage === undefined || (inputTokens === undefined && outputTokens === undefined)) return undefined;
  const { cacheRead, toolUse, ...input } = usage.inputTokensDetails ?? {};
  const { reasoning, ...output } = usage.outputTokensDetails ?? {};
  return compact({
    total_tokens: usage.totalTokens ?? (inputTokens ?? 0) + (outputTokens ?? 0),
    total_input_tokens: Math.max(0, (inputTokens ?? 0) - (toolUse ?? 0)),
    input_tokens_by_modality: modalityCounts(input),
    total_cached_tokens: cacheRead ?? 0,
    total_output_tokens: Math.max(0, (outputTokens ?? 0) - (reasoning ?? 0)),
    output_tokens_by_modality: modalityCounts(output),
    total_tool_use_tokens: toolUse ?? 0,
    total_thought_tokens: reasoning ?? 0,
  });
}

function modalityCounts(counts: object): readonly JsonObject[] | undefined {
  const known = new Map<string, unknown>(Object.entries(counts));
  const list = [...modalities].flatMap(([modality, name]) =>
    known.has(name) ? [{ modality, tokens: known.get(name) }] : [],
  );
  return list.length > 0 ? list : undefined;
}
