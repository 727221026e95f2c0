/** A client without a socket: what it was sent, and how much of it it takes. */
import type { Client, GatewayRequest } from '@streamglot/gateway';

/** Remembers everything; while `slow`, takes nothing until `drain()`. */
export class Listener implements Client {
  status: number | undefined;
  headers: Readonly<Record<string, string>> = {};
  readonly writes: string[] = [];
  ended = false;
  destroyed = false;
  slow = false;
  #unread = 0;
  readonly #takers: (() => void)[] = [];
  #drained = (): void => {};
  #gone = (): void => {};

  head(status: number, headers: Readonly<Record<string, string>>): void {
    this.status = status;
    this.headers = headers;
  }

  write(text: string): number {
    this.writes.push(text);
    if (this.slow) this.#unread += text.length;
    return this.#unread;
  }

  end(text: string): Promise<void> {
    if (text !== '') this.writes.push(text);
    this.ended = true;
    return this.slow ? new Promise((settle) => this.#takers.push(settle)) : Promise.resolve();
  }

  destroy(): void {
    this.destroyed = true;
    for (const settle of this.#takers) settle();
  }

  onDrain(listener: () => void): void {
    this.#drained = listener;
  }

  onGone(listener: () => void): void {
    this.#gone = listener;
  }

  /** Takes all there was. */
  drain(): void {
    this.#unread = 0;
    this.#drained();
  }

  /** Goes away. */
  leave(): void {
    this.#gone();
  }

  /** All that was sent. */
  get text(): string {
    return this.writes.join('');
  }

  /** The body as JSON. */
  get json(): unknown {
    return JSON.parse(this.text);
  }
}

/** A request as an adapter gives it. */
export function requestOf(path: string, body: unknown, more: Partial<GatewayRequest> = {}): GatewayRequest {
  const headers = { 'content-type': 'application/json' };
  return { method: 'POST', path, query: {}, headers, body: async () => body, ...more };
}

/** What each client's dialect asks with. */
export const asked = {
  chat: {
    path: '/v1/chat/completions',
    body: { model: 'm', messages: [{ role: 'user', content: 'Hi' }], stream: true },
  },
  messages: {
    path: '/v1/messages',
    body: { model: 'm', max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }], stream: true },
  },
} as const;
