/** The stage that makes opaque reasoning ready for clients of other dialects: what it changes, and what it leaves alone. */
import {
  type BlockKind,
  type CanonicalEvent,
  createReader,
  type Delta,
  dialectOf,
  type FrameEvents,
  GrammarCheck,
  Ids,
  type KnownDialect,
} from '@streamglot/core';
import { describe, expect, test } from 'vitest';
import { decodeCarrier, isCarrier } from '../../../packages/core/src/codec/carrier.ts';
import { sealer, sealing } from '../../../packages/core/src/codec/seal.ts';
import type { Scene } from '../support/scenes.ts';
import { frank, wireOf } from '../support/wire/index.ts';
import { rows } from './rows.ts';
import { hidden, scripts } from './scripts.ts';

const ids = Object.keys(rows) as KnownDialect[];
const origin = { provider: 'here', dialect: 'gemini', family: 'gemini-3' } as const;

type Carries = 'thoughts' | 'calls';

const sealed = (frames: readonly FrameEvents[], carries: Carries, replays = false): readonly FrameEvents[] => {
  const stage = sealer({ origin, carries, replays });
  return frames.flatMap((frame) => stage.push(frame));
};

const start = (block: number, kind: BlockKind, id?: string): CanonicalEvent => ({
  type: 'block-start',
  block,
  choice: 0,
  kind,
  ...(id !== undefined && { toolCall: { id, name: 'f', format: 'json', executor: 'client', kind: 'function' } }),
});
const delta = (block: number, delta: Delta): CanonicalEvent => ({ type: 'block-delta', block, delta });
const sign = (block: number, value: string, mode: 'set' | 'append' = 'set') =>
  delta(block, { type: 'signature', value, mode });
const end = (block: number): CanonicalEvent => ({ type: 'block-end', block });
const finish: CanonicalEvent = { type: 'finish', choice: 0, reason: 'stop' };

/** The carriers of events, opened, each with the place that it stands in. */
function carriersOf(frames: readonly FrameEvents[]): unknown[] {
  return frames.flat().flatMap((event) => {
    if (event.type === 'block-start' && event.toolCall?.signature !== undefined)
      return { on: event.toolCall.id, blobs: decodeCarrier(event.toolCall.signature)?.blobs };
    if (event.type !== 'block-delta' || event.delta.type !== 'signature') return [];
    return { on: event.block, blobs: decodeCarrier(event.delta.value)?.blobs };
  });
}

describe.each(ids)('an answer of a %s upstream', (dialect) => {
  const all = Object.entries({ ...scripts, 'hidden thinking': hidden });
  const secrets = ['c2VjcmV0MQ==', 'c2VjcmV0Mg=='];

  test.each(
    all.flatMap(([name, script]) => (['thoughts', 'calls'] as const).map((carries) => ({ name, script, carries }))),
  )(
    'keeps to the grammar and says all else in its frames: $name, in $carries',
    ({ name, script: [step = []], carries }) => {
      let signatures = 0;
      const pieces = step.map((piece) => {
        if (piece.type === 'signature') return { ...piece, value: secrets[signatures++ % 2] ?? '' };
        return piece.type === 'redacted' ? { ...piece, data: secrets[1] ?? '' } : piece;
      });
      const tokens = { input: 9, cached: 0, output: 9, reasoning: 3 };
      const scene: Scene = { name, pieces, stop: 'tool_calls', tokens, ending: 'whole' };
      const reader = createReader(dialectOf(dialect), { ids: new Ids('seed') });
      const frames = [...reader.push(wireOf(dialect).write(scene, frank).join('')), ...reader.end()];
      const out = sealed(frames, carries);
      const grammar = new GrammarCheck();
      for (const frame of out) grammar.push(frame);
      grammar.end();
      expect(grammar.violations).toEqual([]);
      expect(out.map(said)).toEqual(frames.map(said));
      const left = out.flat().map(({ native: _, ...event }) => (event.type === 'block-end' ? end(event.block) : event));
      for (const secret of secrets) expect(JSON.stringify(left)).not.toContain(secret);
    },
  );
});

/** What a client reads of a frame. */
function said(events: FrameEvents): readonly unknown[] {
  return events.flatMap((event): readonly unknown[] => {
    if (event.type !== 'block-delta') return event.type === 'finish' ? [event.reason] : [];
    return event.delta.type === 'signature' ? [] : [event.delta];
  });
}

describe('a signature', () => {
  const late: readonly FrameEvents[] = [[start(0, 'tool_call', 'c1')], [sign(0, 's')], [end(0)], [finish]];
  const blob = { kind: 'signature', value: 's', on: 'call', id: 'c1' };

  test.each(['thoughts', 'calls'] as const)(
    'that comes behind the start of its call is told there, in %s',
    (carries) => {
      expect(carriersOf(sealed(late, carries))).toEqual([{ on: 0, blobs: [blob] }]);
    },
  );

  test('that comes late is told again with what came before it, for clients that keep the last one', () => {
    const frames = [
      [start(0, 'reasoning'), sign(0, 't'), end(0)],
      [start(1, 'tool_call', 'c1')],
      [sign(1, 's')],
      [end(1)],
    ];
    const thought = { kind: 'signature', value: 't', on: 'thought', text: '' };
    expect(carriersOf(sealed(frames, 'calls'))).toEqual([
      { on: 'c1', blobs: [thought] },
      { on: 1, blobs: [thought, blob] },
    ]);
  });

  test('in pieces is one', () => {
    const frames = [[start(0, 'reasoning'), sign(0, 'a', 'append')], [sign(0, 'b', 'append')], [end(0)]];
    expect(carriersOf(sealed(frames, 'thoughts'))).toMatchObject([{ blobs: [{ value: 'ab' }] }]);
  });

  test('of a text goes with the next call', () => {
    const frames = [[start(0, 'text'), sign(0, 's'), end(0)], [start(1, 'tool_call', 'c1')], [end(1)]];
    for (const carries of ['thoughts', 'calls'] as const)
      expect(carriersOf(sealed(frames, carries))).toEqual([
        { on: 'c1', blobs: [{ kind: 'signature', value: 's', on: 'text' }] },
      ]);
  });

  test('that no call follows stands on a text of its own, where calls are sent back', () => {
    const frames = [[start(0, 'text'), sign(0, 's'), end(0)], [finish]];
    expect(carriersOf(sealed(frames, 'calls'))).toMatchObject([{ on: 1 }]);
    expect(carriersOf(sealed(frames, 'thoughts'))).toEqual([]);
  });

  test('of another candidate is left out', () => {
    const other = { ...start(0, 'reasoning'), choice: 1 } as CanonicalEvent;
    const frames = [[other, sign(0, 's'), end(0)], [start(1, 'tool_call', 'c1')], [end(1)], [finish]];
    expect(carriersOf(sealed(frames, 'calls'))).toEqual([]);
  });

  test('that is too large is left out with a warning', () => {
    const frames = [[start(0, 'tool_call', 'c1'), sign(0, 'x'.repeat(2 ** 20)), end(0)]];
    const out = sealed(frames, 'calls').flat();
    expect(out.map(({ type }) => type)).toEqual(['warning', 'block-start', 'block-end']);
  });
});

describe('thinking without anything opaque', () => {
  const frames = [
    [start(0, 'reasoning'), delta(0, { type: 'reasoning', text: 'So.', form: 'raw' })],
    [end(0)],
    [start(1, 'tool_call', 'c1')],
    [end(1)],
  ];

  test('is marked as its maker’s, so that nobody else is told it', () => {
    expect(carriersOf(sealed(frames, 'thoughts'))).toEqual([{ on: 0, blobs: [] }]);
    expect(carriersOf(sealed(frames, 'calls'))).toEqual([]);
  });

  test('is carried in plain words where servers want those back', () => {
    const blobs = [{ kind: 'plain', value: 'So.', on: 'thought' }];
    expect(carriersOf(sealed(frames, 'thoughts', true))).toEqual([{ on: 0, blobs }]);
    expect(carriersOf(sealed(frames, 'calls', true))).toEqual([{ on: 'c1', blobs }]);
  });

  test('encrypted and beside all blocks goes with the next call', () => {
    const detail = { type: 'reasoning.encrypted', data: 'x' };
    const noted: CanonicalEvent = { type: 'metadata', key: 'reasoning_encrypted', value: detail };
    const out = sealed([[noted], [start(0, 'tool_call', 'c1')], [end(0)]], 'calls');
    expect(carriersOf(out)).toEqual([
      { on: 'c1', blobs: [{ kind: 'encrypted', value: JSON.stringify(detail), on: 'thought' }] },
    ]);
  });
});

test('a frame that holds nothing of it is the same frame', () => {
  const frame: FrameEvents = [delta(0, { type: 'text', text: 'Hi' }), delta(1, { type: 'input', text: '{' })];
  expect(sealed([frame], 'calls')[0]).toBe(frame);
});

test('a client of the upstream’s own dialect, and one that carries nothing, get no stage', () => {
  const context = { model: 'm', stream: true } as const;
  expect(sealing(origin, { ...context, dialect: 'gemini', carries: 'calls' })).toBeUndefined();
  expect(sealing(origin, { ...context, dialect: 'chat' })).toBeUndefined();
  expect(sealing(origin, { ...context, dialect: 'chat', carries: 'calls' })).toBeDefined();
  expect(isCarrier('')).toBe(false);
});
