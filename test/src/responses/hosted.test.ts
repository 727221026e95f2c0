/** Calls that a provider runs itself and writes as if a client had to: nobody is asked to run them. */
import { type CanonicalEvent, createReader, translateText } from '@streamglot/core';
import { responses } from '@streamglot/core/responses';
import { describe, expect, it } from 'vitest';
import { call, clean, message, response, text } from './wire.ts';

type Wire = Record<string, unknown>;

const ours = { type: 'custom', name: 'patch' };
const theirs = { type: 'x_search' };

/** A custom call and an answer, of a response that repeats these tools. */
function stream(tools: unknown): string {
  const events = clean([...call(0, ['{"query":', '"news"}'], true), ...message(1, ['Here.'])]);
  return text(
    events.map((event) => (event.response === undefined ? event : { ...event, response: offering(event, tools) })),
  );
}

const offering = ({ response }: Wire, tools: unknown): Wire => ({ ...(response as Wire), tools });

function eventsOf(body: string): CanonicalEvent[] {
  const reader = createReader(responses);
  return [...reader.push(body), ...reader.end()].flat();
}

const cases: readonly (readonly [offered: string, tools: unknown, executor: 'client' | 'server'])[] = [
  ['no tools that it tells of', undefined, 'client'],
  ['no tools', [], 'client'],
  ['the tool', [ours], 'client'],
  ['the tool, and some of the provider', [theirs, ours], 'client'],
  ['the tool in a group, and some of the provider', [theirs, { type: 'namespace', tools: [ours] }], 'client'],
  ['a function of that name', [{ type: 'function', name: 'patch' }], 'client'],
  ['only tools of the provider', [theirs], 'server'],
  ['tools of the provider and other tools', [theirs, { type: 'custom', name: 'other' }], 'server'],
  ['only a remote server', [{ type: 'mcp', server_label: 's' }], 'server'],
];

describe('a custom call in a response that was offered', () => {
  it.each(cases)('%s is run by whoever offered it', (_offered, tools, executor) => {
    const events = eventsOf(stream(tools));
    const start = events.find((event) => event.type === 'block-start');
    expect(start).toMatchObject({ toolCall: { executor, name: 'patch' } });
    const reason = executor === 'client' ? 'tool_calls' : 'stop';
    expect(events.find((event) => event.type === 'finish')).toMatchObject({ reason });
  });

  it.each(cases)('%s reads the same where the answer came whole', (_offered, tools, executor) => {
    const events = clean([...call(0, ['{}'], true), ...message(1, ['Here.'])]);
    const whole = offering(events.at(-1) as Wire, tools);
    const start = eventsOf(JSON.stringify(whole)).find((event) => event.type === 'block-start');
    expect(start).toMatchObject({ toolCall: { executor } });
  });

  it('only tools of the provider goes out as it came to its own clients, and not at all to others', () => {
    const body = stream([theirs]);
    expect(translateText(body, { from: 'responses', to: 'responses' })).toBe(body);
    for (const to of ['chat', 'messages'] as const) {
      const out = translateText(body, { from: 'responses', to });
      expect(out).not.toContain('patch');
      expect(out).toMatch(/"(finish_reason":"stop|stop_reason":"end_turn)"/);
    }
  });

  it('is told only by the last response where none came first', () => {
    const last = { type: 'response.completed', response: { ...response('completed'), tools: [theirs] } };
    const output = (clean(call(0, ['{}'], true)).at(-1) as { response: Wire }).response.output;
    const events = eventsOf(text([{ ...last, response: { ...last.response, output } }]));
    expect(events.find((event) => event.type === 'block-start')).toMatchObject({ toolCall: { executor: 'server' } });
  });
});
