/** The toolbox of the codecs: ids, JSON that is still arriving, what is undone in answers. */
import { type CanonicalEvent, Collector, collect, GrammarCheck, Ids, restorer } from '@streamglot/core';
import { describe, expect, it } from 'vitest';
import { Balance, compact, isDeeper } from '../../../packages/core/src/codec/json.ts';
import { InputUnwrapper } from '../../../packages/core/src/codec/wrap.ts';

describe('Ids', () => {
  it('invents the same id for the same seed, kind and number, and another for any other', () => {
    const make = (seed: string, prefix: string, number: number) => new Ids(seed).invent(prefix, number);
    expect(make('s', 'call_', 1)).toBe(make('s', 'call_', 1));
    const others = new Set([make('s', 'call_', 1), make('t', 'call_', 1), make('s', 'msg_', 1), make('s', 'call_', 2)]);
    expect(others.size).toBe(4);
  });

  it('takes its seed from the first text only', () => {
    const ids = new Ids();
    ids.seedFrom('first');
    const before = ids.invent('x_');
    ids.seedFrom('second');
    expect(ids.invent('x_')).toBe(before);
  });

  it('makes a repeated id unique', () => {
    const ids = new Ids();
    expect(['a', 'a', 'a', 'a_2'].map((id) => ids.unique(id))).toEqual(['a', 'a_2', 'a_3', 'a_2_2']);
  });
});

describe('JSON that is still arriving', () => {
  it.each([
    ['{}', true],
    ['{"a":"}"', false],
    ['{"a":"\\""}', true],
    ['[1,{"b":[2]}]', true],
    ['', false],
    ['{"a":{"b":1}', false],
  ])('tells of %s whether it is balanced: %s', (text, whole) => {
    const balance = new Balance();
    for (const char of text) balance.add(char);
    expect(balance.whole).toBe(whole);
  });

  it('finds nesting deeper than a limit, but not in strings', () => {
    expect(isDeeper('['.repeat(20) + ']'.repeat(20), 10)).toBe(true);
    expect(isDeeper('[[]]'.repeat(20), 10)).toBe(false);
    expect(isDeeper(JSON.stringify('['.repeat(50)), 10)).toBe(false);
  });

  it('leaves out what is undefined', () => {
    expect(Object.keys(compact({ a: 1, b: undefined, c: null }))).toEqual(['a', 'c']);
  });

  it('unwraps the input text of a custom tool at every cut', () => {
    const text = 'a "quoted"\n\\ path é 🚀 \u0001';
    const wrapped = `{ "input" : ${JSON.stringify(text)} }`;
    for (let at = 0; at <= wrapped.length; at++) {
      const unwrapper = new InputUnwrapper();
      expect(unwrapper.push(wrapped.slice(0, at)) + unwrapper.push(wrapped.slice(at))).toBe(text);
    }
  });

  it.each(['{"input":5,', '[', ' '])('gives what is not wrapped as it came: %s', (start) => {
    const unwrapper = new InputUnwrapper();
    const pieces = [start, 'x'.repeat(300), ' and more'];
    expect(pieces.map((piece) => unwrapper.push(piece)).join('')).toBe(pieces.join(''));
  });

  it('unwraps escapes that arrive one character at a time', () => {
    const unwrapper = new InputUnwrapper();
    const out = [...'{"input":"\\ud83d\\ude80\\n"}'].map((char) => unwrapper.push(char)).join('');
    expect(out).toBe('🚀\n');
  });
});

const call = (name: string): CanonicalEvent => ({
  type: 'block-start',
  block: 0,
  choice: 0,
  kind: 'tool_call',
  toolCall: { id: 'c', name, format: 'json', executor: 'client', kind: 'function' },
});
const input = (text: string): CanonicalEvent => ({ type: 'block-delta', block: 0, delta: { type: 'input', text } });
const finish: CanonicalEvent = { type: 'finish', choice: 0, reason: 'tool_calls' };

describe('restorer', () => {
  it('is nothing where nothing was changed', () => {
    expect(restorer({ names: new Map(), custom: new Set() })).toBeUndefined();
  });

  it('gives a tool its own name back', () => {
    const stage = restorer({ names: new Map([['a_b', 'a.b']]) });
    expect(stage?.push([call('a_b')])[0]).toMatchObject([{ toolCall: { name: 'a.b' } }]);
  });

  it('unwraps the input of a custom tool', () => {
    const stage = restorer({ custom: new Set(['run']) });
    const events = [call('run'), input('{"input":"l'), input('s"}')].flatMap(
      (event) => stage?.push([event]).flat() ?? [],
    );
    expect(events).toMatchObject([
      { toolCall: { kind: 'custom', format: 'text' } },
      { delta: { text: 'l' } },
      { delta: { text: 's' } },
    ]);
  });

  it('turns a forced JSON tool back into text that ends with stop', () => {
    const stage = restorer({ jsonTool: 'answer' });
    const events = stage?.push([call('answer'), input('{"a":1}'), finish]).flat();
    expect(events).toMatchObject([{ kind: 'text' }, { delta: { type: 'text', text: '{"a":1}' } }, { reason: 'stop' }]);
    expect(events?.[0]).not.toHaveProperty('toolCall');
  });
});

describe('collect', () => {
  const events: readonly CanonicalEvent[] = [
    { type: 'response-start', id: 'r', model: 'm' },
    call('f'),
    input('{"a"'),
    input(':1}'),
    { type: 'block-end', block: 0 },
    { type: 'usage', usage: { inputTokens: 1 }, final: true },
    finish,
    { type: 'response-end', status: 'completed' },
  ];

  it('adds up a stream to a response', async () => {
    const response = await collect(events);
    expect(response).toMatchObject({ id: 'r', model: 'm', status: 'completed', usage: { inputTokens: 1 } });
    expect(response.choices).toMatchObject([{ reason: 'tool_calls', blocks: [{ input: '{"a":1}', text: '' }] }]);
  });

  it('says failed of a stream without an ending', () => {
    const collector = new Collector();
    collector.addFrame(events.slice(0, 3));
    expect(collector.response().status).toBe('failed');
  });

  it('puts a blank line between the parts of a reasoning summary', async () => {
    const part = (number: number, text: string): CanonicalEvent => ({
      type: 'block-delta',
      block: 0,
      delta: { type: 'reasoning', form: 'summary', part: number, text },
    });
    const start: CanonicalEvent = { type: 'block-start', block: 0, choice: 0, kind: 'reasoning' };
    const response = await collect([start, part(0, 'a'), part(0, 'b'), part(1, 'c')]);
    expect(response.choices[0]?.blocks[0]?.text).toBe('ab\n\nc');
  });

  it('obeys the grammar that it is checked against', () => {
    const check = new GrammarCheck();
    check.push(events);
    check.end();
    expect(check.violations).toEqual([]);
  });
});

describe('GrammarCheck', () => {
  const start: CanonicalEvent = { type: 'response-start' };
  const text: CanonicalEvent = { type: 'block-start', block: 0, choice: 0, kind: 'text' };
  const end: CanonicalEvent = { type: 'block-end', block: 0 };
  const stop: CanonicalEvent = { type: 'finish', choice: 0, reason: 'stop' };
  const over: CanonicalEvent = { type: 'response-end', status: 'completed' };

  it.each<[string, readonly CanonicalEvent[]]>([
    ['a block before the start', [text]],
    ['two starts', [start, start]],
    ['a delta without its block', [start, input('x')]],
    ['a block number that skips', [start, { ...text, block: 1 }]],
    ['a block that ends twice', [start, text, end, end]],
    ['a finish with a block open', [start, text, stop]],
    ['two finishes of one choice', [start, stop, stop]],
    ['an event after the ending', [start, over, text]],
    ['no ending', [start, text, end, stop]],
  ])('finds %s', (_name, events) => {
    const check = new GrammarCheck();
    check.push(events);
    check.end();
    expect(check.violations.length).toBeGreaterThan(0);
  });
});
