/** The Gemini dialect: streams of partial answers, as server-sent events or as one JSON array. */
import {
  ArrayReader,
  createReader,
  type Decoder,
  type DecoderOptions,
  type Dialect,
  type Encoder,
  type EncoderOptions,
  type Frame,
  type FrameEvents,
  type ReaderOptions,
  type Stage,
  withThinking,
} from '../../dialect.ts';
import { GeminiDecoder } from './decode.ts';
import { GeminiEncoder } from './encode.ts';
import { decodeError, encodeError } from './error.ts';
import { decodeRequest, encodeRequest } from './request.ts';
import { decodeResponse, encodeResponse } from './response.ts';

export { decodeError, decodeRequest, decodeResponse, encodeError, encodeRequest, encodeResponse };

/** Text of a stream that comes as one JSON array, to frames; `maxFrameBytes` bounds one element. */
export function arrayReader(maxFrameBytes: number): Stage<string, Frame> {
  return new ArrayReader(maxFrameBytes);
}

/** Frames of a stream to events. */
export function decoder(options: DecoderOptions): Decoder {
  return withThinking(new GeminiDecoder(options), options);
}

/** Events to the text of a stream. */
export function encoder(options: EncoderOptions): Encoder {
  return new GeminiEncoder(options);
}

/** Reads whatever an upstream answers: bytes in, one list of events for each frame out. Bundles nothing of requests. */
export function reader(options?: ReaderOptions): Stage<Uint8Array | string, FrameEvents> {
  return createReader({ arrayReader, decoder, decodeResponse, decodeError }, options);
}

/** `generateContent` and `streamGenerateContent`. Nothing keeps an idle stream alive that all its clients can read. */
export const gemini: Dialect = {
  id: 'gemini',
  title: 'Gemini',
  routes: [
    '/v1beta/models/{model}:generateContent',
    '/v1beta/models/{model}:streamGenerateContent',
    '/v1/models/{model}:generateContent',
    '/v1/models/{model}:streamGenerateContent',
  ],
  arrayReader,
  decoder,
  encoder,
  keepAlive: () => '',
  decodeRequest,
  encodeRequest,
  decodeResponse,
  encodeResponse,
  decodeError,
  encodeError,
};
