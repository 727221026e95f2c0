/** A day in the life of a router in virtual time: ten deployments that drift and fail, and many requests. */
import { setMaxListeners } from 'node:events';
import { type Batch, GatewayError, type Upstream, type UpstreamCall, type UpstreamReply } from '@streamglot/core';
import { type Policy, type PolicyName, type RouteOptions, type Router, route } from '@streamglot/routing';
import { delta, opening } from '../gateway/play.ts';
import { randomOf, VirtualClock } from './clock.ts';
import { callOf } from './script.ts';

/** A time at which a deployment answers nothing. */
export interface Outage {
  readonly deployment: number;
  readonly from: number;
  readonly until: number;
  readonly kind: 'refuses' | 'is overloaded' | 'hangs';
}

/** A world. Times in milliseconds. */
export interface World {
  readonly seed: number;
  readonly requests: number;
  /** Mean time between arrivals. */
  readonly everyMs: number;
  /** The mean time to the first output of each deployment without drift. */
  readonly bases: readonly number[];
  /** How far each drifts, as a share of its base. */
  readonly drift: number;
  readonly outages: readonly Outage[];
  readonly policy: PolicyName | Policy;
  readonly weights?: readonly number[];
  readonly options?: RouteOptions;
}

/** What became of one request. */
export interface Fate {
  readonly at: number;
  /** The deployment that answered; -1 where none did. */
  by: number;
  /** Milliseconds from arrival to the first output. */
  firstOutputMs: number;
  /** The same for whoever knows all deployments and asks the best. */
  oracleMs: number;
}

/** What became of all. */
export interface Course {
  readonly fates: readonly Fate[];
  readonly router: Router;
  readonly clock: VirtualClock;
  /** Calls of upstreams, and ends of tries that were told. */
  readonly calls: number;
  readonly ends: number;
}

/** Lets a world run its course. */
export async function simulate(world: World): Promise<Course> {
  const clock = new VirtualClock();
  const nature = randomOf(world.seed);
  const noise = (): number => Math.exp(0.25 * normal(nature)) / Math.exp(0.25 ** 2 / 2);
  const land = new Land(world, nature);
  const sites = world.bases.map((_, at) => new Site(at, clock, land, noise));
  const deployments = sites.map((upstream, at) => ({ upstream, weight: world.weights?.[at] ?? 1 }));
  const router = route(deployments, world.policy, { clock, random: randomOf(world.seed + 1), ...world.options });
  const fates: Fate[] = [];
  let ends = 0;
  const attempted = (): void => void ends++;
  const call = { ...callOf(), attempted };
  setMaxListeners(0, call.signal);
  const arrive = (): void => {
    const fate: Fate = { at: clock.now(), by: -1, firstOutputMs: 0, oracleMs: land.best(clock.now()) };
    fates.push(fate);
    void ask(router, call, clock, fate);
    if (fates.length < world.requests) clock.after(-Math.log(1 - nature()) * world.everyMs, arrive);
  };
  clock.after(0, arrive);
  await clock.run();
  return { fates, router, clock, calls: sites.reduce((sum, { calls }) => sum + calls, 0), ends };
}

async function ask(router: Router, call: UpstreamCall, clock: VirtualClock, fate: Fate): Promise<void> {
  try {
    const { head, batches } = await router.open(call);
    const iterator = batches[Symbol.asyncIterator]();
    for (let next = await iterator.next(), first = true; next.done !== true; next = await iterator.next()) {
      if (first) fate.firstOutputMs = clock.now() - fate.at;
      first = false;
    }
    fate.by = Number(head.requestId);
  } catch {
    fate.firstOutputMs = clock.now() - fate.at;
  }
}

/** What is true, whoever knows it. */
class Land {
  readonly #world: World;
  readonly #waves: readonly { period: number; phase: number }[];

  constructor(world: World, random: () => number) {
    this.#world = world;
    this.#waves = world.bases.map(() => ({ period: 200_000 + random() * 400_000, phase: random() * 2 * Math.PI }));
  }

  /** The mean time to a deployment's first output. */
  mean(deployment: number, now: number): number {
    const { period, phase } = this.#waves[deployment] as { period: number; phase: number };
    const wave = Math.sin((2 * Math.PI * now) / period + phase);
    return (this.#world.bases[deployment] as number) * (1 + this.#world.drift * wave);
  }

  outage(deployment: number, now: number): Outage['kind'] | undefined {
    return this.#world.outages.find((one) => one.deployment === deployment && now >= one.from && now < one.until)?.kind;
  }

  best(now: number): number {
    let best = Number.POSITIVE_INFINITY;
    for (let at = 0; at < this.#world.bases.length; at++)
      if (this.outage(at, now) === undefined) best = Math.min(best, this.mean(at, now));
    return best;
  }
}

const generated: Batch['frames'] = [[...opening, delta('A')]];
const ended: Batch['frames'] = [[{ type: 'response-end', status: 'completed' }]];

/** One deployment. */
class Site implements Upstream {
  readonly id: string;
  calls = 0;
  readonly #at: number;
  readonly #clock: VirtualClock;
  readonly #land: Land;
  readonly #noise: () => number;

  constructor(at: number, clock: VirtualClock, land: Land, noise: () => number) {
    this.id = `site ${at}`;
    this.#at = at;
    this.#clock = clock;
    this.#land = land;
    this.#noise = noise;
  }

  open({ signal }: UpstreamCall): Promise<UpstreamReply> {
    this.calls++;
    const outage = this.#land.outage(this.#at, this.#clock.now());
    if (outage !== undefined) return this.#fail(outage, signal);
    const wait = this.#land.mean(this.#at, this.#clock.now()) * this.#noise();
    return new Promise((settle) => this.#clock.after(wait, () => settle(this.#reply())));
  }

  #reply(): UpstreamReply {
    const head = {
      status: 200,
      headers: new Map<string, string>(),
      dialect: 'chat' as const,
      requestId: `${this.#at}`,
    };
    let said = 0;
    const next = (): Promise<IteratorResult<Batch>> => {
      if (said > 1) return Promise.resolve({ done: true, value: undefined });
      const value = { frames: said++ === 0 ? generated : ended, receivedAt: this.#clock.now(), bytes: 10 };
      if (said === 1) return Promise.resolve({ done: false, value });
      return new Promise((settle) => this.#clock.after(1_000, () => settle({ done: false, value })));
    };
    return { head, batches: { [Symbol.asyncIterator]: () => ({ next }) } };
  }

  #fail(kind: Outage['kind'], signal: AbortSignal): Promise<UpstreamReply> {
    if (kind === 'hangs')
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const refused = new GatewayError({ type: 'upstream', code: 'connect_failed', message: 'No.' });
    const busy = new GatewayError({ type: 'overloaded', status: 503, message: 'Busy.' });
    const [ms, error] = kind === 'refuses' ? [2, refused] : [50, busy];
    return new Promise((_, reject) => this.#clock.after(ms, () => reject(error)));
  }
}

/** A number around 0, with a standard deviation of 1. */
function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** The share of requests that each deployment answered between two times. */
export function sharesOf({ fates, router }: Course, from: number, until: number): readonly number[] {
  const counts = router.deployments.map(() => 0);
  let all = 0;
  for (const { at, by } of fates)
    if (at >= from && at < until && by >= 0) {
      counts[by] = (counts[by] ?? 0) + 1;
      all++;
    }
  return counts.map((count) => count / all);
}

/** The mean of some numbers. */
export function meanOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
}
