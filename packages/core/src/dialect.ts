/** The contract of a dialect, and the one door through which its files reach the model and the toolbox. */
import type { AnswerDecoders } from './answers.ts';
import type { Encoder, EncoderOptions } from './codec/encoder.ts';
import type { RequestContext } from './model/context.ts';
import type { CanonicalError } from './model/error.ts';
import type { DialectId, FrameEvents } from './model/event.ts';
import type { CanonicalRequest, Loss } from './model/request.ts';
import type { CanonicalResponse } from './model/response.ts';
import type { Stage } from './stage.ts';

export type { AnswerDecoders, ErrorAnswer } from './answers.ts';
export * from './codec/alias.ts';
export * from './codec/arguments.ts';
export * from './codec/bare.ts';
export * from './codec/carrier.ts';
export * from './codec/decoder.ts';
export * from './codec/drawn.ts';
export * from './codec/effort.ts';
export * from './codec/encoder.ts';
export * from './codec/family.ts';
export * from './codec/fault.ts';
export * from './codec/ids.ts';
export * from './codec/json.ts';
export * from './codec/losses.ts';
export * from './codec/media.ts';
export * from './codec/offsets.ts';
export * from './codec/original.ts';
export * from './codec/pieces.ts';
export { peek } from './codec/repeat.ts';
export * from './codec/restore.ts';
export * from './codec/seal.ts';
export * from './codec/stamp.ts';
export * from './codec/think.ts';
export * from './codec/thinking.ts';
export * from './codec/unseal.ts';
export * from './codec/validate.ts';
export * from './codec/wellformed.ts';
export * from './codec/wrap.ts';
export * from './model/context.ts';
export * from './model/error.ts';
export * from './model/event.ts';
export * from './model/finish.ts';
export * from './model/limits.ts';
export * from './model/request.ts';
export * from './model/response.ts';
export * from './model/usage.ts';
export { createReader, type ReaderOptions } from './reader.ts';
export { type CloseCause, pipe, type Stage } from './stage.ts';
export { ArrayReader, ArrayWriter } from './wire/array.ts';
export type { Frame } from './wire/frame.ts';
export { comment, dataEvent, namedEvent } from './wire/write.ts';

/** One protocol: how its streams, answers, requests and errors are read and written. */
export interface Dialect extends AnswerDecoders {
  readonly id: DialectId;
  /** The protocol's own name, for people. */
  readonly title: string;
  /** Paths at which a client of this dialect asks, `{model}` standing for a name. */
  readonly routes: readonly string[];
  /** Events to the text of a stream. */
  encoder(options: EncoderOptions): Encoder;
  /** The text that keeps an idle connection alive; `begun` says whether the stream's first event has gone out. */
  keepAlive(begun: boolean): string;
  /** Reads a client's request. Throws `GatewayError` (400) that names the field. */
  decodeRequest(request: WireRequest): DecodedRequest;
  /** Writes a request for an upstream, and says what it cannot express. */
  encodeRequest(request: CanonicalRequest, context: RequestContext, options: RequestOptions): EncodedRequest;
  /** Writes a whole answer. Throws `GatewayError` where that could not be done truthfully. */
  encodeResponse(response: CanonicalResponse, options: EncoderOptions): unknown;
  /** Writes an error as an HTTP answer. */
  encodeError(error: CanonicalError): { status: number; body: unknown };
}

/** A client's request as it came over HTTP; header names in lower case. */
export interface WireRequest {
  path: string;
  query: Readonly<Record<string, string | undefined>>;
  headers: Readonly<Record<string, string | undefined>>;
  body: unknown;
}

/** A request that was understood. */
export interface DecodedRequest {
  request: CanonicalRequest;
  context: RequestContext;
}

/** What the upstream's provider adds to a request. */
export interface RequestOptions {
  stream: boolean;
  /** The provider's identity: opaque reasoning goes back to nobody else. The dialect's id unless told. */
  provider?: string;
  /** The tokens to ask for where the dialect demands a number and the client gave none. */
  maxOutputTokens?: number;
  /** Whether the upstream takes temperature and its kin; absent means it does. */
  sampling?: boolean;
  /** How its models are told to think: by tokens or by effort. Absent: as the client said it. */
  thinking?: 'budget' | 'adaptive';
  /** Whether it knows only the older name of a limit, Chat's `max_tokens`. */
  oldTokenLimit?: boolean;
}

/** A request ready to be sent; `path` is relative to the API's versioned root. */
export interface EncodedRequest {
  path: string;
  query: Readonly<Record<string, string>>;
  headers: Readonly<Record<string, string>>;
  body: Readonly<Record<string, unknown>>;
  losses: readonly Loss[];
  /** Undoes in the answer what had to be done to the request. */
  restore?: Stage<FrameEvents, FrameEvents>;
}
