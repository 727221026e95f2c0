/** What the events of a Responses stream mean where they disagree with each other, or say something twice. */
import { type CanonicalEvent, createReader, dialectOf, translateText, type Warning } from '@streamglot/core';
import { describe, expect, it } from 'vitest';
import { eventsOf, responses as grammar } from '../support/grammar/responses.ts';
import { call, clean, completed, message, opening, outputOf, text } from './wire.ts';

type Wire = Readonly<Record<string, unknown>>;

function decoded(events: readonly Wire[]): CanonicalEvent[] {
  const reader = createReader(dialectOf('responses'));
  return [...reader.push(text([...events])), ...reader.end()].flat();
}

function relayed(events: readonly Wire[]): Wire[] {
  const out = translateText(text([...events]), { from: 'responses', to: 'responses' });
  expect(grammar.violations(out)).toEqual([]);
  return eventsOf(out);
}

function warnings(events: readonly CanonicalEvent[]): string[] {
  return events.filter((event): event is Warning => event.type === 'warning').map(({ code }) => code);
}

/** What each block says, joined. */
function said(events: readonly CanonicalEvent[]): string[] {
  const texts: string[] = [];
  for (const event of events)
    if (event.type === 'block-delta' && 'text' in event.delta)
      texts[event.block] = (texts[event.block] ?? '') + event.delta.text;
  return texts;
}

describe('the events of a stream', () => {
  it('end an answer that is a refusal as one', () => {
    const at = { item_id: 'msg_0', output_index: 0, content_index: 0 };
    const item = { id: 'msg_0', type: 'message', status: 'completed', role: 'assistant' };
    const refusal = { type: 'refusal', refusal: 'No.' };
    const events = decoded([
      ...opening,
      { type: 'response.output_item.added', output_index: 0, item: { ...item, content: [] } },
      { type: 'response.content_part.added', ...at, part: { type: 'refusal', refusal: '' } },
      { type: 'response.refusal.delta', ...at, delta: 'No.' },
      { type: 'response.output_item.done', output_index: 0, item: { ...item, content: [refusal] } },
      completed([{ ...item, content: [refusal] }]),
    ]);
    expect(events.find(({ type }) => type === 'finish')).toMatchObject({ reason: 'refusal' });
  });

  it('begin an answer once', () => {
    const [created = {}, ...rest] = clean(message(0, ['Hi']));
    const events = decoded([created, created, ...rest]);
    expect(warnings(events)).toEqual(['duplicate_start']);
    expect(relayed([created, created, ...rest]).filter(({ type }) => type === 'response.created')).toHaveLength(1);
  });

  it('give two items of one id two ids', () => {
    const items = [...message(0, ['a'], 'msg'), ...message(1, ['b'], 'msg')];
    const last = relayed(clean(items)).at(-1)?.response as { output: Wire[] };
    expect(last.output.map(({ id }) => id)).toEqual(['msg', 'msg_2']);
  });

  it('belong to the item that their id names, whatever their index says', () => {
    const [first = {}, ...pieces] = call(0, ['{"a"', ':1}']);
    const [second = {}, ...others] = call(1, ['{"b"', ':2}']);
    const wrong = clean([first, second, ...others, ...pieces]).map((event) =>
      event.type === 'response.function_call_arguments.delta' ? { ...event, output_index: 0 } : event,
    );
    expect(said(decoded(wrong))).toEqual(['{"a":1}', '{"b":2}']);
  });

  it('are outweighed by a whole input that their pieces do not make', () => {
    const pieces = call(0, ['{"a":1}']);
    const whole = pieces.map((event) =>
      event.type === 'response.output_item.done'
        ? { ...event, item: { ...(event.item as Wire), arguments: '{"a":2}' } }
        : event,
    );
    const events = decoded([...opening, ...whole, completed(outputOf(whole))]);
    expect(warnings(events)).toContain('tool_arguments_mismatch');
    expect(events.find(({ type }) => type === 'block-end')).toMatchObject({ final: { input: '{"a":2}' } });
  });
});
