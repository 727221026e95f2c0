/** What a named check is. */
import type { Expectation } from '../cases.ts';
import type { Finding } from '../finding.ts';
import type { Outcome } from '../outcome.ts';

/** A check of what was written; some look into the expectation. */
export type Check = (outcome: Outcome, value: unknown, expect: Expectation) => Finding | undefined;

/** Checks by name. */
export type Checks = Readonly<Record<string, Check>>;
