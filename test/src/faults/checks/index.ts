/** The named checks that cases ask for beside what they expect. */
import type { Expectation, NamedCheck } from '../cases.ts';
import type { Finding } from '../finding.ts';
import type { Outcome } from '../outcome.ts';
import { anyChecks } from './any.ts';
import { chatChecks } from './chat.ts';
import type { Checks } from './check.ts';
import { geminiChecks } from './gemini.ts';
import { messagesChecks } from './messages.ts';
import { responsesChecks } from './responses.ts';

const own: Readonly<Record<string, Checks>> = {
  chat: chatChecks,
  messages: messagesChecks,
  responses: responsesChecks,
  gemini: geminiChecks,
};

/** What a check finds wrong. */
export function findingOf({ check, value }: NamedCheck, outcome: Outcome, expect: Expectation): Finding | undefined {
  const run = own[outcome.dialect]?.[check] ?? anyChecks[check];
  if (run === undefined) return { expected: `a check named ${check} for ${outcome.dialect}`, got: 'none' };
  return run(outcome, value, expect);
}
