/** How the model is asked to think, read and written: by a level, by tokens, and whether the client sees it. */
import {
  budgetOf,
  compact,
  entryOf,
  type JsonObject,
  type Losses,
  type ReasoningRequest,
  type RequestOptions,
} from '../../dialect.ts';
import type { GeminiRequest } from './schema.ts';

const efforts: Readonly<Record<string, NonNullable<ReasoningRequest['effort']>>> = {
  MINIMAL: 'minimal',
  LOW: 'low',
  MEDIUM: 'medium',
  HIGH: 'high',
  XHIGH: 'xhigh',
};

/** What the client says of thinking. Budget 0 is none, -1 leaves it to the model (ai.google.dev, thinking, seen 2026-11-29). */
export function decodeReasoning({ generationConfig }: GeminiRequest): ReasoningRequest | undefined {
  const config = generationConfig?.thinkingConfig;
  if (!config) return undefined;
  const budget = config.thinkingBudget ?? undefined;
  const level = entryOf(efforts, config.thinkingLevel?.toUpperCase() ?? '');
  return compact({
    effort: budget === 0 ? 'none' : level,
    budgetTokens: budget !== undefined && budget > 0 ? budget : undefined,
    adaptive: budget !== undefined && budget < 0 ? true : undefined,
    summary: config.includeThoughts === true ? 'auto' : 'none',
  });
}

/** Whether thinking is asked for in a word that we do not know. */
export function isUnread({ generationConfig }: GeminiRequest): boolean {
  const level = generationConfig?.thinkingConfig?.thinkingLevel;
  return Boolean(level) && entryOf(efforts, String(level).toUpperCase()) === undefined;
}

/** Whether the client sees thoughts: only if it asks. */
export function isShown({ generationConfig }: GeminiRequest): boolean {
  return generationConfig?.thinkingConfig?.includeThoughts === true;
}

/** `thinkingConfig`. Models before 3 take tokens, later ones levels: who knows the model says so, else the client's way is kept. */
export function encodeReasoning(
  reasoning: ReasoningRequest | undefined,
  { thinking }: RequestOptions,
  losses: Losses,
): JsonObject | undefined {
  if (reasoning === undefined) return undefined;
  const { effort, budgetTokens, adaptive, summary } = reasoning;
  const includeThoughts = summary !== 'none' && effort !== 'none';
  if (effort === 'none') return thinking === 'adaptive' ? { thinkingLevel: 'MINIMAL' } : { thinkingBudget: 0 };
  if (thinking === 'adaptive' || (thinking === undefined && effort !== undefined))
    return compact({ thinkingLevel: levelOf(reasoning, losses), includeThoughts });
  const tokens = budgetTokens ?? (effort === undefined ? undefined : budgetOf(effort));
  return compact({ thinkingBudget: tokens ?? (adaptive === true ? -1 : undefined), includeThoughts });
}

function levelOf({ effort, budgetTokens }: ReasoningRequest, losses: Losses): string | undefined {
  if (effort === 'max') return 'XHIGH';
  if (effort !== undefined) return effort.toUpperCase();
  if (budgetTokens === undefined) return undefined;
  losses.minor('reasoning', 'the model takes a level, not tokens: the nearest one is asked for');
  return budgetTokens <= 4096 ? 'LOW' : budgetTokens <= 12288 ? 'MEDIUM' : 'HIGH';
}
