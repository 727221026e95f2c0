/** Streams whose members stand in other places, or in other forms, than their dialect has for them. */
import * as chat from '../chat/wire.ts';
import * as messages from '../messages/wire.ts';
import * as responses from '../responses/wire.ts';
import type { Says } from './says.ts';

type Wire = Record<string, unknown>;
type Table = Readonly<Record<string, readonly [string, Says]>>;

const { chunk, finish, role, done, data, frame, call, calls } = chat;
const said = (...chunks: readonly string[]): string => role + chunks.join('') + finish('stop') + done;
const hi: Says = { text: 'Hi' };
const thought: Says = { text: 'Hi', reasoning: 'Hm' };
const cut: Says = { text: 'Hi', end: 'length' };
const failed: Says = { text: 'Hi', end: 'error', error: 'boom' };
const ran: Says = { calls: [['f', { a: 1 }]], end: 'tool_calls' };
const asked = (...deltas: readonly string[]): string => role + deltas.join('') + finish('tool_calls') + done;
const broken = (payload: unknown): readonly [string, Says] => [role + chunk({ content: 'Hi' }) + data(payload), failed];
const payloadOf = (event: string): string => event.slice('data: '.length).trim();
const twice = (stream: string): string => stream.replaceAll('data: ', 'data: data: ');
/** A stream in which the payload with the text is encoded twice. */
const quoted = (stream: string): string =>
  stream.replace(/data: (.*"Hi".*)/, (_, payload: string) => `data: ${JSON.stringify(payload)}`);

const ofChat: Table = {
  'thinking in blocks of another dialect': [
    said(chunk({ thinking_blocks: [{ type: 'thinking', thinking: 'Hm', signature: '' }] }), chunk({ content: 'Hi' })),
    thought,
  ],
  'reasoning in a list': [said(chunk({ reasoning: [{ text: 'Hm' }] }), chunk({ content: 'Hi' })), thought],
  'parts under the names of Responses': [said(chunk({ content: [{ type: 'output_text', text: 'Hi' }] })), hi],
  'calls without the object around name and arguments': [
    asked(calls({ index: 0, id: 'c', type: 'function', name: 'f', arguments: '{"a":1}' })),
    ran,
  ],
  'arguments that are called parameters': [
    asked(calls({ index: 0, id: 'c', type: 'function', function: { name: 'f', parameters: { a: 1 } } })),
    ran,
  ],
  'a name that is a number': [
    asked(calls({ index: 0, id: 'c', type: 'function', function: { name: 7, arguments: '{"a":1}' } })),
    { calls: [['7', { a: 1 }]], end: 'tool_calls' },
  ],
  'calls that are nothing among calls': [asked(chunk({ tool_calls: [null, call(0, 'c1', 'f', '{"a":1}')] })), ran],
  'an error whose message is an object': broken({ error: { message: { detail: 'boom' } } }),
  'an error that is true': broken({ error: true, message: 'boom' }),
  'an error that is a type': broken({ type: 'error', message: 'boom' }),
  'an error in a list of details': broken({ detail: [{ loc: ['body'], msg: 'boom', type: 'x' }] }),
  'an error that is a code and a msg': broken({ code: 500, msg: 'boom' }),
  'a code that says that all is well': [role + data({ code: 0, msg: 'success' }) + said(chunk({ content: 'Hi' })), hi],
  'members that are empty collections': [
    said(chunk({ content: 'Hi', annotations: {}, audio: {}, images: {} })).replace(
      finish('stop'),
      frame({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: [] }),
    ),
    hi,
  ],
  'choices that are nothing': [said(frame({ choices: [null] }), chunk({ content: 'Hi' })), hi],
  'a field name written twice': [twice(said(chunk({ content: 'Hi' }))), hi],
  'a payload encoded twice': [quoted(said(chunk({ content: 'Hi' }))), hi],
  'payloads in a list': [
    role +
      data(`[${payloadOf(chunk({ content: 'H' }))},${payloadOf(chunk({ content: 'i' }))}]`) +
      finish('stop') +
      done,
    hi,
  ],
};

const { start, begin, blank, text, input, stop, delta, reason, end, sse } = messages;
const block = [begin(0, blank.text), text(0, 'Hi'), stop(0)];
const message = (...events: readonly Wire[]): string => sse(start(), ...events);
const called = (...events: readonly Wire[]): string => message(...events, stop(0), reason('tool_use'), end);
const worded = (...events: readonly Wire[]): string => message(...events, stop(0), reason('end_turn'), end);
const upset = (payload: unknown, name = ''): readonly [string, Says] => [
  message(...block) + (name === '' ? '' : `event: ${name}\n`) + data(payload),
  failed,
];

const ofMessages: Table = {
  'the start of a block that says nothing': [
    worded({ type: 'content_block_start', index: 0, content_block: null }, text(0, 'Hi')),
    hi,
  ],
  'the start of a message that says nothing': [sse({ type: 'message_start' }, ...block, reason('end_turn'), end), hi],
  'the text at the start': [sse(start({ content: 'Hi' }), reason('end_turn'), end), hi],
  'a call at the start': [
    sse(start({ content: [{ ...blank.call('t'), input: { a: 1 } }] }), reason('tool_use'), end),
    ran,
  ],
  'a delta that is a text': [worded(begin(0, blank.text), { type: 'content_block_delta', index: 0, delta: 'Hi' }), hi],
  'a text in parts': [
    worded(begin(0, blank.text), delta(0, { type: 'text_delta', text: [{ type: 'text', text: 'Hi' }] })),
    hi,
  ],
  'a text that is a number': [worded(begin(0, blank.text), delta(0, { type: 'text_delta', text: 7 })), { text: '7' }],
  'an input that is an object': [
    called(begin(0, blank.call('t')), delta(0, { type: 'input_json_delta', partial_json: { a: 1 } })),
    ran,
  ],
  'an input under its own name': [
    called(begin(0, blank.call('t')), delta(0, { type: 'input_json_delta', input: '{"a":1}' })),
    ran,
  ],
  'an input at the end of its block': [
    message(
      begin(0, blank.call('t')),
      { ...stop(0), content_block: { ...blank.call('t'), input: { a: 1 } } },
      reason('tool_use'),
      end,
    ),
    ran,
  ],
  'an id that is a number': [called(begin(0, { ...blank.call('t'), id: 7 }), input(0, '{"a":1}')), ran],
  'a reason beside the delta': [
    message(...block, { type: 'message_delta', stop_reason: 'max_tokens', usage: { output_tokens: 3 } }, end),
    cut,
  ],
  'a reason in a message': [
    message(
      ...block,
      { type: 'message_delta', message: { stop_reason: 'max_tokens' }, usage: { output_tokens: 3 } },
      end,
    ),
    cut,
  ],
  'a reason in the last event': [message(...block, { type: 'message_stop', stop_reason: 'max_tokens' }), cut],
  'counts in the delta': [
    message(
      ...block,
      { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null, usage: { output_tokens: 9 } } },
      end,
    ),
    { text: 'Hi', tokens: [3, 9] },
  ],
  'an error without the object around it': upset({ type: 'error', message: 'boom' }),
  'an error that only its event names': upset({ message: 'boom' }, 'error'),
  'an error whose message is an object': upset({ type: 'error', error: { type: 'x', message: { text: 'boom' } } }),
  'a field name written twice': [twice(message(...block, reason('end_turn'), end)), hi],
  'a payload encoded twice': [quoted(message(...block, reason('end_turn'), end)), hi],
};

const { clean, opening, completed, outputOf, usage, response } = responses;
const hello = responses.message(0, ['Hi']);
const after = (event: Wire, events: readonly Wire[] = hello): string => responses.text([...opening, ...events, event]);
const thinking = (summary: unknown): string => {
  const item = { id: 'rs', type: 'reasoning', summary: [] };
  return responses.text(
    clean([
      { type: 'response.output_item.added', output_index: 0, item },
      { type: 'response.output_item.done', output_index: 0, item: { ...item, summary } },
      ...responses.message(1, ['Hi']),
    ]),
  );
};
const whole = response('completed', { output: outputOf(hello), usage });

const ofResponses: Table = {
  'an end without the object around it': [
    after({ ...whole, type: 'response.completed' }),
    { text: 'Hi', tokens: [9, 7] },
  ],
  'an end without the object around it, and nothing before': [
    after({ ...whole, type: 'response.completed' }, []),
    { text: 'Hi', tokens: [9, 7] },
  ],
  'counts beside the response': [
    after({ type: 'response.completed', response: response('completed', { output: outputOf(hello) }), usage }),
    { text: 'Hi', tokens: [9, 7] },
  ],
  'a delta of nothing that was begun': [
    responses.text([...opening, { type: 'response.output_text.delta', delta: 'Hi' }, completed([])]),
    hi,
  ],
  'a summary that is a text': [thinking('Hm'), thought],
  'a summary of texts': [thinking(['Hm']), thought],
  'content of texts': [after(completed([{ id: 'm', type: 'message', role: 'assistant', content: ['Hi'] }]), []), hi],
  'output under numbers': [
    after(
      { type: 'response.completed', response: response('completed', { output: { 0: outputOf(hello)[0] }, usage }) },
      [],
    ),
    hi,
  ],
  'an error event of the response': [after({ type: 'response.error', error: { message: 'boom' } }), failed],
  'a failure without a response': [after({ type: 'response.failed', error: { message: 'boom' } }), failed],
  'a failure that is called complete': [
    after({ type: 'response.completed', response: response('failed', { error: { message: 'boom' } }) }),
    failed,
  ],
  'a completion with an error': [
    after({
      type: 'response.completed',
      response: response('completed', { error: { code: 'server_error', message: 'boom' }, output: outputOf(hello) }),
    }),
    failed,
  ],
  'an error whose message is an object': [after({ type: 'error', message: { text: 'boom' } }), failed],
  'details that are a text': [
    after({
      type: 'response.incomplete',
      response: response('incomplete', { incomplete_details: 'max_output_tokens', output: outputOf(hello), usage }),
    }),
    cut,
  ],
  'a field name written twice': [twice(responses.text(clean(hello))), hi],
  'a payload encoded twice': [quoted(responses.text(clean(hello))), hi],
};

/** The streams of each dialect. */
export const forms: Readonly<Record<'chat' | 'messages' | 'responses', Table>> = {
  chat: ofChat,
  messages: ofMessages,
  responses: ofResponses,
};
