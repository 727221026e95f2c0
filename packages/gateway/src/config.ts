/** The configuration of a gateway, as users write it. */
import type { EncoderOptions, Limits, LossPolicy, Provider, Upstream } from '@streamglot/core';
import type { DeploymentConfig, Policy, PolicyName, PrincipalLimits, RouteOptions } from '@streamglot/routing';
import type { Authorize } from './authorize.ts';
import type { Observer } from './observe.ts';
import type { MemoryLimits } from './store/memory.ts';
import type { ItemStore } from './store/store.ts';
import type { ReasoningSummary } from './summary.ts';

/** Providers by the name that targets call them by. */
export type Providers = Readonly<Record<string, Provider>>;

/** Who answers: a provider's name and one of its models, or an upstream of your own. */
export type Target<P extends Providers = Providers> = `${keyof P & string}/${string}` | Upstream;

/** What a model can be told, wherever it is. */
export interface ModelOptions {
  /** The output tokens to ask for where the client gives no number. */
  readonly maxOutputTokens?: number;
  /** Whether and how reasoning is shown where the client does not say it. */
  readonly reasoningSummary?: ReasoningSummary;
  /** Timeouts of this model, where they differ from those of all. */
  readonly timeouts?: Partial<ModelTimeouts>;
  /** What becomes of an answer whose client leaves: `cancel` ends it, `drain` reads on for a while, so that its usage is known; `cancel` unless told. */
  readonly onDisconnect?: 'cancel' | 'drain';
}

/** One of the places where a model is. */
export interface DeploymentTarget<P extends Providers = Providers> extends Omit<DeploymentConfig, 'upstream'> {
  readonly target: Target<P>;
}

/** A model that is in several places. */
export interface RoutedModel<P extends Providers = Providers> extends ModelOptions {
  /** Where it is; `priority` asks in this order. */
  readonly targets: readonly (Target<P> | DeploymentTarget<P>)[];
  /** Which of them gets a request; `priority` unless told. */
  readonly policy?: PolicyName | Policy;
  /** How requests are routed in detail: budgets, cooldown, rules for errors. */
  readonly route?: Omit<RouteOptions, 'id' | 'clock' | 'random'>;
}

/** A model that clients can ask for: where it is, that with settings of its own, or several such places. */
export type ModelConfig<P extends Providers = Providers> =
  | Target<P>
  | (ModelOptions & { readonly target: Target<P> })
  | RoutedModel<P>;

/** How long an answer may take, in milliseconds; `Infinity` switches one off. */
export type ModelTimeouts = Pick<Timeouts, 'firstOutputMs' | 'silenceMs' | 'totalMs'>;

/** How long things may take, in milliseconds; `Infinity` switches one off. */
export interface Timeouts {
  /** Milliseconds until the first generated event; 600,000 unless told. */
  firstOutputMs: number;
  /** Milliseconds between two chunks of an answer that has begun; 300,000 unless told. */
  silenceMs: number;
  /** Milliseconds for the whole answer; 3,600,000 unless told. */
  totalMs: number;
  /** Milliseconds for a client that takes nothing of what waits for it; 60,000 unless told. */
  writeStallMs: number;
  /** Milliseconds for which an answer is read on whose client has left, of models that drain; 60,000 unless told. */
  drainMs: number;
}

/** Limits of requests and of streams. */
export interface GatewayLimits extends Limits {
  /** Bytes of a request's body, above which it is answered with 413; 32 MiB unless told. */
  maxBodyBytes: number;
}

/** How answers are written where a dialect leaves a choice. */
export type EncodingConfig = Pick<EncoderOptions, 'reasoningField' | 'messageStartUsage' | 'responsesDone'>;

/** Everything that a gateway can be told. */
export interface GatewayConfig<P extends Providers = Providers, Principal = unknown> {
  /** Providers by the name that targets call them by. */
  readonly providers?: P;
  /**
   * What clients can ask for, by the name that they ask with: `'<provider>/<model>'`, an `Upstream` of your own,
   * `{ target, ... }` with settings of its own, or `{ targets: [...], policy, ... }` for several that look like one.
   */
  readonly models: Readonly<Record<string, ModelConfig<NoInfer<P>>>>;
  /**
   * Says who asks: a function of the request that returns a principal or `undefined` (401), or `'host'` where the host
   * app's own middleware stands in front. Needed as soon as a provider has a key.
   */
  readonly authorize?: 'host' | Authorize<Principal>;
  /**
   * What to do about things that an upstream cannot express: `'reject'` answers 400 where the meaning would change, `'warn'`
   * tells the observer, `'drop'` says nothing; `'reject'` unless told.
   */
  readonly losses?: LossPolicy;
  readonly limits?: Partial<GatewayLimits>;
  readonly timeouts?: Partial<Timeouts>;
  /** Silence toward the client, in milliseconds, until a sign of life is sent; 15,000 unless told. */
  readonly keepAliveMs?: number;
  /** Bytes that may wait for a slow client until its upstream is no longer read; 262,144 unless told. */
  readonly bufferBytes?: number;
  readonly encoding?: EncodingConfig;
  /** Whether and how reasoning is shown where neither client nor model says it: `none`, `auto`, `concise` or `detailed`. */
  readonly reasoningSummary?: ReasoningSummary;
  /** What each principal may have at the same time and in a minute, over all models; no limit unless told. */
  readonly perPrincipal?: PrincipalLimits;
  /** Where answers are kept that later requests can name: in memory unless told, within these limits; false keeps none. */
  readonly store?: Partial<MemoryLimits> | ItemStore | false;
  /** Names a principal, so that each finds only its own; a text, a number, or the `id` of an object unless told. */
  readonly principalId?: (principal: NoInfer<Principal> | undefined) => string | undefined;
  /** Is told of requests, losses, repairs, faults and endings; what it throws is dropped. */
  readonly observe?: Observer<NoInfer<Principal>>;
}
