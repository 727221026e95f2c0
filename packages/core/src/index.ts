/** Streamglot's codecs over the whole registry: dialects are named by their ids. */
import type { EncoderOptions } from './codec/encoder.ts';
import { Ids } from './codec/ids.ts';
import type { DecodedRequest, WireRequest } from './dialect.ts';
import { dialectOf, type KnownDialect } from './dialects/index.ts';
import type { CanonicalEvent } from './model/event.ts';
import { defaultLimits } from './model/limits.ts';
import { createReader, type ReaderOptions } from './reader.ts';
import { chunksOf, decoded, encoded, translated } from './shells.ts';
import { type Translator, type TranslatorOptions, createTranslator as translatorOf } from './translator.ts';

export type { AnswerDecoders, ErrorAnswer } from './answers.ts';
export type { Decoder, DecoderOptions } from './codec/decoder.ts';
export type { Encoder, EncoderOptions } from './codec/encoder.ts';
export { endingOf, interruption } from './codec/fault.ts';
export { Ids } from './codec/ids.ts';
export { isDeeper } from './codec/json.ts';
export { type Changes, restorer } from './codec/restore.ts';
export { Collector, collect } from './collect.ts';
export type { DecodedRequest, Dialect, EncodedRequest, RequestOptions, WireRequest } from './dialect.ts';
export { dialectOf, dialects, type KnownDialect } from './dialects/index.ts';
export { GrammarCheck } from './grammar.ts';
export type * from './model/context.ts';
export * from './model/error.ts';
export * from './model/event.ts';
export type * from './model/finish.ts';
export * from './model/limits.ts';
export type * from './model/request.ts';
export type * from './model/response.ts';
export * from './model/usage.ts';
export { normalise } from './normalise.ts';
export { createReader, type ReaderOptions } from './reader.ts';
export { type CloseCause, pipe, type Stage } from './stage.ts';
export type { Translator } from './translator.ts';
export type * from './upstream.ts';
export { toBytes } from './wire/bytes.ts';
export type { Frame } from './wire/frame.ts';
export { SseReader } from './wire/sse.ts';
export { comment, dataEvent, namedEvent } from './wire/write.ts';

/** A translator between two dialects of the registry. */
export function createTranslator(options: TranslatorOptions<KnownDialect, KnownDialect>): Translator {
  return translatorOf({ ...options, from: dialectOf(options.from), to: dialectOf(options.to) });
}

/** A body in one dialect as a body in another. Reads when it is read; cancelling it cancels the source. */
export function translateStream(
  body: ReadableStream<Uint8Array>,
  options: TranslatorOptions<KnownDialect, KnownDialect>,
): ReadableStream<Uint8Array> {
  return translated(body, createTranslator(options));
}

/** A whole recorded stream as text; for tests, tools and examples. */
export function translateText(text: string, options: TranslatorOptions<KnownDialect, KnownDialect>): string {
  const translator = createTranslator(options);
  const utf8 = new TextDecoder();
  return utf8.decode(translator.push(text)) + utf8.decode(translator.end());
}

/** The canonical events of a body. Leaving the loop early cancels the source. */
export function decodeStream(
  body: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>,
  dialect: KnownDialect,
  options?: ReaderOptions,
): AsyncIterable<CanonicalEvent> {
  const chunks = 'getReader' in body ? chunksOf(body) : body;
  return decoded(chunks, createReader(dialectOf(dialect), options));
}

/** Canonical events as a body in a dialect. */
export function encodeStream(
  events: AsyncIterable<CanonicalEvent>,
  dialect: KnownDialect,
  options: Partial<EncoderOptions> = {},
): ReadableStream<Uint8Array> {
  const ids = options.ids ?? new Ids(options.context?.seed);
  return encoded(
    events,
    dialectOf(dialect).encoder({ ...options, ids, limits: { ...defaultLimits, ...options.limits } }),
  );
}

/** A client's request and what its answer must know of it. Throws `GatewayError` (400) that names the field. */
export function decodeRequest(dialect: KnownDialect, request: WireRequest): DecodedRequest {
  return dialectOf(dialect).decodeRequest(request);
}
