/** Many upstreams that look like one: policies, health, failover, and shares of principals. */
export { type Clock, systemClock } from './clock.ts';
export type { DeploymentConfig, DeploymentState } from './deployment.ts';
export type { CooldownOptions, Standing } from './health.ts';
export { Limiter, limited, type PrincipalLimits } from './limits.ts';
export { type PolicyName, policyNames } from './policy/index.ts';
export type { Ask, Candidate, Policy, Price } from './policy/policy.ts';
export { type RouteOptions, type Router, route } from './route.ts';
export { type Cooling, defaultRules, type ErrorPattern, type Remedy, type Rule } from './rules.ts';
