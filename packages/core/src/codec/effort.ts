/** How hard to think, in words and in tokens. */
import type { ReasoningRequest } from '../model/request.ts';

/** An effort that has the model think at all. */
export type Effort = Exclude<NonNullable<ReasoningRequest['effort']>, 'none'>;

// No provider publishes a table. The ends are facts (Messages takes 1,024 at the least and gains little past 32k:
// platform.claude.com, extended thinking, seen 2026-11-29), the steps between double.
const budgets: Readonly<Record<Effort, number>> = {
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 16384,
  xhigh: 32768,
  max: 49152,
};

/** Tokens to think with, for an effort. */
export function budgetOf(effort: Effort): number {
  return budgets[effort];
}

/** The effort nearest to a budget in tokens, of the three that every reasoning model knows. */
export function effortOf(budgetTokens: number): 'low' | 'medium' | 'high' {
  if (budgetTokens <= 4096) return 'low';
  return budgetTokens <= 12288 ? 'medium' : 'high';
}
