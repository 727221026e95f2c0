/** Streams as upstreams really send them: what a client is given is lawful and says the same. */
import { defaultLimits, Ids, type Translator } from '@streamglot/core';
import { describe, expect, it } from 'vitest';
import { responses } from '../../../packages/core/src/dialects/responses/index.ts';
import { createTranslator, type TranslatorOptions } from '../../../packages/core/src/translator.ts';
import { eventsOf, responses as grammar } from '../support/grammar/responses.ts';
import {
  call,
  clean,
  completed,
  message,
  opening,
  outputOf,
  rawReasoning,
  reasoning,
  response,
  search,
  text,
  usage,
} from './wire.ts';

type Wire = Record<string, unknown>;

function translate(stream: string, options: Partial<TranslatorOptions> = {}): { out: string; translator: Translator } {
  const translator = createTranslator({ from: responses, to: responses, ...options });
  const utf8 = new TextDecoder();
  return { out: utf8.decode(translator.push(stream)) + utf8.decode(translator.end()), translator };
}

const lastResponse = (out: string): Wire => eventsOf(out).at(-1)?.response as Wire;

const textOf = (out: string): string =>
  (lastResponse(out).output as { content?: { text?: string }[] }[])
    .flatMap((item) => item.content ?? [])
    .map((part) => part.text ?? '')
    .join('');

const without = (events: readonly Wire[], ...types: string[]): Wire[] =>
  events.filter((event) => !types.includes(String(event.type)));

const hello = message(0, ['Hel', 'lo']);
const stream = clean(hello);

const edited = (edit: (event: Wire, at: number) => Wire): Wire[] => stream.map((event, at) => edit({ ...event }, at));

const textFaults: Record<string, Wire[]> = {
  'no sequence numbers': edited(({ sequence_number: _number, ...event }) => event),
  'gaps in the sequence numbers': edited((event, at) => ({ ...event, sequence_number: at * 3 })),
  'another item id in each event': edited((event, at) =>
    event.item_id === undefined ? event : { ...event, item_id: `other_${at}` },
  ),
  'another item id at the end': edited((event) =>
    event.type === 'response.output_item.done' ? { ...event, item: { ...(event.item as Wire), id: 'late' } } : event,
  ),
  'another response id at the end': edited((event) =>
    event.type === 'response.completed' ? { ...event, response: { ...(event.response as Wire), id: 'resp_9' } } : event,
  ),
  'no indexes at all': edited(({ output_index: _output, content_index: _content, ...event }) => event),
  'indexes that begin at 3': edited((event) => (event.output_index === 0 ? { ...event, output_index: 3 } : event)),
  'no ids in its text events': edited((event) => {
    const { item_id: _id, ...rest } = event;
    return event.type === 'response.output_text.delta' ? rest : event;
  }),
  'no content_part events': without(stream, 'response.content_part.added', 'response.content_part.done'),
  'no done events': without(
    stream,
    'response.output_text.done',
    'response.content_part.done',
    'response.output_item.done',
  ),
  'no item events': without(stream, 'response.output_item.added', 'response.output_item.done'),
  'no deltas': without(stream, 'response.output_text.delta'),
  'only an item at its end': [...opening, hello.at(-1) as Wire, completed(outputOf(hello))],
  'only the last response': [...opening, completed(outputOf(hello))],
  'no response.created': stream.slice(1),
  'neither created nor in_progress': stream.slice(2),
  'a last response without output and usage': edited((event) =>
    event.type === 'response.completed' ? { ...event, response: { id: 'resp_1', status: 'completed' } } : event,
  ),
  'an event of an unknown type': [...stream.slice(0, 4), { type: 'response.brand.new', x: 1 }, ...stream.slice(4)],
  'another word for its end': edited((event) =>
    event.type === 'response.completed' ? { ...event, type: 'response.done' } : event,
  ),
  'responses without their members': edited((event, at) =>
    at < 2 ? { ...event, response: { id: 'resp_1', status: 'in_progress' } } : event,
  ),
  'an item that is added twice': [...stream.slice(0, 3), stream[2] as Wire, ...stream.slice(3)],
};

describe('a stream with', () => {
  it.each(Object.entries(textFaults))('%s says the same, lawfully', (_fault, events) => {
    const { out, translator } = translate(text(events));
    expect(grammar.violations(out)).toEqual([]);
    expect(textOf(out)).toBe('Hello');
    expect(translator.ending).toBe('completed');
  });

  it('event names only in its event lines is read by them', () => {
    const nameless = stream.map(({ type, ...event }) => `event: ${type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
    const { out } = translate(nameless);
    expect(grammar.violations(out)).toEqual([]);
    expect(textOf(out)).toBe('Hello');
  });

  it('no event lines gets them', () => {
    const { out } = translate(stream.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
    expect(out).toBe(text(stream));
  });
});

describe('the input of a call', () => {
  const pieces = clean(call(0, ['{"a"', ':1}']));
  const inputs: Record<string, Wire[]> = {
    'only in its done event': without(pieces, 'response.function_call_arguments.delta'),
    'only in the done item': without(
      pieces,
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
    ),
    'only in the last response': [...opening, completed(outputOf(pieces))],
    'whole at its start': pieces
      .map((event) =>
        event.type === 'response.output_item.added'
          ? { ...event, item: { ...(event.item as Wire), arguments: '{"a":1}' } }
          : event,
      )
      .filter((event) => event.type !== 'response.function_call_arguments.delta'),
    'as an object': without(
      pieces,
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
    ).map((event) =>
      event.type === 'response.output_item.done' ? { ...event, item: { ...(event.item as Wire) } } : event,
    ),
  };

  it.each(Object.entries(inputs))('comes through %s', (_where, events) => {
    const { out } = translate(text(events));
    expect(grammar.violations(out)).toEqual([]);
    const [item] = lastResponse(out).output as Wire[];
    expect(item).toMatchObject({ type: 'function_call', call_id: 'call_0', name: 'look_up', arguments: '{"a":1}' });
  });

  it('keeps calls apart that come without any index', () => {
    const two = clean([...call(0, ['{"a"', ':1}']), ...call(1, ['{"b":2}'])]);
    const { out } = translate(text(two.map(({ output_index: _index, ...event }) => event)));
    expect(grammar.violations(out)).toEqual([]);
    expect((lastResponse(out).output as Wire[]).map((item) => item.arguments)).toEqual(['{"a":1}', '{"b":2}']);
  });

  it('makes a call id unique that came twice', () => {
    const two = clean([...call(0, ['{}']), ...call(1, ['{}'])]);
    const same = JSON.parse(JSON.stringify(two).replaceAll('call_1', 'call_0')) as Wire[];
    const { out, translator } = translate(text(same));
    expect(grammar.violations(out)).toEqual([]);
    expect((lastResponse(out).output as Wire[]).map((item) => item.call_id)).toEqual(['call_0', 'call_0_2']);
    expect(translator.warnings.map(({ code }) => code)).toContain('id_repeated');
  });
});

describe('reasoning', () => {
  it.each<[string, Wire[]]>([
    ['whose summary stands only in the done item', without(clean(reasoning(0, ['Sum.'])), ...summaryEvents())],
    [
      'whose summary parts are never announced',
      without(clean(reasoning(0, ['Sum.'])), 'response.reasoning_summary_part.added'),
    ],
  ])('%s is told in full', (_fault, events) => {
    const { out } = translate(text(events));
    expect(grammar.violations(out)).toEqual([]);
    expect(lastResponse(out).output).toMatchObject([
      { type: 'reasoning', summary: [{ text: 'Sum.' }], encrypted_content: 'ENC' },
    ]);
    expect(out.match(/reasoning_summary_text\.delta"/g)?.length).toBeGreaterThan(0);
  });

  it('in raw form gets the content part that its server leaves out', () => {
    const bare = without(
      clean(rawReasoning(0, ['think', 'ing'])),
      'response.content_part.added',
      'response.content_part.done',
    );
    const { out } = translate(text(bare.map(({ content_index: _index, ...event }) => event)));
    expect(grammar.violations(out)).toEqual([]);
    expect(lastResponse(out).output).toMatchObject([{ content: [{ type: 'reasoning_text', text: 'thinking' }] }]);
  });
});

function summaryEvents(): string[] {
  const part = 'response.reasoning_summary_part';
  const words = 'response.reasoning_summary_text';
  return [`${part}.added`, `${part}.done`, `${words}.delta`, `${words}.done`];
}

describe('the end of a stream', () => {
  const cut = stream.slice(0, -1);

  it('that closes before its terminal event is an error by default', () => {
    const { out, translator } = translate(text(cut));
    expect(translator.ending).toBe('truncated');
    expect(
      eventsOf(out)
        .map((data) => data.type)
        .slice(-2),
    ).toEqual(['error', 'response.failed']);
    expect(textOf(out)).toBe('Hello');
  });

  it('that closes before its terminal event completes where that is accepted and its items are done', () => {
    const { out } = translate(text(cut), { acceptMissingTerminal: true });
    expect(grammar.violations(out)).toEqual([]);
    expect(lastResponse(out)).toMatchObject({ status: 'completed', usage: null });
    const { translator } = translate(text(cut.slice(0, -1)), { acceptMissingTerminal: true });
    expect(translator.ending).toBe('truncated');
  });

  it('may be [DONE] once all its items are done, and not before', () => {
    expect(translate(`${text(cut)}data: [DONE]\n\n`).translator.ending).toBe('completed');
    expect(translate(`${text(cut.slice(0, -1))}data: [DONE]\n\n`).translator.ending).toBe('truncated');
  });

  it('may carry a [DONE] behind it, which is not relayed unless the client wants one', () => {
    expect(translate(`${text(stream)}data: [DONE]\n\n`).out).toBe(text(stream));
    expect(translate(text(stream), { responsesDone: true }).out).toBe(`${text(stream)}data: [DONE]\n\n`);
  });

  it.each<[string, string, unknown, Wire]>([
    ['max_output_tokens', 'length', 'response.incomplete', {}],
    ['content_filter', 'content_filter', 'response.incomplete', {}],
    ['max_prompt_tokens', 'context_overflow', 'response.incomplete', {}],
    ['steered', 'other', 'response.incomplete', {}],
  ])('incomplete for %s reads as %s', (reason, finish) => {
    const decoder = responses.decoder({ ids: new Ids('s'), limits: defaultLimits });
    const last = { type: 'response.incomplete', response: response('incomplete', { incomplete_details: { reason } }) };
    const events = [...opening, ...hello, last].flatMap((data) =>
      decoder.push({ name: String(data.type), data: JSON.stringify(data) }).flat(),
    );
    expect(events.at(-2)).toMatchObject({ type: 'finish', reason: finish, nativeReason: reason });
    expect(events.at(-1)).toMatchObject({ type: 'response-end', status: 'incomplete' });
  });

  it('gets the details of its usage that clients read unasked, beside what its server counts itself', () => {
    const counts = { input_tokens: 9, output_tokens: 7, total_tokens: 16, num_sources: 2 };
    const items = message(0, ['Hi']);
    const end = { ...completed(outputOf(items), { usage: counts }), sequence_number: items.length + 2 };
    const { out } = translate(text([...clean(items).slice(0, -1), end]));
    expect(grammar.violations(out)).toEqual([]);
    expect(lastResponse(out).usage).toEqual({
      ...counts,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens_details: { reasoning_tokens: 0 },
    });
  });

  it('that was cancelled is incomplete, since the official helper knows no such event', () => {
    const last = { type: 'response.cancelled', response: response('cancelled') };
    const { out } = translate(text([...stream.slice(0, -1), last]));
    expect(grammar.violations(out)).toEqual([]);
    expect(lastResponse(out)).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'cancelled' } });
  });

  it.each<[string, Wire[], string]>([
    ['function_call', call(0, ['{}']), 'tool_calls'],
    ['a search that the provider ran', [...search(0), ...message(1, ['x'])], 'stop'],
    [
      'a shell call',
      [
        { type: 'response.output_item.added', output_index: 0, item: { id: 'sh_1', type: 'shell_call' } },
        { type: 'response.output_item.done', output_index: 0, item: { id: 'sh_1', type: 'shell_call' } },
      ],
      'tool_calls',
    ],
  ])('after %s finishes with the right reason', (_what, items, reason) => {
    const decoder = responses.decoder({ ids: new Ids('s'), limits: defaultLimits });
    const events = clean(items).flatMap((data) =>
      decoder.push({ name: String(data.type), data: JSON.stringify(data) }).flat(),
    );
    expect(events.find((event) => event.type === 'finish')).toMatchObject({ reason });
    expect(events.find((event) => event.type === 'usage')).toMatchObject({
      usage: { inputTokens: 9, inputTokensDetails: { cacheRead: 2 }, outputTokens: 7, raw: usage },
    });
  });
});

describe('an error inside a stream', () => {
  const flat = { type: 'error', code: 'server_is_overloaded', message: 'Later.', param: null };
  const nested = {
    type: 'error',
    error: { type: 'insufficient_quota', code: 'insufficient_quota', message: 'Empty.' },
  };
  const failed = (code: string) => ({
    type: 'response.failed',
    response: response('failed', { error: { code, message: 'Sorry.' } }),
  });

  it.each<[string, Wire, string, string]>([
    ['flat', flat, 'overloaded', 'server_is_overloaded'],
    ['nested', nested, 'billing', 'insufficient_quota'],
    ['a failed response', failed('rate_limit_exceeded'), 'rate_limit', 'rate_limit_exceeded'],
    ['a failed response', failed('context_length_exceeded'), 'invalid_request', 'context_length_exceeded'],
    ['a failed response', failed('server_error'), 'api_error', 'server_error'],
    ['an object without a type', { error: { message: 'Boom.', code: 503 } }, 'overloaded', 'server_is_overloaded'],
  ])('in the form %s is told in both shapes', (_form, event, type, code) => {
    const decoder = responses.decoder({ ids: new Ids('s'), limits: defaultLimits });
    const events = [...opening, event].flatMap((data) =>
      decoder.push({ name: undefined, data: JSON.stringify(data) }).flat(),
    );
    expect([...events, ...decoder.end().flat()].at(-1)).toMatchObject({ type: 'error', error: { type } });
    const { out, translator } = translate(`${text(opening)}data: ${JSON.stringify(event)}\n\n`);
    expect(grammar.violations(out)).toEqual([]);
    expect(eventsOf(out).at(-2)).toMatchObject({ type: 'error', code, error: { code } });
    expect(translator.ending).toBe('error');
  });

  it.each<[string, readonly Wire[]]>([
    ['the failed response', [failed('server_error')]],
    ['the failed response behind it', [flat, failed('server_is_overloaded')]],
  ])('keeps the usage that %s tells', (_where, end) => {
    const events = [...end.slice(0, -1), { ...end.at(-1), response: { ...(end.at(-1)?.response as Wire), usage } }];
    const { out, translator } = translate(text([...opening, ...events]));
    expect(grammar.violations(out)).toEqual([]);
    expect(translator.usage).toMatchObject({ inputTokens: 9, outputTokens: 7 });
    expect(lastResponse(out)).toMatchObject({ status: 'failed', usage: { input_tokens: 9, output_tokens: 7 } });
    expect(lastResponse(out).error).toMatchObject({ code: (end[0]?.code ?? 'server_error') as string });
  });

  it.each([
    ['anything else', 'data: {"type":"response.in_progress","response":{}}\n\n'],
    ['no JSON', 'data: what\n\n'],
    ['[DONE]', 'data: [DONE]\n\n'],
    ['nothing', ''],
  ])('is told once, whether %s follows it', (_what, rest) => {
    const { out } = translate(`${text([...opening, flat])}${rest}`);
    expect(grammar.violations(out)).toEqual([]);
    expect(lastResponse(out)).toMatchObject({ status: 'failed', error: { code: 'server_is_overloaded' } });
  });

  it('as the very first event still gives the client a response that failed', () => {
    const { out } = translate(`data: ${JSON.stringify(flat)}\n\n`);
    expect(grammar.violations(out)).toEqual([]);
  });

  it('never shows a key that the upstream wrote into it', () => {
    const { out } = translate(text([...opening, { ...flat, message: 'Bad key sk-abcdefghijklmnopqrstuvwx' }]));
    expect(out).not.toContain('abcdefghijklmnop');
  });
});
