/** Whether and how reasoning is shown: one setting for all dialects, from the request, its model, or the configuration. */
import type { CanonicalRequest, DecodedRequest, DialectId, ReasoningRequest } from '@streamglot/core';

/** `none` hides reasoning; the others ask for it where an upstream has to be asked, and show it. */
export type ReasoningSummary = NonNullable<ReasoningRequest['summary']>;

type Body = Readonly<Record<string, unknown>>;

/** How a client's own body asks, for an upstream of its own dialect. */
const asked: Readonly<Partial<Record<DialectId, (body: Body, summary: ReasoningSummary) => Body>>> = {
  responses: (body, summary) =>
    summary === 'none' ? body : { ...body, reasoning: { ...objectOf(body.reasoning), summary } },
  messages: (body, summary) => {
    const thinking = objectOf(body.thinking);
    if (thinking.type !== 'enabled' && thinking.type !== 'adaptive') return body;
    return { ...body, thinking: { ...thinking, display: summary === 'none' ? 'omitted' : 'summarized' } };
  },
};

/** The request under a setting; what it says itself comes first. `upstream` is the dialect that will answer, if known. */
export function summarized(
  { request, context }: DecodedRequest,
  setting: ReasoningSummary | undefined,
  upstream: DialectId | undefined,
): DecodedRequest {
  if (setting === undefined || request.reasoning?.summary !== undefined) return { request, context };
  const { reasoning, native } = request;
  const { echo } = context;
  const wanted = thinks(reasoning, upstream) ? { reasoning: { ...reasoning, summary: setting } } : {};
  const body = native === undefined ? undefined : asked[native.dialect]?.(native.body, setting);
  return {
    request: { ...request, ...wanted, ...(native && body && { native: { ...native, body } }) },
    context: {
      ...context,
      ...(setting === 'none' && { showReasoning: false }),
      ...(echo !== undefined && { echo: { ...echo, reasoning: echoed(echo.reasoning, setting) } }),
    },
  };
}

/** Only who thinks anyway is asked to show it: elsewhere the wish for a summary would be one to think. */
function thinks(reasoning: CanonicalRequest['reasoning'], upstream: DialectId | undefined): boolean {
  const { effort, budgetTokens, adaptive } = reasoning ?? {};
  if (effort === 'none') return false;
  return upstream === 'responses' || (effort ?? budgetTokens ?? adaptive) !== undefined;
}

function echoed(reasoning: unknown, setting: ReasoningSummary): Body {
  return { effort: null, ...objectOf(reasoning), summary: setting === 'none' ? null : setting };
}

function objectOf(value: unknown): Body {
  return typeof value === 'object' && value !== null ? (value as Body) : {};
}
