/** What servers that speak Chat get wrong, one habit a row, and what a client must hold in the end. */
import type { ReaderOptions, WarningCode } from '@streamglot/core';
import { call, calls, chunk, data, done, finish, frame, type Message, role } from './wire.ts';

/** One habit. */
export interface Fault {
  name: string;
  stream: string;
  options?: ReaderOptions;
  /** What differs from an answer `Hi` that stopped. */
  holds: Partial<Omit<Message, 'usage' | 'error'>>;
  /** What the decoder says it repaired. */
  warns?: readonly WarningCode[];
}

const hi = chunk({ content: 'Hi' });
const stop = finish('stop') + done;
const asked = finish('tool_calls') + done;
const seven = '{"n":7}';
const oneCall = { text: '', calls: [['call_a', 'f', seven]], finish: 'tool_calls' } as const;
const twoCalls = {
  text: '',
  calls: [
    ['call_a', 'f', seven],
    ['call_b', 'g', '{}'],
  ],
  finish: 'tool_calls',
} as const;

const text: readonly Fault[] = [
  { name: 'nothing', stream: role + hi + stop, holds: {} },
  { name: 'no role at all', stream: hi + stop, holds: {} },
  { name: 'the role on every chunk', stream: role + chunk({ role: 'assistant', content: 'Hi' }) + stop, holds: {} },
  { name: 'null content beside the role', stream: chunk({ role: 'assistant', content: null }) + hi + stop, holds: {} },
  { name: 'a choice without an index', stream: chunk({ content: 'Hi' }, { index: undefined }) + stop, holds: {} },
  { name: 'a null delta', stream: role + hi + chunk(null, { finish_reason: 'stop' }) + done, holds: {} },
  { name: 'a choice without a delta', stream: role + frame({ choices: [{ index: 0 }] }) + hi + stop, holds: {} },
  {
    name: 'null choices',
    stream: role + frame({ choices: null }) + hi + stop,
    holds: {},
    warns: ['frame_ignored'],
  },
  {
    name: 'a chunk without identity before the first',
    stream: data({ id: '', model: '', object: '', created: 0, choices: [], prompt_filter_results: [] }) + hi + stop,
    holds: {},
  },
  {
    name: 'a message in place of the delta',
    stream: frame({ choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' } }] }) + stop,
    holds: {},
  },
  { name: 'content in typed parts', stream: chunk({ content: [{ type: 'text', text: 'Hi' }] }) + stop, holds: {} },
  {
    name: 'a refusal',
    stream: role + chunk({ refusal: 'I will ' }) + chunk({ refusal: 'not.' }) + stop,
    holds: { text: '', refusal: 'I will not.' },
  },
  {
    name: 'text after calls',
    stream: role + calls(call(0, 'call_a', 'f', '{"n"')) + hi + calls(call(0, undefined, undefined, ':7}')) + asked,
    holds: { ...oneCall, text: 'Hi' },
  },
  {
    name: 'the whole text so far in each delta, as announced',
    stream: role + chunk({ content: 'H' }) + chunk({ content: 'Hi' }) + hi + stop,
    options: { cumulativeDeltas: true },
    holds: {},
  },
  {
    name: 'text that only looks like it',
    stream: role + chunk({ content: 'ha' }) + chunk({ content: 'haha' }) + stop,
    holds: { text: 'hahaha' },
  },
];

const reasoning: readonly Fault[] = [
  ...['reasoning_content', 'reasoning'].map((member) => ({
    name: `reasoning as ${member}`,
    stream: chunk({ role: 'assistant', [member]: 'Hm' }) + chunk({ [member]: '.' }) + hi + stop,
    holds: { reasoning: 'Hm.' },
  })),
  {
    name: 'the same reasoning in three members',
    stream:
      chunk({ reasoning_content: 'Hm', reasoning: 'Hm', reasoning_details: [{ type: 'reasoning.text', text: 'Hm' }] }) +
      hi +
      stop,
    holds: { reasoning: 'Hm' },
  },
  {
    name: 'empty reasoning beside the text',
    stream: chunk({ reasoning: 'Hm' }) + chunk({ reasoning: '', content: 'Hi' }) + stop,
    holds: { reasoning: 'Hm' },
  },
  {
    name: 'thinking in typed parts',
    stream:
      chunk({ role: 'assistant', content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] }] }) +
      hi +
      stop,
    holds: { reasoning: 'Hm' },
  },
  {
    name: 'thinking between tags that are cut, as announced',
    stream: role + chunk({ content: '<thi' }) + chunk({ content: 'nk>Hm</think' }) + chunk({ content: '>Hi <' }) + stop,
    options: { extractThinkTags: true },
    holds: { reasoning: 'Hm', text: 'Hi <' },
  },
  {
    name: 'thinking between tags, not announced',
    stream: role + chunk({ content: '<think>Hm</think>Hi' }) + stop,
    holds: { text: '<think>Hm</think>Hi' },
  },
];

const tools: readonly Fault[] = [
  {
    name: 'a call in fragments',
    stream:
      role +
      calls(call(0, 'call_a', 'f', '')) +
      calls(call(0, undefined, undefined, '{"n"')) +
      calls(call(0, undefined, undefined, ':7}')) +
      asked,
    holds: oneCall,
  },
  {
    name: 'interleaved calls',
    stream:
      role +
      calls(call(0, 'call_a', 'f', ''), call(1, 'call_b', 'g', '')) +
      calls(call(1, undefined, undefined, '{')) +
      calls(call(0, undefined, undefined, '{"n"')) +
      calls(call(1, undefined, undefined, '}'), call(0, undefined, undefined, ':7}')) +
      asked,
    holds: twoCalls,
  },
  {
    name: 'calls opened one after another, then filled by turns',
    stream:
      role +
      calls(call(0, 'call_a', 'f', '')) +
      calls(call(1, 'call_b', 'g', '')) +
      calls(call(0, undefined, undefined, seven)) +
      calls(call(1, undefined, undefined, '{}')) +
      asked,
    holds: twoCalls,
  },
  {
    name: 'no index',
    stream: role + calls(call(undefined, 'call_a', 'f', seven), call(undefined, 'call_b', 'g', '{}')) + asked,
    holds: twoCalls,
  },
  {
    name: 'no index, in fragments',
    stream:
      role +
      calls(call(undefined, 'call_a', 'f', '{"n"')) +
      calls(call(undefined, undefined, undefined, ':7}')) +
      calls(call(undefined, 'call_b', 'g', '')) +
      calls(call(undefined, undefined, undefined, '{}')) +
      asked,
    holds: twoCalls,
  },
  {
    name: 'index 0 for every call',
    stream: role + calls(call(0, 'call_a', 'f', seven)) + calls(call(0, 'call_b', 'g', '{}')) + asked,
    holds: twoCalls,
  },
  {
    name: 'index 0 twice in one delta',
    stream: role + calls(call(0, 'call_a', 'f', seven), call(0, 'call_b', 'g', '{}')) + asked,
    holds: twoCalls,
  },
  {
    name: 'indexes that begin at one, with a gap',
    stream: role + calls(call(1, 'call_a', 'f', seven)) + calls(call(4, 'call_b', 'g', '{}')) + asked,
    holds: twoCalls,
  },
  {
    name: 'indexes that are text, of interleaved calls',
    stream:
      role +
      calls({ ...call(0, 'call_a', 'f', ''), index: '0' }, { ...call(1, 'call_b', 'g', ''), index: '1' }) +
      calls({ ...call(1, undefined, undefined, '{}'), index: '1' }) +
      calls({ ...call(0, undefined, undefined, seven), index: '0' }) +
      asked,
    holds: twoCalls,
  },
  {
    name: 'a second call whose name comes late',
    stream:
      role +
      calls(call(0, 'call_a', 'f', seven)) +
      calls(call(1, 'call_b', undefined, '')) +
      calls(call(1, undefined, 'g', '{}')) +
      asked,
    holds: twoCalls,
  },
  {
    name: 'another id on each fragment, without a name',
    stream:
      role +
      calls(call(0, 'call_a', 'f', '')) +
      calls(call(0, 'x1', '', '{"n"')) +
      calls(call(0, 'x2', '', ':7}')) +
      asked,
    holds: oneCall,
  },
  {
    name: 'id and name again on each fragment',
    stream: role + calls(call(0, 'call_a', 'f', '{"n"')) + calls(call(0, 'call_a', 'f', ':7}')) + asked,
    holds: oneCall,
  },
  {
    name: 'an empty id and name on later fragments',
    stream: role + calls(call(0, 'call_a', 'f', '')) + calls(call(0, '', '', seven)) + asked,
    holds: oneCall,
  },
  {
    name: 'an id that is a number',
    stream: role + calls(call(0, 17, 'f', seven)) + asked,
    holds: { ...oneCall, calls: [['17', 'f', seven]] },
  },
  {
    name: 'an id that comes late',
    stream: role + calls(call(0, undefined, 'f', '')) + calls(call(0, 'call_a', undefined, seven)) + asked,
    holds: oneCall,
  },
  {
    name: 'one id for two calls',
    stream: role + calls(call(0, 'call_a', 'f', seven), call(1, 'call_a', 'g', '{}')) + asked,
    holds: { ...twoCalls, calls: [twoCalls.calls[0], ['call_a_1', 'g', '{}']] },
    warns: ['id_repeated'],
  },
  {
    name: 'a name that comes late',
    stream: role + calls(call(0, 'call_a', undefined, '{"n"')) + calls(call(0, 'call_a', 'f', ':7}')) + asked,
    holds: oneCall,
  },
  {
    name: 'a name in pieces, without arguments',
    stream:
      role +
      calls(call(0, 'call_a', 'read_', undefined)) +
      calls(call(0, undefined, 'note', undefined)) +
      calls(call(0, undefined, undefined, seven)) +
      asked,
    holds: { ...oneCall, calls: [['call_a', 'read_note', seven]] },
  },
  {
    name: 'a name in pieces, with empty arguments',
    stream:
      role +
      calls(call(0, 'call_a', 'read_', '')) +
      calls(call(0, undefined, 'no', '')) +
      calls(call(0, undefined, 'te', '')) +
      calls(call(0, undefined, undefined, seven)) +
      asked,
    holds: { ...oneCall, calls: [['call_a', 'read_note', seven]] },
  },
  {
    name: 'a name that grows',
    stream:
      role +
      calls(call(0, 'call_a', 'read_', '')) +
      calls(call(0, undefined, 'read_note', '')) +
      calls(call(0, undefined, undefined, seven)) +
      asked,
    holds: { ...oneCall, calls: [['call_a', 'read_note', seven]] },
  },
  {
    name: 'no arguments at all',
    stream: role + calls(call(0, 'call_a', 'f', undefined)) + asked,
    holds: { ...oneCall, calls: [['call_a', 'f', '']] },
  },
  {
    name: 'null arguments first',
    stream: role + calls(call(0, 'call_a', 'f', null)) + calls(call(0, null, null, seven)) + asked,
    holds: oneCall,
  },
  {
    name: 'arguments that are an object',
    stream: role + calls(call(0, 'call_a', 'f', { n: 7 })) + asked,
    holds: oneCall,
  },
  {
    name: 'arguments that were encoded twice',
    stream: role + calls(call(0, 'call_a', 'f', '"{\\"n')) + calls(call(0, undefined, undefined, '\\":7}"')) + asked,
    holds: oneCall,
  },
  {
    name: 'empty arguments that are replaced',
    stream: role + calls(call(0, 'call_a', 'f', '{}')) + calls(call(0, undefined, undefined, seven)) + asked,
    holds: oneCall,
  },
  {
    name: 'the whole call again at the end',
    stream: role + calls(call(0, 'call_a', 'f', seven)) + calls(call(0, 'call_a', 'f', seven)) + asked,
    holds: oneCall,
    warns: ['tool_call_repaired'],
  },
  {
    name: 'white space and empty fragments behind the arguments',
    stream:
      role + calls(call(0, 'call_a', 'f', seven)) + calls({ index: 0 }, call(0, undefined, undefined, '\n')) + asked,
    holds: oneCall,
  },
  {
    name: 'a call on the chunk that finishes',
    stream:
      role +
      chunk({ content: 'Hi', tool_calls: [call(0, 'call_a', 'f', seven)] }, { finish_reason: 'tool_calls' }) +
      done,
    holds: { ...oneCall, text: 'Hi' },
  },
  {
    name: 'a call that never gets a name',
    stream: role + hi + calls(call(0, 'call_a', undefined, seven)) + asked,
    holds: {},
    warns: ['finish_corrected', 'content_dropped'],
  },
  {
    name: 'a custom tool',
    stream:
      role +
      calls({ index: 0, id: 'call_a', type: 'custom', custom: { name: 'sh', input: '' } }) +
      calls({ index: 0, custom: { input: 'ls "' } }) +
      calls({ index: 0, custom: { input: '}' } }) +
      asked,
    holds: { ...oneCall, calls: [['call_a', 'sh', 'ls "}']] },
  },
];

const endings: readonly Fault[] = [
  { name: 'no sentinel', stream: role + hi + finish('stop'), holds: {} },
  { name: 'a sentinel in quotes', stream: role + hi + finish('stop') + data('"[DONE]"'), holds: {} },
  { name: 'no blank line at the end', stream: (role + hi + finish('stop')).trimEnd(), holds: {} },
  { name: 'data after the sentinel', stream: role + hi + stop + frame({ choices: [], cost: '0' }), holds: {} },
  { name: 'no finish', stream: role + hi + done, holds: {}, warns: ['finish_missing'] },
  {
    name: 'no finish after a call',
    stream: role + calls(call(0, 'call_a', 'f', seven)) + done,
    holds: oneCall,
    warns: ['finish_missing'],
  },
  {
    name: 'a finish that is no word',
    stream: role + hi + finish(7) + done,
    holds: {},
    warns: ['finish_missing'],
  },
  { name: 'an empty finish on each chunk', stream: chunk({ content: 'Hi' }, { finish_reason: '' }) + stop, holds: {} },
  {
    name: 'the finish in camel case',
    stream: role + chunk({ content: 'Hi' }, { finishReason: 'length' }) + done,
    holds: { finish: 'length' },
  },
  { name: 'the finish twice', stream: role + hi + finish('stop') + stop, holds: {} },
  {
    name: 'a finish after each call',
    stream:
      role + calls(call(0, 'call_a', 'f', seven)) + finish('tool_calls') + calls(call(1, 'call_b', 'g', '{}')) + asked,
    holds: twoCalls,
  },
  { name: 'a finish before the text', stream: role + finish('length') + hi + done, holds: { finish: 'length' } },
  {
    name: 'content on the chunk that finishes',
    stream: role + chunk({ content: 'Hi' }, { finish_reason: 'stop' }) + done,
    holds: {},
  },
  { name: 'tool_calls without a call', stream: role + hi + asked, holds: {}, warns: ['finish_corrected'] },
  {
    name: 'a comment sent as data',
    stream: data(': still working') + role + hi + stop,
    holds: {},
    warns: ['frame_ignored'],
  },
  { name: 'an event without data', stream: `${role}data:\n\n${hi}${stop}`, holds: {}, warns: ['frame_ignored'] },
  {
    name: 'an event of another protocol',
    stream: `event: progress\ndata: {"tool":"shell","status":"running"}\n\n${role}${hi}${stop}`,
    holds: {},
    warns: ['frame_ignored'],
  },
  {
    name: 'a close without any terminal, as announced',
    stream: role + calls(call(0, 'call_a', 'f', seven)),
    options: { acceptMissingTerminal: true },
    holds: oneCall,
    warns: ['finish_missing'],
  },
];

/** Every habit; all streams end well. */
export const faults: readonly Fault[] = [...text, ...reasoning, ...tools, ...endings];
