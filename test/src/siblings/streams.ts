/** Streams of look-alike servers, each with a habit of its own, and what a client must be told all the same. */
import type { KnownDialect } from '@streamglot/core';
import * as chat from '../chat/wire.ts';
import * as messages from '../messages/wire.ts';
import * as responses from '../responses/wire.ts';
import { forms } from './forms.ts';
import type { Says, Sibling } from './says.ts';

type Wire = Record<string, unknown>;

const { chunk, finish, role, done, data, frame } = chat;
const said = (...chunks: readonly string[]): string => role + chunks.join('') + finish('stop') + done;
const spoken = (delta: Wire, says: Says): readonly [string, Says] => [
  said(chunk(delta), chunk({ content: 'Hi' })),
  says,
];
const named = (event: string, payload: Wire): string => `event: ${event}\n${data(payload)}`;
const broken = (payload: unknown): readonly [string, Says] => [
  role + chunk({ content: 'Hi' }) + data(payload),
  { text: 'Hi', end: 'error', error: 'boom' },
];
const ended = (word: string, end: NonNullable<Says['end']>): readonly [string, Says] => [
  role + chunk({ content: 'Hi' }) + finish(word) + done,
  { text: 'Hi', end },
];
const thought: Says = { text: 'Hi', reasoning: 'Hm' };

const ofChat: Readonly<Record<string, readonly [string, Says]>> = {
  'reasoning beside an empty member that clients prefer': spoken({ reasoning_content: '', reasoning: 'Hm' }, thought),
  'reasoning in an object': spoken({ reasoning: { content: 'Hm' } }, thought),
  'reasoning in a typed part with a text': spoken({ content: [{ type: 'reasoning', text: 'Hm' }] }, thought),
  'content that is one typed part': [said(chunk({ content: { type: 'text', text: 'Hi' } })), { text: 'Hi' }],
  'an error that is a detail': broken({ detail: 'boom' }),
  'an error that is a code and a message': broken({ code: 'InternalError', message: 'boom' }),
  'an error in a list': broken({ errors: [{ message: 'boom', code: 7003 }] }),
  'an event named as an exception': [
    role + chunk({ content: 'Hi' }) + named('streamException', { message: 'boom' }),
    { text: 'Hi', end: 'error', error: 'boom' },
  ],
  'an error that says nothing beside choices': [
    said(frame({ choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: null }], error: {} })),
    { text: 'Hi' },
  ],
  'a limit in words of its own': ended('length_limit', 'length'),
  'a filter in words of its own': ended('content_filtered', 'content_filter'),
  'a filter in words run together': ended('ContentFilter', 'content_filter'),
  'calls in words run together': [
    role + chat.calls(chat.call(0, 'c1', 'f', '{"a":1}')) + finish('toolUse') + done,
    { calls: [['f', { a: 1 }]], end: 'tool_calls' },
  ],
  'counts in digits': [
    said(chunk({ content: 'Hi' })).replace(
      done,
      frame({ choices: [], usage: { prompt_tokens: '5', completion_tokens: '7', total_tokens: '12' } }) + done,
    ),
    { text: 'Hi', tokens: [5, 7] },
  ],
};

const { call, calls } = chat;
const fragment = (id: string, name: string | undefined, input: string): Wire => ({
  id,
  type: 'function',
  function: { ...(name !== undefined && { name }), arguments: input },
});
const asked = (...deltas: readonly string[]): string => role + deltas.join('') + finish('tool_calls') + done;
const one: Says = { calls: [['f', { a: 1 }]], end: 'tool_calls' };
const two: Says = {
  calls: [
    ['f', { a: 1 }],
    ['g', { b: 2 }],
  ],
  end: 'tool_calls',
};

const ofChatForms: Readonly<Record<string, readonly [string, Says]>> = {
  'calls that are one call': [asked(chunk({ tool_calls: call(0, 'c1', 'f', '{"a":1}') })), one],
  'calls under their numbers': [
    asked(chunk({ tool_calls: { '0': call(0, 'c1', 'f', '{"a":1}'), '1': call(1, 'c2', 'g', '{"b":2}') } })),
    two,
  ],
  'calls told apart by their ids': [
    asked(
      calls(fragment('c1', 'f', ''), fragment('c2', 'g', '')),
      calls(fragment('c1', undefined, '{"a":1}'), fragment('c2', undefined, '{"b":2}')),
    ),
    two,
  ],
  'calls told apart by their ids, the last one first': [
    asked(
      calls(fragment('c1', 'f', '')),
      calls(fragment('c2', 'g', '')),
      calls(fragment('c2', undefined, '{"b":2}')),
      calls(fragment('c1', undefined, '{"a":')),
      calls(fragment('c1', undefined, '1}')),
    ),
    two,
  ],
  'fragments whose other members are empty': [
    asked(
      calls(call(0, 'c1', 'f', '')),
      calls({ index: 0, id: '', type: '', function: { name: '', arguments: '{"a":1}' } }),
      calls({ index: 0, function: null }),
    ),
    one,
  ],
  'choices that are one choice': [said(frame({ choices: { index: 0, delta: { content: 'Hi' } } })), { text: 'Hi' }],
  'a delta that is a text': [said(chunk('Hi')), { text: 'Hi' }],
  'content that is a number': [said(chunk({ content: 7 }), chunk({ content: 'up' })), { text: '7up' }],
  'reasoning that is a number': spoken({ reasoning_content: 7 }, { text: 'Hi', reasoning: '7' }),
  'payloads that only beat': [role + data('1') + said(chunk({ content: 'Hi' })) + data('{}'), { text: 'Hi' }],
  'a limit, and then a stop': [
    role + chunk({ content: 'Hi' }) + finish('length') + finish('stop') + done,
    { text: 'Hi', end: 'length' },
  ],
  'a stop, and then a limit': [
    role + chunk({ content: 'Hi' }) + finish('stop') + finish('length') + done,
    { text: 'Hi', end: 'length' },
  ],
  'a stop, and then what went wrong': [
    role + chunk({ content: 'Hi' }) + finish('stop') + finish('error', { error: { message: 'boom' } }) + done,
    { text: 'Hi', end: 'error', error: 'boom' },
  ],
  'roles of other kinds': [
    said(chunk({ role: 'model', content: 'H' }), chunk({ role: '', content: 'i' })),
    { text: 'Hi' },
  ],
  'log probabilities that are none': [said(chunk({ content: 'Hi' }, { logprobs: [] })), { text: 'Hi' }],
  'an identity in numbers': [
    said(chunk({ content: 'Hi' }))
      .replace(/"id":"[^"]*"/g, '"id":7')
      .replace(/"created":(\d+)/g, '"created":"$1"'),
    { text: 'Hi' },
  ],
  'an identity in objects': [
    said(chunk({ content: 'Hi' }))
      .replace(/"model":"[^"]*"/g, '"model":{"name":"m"}')
      .replace(/"created":\d+/g, '"created":{}'),
    { text: 'Hi' },
  ],
};

const { start, begin, blank, text, input, stop, delta, reason, end, sse } = messages;
const ran: Says = { calls: [['f', { a: 1 }]], end: 'tool_calls' };
const called = (...input: readonly messages.Wired[]): string =>
  sse(start(), ...input, stop(0), reason('tool_use'), end);
const stopped = (word: string, end: NonNullable<Says['end']>): readonly [string, Says] => [
  sse(start(), begin(0, blank.text), text(0, 'Hi'), stop(0), reason(word), messages.end),
  { text: 'Hi', end },
];
const cutOff = (payload: Wire): readonly [string, Says] => [
  sse(start(), begin(0, blank.text), text(0, 'Hi')) + data(payload),
  { text: 'Hi', end: 'error', error: 'boom' },
];
const nowhere = (content_block: Wire): messages.Wired => ({ type: 'content_block_start', content_block });

const idle = (name: string): Says => ({ calls: [[name, {}]], end: 'tool_calls' });

const ofMessages: Readonly<Record<string, readonly [string, Says]>> = {
  'a reason that comes at the start': [
    sse(start({ stop_reason: 'max_tokens' }), begin(0, blank.text), text(0, 'Hi'), stop(0), end),
    { text: 'Hi', end: 'length' },
  ],
  'a call that ends as a turn': [
    sse(start(), begin(0, blank.call('t')), input(0, '{"a":1}'), stop(0), reason('end_turn'), end),
    ran,
  ],
  'an input that is text at the start': [called(begin(0, { ...blank.call('t'), input: '{"a":1}' })), ran],
  'a start without an index': [called(nowhere(blank.call('t')), input(0, '{"a":1}')), ran],
  'a block and a delta without types': [
    called(begin(0, { id: 't', name: 'f', input: {} }), delta(0, { partial_json: '{"a":1}' })),
    ran,
  ],
  'thinking under the name of text': [
    sse(
      start(),
      begin(0, blank.thinking),
      delta(0, { type: 'thinking_delta', text: 'Hm' }),
      stop(0),
      begin(1, blank.text),
      delta(1, { type: 'text', text: 'Hi' }),
      stop(1),
      reason('end_turn'),
      end,
    ),
    thought,
  ],
  'an input encoded twice': [
    called(begin(0, blank.call('t')), ...['"{\\"a', '\\":', '1}"'].map((piece) => input(0, piece))),
    ran,
  ],
  'an empty input in front of the real one': [
    called(begin(0, blank.call('t')), input(0, '{}'), input(0, '{"a":'), input(0, '1}')),
    ran,
  ],
  'an empty input in front of one encoded twice': [
    called(begin(0, blank.call('t')), input(0, ''), input(0, '{}'), input(0, '"{\\"a\\":1}"')),
    ran,
  ],
  'an empty input and nothing else': [called(begin(0, blank.call('t')), input(0, '{}')), idle('f')],
  'an input that is none': [called(begin(0, blank.call('t')), input(0, 'null')), idle('f')],
  'an error that is a detail': cutOff({ detail: 'boom' }),
  'an error that is a code and a message': cutOff({ code: 'InternalError', message: 'boom' }),
  'an event named as an exception': [
    sse(start(), begin(0, blank.text), text(0, 'Hi')) + named('modelStreamErrorException', { message: 'boom' }),
    { text: 'Hi', end: 'error', error: 'boom' },
  ],
  'a limit in the words of Chat': stopped('length', 'length'),
  'a filter in the words of Chat': stopped('content_filter', 'content_filter'),
};

const { clean, message, opening, completed, outputOf, usage } = responses;
const edited = (items: readonly Wire[], edit: (event: Wire) => Wire): string => responses.text(clean(items).map(edit));
const mapped = (items: readonly Wire[], from: RegExp, to: string): string =>
  responses.text(JSON.parse(JSON.stringify(clean(items)).replace(from, to)) as Wire[]);
const hello = message(0, ['Hi']);
const [announced = {}, ...rest] = responses.call(0, ['{"a":1}']);
const early = (input: unknown): Wire => ({ ...announced, item: { ...(announced.item as Wire), arguments: input } });
const lastly = (more: Wire, type = 'response.completed'): string =>
  responses.text([...opening, ...hello, { ...completed(outputOf(hello), more), type }]);
const noName = { ...announced, item: { ...(announced.item as Wire), name: null } };
const noId = { ...announced, item: { ...(announced.item as Wire), call_id: undefined } };
const without = (events: readonly Wire[], types: RegExp): readonly Wire[] =>
  events.filter(({ type }) => type === 'response.output_item.added' || !types.test(String(type)));
const look: Says = { calls: [['look_up', { a: 1 }]], end: 'tool_calls' };

const ofResponses: Readonly<Record<string, readonly [string, Says]>> = {
  'content that counts from one': [mapped(hello, /"content_index":0/g, '"content_index":1'), { text: 'Hi' }],
  'parts under another name': [mapped(hello, /"type":"output_text"/g, '"type":"text"'), { text: 'Hi' }],
  'content that is a text': [
    responses.text([...opening, completed([{ id: 'm', type: 'message', role: 'assistant', content: 'Hi' }])]),
    { text: 'Hi' },
  ],
  'arguments that keep their place': [responses.text(clean([early('{}'), ...rest])), look],
  'arguments that are none': [
    responses.text(clean(responses.call(0, ['']))),
    { calls: [['look_up', {}]], end: 'tool_calls' },
  ],
  'a name that comes late': [responses.text(clean([noName, ...rest])), look],
  'a call id that comes late': [responses.text(clean([noId, ...rest])), look],
  'items without types': [
    edited(hello, (event) => ({
      ...event,
      ...(event.item !== undefined && { item: { ...(event.item as Wire), type: undefined } }),
    })),
    { text: 'Hi' },
  ],
  'deltas that are objects': [mapped(hello, /"delta":"Hi"/g, '"delta":{"text":"Hi"}'), { text: 'Hi' }],
  'an end that does not say why it is early': [
    lastly({ status: 'incomplete' }, 'response.incomplete'),
    { text: 'Hi', end: 'length' },
  ],
  'an end that is called complete and says why it is not': [
    lastly({ incomplete_details: { reason: 'max_output_tokens' } }),
    { text: 'Hi', end: 'length' },
  ],
  'counts under the names of Chat': [
    lastly({ usage: { prompt_tokens: usage.input_tokens, completion_tokens: usage.output_tokens } }),
    { text: 'Hi', tokens: [9, 7] },
  ],
  'arguments encoded twice': [responses.text(clean(responses.call(0, ['"{\\"a', '\\":', '1}"']))), look],
  'arguments encoded twice where they are done': [
    responses
      .text(clean([early('"{\\"a\\":1}"'), ...rest.slice(-1)]))
      .replaceAll(JSON.stringify('{"a":1}'), JSON.stringify(JSON.stringify('{"a":1}'))),
    look,
  ],
  'a text that only the end of its part tells': [
    responses.text([...opening, hello[0] ?? {}, ...hello.slice(-2), completed(outputOf(hello))]),
    { text: 'Hi' },
  ],
  'a summary that only the end of its part tells': [
    responses.text(
      clean([...without(responses.reasoning(0, ['Hmm.']), /added|delta|text.done/), ...message(1, ['Hi'])]),
    ),
    { text: 'Hi', reasoning: 'Hmm.' },
  ],
  'an answer that only the text of its end tells': [
    responses.text([...opening, completed([], { output_text: 'Hi' })]),
    { text: 'Hi' },
  ],
  'empty arguments in front of the real ones': [
    responses.text(clean(responses.call(0, ['{}', '{"a":', '1}']))).replaceAll('{}{', '{'),
    look,
  ],
  'empty arguments in front of those that are done': [
    responses
      .text(clean(responses.call(0, ['{}', '{"a":1}'])).filter(({ delta }) => delta !== '{"a":1}'))
      .replaceAll('{}{', '{'),
    look,
  ],
  'empty arguments and nothing else': [responses.text(clean(responses.call(0, ['{}']))), idle('look_up')],
  'an error that is a detail': [
    responses.text([...opening, ...hello]) + data({ detail: 'boom' }),
    { text: 'Hi', end: 'error', error: 'boom' },
  ],
  'an error and then what failed': [
    responses.text([
      ...opening,
      ...hello,
      { type: 'error', error: { message: 'boom', code: 'server_error' } },
      { type: 'response.failed', response: responses.response('failed') },
    ]),
    { text: 'Hi', end: 'error', error: 'boom' },
  ],
};

const tables = { chat: { ...ofChat, ...ofChatForms }, messages: ofMessages, responses: ofResponses } as const;

const siblingsIn = (tables: Readonly<Record<string, Readonly<Record<string, readonly [string, Says]>>>>): Sibling[] =>
  Object.entries(tables).flatMap(([from, table]) =>
    Object.entries(table).map(([name, [stream, says]]) => ({ from: from as KnownDialect, name, stream, says })),
  );

/** Every stream of every dialect. */
export const siblings: readonly Sibling[] = [...siblingsIn(tables), ...siblingsIn(forms)];
