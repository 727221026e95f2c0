/** Texts that come one character at a time take little more room than texts that come whole. */
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Collector, createReader, dialects, type KnownDialect } from '@streamglot/core';
import { describe, expect, it } from 'vitest';
import { Pieces } from '../../../packages/core/src/codec/pieces.ts';
import * as messages from '../messages/wire.ts';
import * as responses from '../responses/wire.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

function heapInUse(): number {
  collectGarbage();
  return getHeapStatistics().used_heap_size;
}

describe('a text in pieces', () => {
  it.each([0, 1, 1023, 1024, 1025, 5000])('of %i pieces is whole', (count) => {
    const pieces = new Pieces();
    const letters = Array.from({ length: count }, (_, at) => String.fromCharCode(97 + (at % 26)));
    for (const letter of letters) pieces.add(letter);
    expect(pieces.text).toBe(letters.join(''));
    pieces.add('!');
    expect(pieces.text).toBe(`${letters.join('')}!`);
  });
});

const MANY = 400_000;

/** A call whose input begins, and one character of it. */
const calls: Readonly<Partial<Record<KnownDialect, readonly [head: string, piece: string]>>> = {
  responses: [
    responses
      .text(responses.clean(responses.call(0, ['{"a":"', ''])))
      .split('event: response.function_call_arguments.done')[0] ?? '',
    responses.text([{ type: 'response.function_call_arguments.delta', item_id: 'fc_0', output_index: 0, delta: 'x' }]),
  ],
  messages: [
    messages.sse(messages.start(), messages.begin(0, messages.blank.call('t')), messages.input(0, '{"a":"')),
    messages.sse(messages.input(0, 'x')),
  ],
};

describe.each(Object.entries(calls))('the input of a call of %s', (dialect, [head, piece]) => {
  it('that comes in single characters is kept in little more than its length', () => {
    const before = heapInUse();
    const reader = createReader(dialects[dialect as KnownDialect]);
    const collector = new Collector();
    const take = (text: string): void => {
      for (const frame of reader.push(text)) collector.addFrame(frame);
    };
    take(head);
    for (let sent = 0; sent < MANY; sent += 1000) take(piece.repeat(1000));
    const held = heapInUse() - before;
    expect(collector.response().choices[0]?.blocks[0]?.input).toHaveLength(MANY + 6);
    expect(held).toBeLessThan(4 * MANY);
    expect(reader.end().flat().at(-1)).toMatchObject({ type: 'error' });
  });
});
