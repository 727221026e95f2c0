/** How the model is asked to think, read and written, and the limit that thinking shares with the answer. */
import {
  budgetOf,
  type CanonicalRequest,
  compact,
  type Effort,
  effortOf,
  type JsonObject,
  type Losses,
  type ReasoningRequest,
  type RequestOptions,
} from '../../dialect.ts';
import type { MessagesRequest } from './schema.ts';

/** The limit where neither client nor provider names one, thinking not counted; the API demands a number. */
export const defaultMaxTokens = 4096;

/** The least budget that the API takes. */
const leastBudget = 1024;

const efforts: readonly string[] = ['low', 'medium', 'high', 'xhigh', 'max'];

/** What the client says of thinking. An effort without thinking counts as one with: the models of 2026 think unasked. */
export function decodeReasoning({ thinking, output_config: config }: MessagesRequest): ReasoningRequest | undefined {
  const effort = config?.effort && efforts.includes(config.effort) ? (config.effort as Effort) : undefined;
  const found = compact({
    effort: thinking?.type === 'disabled' ? 'none' : effort,
    budgetTokens: thinking?.type === 'enabled' ? (thinking.budget_tokens ?? undefined) : undefined,
    adaptive: thinking?.type === 'adaptive' || thinking?.type === 'between_tools' ? true : undefined,
    summary: thinking?.display === 'omitted' ? 'none' : thinking?.display === 'summarized' ? 'auto' : undefined,
  });
  return Object.keys(found).length > 0 ? found : undefined;
}

/** Whether thinking or effort is asked for in words that we do not know. */
export function isUnread({ thinking, output_config: config }: MessagesRequest): boolean {
  const word = config?.effort;
  return (
    (Boolean(thinking) && !kinds.includes(String(thinking?.type))) || (Boolean(word) && !efforts.includes(String(word)))
  );
}

const kinds: readonly string[] = ['enabled', 'disabled', 'adaptive', 'between_tools'];

/** Thinking, effort and limit as they are sent. */
export interface WrittenReasoning {
  maxTokens: number;
  thinking?: JsonObject;
  effort?: string;
  /** Whether the model thinks; sampling is then not its own. */
  thinks: boolean;
}

/** Writes the request for thinking. `forced` says that the model has to call a tool. */
export function encodeReasoning(
  request: CanonicalRequest,
  options: RequestOptions,
  { forced }: { forced: boolean },
  losses: Losses,
): WrittenReasoning {
  const { reasoning } = request;
  const limit = request.maxOutputTokens ?? options.maxOutputTokens;
  const silent = { maxTokens: limit ?? defaultMaxTokens, thinks: false };
  if (reasoning === undefined) return silent;
  if (reasoning.effort === 'none') return { ...silent, thinking: { type: 'disabled' } };
  const adaptive = isAdaptive(reasoning, options);
  const effort = adaptive ? encodeEffort(reasoning, losses) : {};
  const obstacle = obstacleTo(request, forced);
  if (obstacle !== undefined) {
    losses.minor('reasoning', `thinking is off for this turn: ${obstacle}`);
    return { ...silent, ...effort };
  }
  const tokens = reasoning.budgetTokens ?? budgetOf(reasoning.effort ?? 'high');
  const display = displayOf(reasoning);
  if (adaptive) {
    const maxTokens = limit ?? defaultMaxTokens + tokens;
    return { maxTokens, thinking: { type: 'adaptive', ...display }, ...effort, thinks: true };
  }
  return encodeBudget(tokens, limit, display, losses);
}

/** Claude 4.5 and older take tokens only, the models after them effort only (platform.claude.com, thinking, seen
 * 2026-11-29). Who knows the model says so in the options; else a client's own way is kept. */
function isAdaptive({ effort, adaptive }: ReasoningRequest, { thinking }: RequestOptions): boolean {
  return thinking === undefined ? effort !== undefined || adaptive === true : thinking === 'adaptive';
}

function encodeEffort(reasoning: ReasoningRequest, losses: Losses): { effort?: string } {
  const { effort, budgetTokens, adaptive } = reasoning;
  if (effort === 'minimal') losses.minor('reasoning', 'the least effort of Messages is "low"');
  if (effort !== undefined) return { effort: effort === 'minimal' ? 'low' : effort };
  if (budgetTokens === undefined || adaptive === true) return {};
  losses.minor('reasoning', 'the model takes an effort, not tokens: the nearest one is asked for');
  return { effort: effortOf(budgetTokens) };
}

function displayOf({ summary }: ReasoningRequest): { display?: string } {
  return summary === undefined ? {} : { display: summary === 'none' ? 'omitted' : 'summarized' };
}

/** A budget lies under the limit; where the client set one, at least a fifth of it is left for the answer. */
function encodeBudget(
  tokens: number,
  limit: number | undefined,
  display: { display?: string },
  losses: Losses,
): WrittenReasoning {
  const wanted = Math.max(tokens, leastBudget);
  const budget = limit === undefined ? wanted : Math.min(wanted, Math.floor(limit * 0.8));
  if (limit !== undefined && budget < leastBudget) {
    losses.minor('reasoning', `thinking is off for this turn: the limit leaves no ${leastBudget} tokens for it`);
    return { maxTokens: limit, thinks: false };
  }
  return {
    maxTokens: limit ?? budget + defaultMaxTokens,
    thinking: { type: 'enabled', budget_tokens: budget, ...display },
    thinks: true,
  };
}

/** What the API refuses together with thinking (platform.claude.com, thinking with tool use, seen 2026-11-29). */
function obstacleTo({ turns }: CanonicalRequest, forced: boolean): string | undefined {
  const last = turns.at(-1);
  if (forced) return 'a forced tool does not go with it';
  if (last?.role === 'assistant') return 'an answer that is begun does not go with it';
  const called = turns.at(-2);
  if (!last?.parts.some(({ type }) => type === 'tool_result') || called?.role !== 'assistant') return undefined;
  const signed = called.parts.some(
    (part) => part.type === 'reasoning' && (part.signature ?? part.redacted) !== undefined,
  );
  return signed ? undefined : 'the replayed tool turn lacks the thinking that led to it';
}
