/** A request as policies see it. */
import type { CanonicalRequest, RequestContext, UpstreamCall } from '@streamglot/core';
import type { Clock } from './clock.ts';
import type { Ask } from './policy/policy.ts';

/** What a router knows beside the request. */
export interface AskOptions {
  readonly clock: Clock;
  readonly random: () => number;
  readonly explore: number;
  readonly key: ((ask: Pick<Ask, 'request' | 'context' | 'principal'>) => string | undefined) | undefined;
}

/** One request; what only some policies want is worked out when they ask. */
export class Question implements Ask {
  readonly request: CanonicalRequest;
  readonly context: RequestContext;
  readonly principal: string | undefined;
  readonly explore: number;
  readonly random: () => number;
  readonly #options: AskOptions;
  #key: string | undefined;

  constructor(call: Pick<UpstreamCall, 'request' | 'context' | 'principal'>, options: AskOptions) {
    this.request = call.request;
    this.context = call.context;
    this.principal = call.principal;
    this.explore = options.explore;
    this.random = options.random;
    this.#options = options;
  }

  get now(): number {
    return this.#options.clock.now();
  }

  get key(): string {
    this.#key ??= this.#options.key?.(this) ?? this.request.cacheKey ?? beginningOf(this.request);
    return this.#key;
  }
}

/** What all requests of a conversation begin with, and what a prompt cache knows them by. */
function beginningOf({ system, tools, turns }: CanonicalRequest): string {
  return JSON.stringify([system.map(({ text }) => text), tools.map((tool) => Object.values(tool)[0]), turns[0]?.parts]);
}
