/** Streams without an end, one for each thing that a stream makes somebody keep. */
import { defaultLimits } from '@streamglot/core';
import { type Flood, kilobyte } from './flood.ts';
import { interactions } from './interactions.ts';

export type { Flood } from './flood.ts';

/** Limits that are soon reached. */
export const tight = {
  ...defaultLimits,
  maxFrameBytes: 1 << 19,
  maxAccumulatedBytes: 1 << 19,
  maxQueuedBytes: 1 << 18,
  maxBlocks: 256,
};

function chunk(choice: object, more: object = {}): string {
  return `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta: {}, finish_reason: null, ...choice }], ...more })}\n\n`;
}

function event(type: string, more: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
}

const begun = event('message_start', {
  message: {
    id: 'm',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  },
});
const blockStart = (index: number, content_block: object) => event('content_block_start', { index, content_block });
const blockDelta = (index: number, delta: object) => event('content_block_delta', { index, delta });
const tool = { type: 'tool_use', id: 't', name: 'f', input: {} };
const call = (index: number, more: object) => chunk({ delta: { tool_calls: [{ index, ...more }] } });

function candidate(more: object, beside: object = {}): string {
  const chunk = { candidates: [{ index: 0, ...more }], ...beside, modelVersion: 'm', responseId: 'r' };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

const part = (more: object) => candidate({ content: { parts: [more], role: 'model' } });

/** Floods of any event stream. */
export const framing: readonly Flood[] = [
  { name: 'a line without an end', head: 'data: ', piece: () => kilobyte, code: 'frame_too_large' },
  { name: 'an event without an end', head: '', piece: () => `data: ${kilobyte}\n`, code: 'frame_too_large' },
  { name: 'an event name without an end', head: 'event: ', piece: () => kilobyte, code: 'frame_too_large' },
  { name: 'a comment without an end', head: ':', piece: () => kilobyte, code: 'frame_too_large' },
  { name: 'comments', head: '', piece: () => `: ${kilobyte}\n\n` },
  { name: 'empty lines', head: 'data: {}', piece: () => '\n'.repeat(1000) },
  { name: 'white space before anything', head: '', piece: () => ' '.repeat(1000) },
  { name: 'events without a payload', head: '', piece: () => 'data:\n\n'.repeat(100) },
  { name: 'a JSON body without an end', head: '{"a":"', piece: () => kilobyte, code: 'answer_too_large' },
  { name: 'an HTML body without an end', head: '<html>', piece: () => kilobyte, code: 'answer_too_large' },
];

const created = event('response.created', {
  response: { id: 'r', object: 'response', created_at: 1, model: 'm', status: 'in_progress', output: [] },
});
const added = (at: number, item: object) =>
  event('response.output_item.added', { output_index: at, item: { id: `i${at}`, ...item } });
const message = added(0, { type: 'message', role: 'assistant', content: [] });
const textPart = event('response.content_part.added', {
  item_id: 'i0',
  output_index: 0,
  content_index: 0,
  part: { type: 'output_text', text: '', annotations: [] },
});
const inText = (type: string, more: object) =>
  event(type, { item_id: 'i0', output_index: 0, content_index: 0, ...more });
const aCall = added(0, { type: 'function_call', call_id: 'c', name: 'f', arguments: '' });

/** Floods that only one dialect has. */
const own: Readonly<Record<string, readonly Flood[]>> = {
  chat: [
    { name: 'text', head: '', piece: () => chunk({ delta: { content: kilobyte } }), kept: ['responses'] },
    { name: 'frames that say nothing', head: '', piece: (n) => `data: {"n":${n}}\n\n`.repeat(30) },
    { name: 'usage', head: '', piece: (n) => chunk({}, { usage: { prompt_tokens: n, completion_tokens: n } }) },
    {
      name: 'content after the finish',
      head: chunk({ finish_reason: 'stop' }) + chunk({}),
      piece: () => chunk({ delta: { content: kilobyte } }),
      ending: 'completed',
    },
    {
      name: 'blocks',
      head: '',
      piece: (n) => chunk({ delta: n % 2 ? { content: 'a' } : { reasoning: 'b' } }).repeat(9),
      code: 'too_many_blocks',
    },
    {
      name: 'a name without an end',
      head: '',
      piece: () => call(0, { id: 'c', function: { name: 'n', arguments: '' } }),
      code: 'answer_too_large',
    },
    { name: 'choices', head: '', piece: (n) => chunk({ index: n }), code: 'too_many_choices' },
    {
      name: 'calls without names',
      head: '',
      piece: (n) => call(n, { id: `c${n}-${kilobyte}` }),
      code: 'too_many_calls',
    },
    {
      name: 'arguments of a call without a name',
      head: '',
      piece: () => call(0, { id: 'c', function: { arguments: kilobyte } }),
      code: 'answer_too_large',
    },
    {
      name: 'arguments that never begin',
      head: call(0, { id: 'c', function: { name: 'f', arguments: '"' } }),
      piece: () => call(0, { function: { arguments: ' '.repeat(1000) } }),
      kept: ['responses', 'gemini'],
    },
    {
      name: 'annotations',
      head: '',
      piece: (n) =>
        chunk({
          delta: { annotations: [{ type: 'url_citation', url_citation: { url: `http://a/${n}`, title: kilobyte } }] },
        }),
      code: 'answer_too_large',
    },
    {
      name: 'arguments',
      head: call(0, { id: 'c', function: { name: 'f', arguments: '{"a":"' } }),
      piece: () => call(0, { function: { arguments: kilobyte } }),
      kept: ['responses', 'gemini'],
    },
    {
      name: 'text behind an open call',
      head: call(0, { id: 'c', function: { name: 'f', arguments: '{"a":"' } }),
      piece: () => chunk({ delta: { content: kilobyte } }),
      code: 'queue_too_large',
      to: 'messages',
    },
  ],
  responses: [
    {
      name: 'text',
      head: created + message + textPart,
      piece: () => inText('response.output_text.delta', { delta: kilobyte }),
      kept: ['responses'],
    },
    { name: 'unknown events', head: created, piece: (n) => event('response.novelty', { n, kilobyte }) },
    { name: 'keep-alives', head: created, piece: () => event('keepalive', {}).repeat(20) },
    { name: 'starts', head: created, piece: () => created.repeat(5) },
    { name: 'states', head: created, piece: () => event('response.in_progress', { response: { id: 'r' } }).repeat(9) },
    {
      name: 'items',
      head: created,
      piece: (n) => added(n, { type: 'message', role: 'assistant', content: [] }),
      code: 'too_many_blocks',
    },
    {
      name: 'blocks',
      head: created,
      piece: (n) => added(n, { type: 'function_call', call_id: `c${n}`, name: 'f', arguments: '' }),
      code: 'too_many_blocks',
    },
    {
      name: 'parts',
      head: created + message,
      piece: (n) =>
        event('response.content_part.added', {
          item_id: 'i0',
          output_index: 0,
          content_index: n,
          part: { type: 'output_text', text: '' },
        }),
      code: 'too_many_blocks',
    },
    {
      name: 'parts of a summary',
      head: created + added(0, { type: 'reasoning', summary: [] }),
      piece: (n) =>
        event('response.reasoning_summary_part.added', {
          item_id: 'i0',
          output_index: 0,
          summary_index: n,
          part: { type: 'summary_text', text: '' },
        }),
      code: 'too_many_blocks',
    },
    {
      name: 'annotations',
      head: created + message + textPart,
      piece: (n) =>
        inText('response.output_text.annotation.added', {
          annotation_index: n,
          annotation: { type: 'url_citation', url: `http://a/${n}`, title: kilobyte },
        }),
      code: 'answer_too_large',
      to: 'responses',
    },
    {
      name: 'arguments',
      head: created + aCall,
      piece: () => event('response.function_call_arguments.delta', { item_id: 'i0', output_index: 0, delta: kilobyte }),
      code: 'answer_too_large',
    },
    {
      name: 'input of calls that were not added',
      head: created,
      piece: (n) =>
        event('response.function_call_arguments.delta', { item_id: `i${n}`, output_index: n, delta: kilobyte }),
    },
  ],
  gemini: [
    { name: 'text', head: '', piece: () => part({ text: kilobyte }), kept: ['responses'] },
    { name: 'frames that say nothing', head: '', piece: (n) => `data: {"n":${n}}\n\n`.repeat(30) },
    { name: 'usage', head: '', piece: (n) => candidate({}, { usageMetadata: { promptTokenCount: n } }) },
    {
      name: 'finishes',
      head: part({ text: 'a' }),
      piece: () => candidate({ finishReason: 'STOP' }),
      ending: 'completed',
    },
    {
      name: 'blocks',
      head: '',
      piece: (n) => part(n % 2 ? { text: 'a' } : { text: 'b', thought: true }).repeat(9),
      code: 'too_many_blocks',
    },
    { name: 'candidates', head: '', piece: (n) => candidate({ index: n }), code: 'too_many_choices' },
    {
      name: 'arguments in pieces',
      head: part({ functionCall: { name: 'f', willContinue: true } }),
      piece: () =>
        part({
          functionCall: {
            willContinue: true,
            partialArgs: [{ jsonPath: '$.a', stringValue: kilobyte, willContinue: true }],
          },
        }),
      code: 'answer_too_large',
    },
    {
      name: 'calls with ids',
      head: '',
      piece: (n) => part({ functionCall: { id: `c${n}`, name: 'f', args: { a: kilobyte } } }),
      code: 'too_many_blocks',
    },
    {
      name: 'sources',
      head: part({ text: 'a' }),
      piece: (n) =>
        candidate({
          groundingMetadata: {
            groundingChunks: [{ web: { uri: `http://a/${n}`, title: kilobyte } }],
            groundingSupports: [{ segment: { endIndex: 1 }, groundingChunkIndices: [n] }],
          },
        }),
      code: 'answer_too_large',
    },
  ],
  interactions,
  messages: [
    {
      name: 'text',
      head: begun + blockStart(0, { type: 'text', text: '' }),
      piece: () => blockDelta(0, { type: 'text_delta', text: kilobyte }),
      kept: ['responses'],
    },
    { name: 'pings', head: begun, piece: () => event('ping', {}).repeat(20) },
    { name: 'unknown events', head: begun, piece: (n) => event('novelty', { n, kilobyte }) },
    { name: 'starts', head: begun, piece: () => begun.repeat(5) },
    {
      name: 'reports of usage',
      head: begun,
      piece: (n) => event('message_delta', { delta: {}, usage: { output_tokens: n } }),
    },
    { name: 'blocks', head: begun, piece: (n) => blockStart(n, { type: 'text', text: 'a' }), code: 'too_many_blocks' },
    {
      name: 'blocks of one index',
      head: begun,
      piece: () => blockStart(0, { type: 'text', text: 'a' }),
      code: 'too_many_blocks',
    },
    {
      name: 'deltas of blocks that were not begun',
      head: begun,
      piece: (n) => blockDelta(n, { type: 'text_delta', text: 'a' }),
      code: 'too_many_blocks',
    },
    {
      name: 'input',
      head: begun + blockStart(0, tool),
      piece: () => blockDelta(0, { type: 'input_json_delta', partial_json: kilobyte }),
      kept: ['responses', 'gemini'],
    },
    {
      name: 'a signature',
      head: begun + blockStart(0, { type: 'thinking', thinking: '', signature: '' }),
      piece: () => blockDelta(0, { type: 'signature_delta', signature: kilobyte }),
      code: 'answer_too_large',
    },
    {
      name: 'input of calls that were not begun',
      head: begun,
      piece: (n) => blockDelta(n, { type: 'input_json_delta', partial_json: kilobyte }),
    },
  ],
};

/** Every flood of a dialect. */
export function floodsOf(dialect: string): readonly Flood[] {
  const floods = own[dialect];
  if (floods === undefined) throw new Error(`no floods of ${dialect}: add them to floods.ts`);
  return [...framing, ...floods];
}
