/** What observers are told: what was asked, what was lost or repaired, how it ended and how long it took. */
import type { Attempt, CanonicalError, DialectId, Ending, Loss, Usage, Warning } from '@streamglot/core';

/** What every event says. */
interface About {
  /** The request's id, as the client gets it where the upstream gives none. */
  readonly id: string;
}

/** A request was understood and goes to its upstream. */
export interface RequestEvent<Principal = unknown> extends About {
  readonly type: 'request';
  readonly dialect: DialectId;
  /** The model's name as the client said it. */
  readonly model: string;
  /** The id of the upstream. */
  readonly upstream: string;
  readonly stream: boolean;
  readonly principal: Principal | undefined;
}

/** A router has tried an upstream, and that try is over; the last one is over with the answer. */
export interface AttemptEvent extends About, Attempt {
  readonly type: 'attempt';
  /** The model's name as the client said it. */
  readonly model: string;
}

/** The upstream cannot express all that was asked, or the client's dialect all that was answered. */
export interface LossesEvent extends About {
  readonly type: 'losses';
  readonly losses: readonly Loss[];
}

/** Something in the answer had to be repaired. */
export interface WarningsEvent extends About {
  readonly type: 'warnings';
  readonly warnings: readonly Warning[];
}

/** Something threw that should not have: the host's `authorize`, an upstream, or the gateway itself. */
export interface FaultEvent extends About {
  readonly type: 'fault';
  readonly thrown: unknown;
}

/** The request is over; exactly one for each request. */
export interface EndingEvent<Principal = unknown> extends About {
  readonly type: 'ending';
  readonly dialect: DialectId;
  readonly ending: Ending;
  /** The HTTP status that the client was given; absent where it left before one went out. */
  readonly status?: number;
  readonly model?: string;
  readonly principal: Principal | undefined;
  readonly error?: CanonicalError;
  readonly usage?: Usage;
  /** Bytes that the upstream sent. */
  readonly bytes: number;
  readonly timing: Timing;
}

/** Durations in milliseconds. */
export interface Timing {
  /** From the request's arrival to its end. */
  totalMs: number;
  /** From sending to the upstream to its head. */
  headMs?: number;
  /** From sending to the upstream to the first generated event. */
  firstOutputMs?: number;
  /** From sending to the upstream to its last bytes. */
  upstreamMs?: number;
  /** How long the upstream was not read because the client was slow; times after the first pause say nothing about the upstream. */
  pausedMs: number;
}

/** Everything that observers are told. Ignore types that you do not know: there will be more. */
export type GatewayEvent<Principal = unknown> =
  | RequestEvent<Principal>
  | AttemptEvent
  | LossesEvent
  | WarningsEvent
  | FaultEvent
  | EndingEvent<Principal>;

/** Is told what happens. What it throws or rejects with is dropped: no stream breaks because a log does. */
export type Observer<Principal = unknown> = (event: GatewayEvent<Principal>) => unknown;

/** An observer that cannot break anything. */
export function guarded(observe: Observer | undefined): (event: GatewayEvent) => void {
  if (observe === undefined) return () => {};
  return (event) => {
    try {
      const result = observe(event);
      if (result instanceof Promise) result.catch(() => {});
    } catch {}
  };
}
