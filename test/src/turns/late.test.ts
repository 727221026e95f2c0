/** Signatures that come when their call has gone out: toward each client behind the call, and back on it all the same. */
import {
  type CanonicalEvent,
  Collector,
  decodeRequest,
  defaultLimits,
  dialectOf,
  Ids,
  type KnownDialect,
} from '@streamglot/core';
import { describe, expect, test } from 'vitest';
import { sealer, sealing } from '../../../packages/core/src/codec/seal.ts';
import { rows } from './rows.ts';
import { payloads } from './wired.ts';

const origin = { provider: 'here', dialect: 'interactions', family: 'gemini-3' } as const;
const toolCall = { id: 'c1', name: 'get_weather', format: 'json', executor: 'client', kind: 'function' } as const;
const reasoning: CanonicalEvent[] = [
  { type: 'block-start', block: 0, choice: 0, kind: 'reasoning' },
  { type: 'block-delta', block: 0, delta: { type: 'reasoning', text: 'So.', form: 'summary' } },
  { type: 'block-delta', block: 0, delta: { type: 'signature', value: 'dGhvdWdodA==', mode: 'set' } },
  { type: 'block-end', block: 0 },
];

/** Each event in a frame of its own, so that nothing is known in time. */
const events: readonly CanonicalEvent[] = [
  { type: 'response-start', id: 'r', model: 'm' },
  ...reasoning,
  { type: 'block-start', block: 1, choice: 0, kind: 'tool_call', toolCall },
  { type: 'block-delta', block: 1, delta: { type: 'input', text: '{"city":"Oslo"}' } },
  { type: 'block-delta', block: 1, delta: { type: 'signature', value: 'bGF0ZQ==', mode: 'set' } },
  { type: 'block-end', block: 1 },
  { type: 'finish', choice: 0, reason: 'tool_calls' },
  { type: 'response-end', status: 'completed' },
];

const ids = Object.keys(rows) as KnownDialect[];

describe.each(ids)('a %s client', (client) => {
  const { speaker } = rows[client];
  const asked = speaker.ask('m', speaker.user('Hi'), true);
  const wire = { path: asked.path, query: asked.query ?? {}, headers: {}, body: asked.body };
  const { context } = decodeRequest(client, wire);
  const seal = sealing(origin, context);
  const stage = () => sealer(seal ?? { origin, carries: 'calls', replays: false });
  const options = { ids: new Ids('seed'), limits: defaultLimits, context: { ...context, framing: 'sse' as const } };

  function streamed(): string {
    const encoder = dialectOf(client).encoder(options);
    const sealing = stage();
    const frames = events.flatMap((event) => sealing.push([event]));
    return frames.map((frame) => encoder.push(frame)).join('') + encoder.end();
  }

  function whole(): string {
    const collector = new Collector();
    const sealing = stage();
    for (const event of events) for (const frame of sealing.push([event])) collector.addFrame(frame);
    return JSON.stringify(dialectOf(client).encodeResponse(collector.response(), options));
  }

  test.each([
    ['a stream', streamed, true],
    ['a whole answer', whole, false],
  ] as const)('keeps both signatures, and the call: %s', (_what, write, stream) => {
    const kept = speaker.keep(write(), stream);
    const opened = JSON.stringify(kept).match(/c3RyZWFtZ2xvdDE6[a-zA-Z0-9]+/g) ?? [];
    const told = opened.map((carrier) => atob(carrier)).join('\n');
    expect(told).toContain('dGhvdWdodA==');
    expect(told).toContain('bGF0ZQ==');
    expect(speaker.calls(kept)).toHaveLength(1);
  });

  test('reads a stream that keeps to its rules', () => {
    const text = streamed();
    if (client === 'messages') {
      const open = payloads(text).flatMap(({ type, index, content_block: block }) =>
        type === 'content_block_start' ? [[index, (block as { type: string }).type]] : [],
      );
      expect(open).toEqual([
        [0, 'thinking'],
        [1, 'tool_use'],
        [2, 'thinking'],
      ]);
    }
    expect(rows[client].speaker.calls(speaker.keep(text, true))).toEqual([
      { id: expect.stringMatching(/^c1/), name: 'get_weather' },
    ]);
  });
});
