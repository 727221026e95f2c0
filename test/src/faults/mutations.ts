/** Ways to break a clean stream, each of which the judge of the faults has to notice. */
import { both, type Edit, endWith, later, swap, swapAll, swapLast, twice, without } from '../support/edits.ts';
import { type Scene, scenes } from '../support/scenes.ts';

/** What is answered: thinking, text and two calls; thinking and text; or text and then an error. */
export const streams: Readonly<Record<'tools' | 'plain' | 'error', Scene>> = {
  tools: {
    ...scenes['parallel tools'],
    pieces: [...scenes.reasoning.pieces, ...scenes['parallel tools'].pieces],
  },
  plain: scenes.reasoning,
  error: scenes['error mid-stream'],
};

/** One way to break a stream. */
export interface Mutation {
  what: string;
  edit: Edit;
  stream: keyof typeof streams;
  /** Whether a relay may show it where its upstream does: no official SDK minds. */
  relayed: boolean;
}

function tools(what: string, edit: Edit): Mutation {
  return { what, edit, stream: 'tools', relayed: false };
}

function error(what: string, edit: Edit): Mutation {
  return { what, edit, stream: 'error', relayed: false };
}

function relayed(mutation: Mutation): Mutation {
  return { ...mutation, relayed: true };
}

const chunk = 'data: {"id":"chatcmpl-Bx7Rk2","object":"chat.completion.chunk","created":1790000000,"model":"a-model"';
const emptyChunk = `${chunk},"choices":[]}\n\n`;

const chat: readonly Mutation[] = [
  tools('the last blank line is missing', (stream) => stream.slice(0, -1)),
  relayed(tools('no [DONE]', without(/\[DONE\]/))),
  tools('[DONE] twice', endWith('data: [DONE]\n\n')),
  tools('an event line on a chunk', swap('data: ', 'event: message\ndata: ')),
  tools('JSON over two lines', swap('"object":', '\ndata: "object":')),
  tools('data that is no JSON', swap('data: {', 'data: OK {')),
  relayed(tools('the id changes', swapLast('chatcmpl-Bx7Rk2', 'chatcmpl-other'))),
  relayed(tools('created changes', swapLast('1790000000', '1790000001'))),
  relayed(tools('an empty model', swapLast('"model":"a-model"', '"model":""'))),
  relayed(tools('no object', swapLast('"object":"chat.completion.chunk",', ''))),
  tools('no role', swap('"role":"assistant",', '')),
  relayed(tools('a role twice', swapLast('"delta":{"content"', '"delta":{"role":"assistant","content"'))),
  tools(
    'indexes that start at 1',
    both(swapAll('[{"index":1', '[{"index":2'), swapAll('"tool_calls":[{"index":0', '"tool_calls":[{"index":1')),
  ),
  tools('a call without an id', swap('"id":"call_q0Zt0",', '')),
  relayed(tools('an id again', swapLast('{"index":1,"function"', '{"index":1,"id":"call_q0Zt1","function"'))),
  tools('a call without a type', swap('"type":"function",', '')),
  tools('arguments as an object', swapLast('"arguments":"', '"arguments":{},"rest":"')),
  tools('a fragment of arguments lost', without(/"unit/)),
  tools('no finish', swap('"finish_reason":"tool_calls"', '"finish_reason":null')),
  relayed(tools('two finishes', twice(/"finish_reason":"/))),
  relayed(tools('content after the finish', later(/sunny/, /"finish_reason":"/))),
  relayed(tools('another finish', swap('"finish_reason":"tool_calls"', '"finish_reason":"stop"'))),
  relayed(tools('usage twice', twice(/prompt_tokens/))),
  relayed(tools('usage that is wrong', swap('"prompt_tokens":21', '"prompt_tokens":25'))),
  relayed(tools('a total that is no sum', swap('"total_tokens":30', '"total_tokens":29'))),
  tools('usage lost', without(/prompt_tokens/)),
  tools('text doubled', twice(/sunny/)),
  tools('thinking in the text', swapAll('"reasoning_content"', '"content"')),
  relayed(tools('an empty chunk', swap(/(?<=\n\n)/, emptyChunk))),
  tools('a chunk after the end', endWith(emptyChunk)),
  error('an error swallowed', swap(/data: \{"error".*\n\n/, 'data: [DONE]\n\n')),
  error('[DONE] after an error', endWith('data: [DONE]\n\n')),
  error(
    'an error of another class',
    swap(/"type":"server_error"(.*)"code":"server_error"/, '"type":"invalid_request_error"$1"code":null'),
  ),
];

const stopped = 'event: message_stop\ndata: {"type":"message_stop"}\n\n';
const ended =
  '{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":9}}';

const messages: readonly Mutation[] = [
  tools('no event line', swap('event: content_block_start\n', '')),
  tools('message_start twice', twice(/event: message_start/)),
  tools('no message_start', without(/event: message_start/)),
  tools('a ping first', (stream) => `event: ping\ndata: {"type":"ping"}\n\n${stream}`),
  tools('blocks that overlap', later(/event: content_block_stop/, /event: content_block_start\n.*"index":1/)),
  tools('an index left out', swapAll('"index":3', '"index":4')),
  tools('an index used twice', swapAll('"index":3', '"index":2')),
  tools('a block that is not ended', without(/event: content_block_stop\n.*"index":2/)),
  tools('a delta of another kind', swap('text_delta","text"', 'thinking_delta","thinking"')),
  relayed(tools('message_delta twice', twice(/event: message_delta/))),
  tools('no stop reason', swap('"stop_reason":"tool_use"', '"stop_reason":null')),
  tools('message_delta without usage', swap(/,"usage":\{"input_tokens":17,[^}]*\}[^}]*\}/, '')),
  tools('no message_stop', without(/event: message_stop/)),
  tools('a [DONE]', endWith('data: [DONE]\n\n')),
  tools('input in the start', swap('"input":{}', '"input":{"city":"Paris"}')),
  relayed(tools('another stop reason', swap('"tool_use","stop_seq', '"end_turn","stop_seq'))),
  relayed(tools('exclusive counters that include', swapAll('"input_tokens":17', '"input_tokens":21'))),
  tools('thinking in the text', swapAll('"thinking_delta","thinking"', '"text_delta","text"')),
  error('message_stop after an error', endWith(stopped)),
  error('an error of another class', swap('overloaded_error', 'api_error')),
  error('an error swallowed', without(/event: error/)),
  error(
    'success in the place of an error',
    swap(/event: error\n.*\n\n/, `event: message_delta\ndata: ${ended}\n\n${stopped}`),
  ),
];

const responses: readonly Mutation[] = [
  tools('an event line that lies', swap('event: response.created', 'event: created')),
  tools('no event line', swap('event: response.in_progress\n', '')),
  tools('a gap in the numbers', swap('"sequence_number":3}', '"sequence_number":103}')),
  tools('no number', swap(',"sequence_number":3}', '}')),
  tools('no response.created', without(/event: response\.created/)),
  tools('no terminal event', without(/event: response\.completed/)),
  tools('two terminal events', twice(/event: response\.completed/)),
  tools('a [DONE]', endWith('data: [DONE]\n\n')),
  tools(
    'an event that nobody knows',
    swap(
      'event: response.in_progress\ndata: {"type":"response.in_progress"',
      'event: response.x\ndata: {"type":"response.x"',
    ),
  ),
  tools('an output_index left out', swapAll('"output_index":3', '"output_index":4')),
  tools('an output_index used twice', swapAll('"output_index":3', '"output_index":2')),
  tools('a delta of another item', swapLast(/"item_id":"msg_\w+"/g, '"item_id":"msg_other"')),
  tools('an item that ends as another', swapLast(/"item":\{"id":"msg_\w+"/g, '"item":{"id":"msg_other"')),
  tools('no part before the text', without(/content_part\.added/)),
  tools('an item that is not done', without(/output_item\.done\n.*"output_index":1/)),
  tools('an item that is not added', without(/output_item\.added\n.*"output_index":1/)),
  tools('a text that its end does not repeat', swap('"text":"It is sunny."', '"text":"It is"')),
  tools('arguments that their end does not repeat', swap(/(arguments\.done\n.*"arguments":)"[^}]*\}"/, '$1"{}"')),
  tools('a summary that its end does not repeat', swap(/(summary_text\.done\n.*"text":)"[^"]*"/, '$1""')),
  tools('an empty output at the end', swapLast('"output":[{', '"output":[],"items":[{')),
  tools('another output at the end', swapLast('It is sunny.', 'It was.')),
  tools('usage lost', swapLast('"usage":{', '"usage":null,"spent":{')),
  tools('an id that changes', swapLast(/resp_\w+/g, 'resp_other')),
  tools('a status that lies', swapLast('"status":"completed"', '"status":"incomplete"')),
  tools('a message without content', swap('"content":[],', '')),
  tools('a call without its id', swap(/"call_id":"call_\w+",/, '')),
  tools('a part of the text lost', without(/sunny/)),
  error('a failure that reads as success', swapAll('response.failed', 'response.completed')),
  error('a failure without its error', both(without(/event: error/), swapLast('"error":{', '"error":null,"fault":{'))),
  error('an error of another class', swapAll(/server_is_overloaded|server_error/g, 'invalid_prompt')),
];

/** The mutations of each dialect. */
export const mutations: Readonly<Record<string, readonly Mutation[]>> = { chat, messages, responses };
