/** Measures one row in a process of its own: `node case.mjs '<row as JSON>'` prints one line of JSON. */
import { createTranslator } from '@streamglot/core';
import { anchors } from './anchors.mjs';
import { floorOf } from './floor.mjs';
import { compare } from './pace.mjs';
import { carried, reads } from './streams.mjs';

/** @import { KnownDialect } from '@streamglot/core' */
/** @import { Kind } from './streams.mjs' */

/**
 * What is measured: time against the floor, heap for each event, or growth from 2,000 to 200,000 events.
 * @typedef {{ what: 'time' | 'heap' | 'growth', from: KnownDialect, to: KnownDialect, kind: Kind, read: 'event' | '16k' }} Row
 */

const events = 2000;
const { parts, stream } = await anchors();
const row = /** @type {Row} */ (JSON.parse(process.argv[2] ?? '{}'));
const measures = { time, heap, growth };
console.log(JSON.stringify(measures[row.what](row)));

/** @param {Row} row */
function time({ from, to, kind, read }) {
  const chunks = verified(from, to, kind, read);
  const floor = floorOf(parts, from, to);
  return compare(
    () => translate(from, to, chunks),
    () => floor(chunks),
    { warm: 500, measure: 800, each: 8 },
  );
}

/**
 * The heap that a stream takes, against the floor; wants `--expose-gc` and a young generation that holds a whole pass.
 * @param {Row} row
 */
function heap({ from, to, kind, read }) {
  const chunks = verified(from, to, kind, read);
  const floor = floorOf(parts, from, to);
  const bytes = allocated(() => translate(from, to, chunks));
  return { median: bytes / allocated(() => floor(chunks)), note: `${bytes.toFixed(0)} B` };
}

/**
 * Bytes that some work allocates for each event, where no collection falls into it: the median of some passes.
 * @param {() => unknown} work
 */
function allocated(work) {
  for (let warm = 0; warm < 5; warm++) work();
  const passes = Array.from({ length: 5 }, () => {
    globalThis.gc?.();
    const before = process.memoryUsage().heapUsed;
    work();
    return (process.memoryUsage().heapUsed - before) / events;
  });
  return passes.toSorted((a, b) => a - b)[2] ?? Number.NaN;
}

/**
 * How much dearer an event is in a stream a hundred times as long.
 * @param {Row} row
 */
function growth({ from, to, kind, read }) {
  const short = reads[read](stream(from, kind, events).frames);
  const long = reads[read](stream(from, kind, 100 * events).frames);
  const hundredShort = () => {
    for (let times = 0; times < 100; times++) translate(from, to, short);
  };
  return compare(() => translate(from, to, long), hundredShort, { warm: 400, measure: 800, each: 8 });
}

/**
 * The chunks of a stream, once it is certain that its translation carries all that the stream does.
 * @param {KnownDialect} from
 * @param {KnownDialect} to
 * @param {Kind} kind
 * @param {'event' | '16k'} read
 */
function verified(from, to, kind, read) {
  const { frames, text, input } = stream(from, kind, events);
  const chunks = reads[read](frames);
  /** @type {Uint8Array[]} */
  const out = [];
  translate(from, to, chunks, (bytes) => out.push(bytes));
  const got = carried(to, Buffer.concat(out).toString());
  if (got.text !== text || got.input !== input) throw new Error(`${from} to ${to} loses content of the ${kind} stream`);
  return chunks;
}

/**
 * @param {KnownDialect} from
 * @param {KnownDialect} to
 * @param {readonly Uint8Array[]} chunks
 * @param {(bytes: Uint8Array) => void} [take]
 */
function translate(from, to, chunks, take) {
  const translator = createTranslator({ from, to });
  for (const chunk of chunks) {
    const bytes = translator.push(chunk);
    take?.(bytes);
  }
  const rest = translator.end();
  take?.(rest);
}
