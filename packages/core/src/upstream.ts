/** The contract of whoever answers a canonical request: a provider, a router, a scripted stand-in. */
import type { RequestContext } from './model/context.ts';
import type { CanonicalError } from './model/error.ts';
import type { DialectId, FrameEvents } from './model/event.ts';
import type { Limits } from './model/limits.ts';
import type { CanonicalRequest, Loss, LossPolicy } from './model/request.ts';

/** Answers requests. Decorators and routers are upstreams too. */
export interface Upstream {
  readonly id: string;
  /** What it speaks, where that is one dialect; then it may understand what a request of that dialect only names. */
  readonly dialect?: DialectId;
  /** Whoever may answer, of upstreams that can tell: what one of them makes may be of no use to all others. */
  readonly makers?: readonly Maker[];
  /** Sends the request. Rejects with `GatewayError` while no answer has begun. */
  open(call: UpstreamCall): Promise<UpstreamReply>;
  /** Counts the tokens of a request without answering it, of upstreams that can. Rejects with `GatewayError`. */
  countTokens?(call: Omit<UpstreamCall, 'stream'>): Promise<TokenCount>;
}

/** A provider by its identity, and the dialect in which it answers. */
export interface Maker {
  readonly provider: string;
  readonly dialect: DialectId;
}

/** How long a request is. */
export interface TokenCount {
  inputTokens: number;
  requestId?: string;
}

/** A service that has models: what `openai({...})` and its kin return, and what a gateway's `providers` holds. */
export interface Provider {
  readonly name: string;
  /** Whether it needs a key that is worth something; a gateway over it must know who asks. */
  readonly keyed: boolean;
  /** The upstream that answers with one of its models. */
  upstream(model: string): Upstream;
}

/** One request to an upstream. */
export interface UpstreamCall {
  request: CanonicalRequest;
  context: RequestContext;
  /** Whether the upstream should stream; its answer arrives as events either way. */
  stream: boolean;
  /** Aborting destroys the socket and ends the batches. */
  signal: AbortSignal;
  /** Headers to pass on, names in lower case. */
  headers?: ReadonlyMap<string, string>;
  /** How much its answer may make anybody hold; an upstream's own limits win over these. */
  limits?: Partial<Limits>;
  /** What to do about things that the upstream cannot express; `reject` unless told. */
  losses?: LossPolicy;
  /** Who asks, by the name that the caller has for them; limits and stickiness go by it. */
  principal?: string;
  /** Is told of each try that a router made of the request, when that try is over. Must not throw. */
  attempted?: (attempt: Attempt) => void;
}

/** How a try ended. A client that left makes it `abandoned`, whatever the upstream did by then. */
export type Outcome = 'completed' | 'failed' | 'truncated' | 'stalled' | 'abandoned';

/** One try of a request at one of several upstreams. */
export interface Attempt {
  /** The id of the upstream. */
  upstream: string;
  outcome: Outcome;
  /** What went wrong; absent where it completed. */
  error?: CanonicalError;
  /** Milliseconds from sending to the first generated event. */
  firstOutputMs?: number;
  /** Milliseconds from sending to the end. */
  durationMs: number;
}

/** An answer that has begun. */
export interface UpstreamReply {
  head: UpstreamHead;
  /** One batch for each network chunk; the last one holds the one ending. */
  batches: AsyncIterable<Batch>;
}

/** What is known before the first event. */
export interface UpstreamHead {
  status: number;
  /** Names in lower case. */
  headers: ReadonlyMap<string, string>;
  dialect: DialectId;
  requestId?: string;
  losses?: readonly Loss[];
}

/** All that one network chunk said. Never split, never merged. */
export interface Batch {
  frames: readonly FrameEvents[];
  /** Milliseconds of a monotonic clock. */
  receivedAt: number;
  bytes: number;
}
