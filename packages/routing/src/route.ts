/** Many upstreams that look like one. */
import {
  type DialectId,
  GatewayError,
  type Maker,
  type TokenCount,
  toCanonicalError,
  type Upstream,
  type UpstreamCall,
  type UpstreamReply,
} from '@streamglot/core';
import { type AskOptions, Question } from './ask.ts';
import { type Clock, systemClock } from './clock.ts';
import { Deployment, type DeploymentConfig, type DeploymentState } from './deployment.ts';
import { type Budget, Failover } from './failover.ts';
import { Fleet } from './fleet.ts';
import { type CooldownOptions, defaultCooldown } from './health.ts';
import { type PolicyName, policyOf } from './policy/index.ts';
import type { Policy } from './policy/policy.ts';
import { defaultRules, judge, type Rule } from './rules.ts';

/** How a router works. Times in milliseconds; whatever is left out has the default that its comment says. */
export interface RouteOptions {
  /** The router's name as an upstream; `route` unless told. */
  readonly id?: string;
  /** Tries of one request in all; 3 unless told. */
  readonly attempts?: number;
  /** The time after a request's arrival in which a try may begin; 60,000 unless told. */
  readonly budgetMs?: number;
  /** The time that a deployment has for its first generated event, until another one is tried; no limit unless told. */
  readonly firstOutputMs?: number;
  /** How long a request may wait for a slot; 10,000 unless told. */
  readonly waitMs?: number;
  /** How many requests may wait for a slot; 1,000 unless told. */
  readonly maxWaiting?: number;
  /** The time after which a measurement counts half; 30,000 unless told. */
  readonly halfLifeMs?: number;
  /** How readily `latency` and `throughput` try deployments of which they know little, from 0 (not at all) up; 0.5 unless told. */
  readonly explore?: number;
  /** When deployments rest after failures, and how long. */
  readonly cooldown?: Partial<CooldownOptions>;
  /** Rules of your own for errors; they are asked before the default ones. */
  readonly rules?: readonly Rule[];
  /** What requests that should go to the same deployment have in common, for `sticky`; where it says nothing, the prompt cache key, else how the conversation begins. */
  readonly key?: AskOptions['key'];
  /** The clock; the process's own unless told. */
  readonly clock?: Clock;
  /** A source of numbers from 0 up to 1; `Math.random` unless told. */
  readonly random?: () => number;
}

/** A router: an upstream, and how its deployments stand. */
export interface Router extends Upstream {
  /** How each deployment stands now, in the order in which they were given. */
  readonly deployments: readonly DeploymentState[];
  /** How many requests wait for a slot. */
  readonly waiting: number;
}

/**
 * An upstream that asks one of several for each request, as the policy says, and another one where that fails before it has
 * said anything. Throws `TypeError` for a mistake in what it is given.
 */
export function route(
  deployments: readonly (Upstream | DeploymentConfig)[],
  policy: PolicyName | Policy = 'priority',
  options: RouteOptions = {},
): Router {
  return new Route(deployments, policyOf(policy), options);
}

class Route implements Router {
  readonly id: string;
  readonly dialect?: DialectId;
  readonly makers?: readonly Maker[];
  readonly countTokens?: NonNullable<Upstream['countTokens']>;
  readonly #clock: Clock;
  readonly #fleet: Fleet;
  readonly #budget: Budget;
  readonly #asks: AskOptions;
  readonly #rules: readonly Rule[];

  constructor(given: readonly (Upstream | DeploymentConfig)[], policy: Policy, options: RouteOptions) {
    const { clock = systemClock, random = Math.random } = options;
    const rules = [...(options.rules ?? []), ...defaultRules];
    const deployments = deploymentsOf(given.map(configOf), options, random);
    this.id = options.id ?? 'route';
    this.#clock = clock;
    this.#rules = rules;
    this.#asks = { clock, random, explore: options.explore ?? 0.5, key: options.key };
    this.#budget = {
      attempts: options.attempts ?? 3,
      budgetMs: options.budgetMs ?? 60_000,
      firstOutputMs: options.firstOutputMs ?? Number.POSITIVE_INFINITY,
    };
    const { waitMs = 10_000, maxWaiting = 1_000 } = options;
    this.#fleet = new Fleet(deployments, { clock, random, policy, rules, waitMs, maxWaiting });
    const dialect = deployments[0]?.upstream.dialect;
    if (dialect !== undefined && deployments.every(({ upstream }) => upstream.dialect === dialect))
      this.dialect = dialect;
    const makers = deployments.map(({ upstream }) => upstream.makers);
    if (makers.every((known) => known !== undefined)) this.makers = makers.flat();
    if (deployments.some(({ upstream }) => upstream.countTokens !== undefined))
      this.countTokens = (call) => this.#count(call);
  }

  get deployments(): readonly DeploymentState[] {
    const now = this.#clock.now();
    return this.#fleet.deployments.map((one) => one.state(now));
  }

  get waiting(): number {
    return this.#fleet.waiting;
  }

  open(call: UpstreamCall): Promise<UpstreamReply> {
    const ask = new Question(call, this.#asks);
    return new Failover(call, ask, this.#fleet, this.#clock, this.#budget).run((attempt) => call.attempted?.(attempt));
  }

  /** Asks those that can count, in order. A count takes no slot, and says nothing of a deployment's health. */
  async #count(call: Omit<UpstreamCall, 'stream'>): Promise<TokenCount> {
    const now = this.#clock.now();
    const able = this.#fleet.deployments.filter(({ upstream }) => upstream.countTokens !== undefined);
    const well = able.filter(({ health }) => health.standing(now) === 'healthy');
    let last: unknown;
    for (const { upstream } of well.length > 0 ? well : able)
      try {
        return await (upstream.countTokens as NonNullable<Upstream['countTokens']>)(call);
      } catch (thrown) {
        last = thrown;
        const headers = thrown instanceof GatewayError ? thrown.headers : undefined;
        if (call.signal.aborted || judge(toCanonicalError(thrown), this.#rules, headers).remedy === 'stop')
          throw thrown;
      }
    throw last;
  }
}

function configOf(given: Upstream | DeploymentConfig): DeploymentConfig {
  return 'upstream' in given ? given : { upstream: given };
}

function deploymentsOf(
  configs: readonly DeploymentConfig[],
  options: RouteOptions,
  random: () => number,
): readonly Deployment[] {
  if (configs.length === 0) throw new TypeError('A route needs at least one deployment.');
  const shared = {
    halfLifeMs: options.halfLifeMs ?? 30_000,
    cooldown: { ...defaultCooldown, ...options.cooldown },
    random,
  };
  const names = new Map<string, number>();
  return configs.map((config, position) => {
    const name = config.id ?? config.upstream.id;
    const count = (names.get(name) ?? 0) + 1;
    names.set(name, count);
    return new Deployment(config, count === 1 ? name : `${name}#${count}`, position, shared);
  });
}
