/** How the model is asked to think, read and written. */
import { compact, type Effort, effortOf, type Losses, type ReasoningRequest } from '../../dialect.ts';
import type { ChatRequest } from './schema.ts';

const efforts: readonly string[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

/** The effort of a word, or nothing for a word of one server. */
export function decodeEffort(word: string | null | undefined): Effort | 'none' | undefined {
  return word && efforts.includes(word) ? (word as Effort | 'none') : undefined;
}

/** OpenAI's one word, or what gateways and compatible servers have in its place. */
export function decodeReasoning(body: ChatRequest): ReasoningRequest | undefined {
  const { reasoning, thinking } = body;
  const off = thinking?.type === 'disabled' || body.enable_thinking === false || reasoning?.enabled === false;
  const on =
    thinking?.type === 'enabled' || thinking?.type === 'adaptive' || body.enable_thinking || reasoning?.enabled;
  const effort = decodeEffort(body.reasoning_effort ?? reasoning?.effort) ?? (off ? 'none' : undefined);
  const budgetTokens = reasoning?.max_tokens ?? thinking?.budget_tokens ?? undefined;
  const adaptive = on && effort === undefined && budgetTokens === undefined ? true : undefined;
  const summary = isHidden(body) ? 'none' : undefined;
  const found = compact({ effort, budgetTokens, adaptive, summary });
  return Object.keys(found).length > 0 ? found : undefined;
}

/** Whether the client asked not to see reasoning. */
export function isHidden(body: ChatRequest): boolean {
  return body.reasoning?.exclude === true || body.include_reasoning === false;
}

/** Tokens become the nearest word; a model that may think as it likes is asked for nothing, and so is one that may not:
 * models without reasoning refuse the field. */
export function encodeReasoning(reasoning: ReasoningRequest | undefined, losses: Losses): string | undefined {
  if (reasoning?.effort !== undefined && reasoning.effort !== 'none') return reasoning.effort;
  if (reasoning?.effort === 'none') losses.minor('reasoning', 'left to the upstream: many models refuse "none"');
  if (reasoning?.budgetTokens === undefined || reasoning.effort === 'none') return undefined;
  losses.minor('reasoning', 'Chat knows efforts, not tokens: the nearest one is asked for');
  return effortOf(reasoning.budgetTokens);
}
