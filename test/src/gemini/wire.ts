/** Short ways to write Gemini chunks, to read them, and to write events as such. */
import { type CanonicalEvent, type CloseCause, defaultLimits, type FrameEvents, Ids } from '@streamglot/core';
import { createTranslator, type TranslatorOptions } from '@streamglot/core/translator';
import { gemini } from '../../../packages/core/src/dialects/gemini/index.ts';
import { createReader, type ReaderOptions } from '../../../packages/core/src/reader.ts';

/** A payload. */
export type Wired = Record<string, unknown>;

/** A chunk of one candidate with these parts. */
export function chunk(parts: readonly Wired[], more: Wired = {}, index = 0): Wired {
  return { candidates: [{ content: { role: 'model', parts }, index, ...more }], modelVersion: 'm', responseId: 'r' };
}

/** A chunk of text. */
export const says = (text: string, more?: Wired): Wired => chunk([{ text }], more);

/** The chunk that ends an answer. */
export const stops = (finishReason = 'STOP', more: Wired = {}): Wired => chunk([], { finishReason, ...more });

/** Payloads as server-sent events. */
export const sse = (payloads: readonly Wired[]): string =>
  payloads.map((payload) => `data: ${JSON.stringify(payload)}\r\n\r\n`).join('');

/** Payloads as one array, in the way that its servers write it. */
export const array = (payloads: readonly Wired[]): string =>
  `[${payloads.map((payload) => JSON.stringify(payload, null, 2)).join('\n,\r\n')}\n]\n`;

/** The frames of a body. */
export function framesOf(body: string, options: ReaderOptions = {}, cause?: CloseCause): FrameEvents[] {
  const reader = createReader(gemini, { ids: new Ids('seed'), ...options });
  return [...reader.push(body), ...reader.end(cause)];
}

/** The events of these payloads. */
export const decoded = (payloads: readonly Wired[], options?: ReaderOptions): readonly CanonicalEvent[] =>
  framesOf(sse(payloads), options).flat();

/** The payloads that are written for these events. */
export function encoded(events: readonly CanonicalEvent[]): Wired[] {
  const encoder = gemini.encoder({ ids: new Ids('seed'), limits: defaultLimits });
  return payloadsOf(encoder.push(events) + encoder.end());
}

/** The payloads of a written event stream, less its comments. */
export function payloadsOf(text: string): Wired[] {
  return text
    .split('\n\n')
    .filter((frame) => frame !== '' && !frame.startsWith(':'))
    .map((frame) => JSON.parse(frame.replace(/^data: /, '')) as Wired);
}

/** A translation of a whole body. */
export function translated(body: string, options?: Partial<TranslatorOptions>): string {
  return translatedIn([body], options);
}

/** A translation of a body that comes in these pieces. */
export function translatedIn(
  pieces: readonly (string | Uint8Array)[],
  options: Partial<TranslatorOptions> = {},
): string {
  const translator = createTranslator({ from: gemini, to: gemini, ...options });
  const utf8 = new TextDecoder();
  const texts = pieces.map((piece) => utf8.decode(translator.push(piece)));
  return texts.join('') + utf8.decode(translator.end());
}

/** What each block says, in a line: its kind, its pieces, its signature in angle brackets. */
export function blocksOf(events: readonly CanonicalEvent[]): string[] {
  const lines: string[] = [];
  for (const event of events) {
    if (event.type === 'block-start') lines[event.block] = `${event.kind}: ${event.toolCall?.name ?? ''}`;
    else if (event.type === 'block-delta') lines[event.block] += pieceOf(event.delta);
  }
  return lines;
}

function pieceOf(delta: Extract<CanonicalEvent, { type: 'block-delta' }>['delta']): string {
  if (delta.type === 'signature') return `<${delta.value}>`;
  if (delta.type === 'data') return `[${delta.mimeType} ${delta.base64}]`;
  if (delta.type === 'output') return JSON.stringify(delta.value);
  if (delta.type === 'citation') return `{${delta.citation.url} ${delta.citation.start}-${delta.citation.end}}`;
  return 'text' in delta ? `${delta.text}|` : '';
}

/** The only event of a type. */
export function only<T extends CanonicalEvent['type']>(
  events: readonly CanonicalEvent[],
  type: T,
): Extract<CanonicalEvent, { type: T }> {
  const found = events.filter((event) => event.type === type);
  if (found.length !== 1) throw new Error(`${found.length} events of type ${type}`);
  return found[0] as Extract<CanonicalEvent, { type: T }>;
}
