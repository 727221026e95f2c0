/** One request and its reply: who asks, what for, the upstream's answer, and one truthful ending. */
import {
  type Attempt,
  type CanonicalError,
  GatewayError,
  toCanonicalError,
  type UpstreamReply,
} from '@streamglot/core';
import { type Answer, answerOf } from './answer.ts';
import { aside } from './aside.ts';
import { authorized } from './authorize.ts';
import { type Cause, type Departure, endingOfCause, errorOf } from './cause.ts';
import type { Client, GatewayRequest } from './client.ts';
import type { Refusal } from './error.ts';
import { Flow } from './flow.ts';
import { jsonHead, passedIn, requestIds, timeoutOf } from './headers.ts';
import { type Incoming, type Intake, intake } from './intake.ts';
import { Meter } from './meter.ts';
import type { Model } from './model.ts';
import type { Timing } from './observe.ts';
import { refuse } from './refuse.ts';
import type { Route } from './routes.ts';
import type { Settings } from './schema.ts';
import { Watch } from './watch.ts';

/** Handles one request, from its route to its end. */
export class Exchange {
  readonly #settings: Settings;
  readonly #route: Route;
  readonly #request: GatewayRequest;
  readonly #client: Client;
  readonly #seed: string = newSeed();
  readonly #id: string = `req_${this.#seed}`;
  readonly #meter = new Meter();
  readonly #controller = new AbortController();
  readonly #watch: Watch;
  #interrupt: ((reason: unknown) => void) | undefined;
  #cause: Cause | undefined;
  #principal: unknown;
  #model: string | undefined;
  /** Why the client is gone while its answer is read on. */
  #left: Departure | undefined;
  #bound: ReturnType<typeof setTimeout> | undefined;
  #drains = false;
  #answer: Answer | undefined;
  #flow: Flow | undefined;
  #status: number | undefined;
  #sentAt: number | undefined;
  #headAt: number | undefined;

  constructor(settings: Settings, route: Route, request: GatewayRequest, client: Client) {
    this.#settings = settings;
    this.#route = route;
    this.#request = request;
    this.#client = client;
    const totalMs = Math.min(settings.timeouts.totalMs, timeoutOf(request.headers));
    this.#watch = new Watch(
      { ...settings.timeouts, totalMs, keepAliveMs: settings.keepAliveMs },
      { expired: (cause) => this.abort(cause), idle: () => this.#answer?.idle() },
    );
    client.onGone((cause = 'client-closed') => this.#leave(cause));
    client.onDrain(() => this.#flow?.resume());
  }

  /** Answers, or turns the request away. Settles when the client has taken everything or is gone; never rejects. */
  async run(refusal?: Refusal): Promise<void> {
    try {
      if (refusal !== undefined) throw refusal;
      await this.#reply();
    } catch (thrown) {
      await this.#fail(thrown);
    }
    this.#watch.stop();
    clearTimeout(this.#bound);
    this.#report();
  }

  /** Ends it before its time; an answer that has ended already stays what it was. */
  abort(cause: Cause): void {
    if (this.#cause !== undefined || this.#meter.ending !== undefined) return;
    this.#cause = cause;
    const reason = new GatewayError(errorOf(cause));
    // Before the flow stops: routers are told the reason, and do not take it for a reader that has had enough.
    this.#controller.abort(reason);
    this.#flow?.stop();
    this.#interrupt?.(reason);
  }

  /** Breaks the connection off, whatever the client has yet to take. */
  drop(): void {
    this.#client.destroy();
  }

  /** Whoever drains hears the answer out, within bounds; a count of tokens or a list is not worth that. */
  #leave(cause: Departure): void {
    if (!this.#drains || this.#sentAt === undefined) return this.abort(cause);
    this.#left = cause;
    this.#flow?.drain();
    const { drainMs } = this.#settings.timeouts;
    if (drainMs <= longest) this.#bound = setTimeout(() => this.abort(cause), drainMs);
  }

  async #reply(): Promise<void> {
    const { dialect, kind } = this.#route;
    this.#principal = await this.#unlessAborted(authorized(this.#settings.authorize, this.#request, dialect.id));
    return kind === 'answer' ? this.#carry(await this.#ask()) : this.#aside();
  }

  get #incoming(): Incoming {
    const failed = (thrown: unknown): void => this.#settings.observe({ type: 'fault', id: this.#id, thrown });
    return {
      settings: this.#settings,
      route: this.#route,
      request: this.#request,
      principal: this.#principal,
      seed: this.#seed,
      failed,
    };
  }

  async #aside(): Promise<void> {
    const reply = await this.#unlessAborted(aside(this.#incoming, this.#controller.signal));
    this.#model = reply.model;
    this.#meter.ending = 'completed';
    this.#status = 200;
    this.#client.head(200, { ...jsonHead, ...requestIds(reply.requestId ?? this.#id), ...reply.headers });
    await this.#client.end(JSON.stringify(reply.body));
  }

  /** Understands the request and sends it on. Nothing that outlives this holds the request: it is a whole conversation. */
  async #ask(): Promise<UpstreamReply> {
    const asked = await this.#unlessAborted(intake(this.#incoming));
    this.#heed(asked.model);
    this.#answer = answerOf({
      id: this.#id,
      dialect: this.#route.dialect,
      context: asked.context,
      client: this.#client,
      settings: this.#settings,
      watch: this.#watch,
      ...(asked.keeper !== undefined && { keeper: asked.keeper }),
    });
    return this.#open(asked);
  }

  #heed({ name, timeouts, drains }: Model): void {
    this.#model = name;
    this.#drains = drains === true;
    if (timeouts !== undefined) this.#watch.limit(timeouts);
  }

  async #open({ model, request, context }: Intake): Promise<UpstreamReply> {
    const { observe, losses, limits } = this.#settings;
    const { dialect, stream } = context;
    const { upstream } = model;
    const about = { id: this.#id, principal: this.#principal };
    observe({ type: 'request', ...about, dialect, model: model.name, upstream: upstream.id, stream });
    this.#sentAt = performance.now();
    const headers = passedIn(this.#request.headers);
    const { signal } = this.#controller;
    const { id } = about;
    const attempted = (attempt: Attempt): void => observe({ type: 'attempt', id, model: model.name, ...attempt });
    const principal = this.#settings.principalId(this.#principal);
    const call = { request, context, stream, signal, headers, losses, limits, attempted };
    const reply = await this.#unlessAborted(upstream.open(principal === undefined ? call : { ...call, principal }));
    this.#headAt = performance.now();
    if (reply.head.losses?.length) observe({ type: 'losses', id: this.#id, losses: reply.head.losses });
    return reply;
  }

  async #carry({ head, batches }: UpstreamReply): Promise<void> {
    const answer = this.#answer as Answer;
    answer.head = head;
    const { bufferBytes } = this.#settings;
    const flow = new Flow({ batches, answer, meter: this.#meter, watch: this.#watch, bufferBytes });
    this.#flow = flow;
    if (this.#left !== undefined) flow.drain();
    await this.#unlessAborted(flow.arrive());
    this.#watch.stop();
    flow.stop();
    await flow.sent;
  }

  /** One step at a time. A race against one promise for all would make that promise hold the result of each. */
  #unlessAborted<T>(work: Promise<T>): Promise<T> {
    const { signal } = this.#controller;
    return new Promise((settle, reject) => {
      if (signal.aborted) reject(signal.reason);
      this.#interrupt = reject;
      work.then(settle, reject);
    });
  }

  async #fail(thrown: unknown): Promise<void> {
    const expected = thrown instanceof GatewayError || this.#cause !== undefined;
    if (!expected) this.#settings.observe({ type: 'fault', id: this.#id, thrown });
    const failure = this.#cause === undefined ? toCanonicalError(thrown) : errorOf(this.#cause);
    const error = { ...failure, requestId: failure.requestId ?? this.#answer?.head?.requestId ?? this.#id };
    this.#meter.fail(error);
    this.#watch.stop();
    this.#controller.abort(thrown);
    this.#flow?.stop();
    if (this.#left !== undefined || this.#cause === 'client-closed' || this.#cause === 'write-stalled') return;
    try {
      await this.#tell(error, thrown);
    } catch (again) {
      this.#settings.observe({ type: 'fault', id: this.#id, thrown: again });
      this.#client.destroy();
    }
  }

  /** As an HTTP status while none has gone out, in the stream after that. */
  #tell(error: CanonicalError, thrown: unknown): Promise<void> {
    if (this.#answer?.begun === true) return this.#answer.fail(error);
    const headers = (thrown instanceof GatewayError ? thrown.headers : undefined) ?? this.#answer?.head?.headers;
    const id = error.requestId ?? this.#id;
    const refused = refuse(this.#client, this.#route.dialect, error, { id, thrown, headers });
    this.#status = refused.status;
    return refused.sent;
  }

  #report(): void {
    const { usage, error, warnings, bytes } = this.#meter;
    const ending = this.#left === undefined ? (this.#meter.ending ?? 'internal') : endingOfCause(this.#left);
    const { observe } = this.#settings;
    const id = this.#id;
    const losses = this.#answer?.losses ?? [];
    if (warnings.length > 0) observe({ type: 'warnings', id, warnings });
    if (losses.length > 0 && this.#settings.losses !== 'drop') observe({ type: 'losses', id, losses });
    const status = this.#answer?.begun === true ? 200 : this.#status;
    observe({
      type: 'ending',
      id,
      dialect: this.#route.dialect.id,
      principal: this.#principal,
      ending,
      bytes,
      timing: this.#timing(),
      ...(status !== undefined && { status }),
      ...(this.#model !== undefined && { model: this.#model }),
      ...(error !== undefined && { error }),
      ...(usage !== undefined && { usage }),
    });
  }

  #timing(): Timing {
    const { startedAt, pausedMs } = this.#watch;
    const { firstOutputAt, lastAt } = this.#meter;
    const sentAt = this.#sentAt ?? startedAt;
    return {
      totalMs: performance.now() - startedAt,
      pausedMs,
      ...(this.#headAt !== undefined && { headMs: this.#headAt - sentAt }),
      ...(firstOutputAt !== undefined && { firstOutputMs: firstOutputAt - sentAt }),
      ...(lastAt !== undefined && { upstreamMs: lastAt - sentAt }),
    };
  }
}

/** The longest delay that a timer can take. */
const longest = 2 ** 31 - 1;

function newSeed(): string {
  return crypto.randomUUID().replaceAll('-', '').slice(0, 24);
}
