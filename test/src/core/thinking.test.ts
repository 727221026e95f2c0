/** Reasoning that a server leaves in the text, between tags: found for an upstream of any dialect, told to a client of any. */
import {
  type CanonicalEvent,
  createReader,
  createTranslator,
  defaultLimits,
  dialects,
  Ids,
  type KnownDialect,
  normalise,
} from '@streamglot/core';
import { describe, expect, it } from 'vitest';
import { bySize } from '../support/cuts.ts';
import { grammarOf } from '../support/grammar/index.ts';

const ids = Object.keys(dialects) as KnownDialect[];
const pairs = ids.flatMap((from) => ids.map((to) => [from, to] as const));

/** An answer of these texts, a call between them, as a dialect's own server would stream it. */
function stream(dialect: KnownDialect, pieces: readonly string[], call = false): string {
  const events: CanonicalEvent[] = [
    { type: 'response-start', id: 'r1', model: 'm', createdAt: 1 },
    { type: 'block-start', block: 0, choice: 0, kind: 'text' },
    ...pieces.map((text) => ({ type: 'block-delta', block: 0, delta: { type: 'text', text } }) as const),
    { type: 'block-end', block: 0 },
    ...(call ? called : []),
    { type: 'finish', choice: 0, reason: call ? 'tool_calls' : 'stop' },
    { type: 'response-end', status: 'completed' },
  ];
  const encoder = dialects[dialect].encoder({ ids: new Ids('seed'), limits: defaultLimits });
  return events.map((event) => encoder.push([event])).join('') + encoder.end();
}

const toolCall = { id: 'call_1', name: 'f', format: 'json', executor: 'client', kind: 'function' } as const;
const called: readonly CanonicalEvent[] = [
  { type: 'block-start', block: 1, choice: 0, kind: 'tool_call', toolCall },
  { type: 'block-delta', block: 1, delta: { type: 'input', text: '{"a":1}' } },
  { type: 'block-end', block: 1 },
];

function translate(from: KnownDialect, to: KnownDialect, body: string, size = body.length): string {
  const translator = createTranslator({ from, to, extractThinkTags: true });
  const out = bySize(Buffer.from(body), size).map((chunk) => translator.push(chunk));
  return Buffer.concat([...out, translator.end()]).toString();
}

/** What the runs of an answer say, in their order. */
function runsOf(dialect: KnownDialect, body: string, extractThinkTags = false): string[] {
  const reader = createReader(dialects[dialect], { extractThinkTags });
  const events = normalise([...reader.push(body), ...reader.end()].flat());
  const starts = new Map(events.flatMap((event) => (event.type === 'block-start' ? [[event.block, event.kind]] : [])));
  return events.flatMap((event) => {
    if (event.type !== 'block-delta') return [];
    return 'text' in event.delta ? [`${starts.get(event.block)}: ${event.delta.text}`] : [];
  });
}

const texts: Readonly<Record<string, readonly [text: string, ...runs: string[]]>> = {
  'thinking, then an answer': ['<think>Hm</think>Hi', 'reasoning: Hm', 'text: Hi'],
  'an answer, then thinking': ['Hi<think>Hm</think>', 'text: Hi', 'reasoning: Hm'],
  'thinking between answers': ['A<think>Hm</think>B', 'text: A', 'reasoning: Hm', 'text: B'],
  'thinking without an end': ['<think>Hm', 'reasoning: Hm'],
  'thinking about nothing': ['<think></think>Hi', 'text: Hi'],
  'no thinking': ['Hi, a < b and <thin', 'text: Hi, a < b and <thin'],
  'only a lesser sign': ['<', 'text: <'],
};

const cases = ids.flatMap((from) =>
  Object.entries(texts).map(([name, [text, ...runs]]) => ({ from, name, text, runs })),
);

describe.each(cases)('$name, from $from', ({ from, text, runs }) => {
  it('is told apart wherever the text is cut', () => {
    for (let cut = 0; cut <= text.length; cut++) {
      const pieces = [text.slice(0, cut), text.slice(cut)].filter((piece) => piece !== '');
      expect(runsOf(from, stream(from, pieces), true)).toEqual(runs);
    }
    expect(runsOf(from, stream(from, [...text]), true)).toEqual(runs);
  });

  it.each(ids)('is told to a client of %s, wherever the bytes are cut', (to) => {
    const body = stream(from, [...text], true);
    const whole = translate(from, to, body);
    expect(grammarOf(to).violations(whole)).toEqual([]);
    // A client of Chat has one text and one reasoning, so only what each says is compared, not their turns.
    const said = (lines: readonly string[], kind: string): string =>
      lines.map((line) => (line.startsWith(`${kind}: `) ? line.slice(kind.length + 2) : '')).join('');
    for (const kind of ['text', 'reasoning']) expect(said(runsOf(to, whole), kind)).toBe(said(runs, kind));
    for (const size of [1, 7, 64]) expect(translate(from, to, body, size)).toBe(whole);
  });
});

describe.each(pairs)('from %s to %s', (from, to) => {
  it('goes out as it came, for a client of the same dialect, where there are no tags', () => {
    const body = stream(from, ['Hel', 'lo'], true);
    const out = translate(from, to, body);
    if (from === to) expect(out).toBe(body);
    expect(grammarOf(to).violations(out)).toEqual([]);
  });

  it('is left alone unless that is asked for', () => {
    const translator = createTranslator({ from, to });
    const out = Buffer.concat([translator.push(stream(from, ['<think>Hm</think>Hi'])), translator.end()]).toString();
    expect(runsOf(to, out)).toEqual(['text: <think>Hm</think>Hi']);
  });

  it('tells the text that was held back before an error', () => {
    const body = stream(from, ['a <thi', 'x']);
    const cut = body.slice(0, body.indexOf('<thi') + 4);
    const broken = cut + body.slice(cut.length, body.indexOf('\n\n', cut.length) + 2);
    expect(runsOf(to, translate(from, to, broken)).join('')).toBe('text: a <thi');
  });

  it('ends at the limit of blocks', () => {
    const limits = { ...defaultLimits, maxBlocks: 16 };
    const translator = createTranslator({ from, to, extractThinkTags: true, limits });
    const body = stream(from, ['<think>a</think>b'.repeat(50)]);
    const out = Buffer.concat([translator.push(body), translator.end()]).toString();
    expect(out).toContain('too_many_blocks');
    expect(grammarOf(to).fails(out)).toBe(true);
  });
});

it.each(ids)('a whole answer of %s is read so too', (dialect) => {
  const reader = createReader(dialects[dialect]);
  const events = [...reader.push(stream(dialect, ['<think>Hm</think>Hi'])), ...reader.end()].flat();
  expect(events.at(-1)).toMatchObject({ type: 'response-end' });
  const choices = [
    {
      reason: 'stop' as const,
      blocks: [
        {
          block: 0,
          choice: 0,
          kind: 'text' as const,
          text: '<think>Hm</think>Hi',
          input: '',
          citations: [],
          logprobs: [],
          outputs: [],
          data: [],
        },
      ],
    },
  ];
  const whole = { status: 'completed' as const, id: 'r1', model: 'm', choices, metadata: [] };
  const body = dialects[dialect].encodeResponse(whole, { ids: new Ids('seed'), limits: defaultLimits });
  expect(runsOf(dialect, JSON.stringify(body), true)).toEqual(['reasoning: Hm', 'text: Hi']);
});
