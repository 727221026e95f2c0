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
  /** Until the first generated event; 600,000 unless told. */
  firstOutputMs: number;
  /** Between two chunks of an answer that has begun; 300,000 unless told. */
  silenceMs: number;
  /** For the whole answer; 3,600,000 unless told. */
  totalMs: number;
  /** For a client that takes nothing of what waits for it; 60,000 unless told. */
  writeStallMs: number;
}

/** Limits of requests and of streams. */
export interface GatewayLimits extends Limits {
  /** Bytes of a request's body; 32 MiB unless told. */
  maxBodyBytes: number;
}

/** How answers are written where a dialect leaves a choice. */
export type EncodingConfig = Pick<EncoderOptions, 'reasoningField' | 'messageStartUsage' | 'responsesDone'>;

/** Everything that a gateway can be told. */
export interface GatewayConfig<P extends Providers = Providers, Principal = unknown> {
  readonly providers?: P;
  /** What clients can ask for, by the name that they ask with. */
  readonly models: Readonly<Record<string, ModelConfig<NoInfer<P>>>>;
  /** Says who asks, or that the host app's own middleware stands in front. Needed as soon as a provider has a key. */
  readonly authorize?: 'host' | Authorize<Principal>;
  /** What to do about things that an upstream cannot express; `reject` unless told. */
  readonly losses?: LossPolicy;
  readonly limits?: Partial<GatewayLimits>;
  readonly timeouts?: Partial<Timeouts>;
  /** Milliseconds without a word to the client until a sign of life is sent; 15,000 unless told. */
  readonly keepAliveMs?: number;
  /** Bytes that may wait for a slow client until its upstream is no longer read; 262,144 unless told. */
  readonly bufferBytes?: number;
  readonly encoding?: EncodingConfig;
  /** Whether and how reasoning is shown where neither client nor model says it; as the upstream has it unless told. */
  readonly reasoningSummary?: ReasoningSummary;
  /** Where answers are kept that later requests can name: in memory unless told, within these limits; false keeps none. */
  readonly store?: Partial<MemoryLimits> | ItemStore | false;
  /** Names a principal, for the store; a text, a number, or the `id` of an object unless told. */
  readonly principalId?: (principal: NoInfer<Principal> | undefined) => string | undefined;
  readonly observe?: Observer<NoInfer<Principal>>;
}
