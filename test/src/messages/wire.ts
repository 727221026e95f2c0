/** Messages streams in few words: events of the wire to text and back, and the two codecs over them. */
import {
  type CanonicalEvent,
  type CloseCause,
  createReader,
  type Delta,
  defaultLimits,
  type EncoderOptions,
  Ids,
  type ReaderOptions,
  translateText,
} from '@streamglot/core';
import { messages } from '@streamglot/core/messages';

/** One event of the wire; its name is its type. */
export type Wired = Readonly<Record<string, unknown>>;

/** The usual beginning; `message` changes members of the message. */
export const start = (message: Wired = {}): Wired => ({
  type: 'message_start',
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 3, output_tokens: 1 },
    ...message,
  },
});

/** A block begins. */
export const begin = (index: number, content_block: Wired): Wired => ({
  type: 'content_block_start',
  index,
  content_block,
});

/** A block goes on. */
export const delta = (index: number, delta: Wired): Wired => ({ type: 'content_block_delta', index, delta });

/** A block is over. */
export const stop = (index: number): Wired => ({ type: 'content_block_stop', index });

/** A text block goes on. */
export const text = (index: number, text: string): Wired => delta(index, { type: 'text_delta', text });

/** A call's input goes on. */
export const input = (index: number, partial_json: string): Wired =>
  delta(index, { type: 'input_json_delta', partial_json });

/** The beginnings of the common blocks. */
export const blank = {
  text: { type: 'text', text: '' },
  thinking: { type: 'thinking', thinking: '', signature: '' },
  call: (id: string, name = 'f') => ({ type: 'tool_use', id, name, input: {} }),
};

/** The stop reason; `more` adds members to the event. */
export const reason = (stop_reason: string | null, output_tokens = 9, more: Wired = {}): Wired => ({
  type: 'message_delta',
  delta: { stop_reason, stop_sequence: null },
  usage: { output_tokens },
  ...more,
});

/** The last event. */
export const end: Wired = { type: 'message_stop' };

/** Events as a stream. */
export function sse(...events: readonly Wired[]): string {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

/** The payloads of a stream. */
export function payloads(stream: string): Wired[] {
  const lines = stream.split('\n').filter((line) => line.startsWith('data: '));
  return lines.map((line) => JSON.parse(line.slice('data: '.length)) as Wired);
}

/** What a Messages client gets of a Messages upstream. */
export function relayed(stream: string): string {
  return translateText(stream, { from: 'messages', to: 'messages' });
}

/** The events of a stream, without their originals. */
export function decoded(stream: string, options: ReaderOptions = {}, cause?: CloseCause): CanonicalEvent[] {
  const reader = createReader(messages, options);
  const events = [...reader.push(stream), ...reader.end(cause)].flat();
  return events.map(({ native: _, ...event }) => event as CanonicalEvent);
}

/** The events of a kind. */
export function only<T extends CanonicalEvent['type']>(
  events: readonly CanonicalEvent[],
  type: T,
): (CanonicalEvent & { type: T })[] {
  return events.filter((event): event is CanonicalEvent & { type: T } => event.type === type);
}

/** What the deltas of each block say: `block kind: pieces`. */
export function blocksOf(events: readonly CanonicalEvent[]): string[] {
  return only(events, 'block-start').map(({ block, kind }) => {
    const deltas = only(events, 'block-delta').filter((event) => event.block === block);
    return `${kind}: ${deltas.map((event) => said(event.delta)).join('|')}`;
  });
}

function said(delta: Delta): string {
  switch (delta.type) {
    case 'signature':
      return `<${delta.value}>`;
    case 'output':
      return delta.text ?? JSON.stringify(delta.value);
    case 'citation':
      return `[${delta.citation.title ?? ''}]`;
    default:
      return 'text' in delta ? delta.text : delta.type;
  }
}

/** An encoder of the dialect, and what it was left with. */
export function encoded(events: readonly CanonicalEvent[], options: Partial<EncoderOptions> = {}) {
  const encoder = messages.encoder({ ids: new Ids('seed'), limits: defaultLimits, ...options });
  const stream = events.map((event) => encoder.push([event])).join('') + encoder.end();
  return { stream, out: payloads(stream), encoder };
}
