/** Canonical events in few words, and what is written of them. */
import type { BlockStart, CanonicalEvent, Delta, Finish, ToolCallStart } from '@streamglot/core';
import { expect } from 'vitest';
import { grammarOf } from '../support/grammar/index.ts';
import { encoded, type Wired } from './wire.ts';

/** An original of another dialect. */
const foreign = { dialect: 'chat' } as const;

/** An original of this dialect. */
export const own = { dialect: 'messages' } as const;

/** A block begins. */
export const opens = (
  block: number,
  kind: BlockStart['kind'] = 'text',
  more: Partial<BlockStart> = {},
): CanonicalEvent => ({
  type: 'block-start',
  block,
  choice: 0,
  kind,
  native: foreign,
  ...more,
});

/** A call of the client begins. */
export const calls = (block: number, id = `call_${block}`, more: Partial<ToolCallStart> = {}): CanonicalEvent =>
  opens(block, 'tool_call', {
    toolCall: { id, name: 'f', format: 'json', executor: 'client', kind: 'function', ...more },
  });

/** A block goes on. */
export const adds = (block: number, delta: Delta, native: BlockStart['native'] = foreign): CanonicalEvent => ({
  type: 'block-delta',
  block,
  delta,
  native,
});

/** Text goes on. */
export const says = (block: number, text: string): CanonicalEvent => adds(block, { type: 'text', text });

/** Input goes on. */
export const feeds = (block: number, text: string): CanonicalEvent => adds(block, { type: 'input', text });

/** Reasoning goes on. */
export const thinks = (block: number, text: string, part?: number): CanonicalEvent =>
  adds(block, { type: 'reasoning', text, form: 'summary', ...(part !== undefined && { part }) });

/** A block is over. */
export const closes = (block: number, final?: { input: string }): CanonicalEvent => ({
  type: 'block-end',
  block,
  ...(final && { final }),
});

/** Events between the start and the end of an answer. */
export function answer(events: readonly CanonicalEvent[], finish: Partial<Finish> = {}): CanonicalEvent[] {
  return [
    { type: 'response-start', id: 'r1', model: 'm' },
    ...events,
    { type: 'usage', usage: { outputTokens: 9 }, final: true },
    { type: 'finish', choice: 0, reason: 'stop', native: foreign, ...finish },
    { type: 'response-end', status: 'completed' },
  ];
}

/** The blocks that were written: everything between `message_start` and `message_delta`. */
export function writtenBlocks(events: readonly CanonicalEvent[], finish?: Partial<Finish>): readonly Wired[] {
  const { out, stream } = encoded(answer(events, finish));
  expect(grammarOf('messages').violations(stream)).toEqual([]);
  return out.slice(1, -2);
}
