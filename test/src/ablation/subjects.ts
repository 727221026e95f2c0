/** The healthy streams whose members are damaged one by one. */
import type { KnownDialect } from '@streamglot/core';
import * as chat from '../chat/wire.ts';
import * as interactions from '../interactions/wire.ts';
import * as messages from '../messages/wire.ts';
import * as responses from '../responses/wire.ts';
import type { KindOf, Wire } from './ablate.ts';

/** A stream, and how its events are told apart and written. */
export interface Subject {
  readonly dialect: KnownDialect;
  readonly name: string;
  readonly events: readonly Wire[];
  readonly kindOf: KindOf;
  /** The events as a stream, under the names that the healthy ones have. */
  readonly textOf: (events: readonly Wire[]) => string;
}

const typeIn = (holder: unknown): string => {
  const type = (holder as Wire | undefined)?.type;
  return typeof type === 'string' ? ` ${type}` : '';
};

/** The type of the event with that of its item. */
const responsesKind: KindOf = (event) => `${event.type}${typeIn(event.item)}`;

const cited = { type: 'url_citation', url: 'https://example.test/a', title: 'A', start_index: 0, end_index: 2 };

function citing(items: readonly Wire[]): Wire[] {
  const part = { type: 'output_text', text: 'Hello', annotations: [cited], logprobs: [] };
  const at = { item_id: 'msg_1', output_index: 1, content_index: 0 };
  return items.flatMap((event): Wire[] => {
    if (event.type === 'response.content_part.done')
      return [
        { type: 'response.output_text.annotation.added', ...at, annotation_index: 0, annotation: cited },
        { ...event, part },
      ];
    if (event.type !== 'response.output_item.done') return [event];
    return [{ ...event, item: { ...(event.item as Wire), content: [part] } }];
  });
}

const ofResponses: Readonly<Record<string, readonly Wire[]>> = {
  'reasoning, text and a call': responses.clean([
    ...responses.reasoning(0, ['First part.', 'Second part.']),
    ...citing(responses.message(1, ['Hel', 'lo'])),
    ...responses.call(2, ['{"a"', ':1}']),
  ]),
  'raw reasoning and a custom call': responses.clean([
    ...responses.rawReasoning(0, ['think', 'ing']),
    ...responses.call(1, ['a ', 'text'], true),
  ]),
  'a search and a refusal': responses.clean([...responses.search(0), ...refusal(1)]),
};

function refusal(index: number): Wire[] {
  const at = { item_id: 'msg_r', output_index: index, content_index: 0 };
  const item = { id: 'msg_r', type: 'message', role: 'assistant' };
  const part = { type: 'refusal', refusal: 'No.' };
  return [
    { type: 'response.output_item.added', output_index: index, item: { ...item, status: 'in_progress', content: [] } },
    { type: 'response.content_part.added', ...at, part: { type: 'refusal', refusal: '' } },
    { type: 'response.refusal.delta', ...at, delta: 'No.' },
    { type: 'response.refusal.done', ...at, refusal: 'No.' },
    { type: 'response.content_part.done', ...at, part },
    { type: 'response.output_item.done', output_index: index, item: { ...item, status: 'completed', content: [part] } },
  ];
}

const messagesKind: KindOf = (event) => `${event.type}${typeIn(event.content_block)}${typeIn(event.delta)}`;

const { begin, blank, delta, input, stop, text } = messages;

const ofMessages: Readonly<Record<string, readonly Wire[]>> = {
  'thinking, text and two calls': [
    messages.start(),
    begin(0, blank.thinking),
    delta(0, { type: 'thinking_delta', thinking: 'Hm' }),
    delta(0, { type: 'signature_delta', signature: 'sig' }),
    stop(0),
    begin(1, blank.text),
    text(1, 'Hel'),
    text(1, 'lo'),
    stop(1),
    begin(2, blank.call('toolu_1')),
    input(2, '{"a"'),
    input(2, ':1}'),
    stop(2),
    begin(3, blank.call('toolu_2', 'g')),
    input(3, '{"b":2}'),
    stop(3),
    messages.reason('tool_use'),
    messages.end,
  ],
};

const identity = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'some-model' };

const chunk = (delta: Wire, finish_reason: string | null = null): Wire => ({
  ...identity,
  choices: [{ index: 0, delta, logprobs: null, finish_reason }],
});

const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };

/** Which members a delta has tells what a chunk is. */
const chatKind: KindOf = (event) => {
  const [choice] = (event.choices ?? []) as Wire[];
  if (choice === undefined) return 'usage';
  if (choice.finish_reason !== null) return 'finish';
  return Object.keys(choice.delta as Wire).join('+');
};

const ofChat: Readonly<Record<string, readonly Wire[]>> = {
  'reasoning, text and two calls': [
    chunk({ role: 'assistant', content: '' }),
    chunk({ reasoning_content: 'Hm' }),
    chunk({ content: 'Hel' }),
    chunk({ content: 'lo' }),
    chunk({ tool_calls: [chat.call(0, 'call_1', 'f', '')] }),
    chunk({ tool_calls: [chat.call(0, undefined, undefined, '{"a"')] }),
    chunk({ tool_calls: [chat.call(0, undefined, undefined, ':1}')] }),
    chunk({ tool_calls: [chat.call(1, 'call_2', 'g', '')] }),
    chunk({ tool_calls: [chat.call(1, undefined, undefined, '{"b":2}')] }),
    chunk({}, 'tool_calls'),
    { ...identity, choices: [], usage },
  ],
};

const interactionsKind: KindOf = (event) => `${event.event_type}${typeIn(event.step)}${typeIn(event.delta)}`;

const ofInteractions: Readonly<Record<string, readonly Wire[]>> = {
  'a thought, text with a source and a call': [
    interactions.created,
    interactions.event('interaction.status_update', { interaction_id: 'v1_a', status: 'in_progress' }),
    interactions.starts(0, 'thought'),
    interactions.adds(0, { type: 'thought_summary', content: { type: 'text', text: 'Hm' } }),
    interactions.adds(0, { type: 'thought_signature', signature: 'sig' }),
    interactions.stops(0),
    interactions.starts(1, 'model_output'),
    interactions.says(1, 'Hel'),
    interactions.says(1, 'lo'),
    interactions.adds(1, { type: 'text_annotation_delta', annotations: [cited] }),
    interactions.stops(1),
    interactions.starts(2, interactions.called('call_1', { arguments: {} })),
    interactions.feeds(2, '{"a"'),
    interactions.feeds(2, ':1}'),
    interactions.stops(2),
    interactions.ends('requires_action', {
      usage: { total_input_tokens: 3, total_output_tokens: 4, total_tokens: 7 },
    }),
  ],
};

function interactionsText(events: readonly Wire[], healthy: readonly Wire[]): string {
  const frames = events.map((event, at) => `event: ${healthy[at]?.event_type}\ndata: ${JSON.stringify(event)}\n\n`);
  return frames.join('') + interactions.DONE;
}

function chatText(events: readonly Wire[]): string {
  return events.map((event) => chat.data(event)).join('') + chat.done;
}

const table = [
  ['responses', ofResponses, responsesKind, named],
  ['messages', ofMessages, messagesKind, named],
  ['chat', ofChat, chatKind, chatText],
  ['interactions', ofInteractions, interactionsKind, interactionsText],
] as const;

/** Event names are right even where types are not. */
function named(events: readonly Wire[], healthy: readonly Wire[]): string {
  return events.map((event, at) => `event: ${healthy[at]?.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

/** Every healthy stream of every dialect. */
export const subjects: readonly Subject[] = table.flatMap(([dialect, streams, kindOf, textOf]) =>
  Object.entries(streams).map(([name, events]) => ({
    dialect,
    name,
    events,
    kindOf,
    textOf: (damaged) => textOf(damaged, events),
  })),
);
