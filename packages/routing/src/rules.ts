/** What a failure means for the request and for the deployment: rules as data, the first that fits decides. */
import type { CanonicalError, ErrorType } from '@streamglot/core';

/** What a rule asks of an error. All that is named must fit; a rule that names nothing fits every error. */
export interface ErrorPattern {
  /** The HTTP status that the upstream answered with; in-band errors have none. */
  readonly status?: number | readonly number[];
  readonly type?: ErrorType | readonly ErrorType[];
  readonly code?: string | RegExp;
  /** Fits the message or the upstream's own error body as JSON. */
  readonly body?: RegExp;
}

/** What may be done with the request: send it again, also to the same deployment; send it to another one; give up. */
export type Remedy = 'retry' | 'fail-over' | 'stop';

/**
 * What becomes of the deployment: nothing; its failures in a row are counted, and enough of them cool it down; it cools down
 * at once; or it does so for so many milliseconds. A time that the upstream names wins over all but `none`.
 */
export type Cooling = 'none' | 'count' | 'now' | number;

/** One rule. */
export interface Rule {
  readonly when: ErrorPattern;
  readonly do: Remedy;
  /** `count` unless told. */
  readonly cooldown?: Cooling;
}

/** What the rules say of one error. */
export interface Verdict {
  readonly remedy: Remedy;
  readonly cooldown: Cooling;
  readonly retryAfterMs?: number;
}

/** Milliseconds for which a deployment rests that asks for a key or money: only a person can mend that. */
const broken = 60_000;

/** The rules behind one's own. Types stand for the statuses that dialects give them, in-band errors included. */
export const defaultRules: readonly Rule[] = [
  { when: { type: 'cancelled' }, do: 'stop', cooldown: 'none' },
  { when: { code: /^(shutdown|deadline_exceeded)$/ }, do: 'stop', cooldown: 'none' },
  // This deployment's dialect cannot say what was asked; another one's may.
  { when: { code: 'unsupported_field' }, do: 'fail-over', cooldown: 'none' },
  { when: { type: 'unimplemented' }, do: 'fail-over', cooldown: 'none' },
  // Anthropic's 400 or 429 with an error_code such as organization_spend_limit_reached, OpenAI's 429 insufficient_quota:
  // no wait helps, and no retry-after comes along (platform.claude.com/docs/en/api/errors, seen 2026-11-29).
  { when: { code: /spend_limit_reached|insufficient_quota/ }, do: 'fail-over', cooldown: broken },
  { when: { body: /spend_limit_reached/ }, do: 'fail-over', cooldown: broken },
  { when: { type: ['billing', 'authentication'] }, do: 'fail-over', cooldown: broken },
  { when: { type: 'permission' }, do: 'fail-over', cooldown: 'count' },
  // A client that asks for a file which is not there must not take a deployment from all others.
  { when: { type: 'not_found' }, do: 'fail-over', cooldown: 'none' },
  { when: { type: 'rate_limit' }, do: 'fail-over', cooldown: 'now' },
  { when: { type: 'conflict' }, do: 'retry', cooldown: 'none' },
  { when: { status: 408 }, do: 'retry', cooldown: 'count' },
  { when: { type: ['invalid_request', 'too_large'] }, do: 'stop', cooldown: 'none' },
  { when: { code: 'connect_failed' }, do: 'fail-over', cooldown: 'now' },
  { when: {}, do: 'fail-over', cooldown: 'count' },
];

/** Judges an error. `headers` are those of the answer that told it, names in lower case. */
export function judge(
  error: CanonicalError,
  rules: readonly Rule[],
  headers: ReadonlyMap<string, string> | undefined,
): Verdict {
  const { do: remedy, cooldown = 'count' } = rules.find(({ when }) => fits(when, error)) as Rule;
  const { retryAfterMs } = error;
  return {
    remedy: advised(remedy, headers?.get('x-should-retry')),
    cooldown,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

/** What the upstream advises concerns itself: a retry that it forbids may still go to another deployment. */
function advised(remedy: Remedy, shouldRetry: string | undefined): Remedy {
  if (shouldRetry === 'true' && remedy === 'stop') return 'retry';
  if (shouldRetry === 'false' && remedy === 'retry') return 'fail-over';
  return remedy;
}

function fits({ status, type, code, body }: ErrorPattern, error: CanonicalError): boolean {
  return (
    among(status, error.status) &&
    among(type, error.type) &&
    (code === undefined || (typeof code === 'string' ? code === error.code : code.test(error.code ?? ''))) &&
    (body === undefined || body.test(error.message) || body.test(textOf(error.native)))
  );
}

function among<T>(wanted: T | readonly T[] | undefined, found: T | undefined): boolean {
  if (wanted === undefined) return true;
  return Array.isArray(wanted) ? wanted.includes(found) : wanted === found;
}

function textOf(native: unknown): string {
  return JSON.stringify(native) ?? '';
}
