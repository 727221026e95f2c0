/** The judge of the faults bites: clean streams pass, and every way of breaking one is noticed. */
import { describe, expect, test } from 'vitest';
import { callsOf, joined, type Scene } from '../support/scenes.ts';
import { frank, wireOf } from '../support/wire/index.ts';
import type { Expectation } from './cases.ts';
import { wrongs } from './judge.ts';
import { mutations, streams } from './mutations.ts';

function streamOf(dialect: string, scene: Scene): string {
  return wireOf(dialect).write(scene, frank).join('');
}

/** The class of the error that each wire writes. */
const errors: Readonly<Record<string, string>> = {
  chat: 'upstream_error',
  messages: 'overloaded',
  responses: 'overloaded',
};

function expectationOf(dialect: string, scene: Scene): Expectation {
  const { input, cached, output, reasoning } = scene.tokens;
  const failed = scene.ending === 'error';
  const calls = callsOf(scene).map(({ name, input: given }, at) => ({
    id: wireOf(dialect).callId(at),
    name,
    arguments: given,
  }));
  return {
    text: joined(scene, 'text'),
    reasoning: joined(scene, 'reasoning'),
    tool_calls: calls,
    finish: failed ? null : scene.stop,
    usage: failed ? null : { input, cached_input: cached, output, reasoning },
    error: failed ? { type: errors[dialect] ?? '' } : null,
  };
}

describe.each(Object.entries(mutations))('of %s', (dialect, list) => {
  test.each(Object.entries(streams))('a clean stream passes: %s', (_, scene) => {
    const clean = streamOf(dialect, scene);
    for (const upstream of [undefined, clean])
      expect(wrongs(expectationOf(dialect, scene), dialect, clean, { upstream, quiet: false })).toEqual([]);
  });

  test.each(list)('$what ($stream) is noticed', ({ edit, stream, relayed }) => {
    const scene = streams[stream];
    const clean = streamOf(dialect, scene);
    const broken = edit(clean);
    expect(broken).not.toBe(clean);
    const found = (upstream: string | undefined): readonly string[] =>
      wrongs(expectationOf(dialect, scene), dialect, broken, { upstream, quiet: false });
    expect(found(undefined)).not.toEqual([]);
    expect(found(clean)).not.toEqual([]);
    if (relayed) expect(found(broken)).toEqual([]);
    else expect(found(broken)).not.toEqual([]);
  });
});
