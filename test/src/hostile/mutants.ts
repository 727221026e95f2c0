/** Real frames made wrong: characters, members, values and whole frames flipped, inserted, deleted, repeated. */
import type { KnownDialect } from '@streamglot/core';
import fc from 'fast-check';
import { fixturesOf } from '../laws/fixture.ts';
import { parsed } from '../support/grammar/report.ts';

/** Words that mean something to JavaScript and nothing to a protocol. */
const traps = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
  '__defineGetter__',
] as const;

const trap = fc.constantFrom(...traps);

/** Values that no schema expects where they come; as JSON text, for some are no value of JavaScript. */
const values: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    'null',
    'true',
    '-1',
    '0.5',
    '1e21',
    '1e999',
    '-1e999',
    '4294967296',
    '9007199254740993',
    '""',
    '"0"',
    '"-1"',
    '[]',
    '{}',
    '[null]',
    '[[]]',
    '{"":""}',
    '"\\ud83d"',
    '"\\u0000"',
    '"a\\r\\n\\r\\ndata: {}"',
    '" "',
    '"error"',
  ),
  trap.map((word) => JSON.stringify(word)),
  trap.map((word) => `{"${word}":{"polluted":true,"content":"x"}}`),
  fc.nat({ max: 5000 }).map(String),
);

/** One change of one payload: where (a number that is taken round the members), and what. */
export type Change = (payload: unknown, place: number) => unknown;

/** Stands for text that goes into the JSON as it is. */
const RAW = '\u0001raw';

export const changes: fc.Arbitrary<Change> = fc.oneof(
  values.map(
    (value): Change =>
      (payload, place) =>
        edit(payload, place, (holder, key) => define(holder, key, RAW + value)),
  ),
  fc.constant<Change>((payload, place) => edit(payload, place, (holder, key) => void delete holder[key])),
  trap.map(
    (name): Change =>
      (payload, place) =>
        edit(payload, place, (holder, key) => rename(holder, key, name)),
  ),
  values.map(
    (value): Change =>
      (payload, place) =>
        edit(payload, place, (holder) => define(holder, '__proto__', RAW + value)),
  ),
);

type Holder = Record<string, unknown>;

function rename(holder: Holder, key: string, name: string): void {
  const value = holder[key];
  delete holder[key];
  define(holder, name, value);
}

function define(holder: Holder, name: string, value: unknown): void {
  Object.defineProperty(holder, name, { value, enumerable: true, configurable: true, writable: true });
}

/** Every member at any depth, as its holder and key. */
function members(value: unknown): [Holder, string][] {
  if (typeof value !== 'object' || value === null) return [];
  const holder = value as Holder;
  return Object.keys(holder).flatMap((key) => [[holder, key] as [Holder, string], ...members(holder[key])]);
}

function edit(payload: unknown, place: number, apply: (holder: Holder, key: string) => void): unknown {
  const all = members(payload);
  const found = all[place % Math.max(1, all.length)];
  if (found !== undefined) apply(...found);
  return payload;
}

/** JSON text in which the raw pieces stand as they are. */
export function print(payload: unknown): string {
  return JSON.stringify(payload).replace(/"\\u0001raw((?:[^"\\]|\\.)*)"/g, (_, raw: string) => JSON.parse(`"${raw}"`));
}

function changed(frame: string, apply: Change, place: number): string {
  const [, head = '', data = ''] = /^(.*?data: )(.*)\n\n$/s.exec(frame) ?? [];
  const payload = parsed(data);
  return payload === undefined ? frame : `${head}${print(apply(payload, place))}\n\n`;
}

/** One change of a whole stream. */
type Mutation = (frames: readonly string[], place: number) => readonly string[];

const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(changes, fc.nat()).map(
      ([apply, at]): Mutation =>
        (frames, place) =>
          frames.map((frame, n) => (n === place % frames.length ? changed(frame, apply, at) : frame)),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(changes, fc.nat()).map(
      ([apply, at]): Mutation =>
        (frames) =>
          frames.map((frame) => changed(frame, apply, at)),
    ),
  },
  { weight: 1, arbitrary: fc.constant<Mutation>((frames, place) => frames.toSpliced(place % frames.length, 1)) },
  {
    weight: 1,
    arbitrary: fc.constant<Mutation>((frames, place) =>
      frames.toSpliced(place % frames.length, 0, frames[(place * 7) % frames.length] ?? ''),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.string({ unit: 'binary', maxLength: 3 }).map(
      (text): Mutation =>
        (frames, place) => {
          const whole = frames.join('');
          const at = place % whole.length;
          return [whole.slice(0, at) + text + whole.slice(at + (place % 3))];
        },
    ),
  },
);

/** A stream of a dialect that is wrong somewhere. */
export function mutantsOf(dialect: KnownDialect): fc.Arbitrary<string> {
  const fixtures = fixturesOf(dialect);
  return fc
    .tuple(
      fc.constantFrom(...fixtures),
      fc.array(fc.tuple(mutation, fc.nat({ max: 10_000 })), { minLength: 1, maxLength: 3 }),
    )
    .map(([{ frames }, mutations]) => {
      let wrong: readonly string[] = frames;
      for (const [apply, place] of mutations) if (wrong.length > 0) wrong = apply(wrong, place);
      return wrong.join('');
    });
}
