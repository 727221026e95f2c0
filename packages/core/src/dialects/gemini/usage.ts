/** Usage counters: on this wire thoughts stand beside the candidates' tokens, and tool results beside the prompt's. */
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

const counters = [
  'promptTokenCount',
  'candidatesTokenCount',
  'thoughtsTokenCount',
  'toolUsePromptTokenCount',
  'cachedContentTokenCount',
  'totalTokenCount',
] as const;

/** The counters of one stream. Each report is a running total; a counter that is absent keeps its value. */
export class Counters {
  #raw: JsonObject = {};

  /** Takes a report; says whether it counts anything anew. Some name only the kind of traffic. */
  add(report: unknown): boolean {
    const usage = asObject(report);
    if (usage === undefined) return false;
    const isNews = counters.some((name) => asCount(usage[name]) !== undefined && usage[name] !== this.#raw[name]);
    if (isNews) this.#raw = { ...this.#raw, ...usage };
    return isNews;
  }

  /** All that is known. */
  get usage(): Usage {
    return inclusive(this.#raw);
  }

  /** Whether anything was counted. */
  get known(): boolean {
    return Object.keys(this.#raw).length > 0;
  }
}

function inclusive(raw: JsonObject): Usage {
  const toolUse = asCount(raw.toolUsePromptTokenCount);
  const reasoning = asCount(raw.thoughtsTokenCount);
  const inputTokens = sumOf(asCount(raw.promptTokenCount), toolUse);
  const outputTokens = sumOf(asCount(raw.candidatesTokenCount), reasoning);
  const input = byModality(raw.promptTokensDetails);
  const { text, image, audio } = byModality(raw.candidatesTokensDetails);
  const total =
    inputTokens === undefined || outputTokens === undefined ? asCount(raw.totalTokenCount) : inputTokens + outputTokens;
  return compact({
    inputTokens,
    inputTokensDetails: unlessEmpty<InputTokensDetails>({
      ...input,
      ...compact({ cacheRead: asCount(raw.cachedContentTokenCount), toolUse }),
    }),
    outputTokens,
    outputTokensDetails: unlessEmpty<OutputTokensDetails>(compact({ reasoning, text, image, audio })),
    totalTokens: total,
    raw,
  });
}

function byModality(details: unknown): InputTokensDetails {
  const counts: InputTokensDetails = {};
  for (const wire of asArray(details)) {
    const detail = asObject(wire);
    const name = modalities.get(asText(detail?.modality) ?? '');
    const count = asCount(detail?.tokenCount);
    if (name !== undefined && count !== undefined) counts[name] = (counts[name] ?? 0) + count;
  }
  return counts;
}

/** Usage as `usageMetadata`; what is unknown is left out. */
export function exclusive(usage: Usage): JsonObject {
  const { cacheRead, toolUse, ...input } = usage.inputTokensDetails ?? {};
  const { reasoning, ...output } = usage.outputTokensDetails ?? {};
  const { inputTokens, outputTokens } = usage;
  return compact({
    promptTokenCount: inputTokens === undefined ? undefined : Math.max(0, inputTokens - (toolUse ?? 0)),
    candidatesTokenCount: outputTokens === undefined ? undefined : Math.max(0, outputTokens - (reasoning ?? 0)),
    thoughtsTokenCount: reasoning,
    toolUsePromptTokenCount: toolUse,
    cachedContentTokenCount: cacheRead,
    totalTokenCount: usage.totalTokens ?? sumOf(inputTokens, outputTokens),
    promptTokensDetails: modalityCounts(input),
    candidatesTokensDetails: modalityCounts(output),
  });
}

/** Clients check that each entry has both members. */
function modalityCounts(counts: object): readonly JsonObject[] | undefined {
  const known = Object.entries(counts);
  const list = [...modalities].flatMap(([modality, name]) =>
    known.flatMap(([key, tokenCount]) => (key === name ? [{ modality, tokenCount }] : [])),
  );
  return list.length > 0 ? list : undefined;
}
