/** Usage counters: exclusive on this wire (cached tokens stand beside `input_tokens`), inclusive in the model. */
import { asCount, asNumber, asObject, compact, type JsonObject, sumOf, type Usage } from '../../dialect.ts';
import { serverToolCounters } from './terms.ts';

/** The counters of one stream. Each report is a running total; a counter that is absent or null keeps its value. */
export class Counters {
  #raw: JsonObject = {};
  #outputKnown = false;

  /** Takes a report. The output count of `message_start` is a placeholder: only a `message_delta` or a whole message tells it. */
  add(usage: unknown, tellsOutput: boolean): void {
    const told = Object.entries(asObject(usage) ?? {}).filter(([, count]) => count !== null && count !== undefined);
    this.#raw = { ...this.#raw, ...Object.fromEntries(told) };
    if (tellsOutput && told.some(([name]) => name === 'output_tokens')) this.#outputKnown = true;
  }

  /** The last output count, placeholder or not. */
  get outputSoFar(): number {
    return asCount(this.#raw.output_tokens) ?? 0;
  }

  /** All that is known, or nothing where no report has come. */
  get usage(): Usage | undefined {
    if (Object.keys(this.#raw).length === 0) return undefined;
    const usage = inclusive(this.#raw);
    if (!this.#outputKnown) {
      delete usage.outputTokens;
      delete usage.totalTokens;
    }
    return usage;
  }
}

/** A usage object of this wire as the model has it. */
function inclusive(raw: JsonObject): Usage {
  const uncached = asCount(raw.input_tokens);
  const cacheRead = asCount(raw.cache_read_input_tokens);
  const written = asObject(raw.cache_creation) ?? {};
  const cacheWrite5m = asCount(written.ephemeral_5m_input_tokens);
  const cacheWrite1h = asCount(written.ephemeral_1h_input_tokens);
  const cacheWrite = asCount(raw.cache_creation_input_tokens) ?? sumOf(cacheWrite5m, cacheWrite1h);
  const inputTokens = sumOf(uncached, cacheRead, cacheWrite);
  const outputTokens = asCount(raw.output_tokens);
  return compact({
    inputTokens,
    inputTokensDetails: some({ cacheRead, cacheWrite, cacheWrite5m, cacheWrite1h }),
    outputTokens,
    outputTokensDetails: some({ reasoning: asCount(asObject(raw.output_tokens_details)?.thinking_tokens) }),
    totalTokens: inputTokens === undefined || outputTokens === undefined ? undefined : inputTokens + outputTokens,
    serverToolUse: serverToolUse(asObject(raw.server_tool_use)),
    cost: asNumber(raw.cost),
    raw,
  });
}

/** Usage as the `usage` of a `message_delta`. What is unknown is left out, except the output count, which clients need. */
export function exclusive(usage: Usage): JsonObject {
  const { cacheRead, cacheWrite5m, cacheWrite1h, ...input } = usage.inputTokensDetails ?? {};
  const cacheWrite = input.cacheWrite ?? sumOf(cacheWrite5m, cacheWrite1h);
  const outside = sumOf(cacheRead, cacheWrite) ?? 0;
  return compact({
    input_tokens: usage.inputTokens === undefined ? undefined : Math.max(0, usage.inputTokens - outside),
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cacheRead,
    cache_creation: some({ ephemeral_5m_input_tokens: cacheWrite5m, ephemeral_1h_input_tokens: cacheWrite1h }),
    output_tokens: usage.outputTokens ?? 0,
    output_tokens_details: some({ thinking_tokens: usage.outputTokensDetails?.reasoning }),
    server_tool_use: serverToolUseOf(usage.serverToolUse),
  });
}

/** The `usage` of a message, in which the four main counters are never missing. */
export function fullUsage(usage: Usage | undefined, inputTokens = 0): JsonObject {
  const known = exclusive(usage ?? {});
  return { input_tokens: inputTokens, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, ...known };
}

/** The tier as a message of this dialect has it: in its usage. Other dialects have other tiers. */
export function tierOf(serviceTier: string | undefined): JsonObject {
  return serviceTier === undefined ? {} : { service_tier: serviceTier };
}

function serverToolUse(raw: JsonObject | undefined): Readonly<Record<string, number>> | undefined {
  if (raw === undefined) return undefined;
  const names = new Map(serverToolCounters);
  return Object.fromEntries(
    Object.entries(raw).flatMap(([name, count]) =>
      asCount(count) === undefined ? [] : [[names.get(name) ?? name, count as number] as const],
    ),
  );
}

function serverToolUseOf(counts: Usage['serverToolUse']): JsonObject | undefined {
  if (counts === undefined) return undefined;
  const names = new Map(serverToolCounters.map(([wire, tool]) => [tool, wire]));
  return Object.fromEntries(Object.entries(counts).map(([tool, count]) => [names.get(tool) ?? tool, count]));
}

/** The members that are known, or nothing where none is. */
function some<T extends object>(members: T): ReturnType<typeof compact<T>> | undefined {
  const known = compact(members);
  return Object.keys(known).length === 0 ? undefined : known;
}
