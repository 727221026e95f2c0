/** Every bad habit of Chat servers reads as what was meant, for events, for a client that relays, and for one that is written to. */
import {
  Collector,
  createReader,
  createTranslator,
  defaultLimits,
  dialects,
  type FrameEvents,
  GrammarCheck,
  Ids,
  rewrite,
  type Warning,
} from '@streamglot/core';
import { describe, expect, test } from 'vitest';
import { type Fault, faults } from './faults.ts';
import { type Message, read } from './wire.ts';

const answer = { text: 'Hi', reasoning: '', refusal: '', calls: [], finish: 'stop', error: undefined };

function decode({ stream, options }: Fault): readonly FrameEvents[] {
  const reader = createReader(dialects.chat, options);
  return [...reader.push(stream), ...reader.end()];
}

/** The stream for a Chat client, its bytes cut into pieces of a size. */
function relay({ stream, options }: Fault, size: number): string {
  const translator = createTranslator({ ...options, from: 'chat', to: 'chat', includeUsage: true });
  const bytes = Buffer.from(stream);
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    translator.push(bytes.subarray(at * size, (at + 1) * size)),
  );
  return Buffer.concat([...pieces, translator.end()]).toString();
}

/** The stream with nothing of the upstream's own text. */
function written(fault: Fault): string {
  const encoder = dialects.chat.encoder({ ids: new Ids('seed'), limits: defaultLimits, includeUsage: true });
  const frames = decode(fault);
  for (const event of frames.flat()) rewrite(event.native);
  return frames.map((events) => encoder.push(events)).join('') + encoder.end();
}

function expected(fault: Fault): object {
  return { ...answer, ...fault.holds };
}

/** A call without arguments is left as it is in a relay, and written with an empty object. */
function withObjects(message: object): object {
  const { calls } = message as Message;
  return { ...message, calls: calls.map(([id, name, input]) => [id, name, input === '' ? '{}' : input]) };
}

describe('a server with a habit', () => {
  test.each(faults)('obeys the grammar of events: $name', (fault) => {
    const check = new GrammarCheck();
    for (const events of decode(fault)) check.push(events);
    check.end();
    expect(check.violations).toEqual([]);
  });

  test.each(faults)('is relayed so that the official accumulator understands it: $name', (fault) => {
    expect(read(relay(fault, fault.stream.length))[0]).toMatchObject(expected(fault));
  });

  test.each(faults)('is written anew with the same content: $name', (fault) => {
    expect(read(written(fault))[0]).toMatchObject(withObjects(expected(fault)));
  });

  test.each(faults)('gives the same bytes at any cut: $name', (fault) => {
    const whole = relay(fault, fault.stream.length);
    for (const size of [1, 7, 64, 331]) expect(relay(fault, size)).toBe(whole);
  });

  test.each(faults)('says what was repaired: $name', (fault) => {
    const warnings = decode(fault)
      .flat()
      .filter((event): event is Warning => event.type === 'warning');
    expect(warnings.map(({ code }) => code)).toEqual(fault.warns ?? []);
  });

  test.each(faults)('ends as completed: $name', (fault) => {
    const collector = new Collector();
    for (const events of decode(fault)) collector.addFrame(events);
    expect(collector.response().status).toBe('completed');
  });
});
