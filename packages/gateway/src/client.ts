/** The gateway's two sides of a host: what it asks of a request, and how it talks to the client. */

/** A client's request, as the host's adapter has it. */
export interface GatewayRequest {
  readonly method: string;
  /** The whole path, without query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string | undefined>>;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The host's own request object, for `authorize`. */
  readonly host?: unknown;
  /** The body as text, as bytes, or parsed by the host. Rejects with `GatewayError` (413 over `maxBytes`). */
  body(maxBytes: number): Promise<unknown>;
}

/** Whoever waits for the reply. No call throws; once the client is gone they do nothing. */
export interface Client {
  /** Sets status and headers; the first text goes out with them. */
  head(status: number, headers: Readonly<Record<string, string>>): void;
  /** Sends text; returns how much the client has yet to take, in bytes, 0 while it keeps up. */
  write(text: string): number;
  /** Sends the last text; settles when the client has taken everything or is gone. */
  end(text: string): Promise<void>;
  /** Breaks the connection off, so that the client sees a failure. */
  destroy(): void;
  /** Names the listener to call each time that the client has taken all there was. */
  onDrain(listener: () => void): void;
  /** Names the listener to call when the client goes away before the end, or is sent away because it reads nothing. */
  onGone(listener: (cause?: 'client-closed' | 'write-stalled') => void): void;
}
