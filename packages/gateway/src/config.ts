/** The configuration of a gateway, as users write it. */
import type { EncoderOptions, Limits, LossPolicy, Provider, Upstream } from '@streamglot/core';
import type { Authorize } from './authorize.ts';
import type { Observer } from './observe.ts';
import type { MemoryLimits } from './store/memory.ts';
import type { ItemStore } from './store/store.ts';
import type { ReasoningSummary } from './summary.ts';

/** Providers by the name that targets call them by. */
export type Providers = Readonly<Record<string, Provider>>;

/** Who answers: a provider's name and one of its models, or an upstream of your own. */
export type Target<P extends Providers = Providers> = `${keyof P & string}/${string}` | Upstream;

/** A model that clients can ask for: where it is, or that with settings of its own. */
export type ModelConfig<P extends Providers = Providers> =
  | Target<P>
  | {
      readonly target: Target<P>;
      /** The output tokens to ask for where the client gives no number. */
      readonly maxOutputTokens?: number;
      /** Whether and how reasoning is shown where the client does not say it. */
      readonly reasoningSummary?: ReasoningSummary;
    };

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
   * What clients can ask for, by the name that they ask with: `'<provider>/<model>'`, an `Upstream` of your own, or
   * `{ target, maxOutputTokens, reasoningSummary }`.
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
  /** Where answers are kept that later requests can name: in memory unless told, within these limits; false keeps none. */
  readonly store?: Partial<MemoryLimits> | ItemStore | false;
  /** Names a principal, so that each finds only its own; a text, a number, or the `id` of an object unless told. */
  readonly principalId?: (principal: NoInfer<Principal> | undefined) => string | undefined;
  /** Is told of requests, losses, repairs, faults and endings; what it throws is dropped. */
  readonly observe?: Observer<NoInfer<Principal>>;
}
