/** Checks a configuration at start-up and fills in what it leaves out. */
import { defaultLimits, type LossPolicy, type Provider, type Upstream } from '@streamglot/core';
import * as z from 'zod/mini';
import type { Authorize } from './authorize.ts';
import type { EncodingConfig, GatewayConfig, GatewayLimits, Providers, Timeouts } from './config.ts';
import { ConfigError } from './error.ts';
import { type GatewayEvent, guarded, type Observer } from './observe.ts';
import { defaultMemoryLimits, memoryStore } from './store/memory.ts';
import { type PrincipalId, principalIdOf } from './store/shelf.ts';
import type { ItemStore } from './store/store.ts';
import type { ReasoningSummary } from './summary.ts';

/** A model that clients can ask for, ready to be asked. */
export interface Model {
  readonly name: string;
  /** The provider's name in the configuration, or the upstream's id. */
  readonly owner: string;
  readonly upstream: Upstream;
  /** The upstream's name of the model; absent for an upstream of the host's own. */
  readonly target?: string;
  readonly maxOutputTokens?: number;
  readonly reasoningSummary?: ReasoningSummary;
}

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
};

const amount = z.custom<number>((value) => typeof value === 'number' && value > 0, {
  error: 'expected a number above 0',
});

const upstream = z.custom<Upstream>((value) => isObject(value) && typeof value.open === 'function');

const target = z.union([z.string(), upstream], {
  error: 'expected "<provider>/<model>" or an upstream (an object with an id and an open function)',
});

const provider = z.custom<Provider>(
  (value) => isObject(value) && typeof value.upstream === 'function' && typeof value.keyed === 'boolean',
  { error: 'expected a provider, such as openai({ apiKey }) or replay() of @streamglot/providers' },
);

const summary = z.enum(['none', 'auto', 'concise', 'detailed'], {
  error: 'expected "none", "auto", "concise" or "detailed"',
});

const model = z.union(
  [target, z.strictObject({ target, maxOutputTokens: z.optional(amount), reasoningSummary: z.optional(summary) })],
  { error: 'expected "<provider>/<model>", an upstream, or { target, maxOutputTokens, reasoningSummary }' },
);

/** Checked apart from the rest: in a union, a wrong limit would not be named. */
const kept = z.strictObject({
  store: z.strictObject(amounts(defaultMemoryLimits), {
    error: 'expected limits such as { ttlMs, maxBytes, maxBytesPerPrincipal }, a store of your own, or false',
  }),
});

const schema = z.strictObject({
  providers: z.optional(z.record(z.string(), provider)),
  models: z.record(z.string(), model, { error: 'expected models by name, such as { fast: "openai/<model>" }' }),
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
  guard(checked.providers ?? {}, checked.models, checked.authorize);
  return {
    models: new Map(Object.entries(checked.models).map(([name, entry]) => [name, modelOf(name, entry, checked)])),
    authorize: checked.authorize,
    losses: checked.losses ?? 'reject',
    limits: { ...defaultLimits, maxBodyBytes: 32 * 1024 * 1024, ...defined(checked.limits) },
    timeouts: { ...defaultTimeouts, ...defined(checked.timeouts) },
    keepAliveMs: checked.keepAliveMs ?? 15_000,
    bufferBytes: checked.bufferBytes ?? 256 * 1024,
    encoding: defined(checked.encoding),
    reasoningSummary: checked.reasoningSummary,
    store: storeOf(checked.store),
    principalId: checked.principalId ?? principalIdOf,
    observe: guarded(checked.observe),
  };
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

interface ModelSettings {
  target: string | Upstream;
  maxOutputTokens?: number | undefined;
  reasoningSummary?: ReasoningSummary | undefined;
}

type Entry = string | Upstream | ModelSettings;

/** Real keys are not served to strangers by oversight. An upstream of the host's own may hold a key: nobody can tell. */
function guard(
  providers: Readonly<Record<string, Provider>>,
  models: Readonly<Record<string, Entry>>,
  by: unknown,
): void {
  if (by !== undefined) return;
  const keyed =
    Object.entries(providers).find(([, one]) => one.keyed)?.[0] ??
    Object.entries(models).find(([, entry]) => typeof targetOf(entry) !== 'string')?.[0];
  if (keyed === undefined) return;
  throw new ConfigError(
    'authorize',
    `missing, and "${keyed}" may spend a key of yours for anyone who asks. Give a function (request) => principal | undefined, or 'host' if middleware of your own stands in front.`,
  );
}

function targetOf(entry: Entry): string | Upstream {
  return typeof entry === 'object' && 'target' in entry ? entry.target : entry;
}

function modelOf(
  name: string,
  entry: Entry,
  config: { providers?: Readonly<Record<string, Provider>> | undefined },
): Model {
  const to = targetOf(entry);
  const { maxOutputTokens, reasoningSummary } = (typeof entry === 'object' && 'target' in entry && entry) || {};
  const more = defined({ maxOutputTokens, reasoningSummary });
  if (typeof to !== 'string') return { name, owner: to.id, upstream: to, ...more };
  const cut = to.indexOf('/');
  const owner = to.slice(0, Math.max(cut, 0));
  const known = config.providers ?? {};
  const found = Object.hasOwn(known, owner) ? known[owner] : undefined;
  if (found === undefined || cut + 1 === to.length) throw unknownTarget(name, to, Object.keys(known));
  return { name, owner, upstream: found.upstream(to.slice(cut + 1)), target: to.slice(cut + 1), ...more };
}

function unknownTarget(name: string, to: string, known: readonly string[]): ConfigError {
  const names = known.length === 0 ? 'providers is empty' : `providers has ${known.join(', ')}`;
  return new ConfigError(`models.${name}`, `"${to}" is not "<provider>/<model>" of a configured provider; ${names}.`);
}

function mistake(issue: z.core.$ZodIssue): ConfigError {
  const path = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys')
    return new ConfigError([path, issue.keys[0]].filter(Boolean).join('.'), 'is not a setting; check its spelling.');
  return new ConfigError(path, `${issue.message}.`);
}

function amounts<K extends string>(of: Readonly<Record<K, number>>): Record<K, z.ZodMiniOptional<typeof amount>> {
  return Object.fromEntries(Object.keys(of).map((name) => [name, z.optional(amount)])) as Record<
    K,
    z.ZodMiniOptional<typeof amount>
  >;
}

function defined<T extends object>(given: T | undefined): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(given ?? {}).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}
