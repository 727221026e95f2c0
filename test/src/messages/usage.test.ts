/** Usage: exclusive counters on the wire, inclusive ones in the model, null keeps what was known. */
import type { CanonicalEvent, Usage } from '@streamglot/core';
import { describe, expect, test } from 'vitest';
import { decoded, encoded, end, only, sse, start, type Wired } from './wire.ts';

const report = (usage: unknown): Wired => ({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage });

const readings: readonly [name: string, first: unknown, reports: readonly unknown[], usage: Usage][] = [
  [
    'the last report counts, the first output is a placeholder',
    { input_tokens: 20, output_tokens: 4 },
    [{ output_tokens: 5 }, { output_tokens: 9 }],
    { inputTokens: 20, outputTokens: 9, totalTokens: 29 },
  ],
  [
    'cached tokens are part of the input, and no report is added to another',
    { input_tokens: 2, cache_creation_input_tokens: 40, cache_read_input_tokens: 8, output_tokens: 1 },
    [{ input_tokens: 2, cache_creation_input_tokens: 40, cache_read_input_tokens: 8, output_tokens: 6 }],
    { inputTokens: 50, outputTokens: 6, totalTokens: 56, inputTokensDetails: { cacheRead: 8, cacheWrite: 40 } },
  ],
  [
    'null keeps what was known',
    { input_tokens: 7, cache_read_input_tokens: 3, output_tokens: 1 },
    [{ input_tokens: null, cache_read_input_tokens: null, output_tokens: 2 }],
    { inputTokens: 10, outputTokens: 2, totalTokens: 12, inputTokensDetails: { cacheRead: 3 } },
  ],
  [
    'the input may only be told at the end',
    { input_tokens: 0, output_tokens: 0 },
    [{ input_tokens: 123, output_tokens: 17 }],
    { inputTokens: 123, outputTokens: 17, totalTokens: 140 },
  ],
  [
    'writes to the cache are told by their lifetime',
    {
      input_tokens: 1,
      cache_creation: { ephemeral_5m_input_tokens: 4, ephemeral_1h_input_tokens: 5 },
      output_tokens: 1,
    },
    [{ output_tokens: 2 }],
    {
      inputTokens: 10,
      outputTokens: 2,
      totalTokens: 12,
      inputTokensDetails: { cacheWrite: 9, cacheWrite5m: 4, cacheWrite1h: 5 },
    },
  ],
  [
    'thinking is part of the output, and server tools count apart',
    { input_tokens: 1, output_tokens: 1 },
    [
      {
        output_tokens: 30,
        output_tokens_details: { thinking_tokens: 12 },
        server_tool_use: { web_search_requests: 2, other_requests: 1 },
      },
    ],
    {
      inputTokens: 1,
      outputTokens: 30,
      totalTokens: 31,
      outputTokensDetails: { reasoning: 12 },
      serverToolUse: { webSearch: 2, other_requests: 1 },
    },
  ],
  ['a report without usage tells no output', { input_tokens: 10, output_tokens: 0 }, [undefined], { inputTokens: 10 }],
];

function usageOf(events: readonly CanonicalEvent[]): Usage | undefined {
  const { raw: _, ...usage } = only(events, 'usage').at(-1)?.usage ?? {};
  return usage;
}

describe('usage that is read', () => {
  test.each(readings)('%s', (_, first, reports, usage) => {
    expect(usageOf(decoded(sse(start({ usage: first }), ...reports.map(report), end)))).toEqual(usage);
  });

  test('an upstream that tells nothing leaves usage unknown', () => {
    const events = decoded(
      sse(start({ usage: undefined }), { type: 'message_delta', delta: { stop_reason: 'end_turn' } }, end),
    );
    expect(only(events, 'usage')).toEqual([]);
    expect(only(events, 'response-start')[0]).not.toHaveProperty('usage');
  });

  test('the input is known from the start on, the raw counters stay readable', () => {
    const events = decoded(sse(start({ usage: { input_tokens: 5, output_tokens: 1, service_tier: 'standard' } })));
    expect(only(events, 'response-start')[0]).toMatchObject({
      serviceTier: 'standard',
      usage: { inputTokens: 5, raw: { service_tier: 'standard' } },
    });
  });
});

/** A stream of nothing but its usage. */
function written(usage: Usage | undefined, first?: Usage, messageStartUsage?: number): Wired[] {
  const events: CanonicalEvent[] = [
    { type: 'response-start', id: 'r', model: 'm', ...(first && { usage: first }) },
    ...(usage === undefined ? [] : [{ type: 'usage', usage, final: true } as const]),
    { type: 'finish', choice: 0, reason: 'stop' },
    { type: 'response-end', status: 'completed' },
  ];
  return encoded(events, messageStartUsage === undefined ? {} : { messageStartUsage }).out;
}

describe('usage that is written', () => {
  const writings: readonly [name: string, usage: Usage, wire: Wired][] = [
    [
      'counts become exclusive',
      { inputTokens: 50, outputTokens: 6, inputTokensDetails: { cacheRead: 8, cacheWrite: 40 } },
      { input_tokens: 2, cache_read_input_tokens: 8, cache_creation_input_tokens: 40, output_tokens: 6 },
    ],
    [
      'more cached than read is not negative',
      { inputTokens: 50, outputTokens: 2, inputTokensDetails: { cacheRead: 900 } },
      { input_tokens: 0, cache_read_input_tokens: 900, output_tokens: 2 },
    ],
    [
      'thinking and tools',
      { outputTokens: 30, outputTokensDetails: { reasoning: 12 }, serverToolUse: { webSearch: 2 } },
      {
        output_tokens: 30,
        output_tokens_details: { thinking_tokens: 12 },
        server_tool_use: { web_search_requests: 2 },
      },
    ],
    ['unknown input is left out', { outputTokens: 3 }, { output_tokens: 3 }],
  ];
  test.each(writings)('%s', (_, usage, wire) => {
    expect(written(usage).find(({ type }) => type === 'message_delta')?.usage).toEqual(wire);
  });

  const starts: readonly [Usage | undefined, number | undefined, number][] = [
    [undefined, undefined, 0],
    [undefined, 77, 77],
    [{ inputTokens: 12 }, 77, 12],
  ];
  test.each(starts)(
    'message_start claims what is known (%j), else the option (%j), else 0',
    (first, option, claimed) => {
      const message = written({ outputTokens: 1 }, first, option)[0]?.message as { usage: Wired };
      expect(message.usage).toEqual({
        input_tokens: claimed,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        output_tokens: 0,
      });
    },
  );

  test.each(readings.filter(([, , reports]) => reports[0] !== undefined))(
    'what was read is written alike: %s',
    (_, _first, _reports, usage) => {
      const [delta] = written(usage).filter(({ type }) => type === 'message_delta');
      const again = usageOf(decoded(sse(start({ usage: {} }), { ...(delta as Wired) }, end)));
      expect(again).toEqual(usage);
    },
  );
});
