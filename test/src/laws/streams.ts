/** Random canonical streams: plans told in some order, in frames of some size, always as the grammar has it. */
import type { BlockStart, CanonicalEvent, FrameEvents } from '@streamglot/core';
import fc from 'fast-check';
import { type BlockPlan, type ChoicePlan, type Plan, plans } from './plan.ts';

/** A stream with the plan that it tells. */
export interface Stream {
  plan: Plan;
  frames: readonly FrameEvents[];
  /** Whether it ends well. */
  whole: boolean;
  /** Whether it does not for no other reason than that somebody cancelled it. */
  cancelled: boolean;
}

/** Kinds of which a model says one at a time; calls may overlap with everything. */
const single: Readonly<Partial<Record<BlockStart['kind'], string>>> = {
  text: 'words',
  refusal: 'words',
  reasoning: 'thoughts',
};

/** A block that has begun. */
interface Open {
  block: number;
  plan: BlockPlan;
  told: number;
}

/** Tells one choice, a step at a time. */
class Teller {
  readonly #choice: number;
  readonly #plan: ChoicePlan;
  readonly #number: () => number;
  readonly #open: Open[] = [];
  #begun = 0;
  #finished = false;

  constructor(choice: number, plan: ChoicePlan, number: () => number) {
    this.#choice = choice;
    this.#plan = plan;
    this.#number = number;
  }

  /** Whether anything has been said. */
  get begun(): boolean {
    return this.#begun > 0 || this.#finished;
  }

  /** Everything that could be said now. */
  get steps(): readonly (() => CanonicalEvent)[] {
    if (this.#finished) return [];
    const goOn = this.#open.map((open) => () => this.#goOn(open));
    const next = this.#plan.blocks[this.#begun];
    if (next !== undefined && !this.#isBusy(next)) return [...goOn, () => this.#begin(next)];
    return next === undefined && goOn.length === 0 ? [() => this.#finish()] : goOn;
  }

  #isBusy({ kind }: BlockPlan): boolean {
    const lane = single[kind];
    return lane !== undefined && this.#open.some(({ plan }) => single[plan.kind] === lane);
  }

  #begin(plan: BlockPlan): CanonicalEvent {
    this.#begun++;
    const block = this.#number();
    this.#open.push({ block, plan, told: 0 });
    return { type: 'block-start', block, choice: this.#choice, kind: plan.kind, ...plan.more };
  }

  #goOn(open: Open): CanonicalEvent {
    const { block, plan } = open;
    const delta = plan.deltas[open.told++];
    if (delta !== undefined) return { type: 'block-delta', block, delta };
    this.#open.splice(this.#open.indexOf(open), 1);
    return { type: 'block-end', block };
  }

  #finish(): CanonicalEvent {
    this.#finished = true;
    return { type: 'finish', choice: this.#choice, ...this.#plan.finish };
  }
}

function told(plan: Plan): CanonicalEvent[] {
  const { id, model, createdAt, usage, counted } = plan;
  const known = Object.entries({ id, model, createdAt, usage: counted === 'start' ? usage : undefined });
  const start = Object.fromEntries(known.filter(([, value]) => value !== undefined));
  const events: CanonicalEvent[] = [{ type: 'response-start', role: 'assistant', ...start }, ...body(plan)];
  const count: CanonicalEvent[] = usage === undefined ? [] : [{ type: 'usage', usage, final: true }];
  const finish = events.findIndex(({ type }) => type === 'finish');
  if (counted === 'before') events.splice(finish, 0, ...count);
  if (counted === 'after') events.push(...count);
  return [...events, { type: 'response-end', status: plan.status }];
}

/** Candidates begin in order; after that they may overlap. */
function body({ choices, turns }: Plan): CanonicalEvent[] {
  let blocks = 0;
  const tellers = choices.map((plan, choice) => new Teller(choice, plan, () => blocks++));
  const events: CanonicalEvent[] = [];
  for (;;) {
    const steps = tellers.flatMap((teller, choice) => (tellers[choice - 1]?.begun === false ? [] : teller.steps));
    if (steps.length === 0) return events;
    const step = steps[(turns[events.length % turns.length] ?? 0) % steps.length];
    if (step !== undefined) events.push(step());
  }
}

function broken(events: readonly CanonicalEvent[], { after, error }: NonNullable<Plan['broken']>): CanonicalEvent[] {
  return [...events.slice(0, Math.min(after, events.length - 1)), { type: 'error', error }];
}

/** Cuts events into frames of the given sizes, over and over. */
function framed(events: readonly CanonicalEvent[], sizes: readonly number[]): FrameEvents[] {
  const frames: FrameEvents[] = [];
  for (let at = 0; at < events.length; ) {
    const size = sizes[frames.length % sizes.length] ?? 1;
    frames.push(events.slice(at, at + size));
    at += size;
  }
  return frames;
}

/** Any stream. */
export const streams: fc.Arbitrary<Stream> = fc
  .tuple(plans, fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 5 }))
  .map(([plan, sizes]) => {
    const whole = told(plan);
    const events = plan.broken === undefined ? whole : broken(whole, plan.broken);
    return { plan, frames: framed(events, sizes), whole: endsWell(plan), cancelled: isCancelled(plan) };
  });

function endsWell({ broken, status, choices }: Plan): boolean {
  const gaveUp = choices.some(({ finish }) => finish.reason === 'error' || finish.reason === 'cancelled');
  return broken === undefined && !gaveUp && (status === 'completed' || status === 'incomplete');
}

function isCancelled({ broken, status, choices }: Plan): boolean {
  const reason = choices[0]?.finish.reason;
  if (broken !== undefined || reason === 'error' || status === 'failed') return false;
  return reason === 'cancelled' || status === 'cancelled';
}

/** Any stream that ends well. */
export const wholes: fc.Arbitrary<Stream> = streams.filter(({ whole }) => whole);
