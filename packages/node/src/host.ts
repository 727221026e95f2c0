/** What is asked of a host's request and response; those of node:http, of node:http2 and of Express all have it. */

/** A request of node:http, or one that middleware has worked on. */
export interface HostRequest {
  readonly method?: string | undefined;
  /** Path and query inside the mount. */
  readonly url?: string | undefined;
  /** Path and query as they came; of Express and Connect. */
  readonly originalUrl?: string | undefined;
  /** The mount's prefix; of Express. */
  readonly baseUrl?: string | undefined;
  readonly httpVersionMajor: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** What a body parser made of the body. */
  readonly body?: unknown;
  readonly readableDidRead: boolean;
  readonly readableEnded: boolean;
  readonly destroyed: boolean;
  on(event: string, listener: (chunk: Uint8Array | string) => void): unknown;
  off(event: string, listener: (chunk: Uint8Array | string) => void): unknown;
}

/** A response of node:http, or one that middleware has worked on. */
export interface HostResponse {
  statusCode: number;
  readonly headersSent: boolean;
  readonly destroyed?: boolean;
  readonly socket?: { readonly timeout?: number | undefined } | null;
  readonly writableEnded: boolean;
  readonly writableFinished: boolean;
  setHeader(name: string, value: string): unknown;
  write(text: string): boolean;
  end(text: string): unknown;
  destroy(): unknown;
  setTimeout(ms: number): unknown;
  on(event: string, listener: (chunk: Uint8Array | string) => void): unknown;
  off(event: string, listener: (chunk: Uint8Array | string) => void): unknown;
}
