/** The contract of a transport: one request over HTTP, its head, and a body that is read by pulling. */
import type { CloseCause } from '@streamglot/core';

/** Sends requests. It follows no redirect and keeps no cookie. */
export interface Transport {
  /** Sends a request. Rejects with `GatewayError` where no head comes, and with the signal's reason once that fires. */
  send(request: TransportRequest): Promise<TransportReply>;
}

/** One request. */
export interface TransportRequest {
  url: URL;
  /** `POST` unless told; a `GET` has no body. */
  method?: 'GET' | 'POST';
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  body: string;
  /** Destroys the connection, whatever it is doing. */
  signal: AbortSignal;
}

/** The head of an answer, and its body. */
export interface TransportReply {
  status: number;
  /** Names in lower case, `set-cookie` left out. */
  headers: ReadonlyMap<string, string>;
  body: Body;
}

/** A body whose socket is read only as fast as `read` is called. */
export interface Body {
  /** The next chunk, or why there is none any more. Never rejects. */
  read(): Promise<Part>;
  /** Nothing more is wanted: the connection is kept if the body ends within moments, else destroyed. */
  release(): void;
}

/** What a read gives. */
export type Part = Chunk | Close;

/** Bytes as the network gave them, content coding undone. */
export interface Chunk {
  bytes: Uint8Array;
  /** Milliseconds of the monotonic clock, at arrival and not at reading. */
  receivedAt: number;
}

/** The end of a body. */
interface Close {
  cause: CloseCause;
  receivedAt: number;
}

/** Settings of a transport. */
export interface TransportOptions {
  /** Milliseconds for DNS, TCP and TLS together, where the runtime lets them be told apart. */
  connectMs: number;
}

/** Milliseconds in which a body that was released may end by itself, so that its connection can be used again. */
export const lingerMs = 50;

/** Bytes that may still come in that time. */
export const lingerBytes = 65_536;
