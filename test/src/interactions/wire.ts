/** Short ways to write the events of Interactions, and to read them. */
import { type CanonicalEvent, type CloseCause, defaultLimits, type FrameEvents, Ids } from '@streamglot/core';
import { createTranslator } from '@streamglot/core/translator';
import { interactions } from '../../../packages/core/src/dialects/interactions/index.ts';
import { createReader, type ReaderOptions } from '../../../packages/core/src/reader.ts';

/** A payload. */
export type Wired = Record<string, unknown>;

/** An event as a payload. */
export const event = (event_type: string, members: Wired = {}): Wired => ({ ...members, event_type });

/** The members of every interaction. */
export const identity = { id: 'v1_a', object: 'interaction', model: 'm' };
export const created: Wired = event('interaction.created', { interaction: { ...identity, status: 'in_progress' } });
export const starts = (index: number, step: Wired | string): Wired =>
  event('step.start', { index, step: typeof step === 'string' ? { type: step } : step });
export const adds = (index: number, delta: Wired): Wired => event('step.delta', { index, delta });
export const says = (index: number, text: string): Wired => adds(index, { type: 'text', text });
export const feeds = (index: number, args: unknown): Wired => adds(index, { type: 'arguments_delta', arguments: args });
export const stops = (index: number): Wired => event('step.stop', { index });
export const ends = (status = 'completed', more: Wired = {}): Wired =>
  event('interaction.completed', { interaction: { ...identity, status, ...more } });
export const called = (id: string, more: Wired = {}): Wired => ({ type: 'function_call', id, name: 'f', ...more });

/** The mark of the end. */
export const DONE = 'event: done\ndata: [DONE]\n\n';

/** Payloads as the events of a stream, under their names. */
export const sse = (payloads: readonly Wired[]): string =>
  payloads.map((payload) => `event: ${payload.event_type}\ndata: ${JSON.stringify(payload)}\n\n`).join('');

/** The frames of a body. */
export function framesOf(body: string, options: ReaderOptions = {}, cause?: CloseCause): FrameEvents[] {
  const reader = createReader(interactions, { ids: new Ids('seed'), ...options });
  return [...reader.push(body), ...reader.end(cause)];
}

/** The events of these payloads between a beginning and an end. */
export const decoded = (payloads: readonly Wired[], options?: ReaderOptions): readonly CanonicalEvent[] =>
  framesOf(sse([created, ...payloads, ends()]) + DONE, options).flat();

/** What is written for these events. */
export function encoded(events: readonly CanonicalEvent[]): string {
  const encoder = interactions.encoder({ ids: new Ids('seed'), limits: defaultLimits });
  return encoder.push(events) + encoder.end();
}

/** The payloads of a written stream that are JSON. */
export function payloadsOf(text: string): Wired[] {
  return [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data]) => JSON.parse(String(data)) as Wired);
}

/** What a client of the dialect gets of these payloads. */
export function relayed(payloads: readonly Wired[], end = DONE): string {
  const translator = createTranslator({ from: interactions, to: interactions });
  const utf8 = new TextDecoder();
  return utf8.decode(translator.push(sse(payloads) + end)) + utf8.decode(translator.end());
}
