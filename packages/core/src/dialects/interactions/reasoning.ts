/** How the model is asked to think, read and written: by a level, and whether the client sees summaries. */
import { compact, effortOf, entryOf, type JsonObject, type Losses, type ReasoningRequest } from '../../dialect.ts';
import type { InteractionsConfig } from './schema.ts';

const efforts: Readonly<Record<string, NonNullable<ReasoningRequest['effort']>>> = {
  minimal: 'minimal',
  low: 'low',
  medium: 'medium',
  high: 'high',
};

/** What the client says of thinking; without a word there are no summaries. */
export function decodeReasoning(config: InteractionsConfig): ReasoningRequest | undefined {
  const { thinking_level: level, thinking_summaries: summaries } = config;
  if (!level && !summaries) return undefined;
  return compact({
    effort: entryOf(efforts, level?.toLowerCase() ?? ''),
    summary: summaries === 'auto' ? ('auto' as const) : ('none' as const),
  });
}

/** Whether thinking is asked for in a word that we do not know. */
export function isUnread({ thinking_level: level }: InteractionsConfig): boolean {
  return Boolean(level) && entryOf(efforts, String(level).toLowerCase()) === undefined;
}

/** The level and summaries to ask for; `minimal` is the least there is. */
export function encodeReasoning(reasoning: ReasoningRequest | undefined, losses: Losses): JsonObject {
  if (reasoning === undefined) return {};
  const { effort, budgetTokens, summary } = reasoning;
  const level = levelOf(effort, budgetTokens);
  if (effort !== undefined && effort !== level)
    losses.minor('reasoning', `there is no such level of thinking here: ${level} is asked for`);
  if (effort === undefined && budgetTokens !== undefined)
    losses.minor('reasoning', 'thinking is asked for by a level, not by tokens: the nearest one is asked for');
  return compact({
    thinking_level: level,
    thinking_summaries: summary === 'none' || effort === 'none' ? 'none' : 'auto',
  });
}

function levelOf(effort: ReasoningRequest['effort'], budgetTokens: number | undefined): string | undefined {
  if (effort === 'none') return 'minimal';
  if (effort === 'xhigh' || effort === 'max') return 'high';
  return effort ?? (budgetTokens === undefined ? undefined : effortOf(budgetTokens));
}
