/** Habits of look-alike servers toward every client: official SDKs read what was meant, wherever the bytes are cut. */
import { createTranslator, dialects, type KnownDialect } from '@streamglot/core';
import { describe, expect, it } from 'vitest';
import { hasFailed, readWritten } from '../recordings/oracle/index.ts';
import { bySize } from '../support/cuts.ts';
import { grammarOf } from '../support/grammar/index.ts';
import { siblings } from './streams.ts';

const ids = Object.keys(dialects) as KnownDialect[];

function translate(from: KnownDialect, to: KnownDialect, stream: string, size = stream.length): string {
  const translator = createTranslator({ from, to, includeUsage: true });
  const out = bySize(Buffer.from(stream), size).map((chunk) => translator.push(chunk));
  return Buffer.concat([...out, translator.end()]).toString();
}

/** A relayed stream keeps what its client reads rightly: its upstream's own word for its end, ids and roles that are said again, an identity that lacks a member. */
const upstreams = /(finish|stop)_reason is |begins again|a role again|goes on after its finish|created is missing/;

describe.each(siblings)('$name, from $from', ({ from, stream, says }) => {
  it.each(ids)('is read rightly by a client of %s', async (to) => {
    const out = translate(from, to, stream);
    const broken = grammarOf(to).violations(out);
    expect(broken.filter((rule) => from !== to || !upstreams.test(rule))).toEqual([]);
    const read = await readWritten(to, [Buffer.from(out)]);
    const { text, reasoning, calls, end } = read.answers[0];
    const { text: wanted = '', reasoning: thought = '', calls: asked = [], end: ending = 'stop' } = says;
    expect([text, reasoning.join('')]).toEqual([wanted, thought]);
    expect(calls.map(({ name, input }) => [name, input])).toEqual(asked);
    expect(hasFailed(read)).toBe(ending === 'error');
    if (ending !== 'error')
      expect([end, read.accumulated]).toEqual([end, expect.not.objectContaining({ failure: expect.anything() })]);
    if (ending !== 'error' && from !== to) expect(end).toBe(told(to, ending));
    if (says.error !== undefined) expect(out).toContain(says.error);
    if (says.tokens !== undefined) expect([read.usage?.input, read.usage?.output]).toEqual(says.tokens);
  });

  it.each(ids)('is the same for a client of %s, wherever its bytes are cut', (to) => {
    const whole = translate(from, to, stream);
    for (const size of [1, 5, 64, 333]) expect(translate(from, to, stream, size)).toBe(whole);
  });
});

/** What a dialect has for an ending: Messages knows no filter but the refusal. */
function told(to: KnownDialect, end: string): string {
  return to === 'messages' && end === 'content_filter' ? 'refusal' : end;
}
