/** Chunks of look-alike servers: what is in them reaches every client, and clients of the dialect get them in its own form. */
import { describe, expect, test } from 'vitest';
import { blocksOf, chunk, framesOf, payloadsOf, sse, stops, translated, type Wired } from './wire.ts';

const candidate = (more: Wired): Wired => ({ candidates: [more], modelVersion: 'm', responseId: 'r' });
const saying = candidate({ content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'STOP' });
const calling = chunk([{ functionCall: { name: 'f', args: { a_b: 1 } } }], { finishReason: 'STOP' });

const shapes: readonly [name: string, chunk: Wired, own: Wired][] = [
  ['in a member of another object', { response: saying, traceId: 't' }, saying],
  ['with one candidate in place of the list', { ...saying, candidates: (saying.candidates as Wired[])[0] }, saying],
  [
    'with one part in place of the list',
    candidate({ content: { role: 'model', parts: { text: 'Hi' } }, finishReason: 'STOP' }),
    saying,
  ],
  ['with a text as part', candidate({ content: { role: 'model', parts: ['Hi'] }, finishReason: 'STOP' }), saying],
  ['with a text as parts', candidate({ content: { role: 'model', parts: 'Hi' }, finishReason: 'STOP' }), saying],
  ['with a text as content', candidate({ content: 'Hi', finishReason: 'STOP' }), saying],
  [
    'with a finish in small letters',
    candidate({ content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'stop' }),
    saying,
  ],
  [
    'with names in snake case',
    {
      candidates: [{ content: { parts: [{ function_call: { name: 'f', args: { a_b: 1 } } }] }, finish_reason: 'STOP' }],
      model_version: 'm',
      response_id: 'r',
    },
    {
      candidates: [{ content: { parts: [{ functionCall: { name: 'f', args: { a_b: 1 } } }] }, finishReason: 'STOP' }],
      modelVersion: 'm',
      responseId: 'r',
    },
  ],
  [
    'with arguments as text',
    chunk([{ functionCall: { name: 'f', args: '{"a_b":1}' } }], { finishReason: 'STOP' }),
    calling,
  ],
];

const expected = (own: Wired): string =>
  JSON.stringify(own).includes('functionCall') ? 'tool_call: f{"a_b":1}|' : 'text: Hi|';

describe.each(shapes)('a chunk %s', (_, wire, own) => {
  test.each([1, 4])('says in a stream what it holds, %i times over', (times) => {
    const frames = framesOf(sse([...Array<Wired>(times - 1).fill({ ...wire }), wire]));
    const blocks = blocksOf(frames.flat()).join(' ');
    expect(blocks.split('Hi').length + blocks.split('a_b').length - 2).toBe(times);
    expect(frames.flat().at(-1)).toMatchObject({ type: 'response-end', status: 'completed' });
  });

  test('says whole what it holds', () => {
    expect(blocksOf(framesOf(JSON.stringify(wire)).flat())).toEqual([expected(own)]);
  });

  test('goes to clients of the dialect in its form', () => {
    expect(payloadsOf(translated(sse([wire])))).toEqual([own]);
  });
});

test('arguments as a text that nests without end stay a text, which is no call', () => {
  const deep = `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`;
  const frames = framesOf(sse([chunk([{ functionCall: { name: 'f', args: deep } }]), stops()]));
  expect(frames.flat().at(-1)?.type).toMatch(/response-end|error/);
});

describe('a call that first comes without an id', () => {
  const call = (id?: string): Wired => chunk([{ functionCall: { name: 'f', args: {}, ...(id && { id }) } }]);

  test.each([
    ['and again with one is one call', [call(), call('c1')], 1],
    ['twice, and again with ids, is two', [call(), call(), call('c1'), call('c2')], 2],
    ['and again without one is two', [call(), call()], 2],
    ['and with more ids than it came is as many', [call(), call('c1'), call('c2')], 2],
  ])('%s', (_, chunks, count) => {
    expect(blocksOf(framesOf(sse([...chunks, stops()])).flat())).toHaveLength(count);
  });
});
