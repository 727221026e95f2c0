/** The table of policies: one line each. */
import type { Policy } from './policy.ts';
import { cost, latency, leastInFlight, ranked, throughput } from './ranked.ts';
import { sticky } from './sticky.ts';
import { turns } from './turns.ts';

/** The policies that have a name. */
export type PolicyName =
  | 'priority'
  | 'weighted'
  | 'round-robin'
  | 'least-in-flight'
  | 'latency'
  | 'throughput'
  | 'cost'
  | 'sticky';

/** What makes each policy; some count turns, so every router has its own. */
const policies: Readonly<Record<PolicyName, () => Policy>> = {
  priority:
    () =>
    ([first]) =>
      first,
  weighted: () => turns(({ weight }) => weight),
  'round-robin': () => turns(() => 1),
  'least-in-flight': () => ranked(leastInFlight),
  latency: () => ranked(latency),
  throughput: () => ranked(throughput),
  cost: () => ranked(cost),
  sticky: () => sticky,
};

/** The names of all policies. */
export const policyNames: readonly PolicyName[] = Object.keys(policies) as PolicyName[];

/** The policy of a name, or one's own. Throws `TypeError` for a name that there is not. */
export function policyOf(policy: PolicyName | Policy): Policy {
  if (typeof policy === 'function') return policy;
  if (!Object.hasOwn(policies, policy))
    throw new TypeError(`"${policy}" is not a policy; give a function or one of ${policyNames.join(', ')}.`);
  return policies[policy]();
}
