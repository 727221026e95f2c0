/** The models of a configuration: each an upstream, or a set of deployments behind a router. */
import type { Provider, Upstream } from '@streamglot/core';
import {
  type DeploymentConfig,
  type Policy,
  policyNames,
  type RouteOptions,
  type Rule,
  route,
} from '@streamglot/routing';
import * as z from 'zod/mini';
import type { ModelTimeouts } from './config.ts';
import { ConfigError } from './error.ts';
import { amount, amounts, defined, isFunction, isObject, mistake, summary } from './fields.ts';
import type { ReasoningSummary } from './summary.ts';

/** A model that clients can ask for, ready to be asked. */
export interface Model {
  readonly name: string;
  /** The provider's name in the configuration, or the upstream's id. */
  readonly owner: string;
  readonly upstream: Upstream;
  /** The upstream's name of the model; absent for an upstream of the host's own, and for several. */
  readonly target?: string;
  readonly maxOutputTokens?: number;
  readonly reasoningSummary?: ReasoningSummary;
  /** Where they differ from those of all models. */
  readonly timeouts?: Partial<ModelTimeouts>;
  /** Whether an answer is read on whose client has left. */
  readonly drains?: boolean;
}

const forms =
  'expected "<provider>/<model>", an upstream, { target, maxOutputTokens, ... } or { targets: [...], policy, ... }';

const target = z.union([z.string(), z.custom<Upstream>(isUpstream)], {
  error: 'expected "<provider>/<model>" or an upstream (an object with an id and an open function)',
});

const share = z.custom<number>((value) => typeof value === 'number' && value >= 0, {
  error: 'expected a number, 0 or more',
});

const ofOne = {
  maxOutputTokens: z.optional(amount),
  reasoningSummary: z.optional(summary),
  timeouts: z.optional(z.strictObject(amounts({ firstOutputMs: 0, silenceMs: 0, totalMs: 0 }))),
  onDisconnect: z.optional(z.enum(['cancel', 'drain'], { error: 'expected "cancel" or "drain"' })),
};

const single = z.strictObject({ target, ...ofOne }, { error: forms });

const deployment = z.strictObject(
  {
    target,
    id: z.optional(z.string({ error: 'expected a text' })),
    weight: z.optional(amount),
    maxInFlight: z.optional(amount),
    price: z.optional(z.strictObject({ input: share, output: share }, { error: 'expected { input, output }' })),
  },
  { error: 'expected "<provider>/<model>", an upstream, or { target, id, weight, maxInFlight, price }' },
);

const policy = z.custom<(typeof policyNames)[number] | Policy>(
  (value) => isFunction(value) || policyNames.some((name) => name === value),
  {
    error: `expected a function (candidates, ask) => candidate, or one of ${policyNames.map((name) => `"${name}"`).join(', ')}`,
  },
);

const remedies: readonly unknown[] = ['retry', 'fail-over', 'stop'];

const rule = z.custom<Rule>((value) => isObject(value) && isObject(value.when) && remedies.includes(value.do), {
  error: 'expected { when: { status, type, code, body }, do: "retry" | "fail-over" | "stop", cooldown }',
});

const several = z.strictObject({
  targets: z
    .array(z.pipe(z.transform(spelledOut), deployment), { error: 'expected a list of targets' })
    .check(z.minLength(1, { error: 'expected at least one target' })),
  policy: z.optional(policy),
  route: z.optional(
    z.strictObject({
      ...amounts({ attempts: 0, budgetMs: 0, firstOutputMs: 0, maxWaiting: 0, halfLifeMs: 0 }),
      waitMs: z.optional(share),
      explore: z.optional(share),
      cooldown: z.optional(z.strictObject(amounts({ failures: 0, baseMs: 0, maxMs: 0, maxRetryAfterMs: 0 }))),
      rules: z.optional(z.array(rule, { error: 'expected a list of rules' })),
      key: z.optional(
        z.custom<NonNullable<RouteOptions['key']>>(isFunction, { error: 'expected a function (ask) => string' }),
      ),
    }),
  ),
  ...ofOne,
});

/** What resolves targets. */
export type ProvidersByName = Readonly<Record<string, Provider>>;

/** The model of an entry, and the names or ids of whatever it may ask. Throws `ConfigError`. */
export function modelOf(name: string, entry: unknown, providers: ProvidersByName): Model {
  const { options, ...found } =
    isObject(entry) && 'targets' in entry ? routed(name, entry, providers) : plain(name, entry, providers);
  const { maxOutputTokens, reasoningSummary, timeouts, onDisconnect } = options;
  return {
    name,
    ...found,
    ...defined({ maxOutputTokens, reasoningSummary }),
    ...(timeouts !== undefined && { timeouts: defined(timeouts) }),
    ...(onDisconnect === 'drain' && { drains: true }),
  };
}

/** The first upstream of the host's own among the targets of an entry: nobody can tell whether it holds a key. */
export function ownUpstream(entry: unknown): boolean {
  if (isUpstream(entry)) return true;
  if (!isObject(entry)) return false;
  return Array.isArray(entry.targets) ? entry.targets.some(ownUpstream) : isUpstream(entry.target);
}

type Options = Omit<z.infer<typeof single>, 'target'>;

interface Found {
  readonly owner: string;
  readonly upstream: Upstream;
  readonly target?: string;
}

function plain(name: string, entry: unknown, providers: ProvidersByName): Found & { options: Options } {
  const { target: to, ...options } = checked(single, spelledOut(entry), name);
  return { ...found(`models.${name}`, to, providers), options };
}

function routed(name: string, entry: unknown, providers: ProvidersByName): Found & { options: Options } {
  const { targets, policy: by, route: how, ...options } = checked(several, entry, name);
  const members = targets.map(({ target: to, ...more }, at) => ({
    ...found(`models.${name}.targets.${at}`, to, providers),
    more,
  }));
  const deployments = members.map(({ upstream, more }): DeploymentConfig => ({ upstream, ...defined(more) }));
  const { cooldown, ...rest } = how ?? {};
  const settings = { id: name, ...defined(rest), ...(cooldown !== undefined && { cooldown: defined(cooldown) }) };
  const owners = new Set(members.map(({ owner }) => owner));
  const [owner = name] = owners.size === 1 ? owners : [];
  return { owner, upstream: route(deployments, by, settings), options };
}

function checked<T extends z.ZodMiniType>(schema: T, entry: unknown, name: string): z.infer<T> {
  const result = schema.safeParse(entry);
  if (result.success) return result.data;
  throw mistake(result.error.issues[0] as z.core.$ZodIssue, ['models', name]);
}

/** A target alone stands for a target without settings. */
function spelledOut(entry: unknown): unknown {
  return typeof entry === 'string' || isUpstream(entry) ? { target: entry } : entry;
}

function found(path: string, to: string | Upstream, providers: ProvidersByName): Found {
  if (typeof to !== 'string') return { owner: to.id, upstream: to };
  const cut = to.indexOf('/');
  const owner = to.slice(0, Math.max(cut, 0));
  const provider = Object.hasOwn(providers, owner) ? providers[owner] : undefined;
  if (provider === undefined || cut + 1 === to.length) throw unknownTarget(path, to, Object.keys(providers));
  return { owner, upstream: provider.upstream(to.slice(cut + 1)), target: to.slice(cut + 1) };
}

function unknownTarget(path: string, to: string, known: readonly string[]): ConfigError {
  const names = known.length === 0 ? 'providers is empty' : `providers has ${known.join(', ')}`;
  return new ConfigError(path, `"${to}" is not "<provider>/<model>" of a configured provider; ${names}.`);
}

function isUpstream(value: unknown): value is Upstream {
  return isObject(value) && typeof value.open === 'function';
}
