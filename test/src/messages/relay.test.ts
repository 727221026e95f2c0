/** A Messages client of a Messages upstream: what is clean goes out as it came, what breaks clients is mended in place. */
import {
  createReader,
  createTranslator,
  defaultLimits,
  type FrameEvents,
  Ids,
  rewrite,
  translateText,
} from '@streamglot/core';
import { messages } from '@streamglot/core/messages';
import { describe, expect, test } from 'vitest';
import { grammarOf } from '../support/grammar/index.ts';
import {
  begin,
  blank,
  delta,
  end,
  input,
  payloads,
  reason,
  relayed,
  sse,
  start,
  stop,
  text,
  type Wired,
} from './wire.ts';

const signed = (index: number, signature: string): Wired => delta(index, { type: 'signature_delta', signature });
const thought = (index: number, thinking: string): Wired => delta(index, { type: 'thinking_delta', thinking });
const citation = { type: 'web_search_result_location', url: 'https://example.test', title: 'T', encrypted_index: 'eA' };

const nowhere = (content: Wired): Wired => ({ type: 'content_block_start', content_block: content });

const clean: readonly [name: string, events: readonly Wired[]][] = [
  ['text', [begin(0, blank.text), text(0, 'a'), { type: 'ping' }, text(0, 'b'), stop(0), reason('end_turn'), end]],
  ['an empty block', [begin(0, blank.text), stop(0), reason('end_turn'), end]],
  [
    'thinking, its signature, a call',
    [
      begin(0, blank.thinking),
      thought(0, 'a'),
      signed(0, 'c2ln'),
      stop(0),
      begin(1, blank.call('t1')),
      input(1, ''),
      input(1, '{}'),
      stop(1),
      reason('tool_use'),
      end,
    ],
  ],
  [
    'hidden thinking',
    [begin(0, blank.thinking), signed(0, 'c2ln'), { type: 'ping' }, stop(0), reason('end_turn'), end],
  ],
  ['redacted thinking', [begin(0, { type: 'redacted_thinking', data: 'eA==' }), stop(0), reason('end_turn'), end]],
  ['a cut input', [begin(0, blank.call('t1')), input(0, '{"a":"x'), stop(0), reason('max_tokens'), end]],
  [
    'a citation',
    [
      begin(0, blank.text),
      delta(0, { type: 'citations_delta', citation }),
      text(0, 'a'),
      stop(0),
      reason('end_turn'),
      end,
    ],
  ],
  ['several reports', [reason(null, 3), reason('end_turn', 5, { context_management: { applied_edits: [] } }), end]],
];

const unknown: readonly [name: string, events: readonly Wired[]][] = [
  [
    'a block type',
    [begin(0, { type: 'sketch', w: 2 }), delta(0, { type: 'sketch_delta', h: 1 }), stop(0), reason('end_turn'), end],
  ],
  [
    'a delta type',
    [begin(0, blank.text), delta(0, { type: 'tone_delta', tone: 'warm' }), stop(0), reason('end_turn'), end],
  ],
  ['an event', [{ type: 'vertex_event', usage: { input_tokens: 9 } }, reason('end_turn'), end]],
  ['a stop reason', [reason('quota_yield'), end]],
  [
    'a member',
    [{ ...begin(0, { ...blank.text, mood: 'x' }), at: 1 }, stop(0), { ...reason('end_turn'), cost: 2 }, end],
  ],
  [
    'overlap',
    [begin(0, blank.thinking), begin(1, blank.text), text(1, 'a'), stop(0), stop(1), reason('end_turn'), end],
  ],
];

describe('a stream that breaks no client goes out as it came', () => {
  test.each([...clean, ...unknown])('%s', (_, events) => {
    const stream = sse(start(), ...events);
    expect(relayed(stream)).toBe(stream);
  });

  test('white space and key order of a payload stay', () => {
    const odd = 'event: message_stop\ndata: { "type" : "message_stop"   }\n\n';
    expect(relayed(sse(start(), reason('end_turn')) + odd)).toContain(odd);
  });
});

/** What comes of each fault; `undefined` members of an event are gone. */
const mended: readonly [name: string, came: readonly Wired[], goes: readonly Wired[]][] = [
  [
    'an index that is used again is numbered on',
    [begin(0, blank.thinking), stop(0), begin(0, blank.text), text(0, 'a'), stop(0), reason('end_turn'), end],
    [begin(0, blank.thinking), stop(0), begin(1, blank.text), text(1, 'a'), stop(1), reason('end_turn'), end],
  ],
  [
    'a gap is closed',
    [begin(2, blank.text), text(2, 'a'), stop(2), reason('end_turn'), end],
    [begin(0, blank.text), text(0, 'a'), stop(0), reason('end_turn'), end],
  ],
  [
    'a block that is never ended is ended before its index is used again',
    [begin(0, blank.text), text(0, 'a'), begin(0, blank.text), stop(0), reason('end_turn'), end],
    [begin(0, blank.text), text(0, 'a'), stop(0), begin(1, blank.text), stop(1), reason('end_turn'), end],
  ],
  [
    'a block that is open when the message stops is ended',
    [begin(0, blank.text), text(0, 'a'), reason('end_turn'), end],
    [begin(0, blank.text), text(0, 'a'), stop(0), reason('end_turn'), end],
  ],
  [
    'a delta without a block gets one',
    [text(0, 'a'), stop(0), reason('end_turn'), end],
    [begin(0, blank.text), text(0, 'a'), stop(0), reason('end_turn'), end],
  ],
  [
    'starts without an index get those that their deltas name',
    [
      nowhere(blank.text),
      text(0, 'a'),
      stop(0),
      nowhere(blank.call('t1')),
      input(1, '{}'),
      stop(1),
      nowhere(blank.call('t2')),
      input(2, '{"n":2}'),
      stop(2),
      reason('tool_use'),
      end,
    ],
    [
      begin(0, blank.text),
      text(0, 'a'),
      stop(0),
      begin(1, blank.call('t1')),
      input(1, '{}'),
      stop(1),
      begin(2, blank.call('t2')),
      input(2, '{"n":2}'),
      stop(2),
      reason('tool_use'),
      end,
    ],
  ],
  [
    'blocks and deltas that do not say their types get those of their members',
    [
      begin(0, { text: '' }),
      delta(0, { text: 'a' }),
      stop(0),
      begin(1, { id: 't1', name: 'f', input: {} }),
      delta(1, { partial_json: '{}' }),
      stop(1),
      reason('tool_use'),
      end,
    ],
    [
      begin(0, { text: '', type: 'text' }),
      text(0, 'a'),
      stop(0),
      begin(1, { id: 't1', name: 'f', input: {}, type: 'tool_use' }),
      input(1, '{}'),
      stop(1),
      reason('tool_use'),
      end,
    ],
  ],
  [
    'a call without a name, which nobody could answer, goes nowhere',
    [begin(0, blank.call('t1', '')), input(0, '{}'), stop(0), begin(1, blank.text), stop(1), reason('end_turn'), end],
    [begin(0, blank.text), stop(0), reason('end_turn'), end],
  ],
  ['a second start goes nowhere', [start(), reason('end_turn'), end], [reason('end_turn'), end]],
  [
    'two signatures become one',
    [begin(0, blank.thinking), signed(0, 'ab'), signed(0, 'cd'), stop(0), reason('end_turn'), end],
    [begin(0, blank.thinking), signed(0, 'abcd'), stop(0), reason('end_turn'), end],
  ],
  [
    'input in a start becomes a delta',
    [begin(0, { ...blank.call('t1'), input: { n: 1 }, x: 1 }), stop(0), reason('tool_use'), end],
    [begin(0, { ...blank.call('t1'), x: 1 }), input(0, '{"n":1}'), stop(0), reason('tool_use'), end],
  ],
  [
    'a start without input gets it',
    [begin(0, { ...blank.call('t1'), input: undefined }), input(0, '{}'), stop(0), reason('tool_use'), end],
    [begin(0, blank.call('t1')), input(0, '{}'), stop(0), reason('tool_use'), end],
  ],
  [
    'a report without usage gets the last count',
    [{ ...reason('end_turn'), usage: undefined }, end],
    [reason('end_turn', 1), end],
  ],
  [
    'usage without an output count gets the last one',
    [{ ...reason('end_turn'), usage: { input_tokens: 7, output_tokens: null } }, end],
    [{ ...reason('end_turn'), usage: { input_tokens: 7, output_tokens: 1 } }, end],
  ],
  [
    'a later null does not take the reason back',
    [reason('max_tokens', 3), reason(null, 5), end],
    [reason('max_tokens', 3), reason('max_tokens', 5), end],
  ],
  [
    'a message without a reason gets one',
    [end],
    [
      {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn', stop_sequence: null },
        usage: { output_tokens: 0 },
      },
      end,
    ],
  ],
  ['a report that gives no reason gets one', [reason(null, 7), end], [reason('end_turn', 7), end]],
  ['the end that is missing after a reason is written', [reason('end_turn')], [reason('end_turn'), end]],
];

describe('a stream that would break a client is mended', () => {
  test.each(['type', 'role', 'model', 'content', 'stop_reason', 'stop_sequence', 'usage'])(
    'a start without %s gets it',
    (member) => {
      const whole = start({ model: 'unknown', usage: { input_tokens: 0, output_tokens: 0 } });
      const came = start({ model: 'unknown', usage: { input_tokens: 0, output_tokens: 0 }, [member]: undefined });
      const events = [reason('end_turn'), end];
      expect(payloads(relayed(sse(came, ...events)))).toEqual(payloads(sse(whole, ...events)));
    },
  );

  test('of several reports only the last one gets a reason that none gave', () => {
    const [came, goes] = [null, 'end_turn'].map((word) => [reason(null, 3), reason(word, 7), end]);
    expect(payloads(relayed(sse(start(), ...(came ?? []))))).toEqual([start(), ...(goes ?? [])]);
  });

  test('starts without an index that are open together get those that their deltas name, in their order', () => {
    const came = [nowhere(blank.call('t1')), nowhere(blank.call('t2')), input(1, '{}'), input(2, '{"n":2}')];
    const goes = [begin(0, blank.call('t1')), begin(1, blank.call('t2')), input(0, '{}'), input(1, '{"n":2}')];
    const [left, right] = [came, goes].map((events) => payloads(relayed(sse(start(), ...events))));
    expect(left).toEqual(right);
  });

  test('a start without an id gets one', () => {
    const [first] = payloads(relayed(sse(start({ id: null }), reason('end_turn'), end)));
    expect(first).toMatchObject({ message: { id: expect.stringMatching(/^msg_\w+$/) } });
  });

  test.each(mended)('%s', (_, came, goes) => {
    expect(payloads(relayed(sse(start(), ...came)))).toEqual(payloads(sse(start(), ...goes)));
  });

  test('a message_start gets the members that clients write into', () => {
    const [first] = payloads(relayed(sse(start({ usage: undefined, content: null }), reason('end_turn'), end)));
    expect(first).toEqual(start({ usage: { input_tokens: 0, output_tokens: 0 } }));
  });

  test('a type with line ends in it is still one event', () => {
    const odd = { type: 'odd\n\nevent: error\ndata: {}' };
    const out = relayed(`${sse(start())}data: ${JSON.stringify(odd)}\n\n${sse(reason('end_turn'), end)}`);
    expect(payloads(out)).toEqual([start(), odd, reason('end_turn'), end]);
    expect(out.match(/^event: error/m)).toBeNull();
  });

  test('event lines are written where there are none, and many data lines become one', () => {
    const lines =
      'data: {"type":"message_delta",\ndata: "delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":1}}\n\n';
    const out = relayed(`${sse(start()).replace(/^event.*\n/, '')}${lines}${sse(end)}`);
    expect(out.match(/^event: .*/gm)).toEqual(['event: message_start', 'event: message_delta', 'event: message_stop']);
    expect(out.split('\n\n')[1]).toBe(
      'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":1}}',
    );
  });

  test('input that is no JSON ends in an error, because clients throw on it', () => {
    const stream = sse(start(), begin(0, blank.call('t1')), input(0, '{"a":tru]'), stop(0), reason('tool_use'), end);
    expect(payloads(relayed(stream)).at(-1)).toMatchObject({
      type: 'error',
      error: { type: 'api_error', details: { error_code: 'malformed_tool_arguments' } },
    });
  });

  test('no [DONE] comes through', () => {
    const stream = sse(start(), reason('end_turn'), end);
    expect(relayed(`${stream}data: [DONE]\n\n`)).toBe(stream);
  });
});

describe('the model of a relayed stream', () => {
  const named = (model: string): string =>
    translateText(sse(start({ x: 1 }), reason('end_turn'), end), {
      from: 'messages',
      to: 'messages',
      context: { dialect: 'messages', stream: true, model },
    });

  test('is the one that the client asked for', () => {
    expect(payloads(named('alias'))[0]).toEqual(start({ x: 1, model: 'alias' }));
  });

  test('stays untouched where the two agree', () => {
    expect(named('m')).toBe(sse(start({ x: 1 }), reason('end_turn'), end));
  });
});

/** Relays some frames and writes the others anew. */
function relayThenWrite(stream: string, relays: (frame: number) => boolean): string {
  const ids = new Ids();
  const reader = createReader(messages, { ids });
  const encoder = messages.encoder({ ids, limits: defaultLimits });
  const frames: FrameEvents[] = [...reader.push(stream), ...reader.end()];
  frames.forEach((events, at) => {
    if (!relays(at)) for (const { native } of events) rewrite(native);
  });
  return frames.map((events) => encoder.push(events)).join('') + encoder.end();
}

describe('the laws of relaying', () => {
  const { violations } = grammarOf('messages');
  const lawful = clean.filter(([name]) => name !== 'several reports');
  const streams = [
    ...lawful,
    ...mended.filter(([name]) => !/later null|two signatures/.test(name)).map(([name, came]) => [name, came] as const),
  ];

  test.each(streams)('after any frame the rest can be written: %s', (_, events) => {
    const stream = sse(start(), ...events);
    for (let k = 0; k <= events.length + 1; k++) expect(violations(relayThenWrite(stream, (at) => at < k))).toEqual([]);
  });

  test.each(streams)('any single frame can be written among relayed ones: %s', (_, events) => {
    const stream = sse(start(), ...events);
    for (let k = 0; k <= events.length + 1; k++)
      expect(violations(relayThenWrite(stream, (at) => at !== k))).toEqual([]);
  });

  const all = [...clean, ...unknown, ...mended].map(([name, events]) => [name, events] as const);

  test.each(all)('any cut of the bytes gives the same: %s', (_, events) => {
    const stream = sse(start(), ...events);
    const whole = relayed(stream);
    const translator = createTranslator({ from: 'messages', to: 'messages' });
    const pieces = [...Buffer.from(stream)].map((byte) => translator.push(Uint8Array.of(byte)));
    expect(Buffer.concat([...pieces, translator.end()]).toString('utf8')).toBe(whole);
  });

  test.each([...lawful])('a stream that is cut after any frame ends in an error or is whole: %s', (_, events) => {
    const frames = [start(), ...events];
    for (let cut = 0; cut < frames.length; cut++) {
      const out = relayed(sse(...frames.slice(0, cut)));
      const proven = frames.slice(0, cut).some(({ delta: said }) => (said as Wired | undefined)?.stop_reason);
      expect(payloads(out).at(-1)?.type).toBe(proven ? 'message_stop' : 'error');
      expect(violations(out)).toEqual([]);
    }
  });
});
