/** Checks a configuration at start-up and fills in what it leaves out. */
import { type DialectId, defaultLimits, type LossPolicy, type Provider } from '@streamglot/core';
import { Limiter, limited } from '@streamglot/routing';
import * as z from 'zod/mini';
import type { Authorize } from './authorize.ts';
import type { EncodingConfig, GatewayConfig, GatewayLimits, Providers, Timeouts } from './config.ts';
import { ConfigError } from './error.ts';
import { amount, amounts, defined, isFunction, isObject, mistake, summary } from './fields.ts';
import { severalMakers } from './makers.ts';
import { type Model, modelOf, ownUpstream } from './model.ts';
import { type GatewayEvent, guarded, type Observer } from './observe.ts';
import { defaultMemoryLimits, memoryStore } from './store/memory.ts';
import { type PrincipalId, principalIdOf } from './store/shelf.ts';
import type { ItemStore } from './store/store.ts';
import type { ReasoningSummary } from './summary.ts';

/** A configuration with nothing left open. */
export interface Settings {
  readonly models: ReadonlyMap<string, Model>;
  readonly authorize: 'host' | Authorize<unknown> | undefined;
  readonly losses: LossPolicy;
  readonly limits: GatewayLimits;
  readonly timeouts: Timeouts;
  readonly keepAliveMs: number;
  readonly bufferBytes: number;
  readonly encoding: EncodingConfig;
  readonly reasoningSummary: ReasoningSummary | undefined;
  /** Whether clients of a dialect may be answered by several providers in that dialect. */
  readonly seals: (dialect: DialectId) => boolean;
  /** Absent where nothing is kept. */
  readonly store: ItemStore | undefined;
  readonly principalId: PrincipalId;
  readonly observe: (event: GatewayEvent) => void;
}

const defaultTimeouts: Timeouts = {
  firstOutputMs: 600_000,
  silenceMs: 300_000,
  totalMs: 3_600_000,
  writeStallMs: 60_000,
  drainMs: 60_000,
};

/** The names of the limits of a principal; there is none unless told. */
const defaultShare = { maxInFlight: 0, requestsPerMinute: 0, tokensPerMinute: 0 };

const provider = z.custom<Provider>(
  (value) => isObject(value) && typeof value.upstream === 'function' && typeof value.keyed === 'boolean',
  { error: 'expected a provider, such as openai({ apiKey }) or replay() of @streamglot/providers' },
);

/** Checked apart from the rest: in a union, a wrong limit would not be named. */
const kept = z.strictObject({
  store: z.strictObject(amounts(defaultMemoryLimits), {
    error: 'expected limits such as { ttlMs, maxBytes, maxBytesPerPrincipal }, a store of your own, or false',
  }),
});

const schema = z.strictObject({
  providers: z.optional(z.record(z.string(), provider)),
  models: z.record(z.string(), z.unknown(), { error: 'expected models by name, such as { fast: "openai/<model>" }' }),
  authorize: z.optional(
    z.union([z.literal('host'), z.custom<Authorize<unknown>>(isFunction)], {
      error: 'expected a function (request) => principal | undefined, or "host"',
    }),
  ),
  losses: z.optional(z.enum(['warn', 'drop', 'reject'], { error: 'expected "warn", "drop" or "reject"' })),
  limits: z.optional(z.strictObject(amounts({ ...defaultLimits, maxBodyBytes: 0 }))),
  timeouts: z.optional(z.strictObject(amounts(defaultTimeouts))),
  keepAliveMs: z.optional(amount),
  bufferBytes: z.optional(amount),
  perPrincipal: z.optional(z.strictObject(amounts(defaultShare))),
  encoding: z.optional(
    z.strictObject({
      reasoningField: z.optional(
        z.enum(['both', 'reasoning', 'reasoning_content', 'none'], {
          error: 'expected "both", "reasoning", "reasoning_content" or "none"',
        }),
      ),
      messageStartUsage: z.optional(z.number({ error: 'expected a number' })),
      responsesDone: z.optional(z.boolean({ error: 'expected true or false' })),
    }),
  ),
  reasoningSummary: z.optional(summary),
  store: z.optional(z.unknown()),
  principalId: z.optional(z.custom<PrincipalId>(isFunction, { error: 'expected a function (principal) => string' })),
  observe: z.optional(z.custom<Observer>(isFunction, { error: 'expected a function (event) => void' })),
});

/** The path of every setting, in the order in which they are checked. */
export function settingPaths(): readonly string[] {
  return Object.entries({ ...schema.shape, ...kept.shape }).flatMap(([name, setting]) => {
    const inner: unknown = setting instanceof z.ZodMiniOptional ? setting.def.innerType : setting;
    return inner instanceof z.ZodMiniObject ? Object.keys(inner.shape).map((member) => `${name}.${member}`) : [name];
  });
}

/** Gives a configuration its types: a misspelt provider in a target does not compile. Throws `ConfigError`. */
export function defineConfig<const P extends Providers, Principal = unknown>(
  config: GatewayConfig<P, Principal>,
): GatewayConfig<P, Principal> {
  settingsOf(config);
  return config;
}

/** The settings of a configuration. Throws `ConfigError` that names the path and the fix. */
export function settingsOf(config: unknown): Settings {
  const result = schema.safeParse(config);
  if (!result.success) throw mistake(result.error.issues[0] as z.core.$ZodIssue);
  const checked = result.data;
  const { providers = {} } = checked;
  const given = Object.entries(checked.models).map(([name, entry]) => modelOf(name, entry, providers));
  const models = shared(given, checked.perPrincipal);
  guard(providers, checked.models, checked.authorize);
  return {
    models: new Map(models.map((model) => [model.name, model])),
    authorize: checked.authorize,
    losses: checked.losses ?? 'reject',
    limits: { ...defaultLimits, maxBodyBytes: 32 * 1024 * 1024, ...defined(checked.limits) },
    timeouts: { ...defaultTimeouts, ...defined(checked.timeouts) },
    keepAliveMs: checked.keepAliveMs ?? 15_000,
    bufferBytes: checked.bufferBytes ?? 256 * 1024,
    encoding: defined(checked.encoding),
    reasoningSummary: checked.reasoningSummary,
    seals: severalMakers(given.map(({ upstream }) => upstream)),
    store: storeOf(checked.store),
    principalId: checked.principalId ?? principalIdOf,
    observe: guarded(checked.observe),
  };
}

/** One share of each principal, whatever models it asks for. */
function shared(models: readonly Model[], limits: object | undefined): readonly Model[] {
  if (limits === undefined) return models;
  const limiter = new Limiter(defined(limits));
  return models.map((model) => ({ ...model, upstream: limited(model.upstream, limiter) }));
}

function storeOf(given: unknown): ItemStore | undefined {
  if (given === false) return undefined;
  if (isStore(given)) return given;
  const result = kept.safeParse({ store: given ?? {} });
  if (!result.success) throw mistake(result.error.issues[0] as z.core.$ZodIssue);
  return memoryStore(defined(result.data.store));
}

function isStore(given: unknown): given is ItemStore {
  return isObject(given) && ['keep', 'find', 'item', 'remove'].every((verb) => isFunction(given[verb]));
}

/** Real keys are not served to strangers by oversight. An upstream of the host's own may hold a key: nobody can tell. */
function guard(
  providers: Readonly<Record<string, Provider>>,
  models: Readonly<Record<string, unknown>>,
  by: unknown,
): void {
  if (by !== undefined) return;
  const keyed =
    Object.entries(providers).find(([, one]) => one.keyed)?.[0] ??
    Object.entries(models).find(([, entry]) => ownUpstream(entry))?.[0];
  if (keyed === undefined) return;
  throw new ConfigError(
    'authorize',
    `missing, and "${keyed}" may spend a key of yours for anyone who asks. Give a function (request) => principal | undefined, or 'host' if middleware of your own stands in front.`,
  );
}
