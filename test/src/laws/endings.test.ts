/** How an answer ends that does not end by itself, for every pair of the registry: truthfully, and by its cause. */
import {
  type CloseCause,
  createTranslator,
  dialects,
  type Ending,
  type KnownDialect,
  type Limits,
} from '@streamglot/core';
import { describe, expect, it } from 'vitest';
import { grammarOf } from '../support/grammar/index.ts';
import { fixturesOf } from './fixture.ts';

const ids = Object.keys(dialects) as KnownDialect[];
const pairs = ids.flatMap((from) => ids.map((to) => [from, to] as const));

const causes: readonly [cause: CloseCause, ending: Ending, code: string][] = [
  ['closed', 'truncated', 'stream_truncated'],
  ['reset', 'truncated', 'stream_truncated'],
  ['stalled', 'stalled', 'stream_stalled'],
  ['deadline', 'deadline', 'deadline_exceeded'],
  ['shutdown', 'shutdown', 'shutdown'],
  ['internal', 'internal', 'internal'],
];

/** Payloads that end a stream wherever they come, with the limits under which they do. */
const poison: readonly [name: string, payload: string, code: string, limits?: Partial<Limits>][] = [
  ['half a JSON object', '{"choices":[{', 'malformed_stream'],
  ['words', 'upstream connect error or disconnect', 'malformed_stream'],
  ['JSON that nests too deeply', `{"a":${'['.repeat(40)}${']'.repeat(40)}}`, 'too_deep', { maxDepth: 20 }],
  ['more than a frame may hold', `{"a":"${'x'.repeat(5000)}"}`, 'frame_too_large', { maxFrameBytes: 4000 }],
];

/** The beginning of an answer with a text in it. */
function begun(from: KnownDialect): string {
  const { frames = [] } = fixturesOf(from).find(({ scene }) => scene.name === 'text') ?? {};
  return frames.slice(0, Math.ceil(frames.length / 2)).join('');
}

describe.each(pairs)('an answer of %s for a client of %s', (from, to) => {
  const { fails, violations } = grammarOf(to);

  it.each(causes)('says of %s that it was %s', (cause, ending, code) => {
    const translator = createTranslator({ from, to });
    const text = new TextDecoder();
    const out = text.decode(translator.push(begun(from))) + text.decode(translator.end(cause));
    expect([translator.ending, fails(out), [...violations(out)]]).toEqual([ending, true, []]);
    expect(out).toContain(`"${code}"`);
  });

  it('says nothing to a client that has gone', () => {
    const translator = createTranslator({ from, to });
    translator.push(begun(from));
    expect([translator.end('client-closed').length, translator.ending]).toEqual([0, 'client-closed']);
  });

  it.each(poison)('fails at %s and ends there', (_, payload, code, limits = {}) => {
    const translator = createTranslator({ from, to, limits });
    const text = new TextDecoder();
    const out = text.decode(translator.push(`${begun(from)}data: ${payload}\n\n`));
    expect([translator.ending, fails(out)]).toEqual(['error', true]);
    expect(out).toContain(`"${code}"`);
    expect(translator.push(begun(from)).length + translator.end().length).toBe(0);
  });

  it('shows no key that its upstream put into an error', () => {
    const key = `sk-${'0'.repeat(24)}`;
    const error = { type: 'authentication_error', code: 'invalid_api_key', message: `Wrong key ${key}.` };
    const frame = `event: error\ndata: ${JSON.stringify({ type: 'error', error })}\n\n`;
    const translator = createTranslator({ from, to });
    const out = Buffer.concat([translator.push(begun(from) + frame), translator.end()]).toString();
    expect(fails(out)).toBe(true);
    expect(out).toContain('Wrong key');
    expect(out).not.toContain(key);
  });

  it('fails where it is whole and larger than is allowed', () => {
    const translator = createTranslator({ from, to, limits: { maxAccumulatedBytes: 100 } });
    const out = [translator.push(JSON.stringify({ filler: 'x'.repeat(200) })), translator.end()];
    expect(Buffer.concat(out).toString()).toContain('"answer_too_large"');
  });
});
